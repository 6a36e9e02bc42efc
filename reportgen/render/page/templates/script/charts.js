// Interactive charts: Vega-Lite specifications, drawn by the library beside the page.
//
// charts.draw(element, spec, {name, height, open}) fills the element with title, chart, legend and downloads. It returns
// a promise of the chart, or of null where the library is missing; the element then stays as it is. A second call for
// the same element replaces its chart. docs/developers/rendering.md describes what a specification may contain.

const charts = (() => {
  const holder = document.getElementById("charts");
  const page = holder ? JSON.parse(holder.textContent) : {};
  const drawn = new WeakMap(); // element -> the function that removes its chart
  const DOWNLOAD_WIDTH = 720;
  const MIN_PLOT_HEIGHT = 220;
  const SVG_SHAPES = {
    circle: "M1 0A1 1 0 1 1-1 0A1 1 0 1 1 1 0Z",
    square: "M-1-1H1V1H-1Z",
    diamond: "M0-1.2L1.2 0L0 1.2L-1.2 0Z",
    cross: "M-1-.4H-.4V-1H.4V-.4H1V.4H.4V1H-.4V.4H-1Z",
    "triangle-up": "M0-1L1 1H-1Z",
    "triangle-down": "M0 1L-1-1H1Z",
  };

  // The library, loaded once; null where there is none.
  let loading = null;
  function library() {
    return (loading ??= new Promise((resolve) => {
      const found = () => resolve(globalThis.vegaEmbed ?? null);
      if (globalThis.vegaEmbed || !holder?.dataset.library) return found();
      document.head.append(h("script", { src: holder.dataset.library, onload: found, onerror: found }));
    }));
  }

  const mapped = (object, change) => Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(value, name)]));

  // Undo what the page saves: {"$": name} is a shared object, and data are columns.
  function unpacked(value) {
    if (Array.isArray(value)) return value.map(unpacked);
    if (!value || typeof value !== "object") return value;
    if ("$" in value) return unpacked(page.shared[value.$]);
    return mapped(value, (each, name) => (name === "data" && each?.columns ? { values: rowsOf(each.columns) } : unpacked(each)));
  }

  function rowsOf(columns) {
    const read = mapped(columns, (column) => (Array.isArray(column) ? column : column.rows.map((number) => column.texts[number])));
    const count = Math.max(0, ...Object.values(read).map((column) => column.length));
    return Array.from({ length: count }, (_, i) =>
      Object.fromEntries(Object.entries(read).map(([field, column]) => [field, column[i]]).filter(([, value]) => value !== null)),
    );
  }

  // A specification or configuration in the colours of the page, light or dark; data are left as they are.
  function themed(value) {
    const style = getComputedStyle(document.documentElement);
    const replaced = (each, name) => {
      if (name === "data" || name === "domain") return each;
      if (Array.isArray(each)) return each.map((one) => replaced(one));
      if (each && typeof each === "object") return mapped(each, replaced);
      return Object.hasOwn(page.theme, each) ? style.getPropertyValue(page.theme[each]).trim() : each;
    };
    return replaced(value);
  }

  // What a tooltip and a screen reader say of a row, as [title, text].
  function lines(row, fields) {
    return fields.flatMap(({ field, title, unit, ends = [] }) => {
      const value = row[field];
      if (value === undefined || value === null) return [];
      const [low, high] = ends.map((end) => row[end]);
      const interval = typeof low === "number" && typeof high === "number" && low < high ? ` (${shown(low)} \u2013 ${shown(high)})` : "";
      const text = typeof value === "number" ? shown(value) : String(value);
      return [[title ?? "", `${text}${unit ? ` ${unit}` : ""}${interval}`]];
    });
  }

  const sentenceOf = (row, fields) => lines(row, fields).map(([title, text]) => (title ? `${title}: ${text}` : text)).join("; ");

  // Every row of the specification's data, with what is said of it.
  function labelled(data, fields) {
    if (!data?.values) return data;
    return { ...data, values: data.values.map((row) => ({ ...row, said: sentenceOf(row, fields) })) };
  }

  // Data of a layer stand for cases if a row names one, or says why it failed; else they are lines and signs.
  const isAbout = (data) => data.values?.some((row) => row.case || row.failed);

  // Vega keeps names as properties of objects, so one that every object has ("constructor") gets an invisible end.
  function distinct(value) {
    if (Array.isArray(value)) return value.map(distinct);
    if (value && typeof value === "object") return mapped(value, distinct);
    return typeof value === "string" && value in {} ? `${value}\u200b` : value;
  }

  const encodings = (spec) => [spec.encoding, ...(spec.layer ?? []).map((layer) => layer.encoding)].filter(Boolean);

  // The series of the legend: name, colour and shape of each; [] for a chart without.
  function legendOf(spec) {
    const color = encodings(spec).map(({ color }) => color).find((each) => each?.field === "series" && each.legend !== null && each.scale?.domain);
    if (!color) return [];
    const shape = encodings(spec).map(({ shape }) => shape).find((each) => each?.field === "series" && each.scale?.domain);
    return color.scale.domain.map((name, i) => ({ name, colour: color.scale.range[i], shape: shape?.scale.range[i] ?? "square" }));
  }

  // Why cases of the chart have no value, each reason once.
  function reasonsOf(spec) {
    const rows = [spec, ...(spec.layer ?? [])].flatMap((each) => each.data?.values ?? []);
    return [...new Set(rows.map((row) => row.failed).filter(Boolean))].sort();
  }

  // Without the legends of Vega: those of a page are HTML. Data are left as they are.
  function withoutLegends(value, name) {
    if (name === "legend") return null;
    if (name === "data") return value;
    if (Array.isArray(value)) return value.map((each) => withoutLegends(each));
    return value && typeof value === "object" ? mapped(value, withoutLegends) : value;
  }

  const HIDDEN = { filter: "indexof(hidden, datum.series) < 0" };

  // The specification as it is drawn in the page: title and legend are HTML, and series can be hidden.
  function inPage(spec, width, height) {
    const { title, config, usermeta, ...rest } = themed({ ...spec, config: spec.config ?? page.config });
    const fields = spec.usermeta?.fields ?? [];
    const layer = withoutLegends(rest.layer)?.map((each) =>
      each.data ? { ...each, data: isAbout(each.data) ? labelled(each.data, fields) : each.data, transform: [HIDDEN, ...(each.transform ?? [])] } : each,
    );
    return {
      ...rest,
      ...(layer ? { layer } : {}),
      data: labelled(spec.data, fields),
      params: [...(spec.params ?? []), { name: "hidden", value: [] }],
      transform: [HIDDEN, ...(spec.transform ?? [])],
      encoding: { ...withoutLegends(rest.encoding), description: { field: "said", type: "nominal" } },
      width,
      ...(height ? { height, autosize: { type: "fit", contains: "padding" } } : {}),
      config: { ...config, background: "transparent" },
    };
  }

  function options(more) {
    return { ast: true, mode: "vega-lite", actions: false, defaultStyle: false, renderer: "svg", ...more };
  }

  const tip = h("div", { class: "chart-tip", hidden: true, "aria-hidden": "true" });

  function showTip(row, fields, x, y) {
    const all = lines(row, fields);
    if (!all.length) return hideTip();
    tip.replaceChildren(...all.map(([title, text]) => h("div", {}, title ? [h("span", {}, title), " "] : null, title ? text : h("b", {}, text))));
    if (!tip.isConnected) document.body.append(tip);
    tip.hidden = false;
    const { width, height } = tip.getBoundingClientRect();
    tip.style.left = `${Math.max(4, Math.min(x + 12, document.documentElement.clientWidth - width - 4))}px`;
    tip.style.top = `${y + 16 + height > innerHeight ? Math.max(4, y - height - 8) : y + 16}px`;
  }

  function hideTip() {
    tip.hidden = true;
  }

  // The marks that stand for a row of data, in the order in which they are drawn.
  const marksOf = (plot) => [...plot.querySelectorAll("g.role-mark:is(.mark-symbol, .mark-rect) > path")].filter((mark) => rowOf(mark)?.said);
  const rowOf = (mark) => mark.__data__?.datum;

  // One mark is in the order of the Tab key; the arrow keys reach the others, Enter opens the number.
  function addKeys(plot, fields, open) {
    plot.addEventListener("keydown", (event) => {
      const marks = marksOf(plot);
      const at = marks.indexOf(event.target);
      if (at < 0 || event.ctrlKey || event.altKey || event.metaKey) return;
      const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
      if (step && marks[at + step]) {
        marks[at + step].focus();
      } else if (event.key === "Enter" || event.key === " ") {
        if (rowOf(event.target).case) open(rowOf(event.target).case);
      } else if (!step) return;
      event.preventDefault();
    });
    plot.addEventListener("focusin", (event) => {
      const at = marksOf(plot).indexOf(event.target);
      if (at >= 0) makeReachable(plot, at);
      const row = event.target.matches(":focus-visible") && rowOf(event.target);
      if (!row) return;
      const { right, bottom } = event.target.getBoundingClientRect();
      showTip(row, fields, right, bottom);
    });
    plot.addEventListener("focusout", hideTip);
  }

  function makeReachable(plot, at = 0) {
    marksOf(plot).forEach((mark, i) => (mark.tabIndex = i === at ? 0 : -1));
  }

  const reachable = (plot) => marksOf(plot).findIndex((mark) => mark.tabIndex === 0);

  function symbol({ colour, shape }) {
    const d = SVG_SHAPES[shape] ?? shape;
    return svg("svg", { viewBox: "-1.5 -1.5 3 3", "aria-hidden": "true" }, svg("path", { d, fill: colour }));
  }

  function legend(entries, reasons, change) {
    if (!entries.length && !reasons.length) return null;
    const hidden = new Set();
    const buttons = entries.map((entry) =>
      h(
        "button",
        {
          type: "button",
          "aria-pressed": "true",
          title: "Show or hide",
          onclick: (event) => {
            if (!hidden.delete(entry.name)) hidden.add(entry.name);
            event.currentTarget.setAttribute("aria-pressed", String(!hidden.has(entry.name)));
            change([...hidden]);
          },
        },
        symbol(entry),
        entry.name,
      ),
    );
    const cross = reasons.length ? h("span", {}, `\u2715 ${reasons.join(" or ")}`) : null;
    return h("div", { class: "chart-legend", role: "group", "aria-label": "Series" }, buttons, cross);
  }

  // Save a file under a name that every system allows.
  function save(blob, name, ending) {
    const plain = name.replace(/[^\p{L}\p{N}._-]+/gu, "-").replace(/^[.-]+/, "").slice(0, 100) || "chart";
    const link = h("a", { href: URL.createObjectURL(blob), download: `${plain}.${ending}` });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  }

  // The whole chart in light colours, with title and legend, whatever the page shows.
  async function rendered(embed, spec, use) {
    const box = h("div", { class: "offscreen" });
    document.body.append(box);
    try {
      const config = spec.config ?? page.config;
      const { view, finalize } = await embed(box, { ...spec, width: DOWNLOAD_WIDTH, config }, options({ tooltip: false }));
      await use(view);
      finalize();
    } finally {
      box.remove();
    }
  }

  function downloads(embed, spec, name) {
    const asSvg = () => rendered(embed, spec, async (view) => save(new Blob([await view.toSVG()], { type: "image/svg+xml" }), name, "svg"));
    const asPng = () =>
      rendered(embed, spec, async (view) => {
        const canvas = await view.toCanvas(2);
        save(await new Promise((resolve) => canvas.toBlob(resolve, "image/png")), name, "png");
      });
    const button = (text, onclick) => h("button", { type: "button", onclick, "aria-label": `Download "${name}" as ${text}` }, text);
    return h("div", { class: "chart-tools" }, button("SVG", asSvg), button("PNG", asPng));
  }

  const dark = matchMedia("(prefers-color-scheme: dark)");

  async function draw(element, original, { name = original.title?.text ?? "chart", height, open = (found) => ask.choose(found) || panel.openCase(found) } = {}) {
    const embed = await library();
    if (!embed) return null;
    const spec = distinct(original);
    drawn.get(element)?.();
    const fields = spec.usermeta?.fields ?? [];
    const plot = h("div", { class: "chart-plot" });
    let current = null;
    let hidden = [];
    const entries = legendOf(themed(spec));
    const title = spec.title?.text ? h("p", { class: "chart-title" }, spec.title.text) : null;
    const change = (names) => {
      hidden = names;
      current?.view.signal("hidden", hidden).runAsync().then(() => makeReachable(plot));
    };
    const bar = h("div", { class: "chart-bar" }, legend(entries, reasonsOf(spec), change) ?? h("span"), downloads(embed, spec, name));
    element.replaceChildren(...[title, plot, bar].filter(Boolean));
    element.classList.add("chart");
    let width = 0;

    async function redraw() {
      width = plot.clientWidth;
      if (!width || !element.isConnected) return;
      const room = height ? Math.max(MIN_PLOT_HEIGHT, height - (element.offsetHeight - plot.offsetHeight)) : 0;
      plot.style.minHeight = room ? `${room}px` : `${plot.offsetHeight}px`;
      const at = Math.max(0, reachable(plot));
      const hadFocus = plot.contains(document.activeElement);
      current?.finalize();
      current = await embed(plot, inPage(spec, width, room), options({ tooltip: (_handler, event, item, value) => {
        if (value && item?.datum?.said) showTip(item.datum, fields, event.clientX, event.clientY);
        else hideTip();
      } }));
      current.view.addEventListener("click", (_event, item) => item?.datum?.case && open(item.datum.case));
      if (hidden.length) await current.view.signal("hidden", hidden).runAsync();
      makeReachable(plot, at);
      if (hadFocus) marksOf(plot)[at]?.focus({ preventScroll: true });
    }

    let queue = Promise.resolve();
    const later = () => (queue = queue.then(redraw));
    const recolour = () => {
      later();
      legendOf(themed(spec)).forEach(({ colour }, i) => element.querySelectorAll(".chart-legend path")[i].setAttribute("fill", colour));
    };
    addKeys(plot, fields, open);
    await later();
    const sizes = new ResizeObserver(() => {
      if (plot.clientWidth && plot.clientWidth !== width) later();
    });
    sizes.observe(plot);
    dark.addEventListener("change", recolour);
    const remove = () => {
      sizes.disconnect();
      dark.removeEventListener("change", recolour);
      current?.finalize();
      drawn.delete(element);
    };
    drawn.set(element, remove);
    return { element, get view() { return current?.view; }, remove };
  }

  return {
    draw,
    // Whether charts can be drawn.
    ready: async () => Boolean(await library()),
    // The figures that have a specification, and the specification of one.
    figures: () => [...document.querySelectorAll("figure[data-chart]")],
    spec: (figure) => unpacked(JSON.parse(figure.dataset.chart)),
  };
})();
