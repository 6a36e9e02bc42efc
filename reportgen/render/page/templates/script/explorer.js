// The explorer: controls on top, then a chart with its numbers for each measure, and answers from the selection.
// Every change of a control is an entry of the browser's history.

(() => {
  const { factors, facets, compared, measures, switches, charts: allCharts, configurations } = explorerData;
  const plural = (count, word) => `${count.toLocaleString("en-US")} ${word}${count === 1 ? "" : "s"}`;
  let view = explorerView.initial();
  let count = 0;

  const parts = {
    controls: h("div", { class: "toolbar" }),
    status: h("p", { role: "status" }),
    notes: h("div", {}),
    charts: h("div", {}),
    answers: h("div", {}),
    everything: h("details", { class: "everything" }, h("summary", {}, "All configurations")),
  };

  function changed(change) {
    change(view);
    const address = explorerView.address(view);
    try {
      history.pushState({ explorer: address }, "", address);
    } catch {
      // A page inside another one may not change the address; the view changes all the same.
    }
    update();
  }

  // Controls

  function select(text, options, chosen, onchange) {
    const id = `explorer-control-${++count}`;
    const field = h("select", { id, onchange: () => onchange(Number(field.value)) }, options.map(([value, label]) => h("option", { value, selected: value === chosen }, label)));
    return h("span", {}, h("label", { for: id }, text), " ", field);
  }

  // A value that leaves nothing with the other choices says so.
  function facetField(i) {
    const others = facets.filter((other) => other !== i);
    const isPossible = (value) => configurations.some((each) => each.values[i] === value && others.every((other) => each.values[other] === view.chosen.get(other)));
    const options = factors[i].labels.map((label, value) => [value, isPossible(value) ? label : `${label} (nothing measured)`]);
    return select(factors[i].title, options, view.chosen.get(i), (value) => changed(() => view.chosen.set(i, value)));
  }

  function sides() {
    if (compared === null) return null;
    const boxes = factors[compared].labels.map((label, value) =>
      check(label, view.shown.has(value), (isOn) =>
        changed(() => {
          if (isOn) view.shown.add(value);
          else view.shown.delete(value);
        }),
      ),
    );
    return h("fieldset", {}, h("legend", {}, factors[compared].title), boxes);
  }

  const switchBoxes = () =>
    switches.map(({ id, title }) =>
      check(title, view.on.has(id), (isOn) =>
        changed(() => {
          if (isOn) view.on.add(id);
          else view.on.delete(id);
        }),
      ),
    );

  // Controls are made anew, because the options depend on one another; the focus stays on the same one.
  function showControls() {
    const fields = () => [...parts.controls.querySelectorAll("select, input, button")];
    const focused = fields().indexOf(document.activeElement);
    count = 0;
    const download = h("button", { type: "button", onclick: () => explorerCsv.download("selection.csv", explorerCsv.text(explorerView.selected(view), visibleMeasures())) }, "Download CSV");
    parts.controls.replaceChildren(...[facets.map(facetField), sides(), switchBoxes(), download].flat().filter(Boolean));
    if (focused >= 0) fields()[focused]?.focus();
  }

  // Charts

  const visibleOf = (chart) => chart.measures.filter((i) => explorerView.isShown(view, i));
  const visibleCharts = () => allCharts.filter((chart) => explorerView.chartIsShown(view, chart) && visibleOf(chart).length);
  const visibleMeasures = () => [...new Set(visibleCharts().flatMap(visibleOf))].sort((a, b) => a - b);
  const NOTHING = "No configuration matches this selection.";

  function chartBlock(chart, selection) {
    const visible = visibleOf(chart);
    const some = selection.filter((each) => visible.some((i) => each.cells[i]));
    if (selection.length && !some.length) return null;
    const units = [...new Set(visible.map((i) => measures[i].unit))].filter(Boolean);
    const heading = h("h3", {}, chart.title, units.length === 1 ? ` (${units[0]})` : "");
    const body = some.length ? h("div", { class: "beside" }, drawings(chart, some, visible)) : h("p", { class: "empty" }, NOTHING);
    return h("section", { class: "explorer-chart", "data-chart": chart.id }, heading, body, chart.notes.map((note) => h("p", { class: "caption" }, sentence(note))));
  }

  function drawings(chart, selection, visible) {
    const shown = compared === null ? [] : [...view.shown].sort((a, b) => a - b);
    const table = explorerTables.ofChart(chart.title, selection, shown, visible);
    const each = explorerCharts.specs(chart, selection, visible).map(({ side, spec }) => drawing(`${chart.id}/${side}`, spec, side));
    return [h("div", { class: "drawings" }, each), table];
  }

  // Charts are drawn when a reader comes near them. A place has the height of a chart before, and keeps its own while
  // its chart is drawn again: else the page would move under a pointer between press and release, and a click be lost.
  const places = new Map();
  const wanted = new WeakMap();
  const undrawn = () => [...places.values()].filter((place) => place.matches(".undrawn"));

  const noLibrary = h("p", { class: "quiet" }, "The charts need assets/vega.js beside this page. To write it, run ", h("code", {}, "reportgen build"), ".");

  async function draw(place) {
    const chart = await charts.draw(place, wanted.get(place), { name: wanted.get(place).title.text });
    if (!chart && !noLibrary.isConnected) place.before(noLibrary);
    place.style.minHeight = chart ? `${place.offsetHeight}px` : "";
    for (const each of chart ? [place] : undrawn()) each.classList.remove("undrawn");
  }

  const near = new IntersectionObserver(
    (entries) => {
      for (const { isIntersecting, target } of entries) {
        if (!isIntersecting) continue;
        near.unobserve(target);
        draw(target);
      }
    },
    { rootMargin: "50%" },
  );

  // A place for a chart; it stays empty where the library of the charts is not beside the page.
  function drawing(key, spec, title) {
    if (!places.has(key)) places.set(key, h("div", { class: "undrawn" }));
    const place = places.get(key);
    place.style.minHeight = place.offsetHeight ? `${place.offsetHeight}px` : place.style.minHeight;
    wanted.set(place, spec);
    near.unobserve(place);
    near.observe(place);
    return h("div", { class: "drawing" }, title && h("h4", {}, title), place);
  }

  // Answers

  function fastestBlock(selection) {
    const [fast, size] = [explorerAnswers.speed(visibleMeasures()), explorerView.sized];
    if (fast < 0 || size < 0) return null;
    const unit = measures[size].unit;
    const field = h("input", { id: "explorer-limit", type: "number", min: "0", step: "any", value: view.limit, onchange: () => changed(() => (view.limit = field.validity.valid && field.value ? String(Number(field.value)) : "")) });
    const limit = view.limit === "" ? null : Number(view.limit);
    const { sides: found, overall, unknown } = explorerAnswers.fastest(selection, fast, size, limit);
    const line = ({ name, configuration }) =>
      h("li", { class: configuration && configuration === overall ? "best" : "" }, name && `${name}: `, configuration ? answer(configuration, fast, size) : limit === null ? "no number" : `nothing is known to fit within ${view.limit} ${unit}`);
    return h(
      "section",
      { class: "explorer-answer" },
      h("h3", {}, "Which configuration is fastest?"),
      h("p", {}, h("label", { for: "explorer-limit" }, `Within (${unit})`), " ", field),
      h("ul", { id: "explorer-fastest" }, found.map(line)),
      h("p", { class: "caption" }, `By ${measures[fast].title}, within ${measures[size].title}.`, unknown ? ` ${plural(unknown, "configuration")} without a number for memory left out.` : ""),
    );
  }

  // For all facets: a reader asks what does not fit on a device.
  function withoutNumberBlock() {
    const tried = compared === null ? configurations : configurations.filter((each) => view.shown.has(each.values[compared]));
    const groups = explorerAnswers.withoutNumber(tried, explorerAnswers.speed(visibleMeasures()));
    if (!groups.length) return null;
    const counts = new Map();
    for (const { text, labels } of groups) counts.set(text, (counts.get(text) ?? 0) + labels.length);
    const counted = [...counts].map(([text, count]) => `${count} ${text}`).join(", ");
    const line = ({ place, text, labels }) => h("li", {}, place && `${place}: `, `${factors[explorerData.x].title} ${labels.join(", ")} ${text}`);
    const isOpen = document.querySelector("details.without-number")?.open ?? false;
    return h("details", { class: "without-number", open: isOpen }, h("summary", {}, `Which have no number? ${counted}`), h("ul", {}, groups.map(line)));
  }

  function answer(configuration, fast, size) {
    const [speed, memory] = [configuration.cells[fast], configuration.cells[size]];
    const text = (cell, i) => [h("a", { href: `#case-${cell.case}` }, cell.text), ` ${measures[i].unit}`];
    const place = `${factors[explorerData.x].title} ${explorerData.label(configuration, explorerData.x)}: `;
    return [place, text(speed, fast), memory?.value != null ? [", ", text(memory, size)] : ""];
  }

  function tradeOff(selection) {
    const up = explorerAnswers.speed(visibleMeasures());
    const choices = visibleMeasures().filter((i) => i !== up && measures[i].better).map((i) => [i, measures[i].title]);
    if (up < 0 || !choices.length) return null;
    const across = choices.some(([i]) => i === view.against) ? view.against : choices[0][0];
    const points = explorerAnswers.front(selection, across, up);
    const best = points.filter(({ isBest }) => isBest).map(({ configuration }) => explorerData.name(configuration));
    const name = `${measures[up].title} against ${measures[across].title}`;
    return h(
      "section",
      { class: "explorer-answer", "data-chart": "trade-off" },
      h("h3", {}, name),
      h("p", {}, select("Against", choices, across, (i) => changed(() => (view.against = i)))),
      points.length ? drawing("trade-off", explorerCharts.scatter(`${name}, ${explorerData.contextOf(selection[0])}`, points, across, up), "") : h("p", { class: "empty" }, NOTHING),
      best.length ? h("p", { class: "front" }, `No other configuration is better in one of the two without being worse in the other: ${best.join("; ")}.`) : null,
    );
  }

  // Everything

  parts.everything.addEventListener("toggle", () => parts.everything.append(explorerTables.ofEverything()), { once: true });

  function update() {
    const selection = explorerView.selected(view);
    showControls();
    parts.status.textContent = selection.length ? `${plural(selection.length, "configuration")} of ${configurations.length.toLocaleString("en-US")}.` : NOTHING;
    parts.notes.replaceChildren(...switches.filter(({ id, note }) => note && view.on.has(id)).map(({ note }) => h("p", { class: "warning" }, note)));
    parts.charts.replaceChildren(...visibleCharts().map((chart) => chartBlock(chart, selection)).filter(Boolean));
    const focusedLimit = document.activeElement?.id === "explorer-limit";
    parts.answers.replaceChildren(...[fastestBlock(selection), withoutNumberBlock(), tradeOff(selection)].filter(Boolean));
    if (focusedLimit) document.getElementById("explorer-limit")?.focus();
  }

  // Show the view of an address; any other address leaves the explorer as it is.
  function open(hash) {
    const found = explorerView.read(hash);
    if (found) view = found;
    if (found) update();
    return Boolean(found);
  }

  // The entry of the history that a reader begins with remembers its view, so that "back" returns to it.
  function remember() {
    try {
      history.replaceState({ explorer: explorerView.address(view) }, "");
    } catch {
      // As above.
    }
  }

  document.querySelector("section.explorer h2").after(...Object.values(parts));
  if (open(location.hash)) {
    const show = () => document.getElementById("explorer").scrollIntoView();
    show();
    // The style sheet may come after the script, and moves the explorer.
    if (document.readyState !== "complete") window.addEventListener("load", show, { once: true });
  } else {
    update();
  }
  remember();
  addEventListener("popstate", (event) => open(event.state?.explorer ?? location.hash));
})();
