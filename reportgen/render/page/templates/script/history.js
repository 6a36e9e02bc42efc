// The section of the panel about the number at earlier commits: its curve, where it changed, and what else changed
// there. The points are in history.js beside the page, which is loaded when the first number is opened.

const histories = (() => {
  const [WIDTH, HEIGHT, LEFT] = [360, 72, 52];
  let loading = null;

  function load() {
    // A page with everything inside has them already.
    if (globalThis.reportgenHistory) return Promise.resolve();
    const script = h("script", { src: "history.js" });
    const loaded = new Promise((done) => ["load", "error"].forEach((name) => script.addEventListener(name, done)));
    document.head.append(script);
    return loaded;
  }

  // A cell as history.js has it, by names.
  function named([quantity, title, table, values, rows, changes, note]) {
    const points = rows.map(([label, date, text, interval, repeats, what, subject], i) => {
      const [value, low = value, high = value] = values[i];
      return { label, date, text, interval, repeats, what, subject, value, low, high };
    });
    return { quantity, title, table, points, note, changes: changes.map(([kind, first, last, text, cause]) => ({ kind, first, last, text, cause })) };
  }

  // The points in their order with their intervals; a step is a dashed line, a drift is shaded.
  function curve({ points, changes }, label) {
    const ends = [Math.min(...points.map(({ low }) => low)), Math.max(...points.map(({ high }) => high))];
    const [from, to] = [HEIGHT - 6, 8];
    const x = (i) => LEFT + (i / (points.length - 1)) * (WIDTH - LEFT - 6);
    const y = (value) => from + ((value - ends[0]) / (ends[1] - ends[0] || 1)) * (to - from);
    const between = (i) => (x(i) + x(Math.max(i - 1, 0))) / 2;
    return svg(
      "svg",
      { class: "plot history", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": label },
      ends.map((value) => svg("text", { x: LEFT - 6, y: y(value) + 3, "text-anchor": "end" }, shownShort(value))),
      changes.map(({ kind, first, last }) =>
        kind === "step"
          ? svg("line", { class: "break", x1: between(first), x2: between(first), y1: 0, y2: HEIGHT })
          : svg("rect", { class: "warmup", x: x(first), y: 0, width: x(last) - x(first), height: HEIGHT }),
      ),
      points.map(({ low, high }, i) => (low < high ? svg("line", { class: "axis", x1: x(i), x2: x(i), y1: y(low), y2: y(high) }) : null)),
      svg("polyline", { class: "curve", points: points.map(({ value }, i) => `${x(i).toFixed(1)},${y(value).toFixed(1)}`).join(" ") }),
      points.map(({ label: name, date, text, value }, i) => svg("circle", { class: "mark", cx: x(i), cy: y(value), r: 2.5 }, svg("title", {}, `${name} ${date}: ${text}`))),
    );
  }

  function table({ points }) {
    const row = ({ label, date, text, interval, what, subject }) => [
      h("tr", {}, h("th", { scope: "row" }, label), h("td", {}, date), h("td", {}, text, interval ? h("small", {}, interval) : null)),
      h("tr", {}, h("td", { colspan: "3", class: "place" }, [what, subject].filter(Boolean).join("; "))),
    ];
    const head = h("tr", {}, ["Commit", "Date", "Value"].map((text) => h("th", { scope: "col" }, text)));
    return h("details", {}, h("summary", {}, `All ${points.length} points`), h("table", { class: "runs" }, h("thead", {}, head), h("tbody", {}, points.map(row))));
  }

  function drawn(cell) {
    const { points, changes, note } = cell;
    const what = cell.quantity === "value" ? "" : `${cell.title}: `;
    const text = `${what}${points.length} points, ${points[0].text} \u2192 ${points.at(-1).text}`;
    return [
      h("p", { class: "plot-title" }, text),
      curve(cell, text),
      changes.map(({ text: change, cause }) => h("p", {}, change, cause ? `: ${cause}` : "")),
      note ? h("p", { class: "quiet" }, note) : null,
      table(cell),
    ];
  }

  return {
    // What the page knows of a case at earlier commits, as elements; its ratios are those of the table, if one is named.
    async of(name, table) {
      await (loading ??= load());
      const known = globalThis.reportgenHistory ?? {};
      const cells = (Object.hasOwn(known, name) ? known[name] : []).map(named);
      return cells.filter((cell) => cell.quantity === "value" || !table || cell.table === table).map(drawn);
    },
  };
})();

panelSections.push(({ found, cell }) => {
  const section = panelSection("Over commits");
  section.hidden = true;
  histories.of(found.name, cell?.model.name).then((drawn) => {
    if (drawn.length) section.append(...drawn.flat(Infinity).filter(Boolean));
    section.hidden = !drawn.length;
  });
  return section;
});
