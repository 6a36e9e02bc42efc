// What of a table is shown: rows by a filter, columns by choice or because they differ, bars behind numbers.
// Rows are moved and elements hidden; nothing is computed again, so every number stays as the report wrote it.

const views = (() => {
  const known = new WeakMap();

  function of(table) {
    if (!known.has(table)) {
      known.set(table, { filter: "", hidden: new Set(), differences: false, bars: false, sort: null, rows: [...table.tBodies[0].rows] });
    }
    return known.get(table);
  }

  // The number of a cell: in the base unit where units differ, else as shown; NaN for a cell without one.
  function number(cell) {
    if (cell.dataset.value !== undefined) return Number(cell.dataset.value);
    if (cell.tagName === "TD" && !cell.classList.contains("number")) return NaN;
    const match = tables.plain(cell).replaceAll(",", "").match(/^[-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?/i);
    return match ? Number(match[0]) : NaN;
  }

  function compare(a, b, direction) {
    const [one, other] = [number(a), number(b)];
    if (!Number.isNaN(one) && !Number.isNaN(other)) return direction * (one - other);
    if (Number.isNaN(one) !== Number.isNaN(other) && a.tagName === "TD") return Number.isNaN(one) ? 1 : -1; // no number: last
    return direction * tables.plain(a).localeCompare(tables.plain(b), "en", { numeric: true });
  }

  // A head that repeats the row above says nothing beside another row.
  const showRepeated = (table, view) => table.classList.toggle("moved", Boolean(view.sort) || view.rows.some((row) => row.hidden));

  // Sort by a column, 1 for ascending, -1 for descending, 0 for the order of the report.
  function sort(table, column, direction) {
    const view = of(table);
    view.sort = direction ? { column, direction } : null;
    const rows = [...view.rows];
    if (direction) rows.sort((a, b) => compare(a.cells[column], b.cells[column], direction));
    table.tBodies[0].append(...rows);
    showRepeated(table, view);
    for (const { head, first, last } of tables.of(table).spans) {
      const isSorted = direction && first === column && last === column + 1;
      if (isSorted) head.setAttribute("aria-sort", direction > 0 ? "ascending" : "descending");
      else head.removeAttribute("aria-sort");
    }
  }

  const matches = (row, words) => {
    const text = row.textContent.toLowerCase();
    return words.every((word) => text.includes(word));
  };

  const areEqual = (cells) => cells.length > 1 && new Set(cells.map(tables.plain)).size === 1;

  // A table of many rows shows the first 200 (style.css) until a reader asks for more: a browser lays out all at once.
  const [SHOWN_ROWS, MOST_ROWS] = [200, 400];

  function shorten(table) {
    const { rows } = table.tBodies[0];
    if (rows.length <= MOST_ROWS) return;
    table.classList.add("short");
    const button = h("button", { type: "button" }, `Show all ${rows.length.toLocaleString("en")} rows`);
    button.addEventListener("click", () => {
      showAll(table);
      [...rows].slice(SHOWN_ROWS).map((row) => row.querySelector("a")).find(Boolean)?.focus();
    });
    table.closest(".scroll").after(h("p", { class: "more" }, button));
  }

  function showAll(table) {
    if (!table.classList.contains("short")) return;
    table.classList.remove("short");
    table.closest("section.table").querySelector(".more").remove();
  }

  function apply(table) {
    showAll(table);
    const view = of(table);
    const { leads, columns, spans } = tables.of(table);
    const words = view.filter.toLowerCase().split(/\s+/).filter(Boolean);
    for (const row of view.rows) {
      const isSame = view.differences && columns.length - leads > 1 && areEqual([...row.cells].slice(leads));
      row.hidden = !matches(row, words) || isSame;
    }
    const rows = view.rows.filter((row) => !row.hidden);
    showRepeated(table, view);
    const hidden = columns.map((_, i) => view.hidden.has(i) || (view.differences && areEqual(rows.map((row) => row.cells[i]))));
    for (const row of view.rows) [...row.cells].forEach((cell, i) => (cell.hidden = hidden[i]));
    for (const { head, first, last } of spans) {
      const shown = hidden.slice(first, last).filter((each) => !each).length;
      head.hidden = shown === 0;
      head.colSpan = Math.max(shown, 1);
    }
    drawBars(table, view, rows, leads);
  }

  // The length of a bar is the number's share of the largest in its column.
  function drawBars(table, view, rows, leads) {
    table.classList.toggle("bars", view.bars);
    if (!view.bars) return;
    for (let i = leads; i < tables.of(table).columns.length; i++) {
      const cells = rows.map((row) => row.cells[i]);
      const most = Math.max(...cells.map(number).filter((value) => !Number.isNaN(value)));
      for (const cell of cells) cell.style.setProperty("--share", Math.max(number(cell) / most, 0) || 0);
    }
  }

  return { of, sort, apply, shorten, showAll };
})();
