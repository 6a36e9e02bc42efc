// The tools of a table, made when a reader opens them: filter, sort, columns, differences, bars, copy.

const tools = (() => {
  function filterField(table) {
    const field = h("input", {
      type: "search",
      oninput: () => {
        views.of(table).filter = field.value;
        views.apply(table);
      },
    });
    return labelled("Filter rows", field);
  }

  function sortField(table, names) {
    const options = names.flatMap((name, i) => [
      h("option", { value: `${i},1` }, `${name} \u2191`),
      h("option", { value: `${i},-1` }, `${name} \u2193`),
    ]);
    const field = h("select", { onchange: () => views.sort(table, ...field.value.split(",").map(Number)) }, h("option", { value: "0,0" }, "as in the report"), options);
    return labelled("Sort by", field);
  }

  function columnChoice(table, names) {
    const { hidden } = views.of(table);
    const boxes = names.map((name, i) =>
      check(name, !hidden.has(i), (isShown) => {
        if (isShown) hidden.delete(i);
        else hidden.add(i);
        views.apply(table);
      }),
    );
    return h("details", { class: "columns" }, h("summary", {}, "Columns"), h("fieldset", {}, h("legend", {}, "Show"), boxes));
  }

  function switches(table) {
    return [
      ["Only differences", "differences"],
      ["Bars", "bars"],
    ].map(([text, name]) =>
      check(text, false, (isOn) => {
        views.of(table)[name] = isOn;
        views.apply(table);
      }),
    );
  }

  function copyButtons(table) {
    const status = h("span", { role: "status" });
    const buttons = Object.entries(copies.formats).map(([name, text]) =>
      h("button", { type: "button", "aria-label": `Copy as ${name}`, onclick: () => copies.toClipboard(text(table)).then(() => (status.textContent = `Copied as ${name}`)) }, name),
    );
    return h("span", { class: "copy" }, "Copy as ", buttons, " ", status);
  }

  function fill(details, table) {
    const names = tables.of(table).columns.map((path) => path.join(" "));
    details.append(h("div", { class: "toolbar" }, filterField(table), sortField(table, names), switches(table), copyButtons(table), columnChoice(table, names)));
  }

  // A press on a head sorts: ascending, descending, then as in the report. The keyboard has "Sort by".
  function sortByHead(event) {
    const head = event.target.closest("th");
    if (!head || event.target.closest("a")) return;
    const table = head.closest("table");
    const span = tables.of(table).spans.find((each) => each.head === head);
    if (span.last !== span.first + 1) return;
    const { sort } = views.of(table);
    const direction = sort?.column !== span.first ? 1 : sort.direction > 0 ? -1 : 0;
    views.sort(table, span.first, direction);
  }

  return {
    add(table) {
      if (table.tBodies[0].rows.length < 2) return;
      const title = table.closest("section.table").dataset.title;
      const details = h("details", { class: "tools" }, h("summary", { "aria-label": `Tools of ${title}` }, "Sort, filter, copy"));
      details.addEventListener("toggle", () => fill(details, table), { once: true });
      table.closest(".scroll").before(details);
      table.tHead.addEventListener("click", sortByHead);
    },
  };
})();
