// The tables of the page: heads and cells of each, and the address of every cell.
//
// The address `#TABLE/ROW/COLUMN` names the heads of a cell, so it survives sorting and the next build.

const tables = (() => {
  const known = new WeakMap();

  // The text of a head or cell without footnote marks and the small print below it.
  function plain(element) {
    const copy = element.cloneNode(true);
    for (const extra of copy.querySelectorAll("sup, small, .interval, button")) extra.remove();
    return copy.textContent.replace(/\s+/g, " ").trim();
  }

  const slug = (text) => text.toLowerCase().replace(/[^\p{L}\p{N}._]+/gu, "-").replace(/^-|-$/g, "") || "-";

  // Equal texts get a number, so that every address is of one cell.
  function distinct(texts) {
    const counts = new Map();
    return texts.map((text) => {
      const count = (counts.get(text) ?? 0) + 1;
      counts.set(text, count);
      return count === 1 ? text : `${text}~${count}`;
    });
  }

  // The columns [first, last) that each head is over.
  function headSpans(table) {
    const spans = [];
    const taken = []; // rows that a head of an earlier row still covers, by column
    for (const row of table.tHead.rows) {
      let column = 0;
      const skip = () => {
        while (taken[column] > 0) taken[column++] -= 1;
      };
      for (const head of row.cells) {
        skip();
        const first = column;
        column += head.colSpan;
        for (let i = first; i < column; i++) taken[i] = head.rowSpan - 1;
        spans.push({ head, first, last: column });
      }
      skip();
    }
    return spans;
  }

  // The texts of the heads over a column, top level first.
  const headPath = (spans, column) =>
    spans.filter(({ first, last }) => first <= column && column < last).map(({ head }) => plain(head)).filter(Boolean);

  function read(table) {
    const section = table.closest("section.table");
    const rows = [...table.tBodies[0].rows];
    const leads = rows.length ? rows[0].querySelectorAll("th").length : 0;
    const spans = headSpans(table);
    const columns = Array.from({ length: rows.length ? rows[0].cells.length : 0 }, (_, i) => headPath(spans, i));
    const heads = rows.map((row) => [...row.querySelectorAll("th")].map(plain));
    const leadTitles = columns.slice(0, leads).map((path) => path.join(" "));
    const model = {
      id: section.id,
      name: section.id.replace(/^table-/, ""),
      title: section.dataset.title,
      table,
      section,
      leads, // columns that name the row
      columns,
      spans,
      rowSlugs: new Map(),
      columnSlugs: distinct(columns.map((path) => slug(path.join(" ")))),
      // A number, yes or no says nothing without the title of its column.
      heads: new Map(rows.map((row, i) => [row, heads[i].map((text, j) => (/^([\d.,]+|yes|no)$/.test(text) ? `${leadTitles[j]} ${text}` : text))])),
    };
    distinct(heads.map((texts) => slug(texts.join(" ")))).forEach((text, i) => model.rowSlugs.set(rows[i], text));
    return model;
  }

  function of(table) {
    if (!known.has(table)) known.set(table, read(table));
    return known.get(table);
  }

  const isVisible = (element) => !element.hidden && element.offsetParent !== null;

  return {
    of,
    plain,
    all: () => [...document.querySelectorAll("section.table table")],

    // What a cell is: its table, heads and address, and the name of its case.
    cell(td) {
      const model = of(td.closest("table"));
      const row = td.parentElement;
      const link = td.querySelector('a[href^="#case-"]');
      return {
        td,
        link,
        model,
        row: model.heads.get(row),
        column: model.columns[td.cellIndex],
        // Only tables of the report itself have addresses.
        address: model.id.startsWith("table-") && `#${[model.name, model.rowSlugs.get(row), model.columnSlugs[td.cellIndex]].map(encodeURIComponent).join("/")}`,
        case: link ? link.hash.slice("#case-".length) : null,
        text: plain(td),
      };
    },

    // The cell with an address, null if there is none.
    find(address) {
      const parts = address.slice(1).split("/");
      if (parts.length !== 3) return null;
      let names;
      try {
        names = parts.map(decodeURIComponent);
      } catch {
        return null;
      }
      const table = document.getElementById(`table-${names[0]}`)?.querySelector("table");
      if (!table) return null;
      const model = of(table);
      const row = [...table.tBodies[0].rows].find((each) => model.rowSlugs.get(each) === names[1]);
      const column = model.columnSlugs.indexOf(names[2]);
      return row && column >= 0 ? (row.cells[column] ?? null) : null;
    },

    // The next cell with evidence in a direction: "left", "right", "up", "down", or in reading order.
    neighbour(td, direction) {
      const rows = [...td.closest("table").tBodies[0].rows].filter(isVisible);
      const linked = (cell) => isVisible(cell) && cell.querySelector('a[href^="#case-"]');
      const inRow = [...td.parentElement.cells].filter(linked);
      const inColumn = rows.map((row) => row.cells[td.cellIndex]).filter(linked);
      const inTable = rows.flatMap((row) => [...row.cells].filter(linked));
      const lists = { left: inRow, right: inRow, up: inColumn, down: inColumn, previous: inTable, next: inTable };
      const list = lists[direction];
      const step = ["left", "up", "previous"].includes(direction) ? -1 : 1;
      return list[list.indexOf(td) + step] ?? null;
    },
  };
})();
