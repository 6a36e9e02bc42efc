// The section of the panel about the steps of each repeat: times, warm-up, gaps and outliers; phases; telemetry.
// They are in a file beside the page, steps/TABLE.js, which is loaded when a number of the table is opened.

const stepFiles = (() => {
  const loading = new Map();

  function load(name, path) {
    // A page with everything inside has them already.
    if (globalThis.reportgenSteps?.[name]) return Promise.resolve(new Map(globalThis.reportgenSteps[name]));
    const script = h("script", { src: path.split("/").map(encodeURIComponent).join("/") });
    const loaded = new Promise((resolve, reject) => {
      script.addEventListener("load", () => resolve(new Map(globalThis.reportgenSteps[name])));
      script.addEventListener("error", () => reject(new Error(path)));
    });
    document.head.append(script);
    return loaded;
  }

  return {
    // The runs of a table by id; rejected where the file is missing.
    of({ name, section }) {
      if (!loading.has(name)) loading.set(name, load(name, section.dataset.steps));
      return loading.get(name);
    },
  };
})();

const stepPlots = (() => {
  const [WIDTH, HEIGHT, LEFT] = [360, 64, 44];
  const TELEMETRY = {
    sm_clock: ["SM clock", "MHz", 1e-6],
    power: ["Power", "W", 1],
    temperature: ["Temperature", "\u00b0C", 1],
    utilization: ["Utilisation", "%", 100],
    throttle_reasons: ["Throttling", "", 1],
  };
  // The bits of NVML's clock event reasons.
  const REASONS = { 1: "idle", 2: "application clocks", 4: "software power cap", 8: "hardware slowdown", 16: "sync boost", 32: "software thermal", 64: "hardware thermal", 128: "power brake", 256: "display clocks" };

  const extent = (values) => [Math.min(...values), Math.max(...values)];
  const finite = (values) => values.filter((value) => value !== null);

  // A scale from values to pixels: by logarithm where they span more than a factor of 20.
  function scale([low, high], [from, to]) {
    const isLog = low > 0 && high / low > 20;
    const place = isLog ? Math.log : (value) => value;
    const span = place(high) - place(low) || 1;
    return (value) => from + ((place(value) - place(low)) / span) * (to - from);
  }

  // The path of a curve; a missing value breaks it.
  function curve(xs, ys, x, y) {
    let isDrawing = false;
    const parts = ys.map((value, i) => {
      const isPoint = value !== null && xs[i] !== null;
      const part = isPoint ? `${isDrawing ? "L" : "M"}${x(xs[i]).toFixed(1)} ${y(value).toFixed(1)}` : "";
      isDrawing = isPoint;
      return part;
    });
    return svg("path", { class: "curve", d: parts.join("") });
  }

  const axisTexts = (low, high, y) => [low, high].map((value) => svg("text", { x: LEFT - 4, y: y(value) + 3, "text-anchor": "end" }, shownShort(value)));

  // Steps on their own axis: time where the telemetry has the same clock, else the number of the step.
  function axis(run) {
    const steps = run.steps ?? run.times.map((_, i) => run.first + i);
    const xs = run.begins && !run.begins.includes(null) ? run.begins : steps;
    const all = finite([...xs, ...(run.telemetry ?? []).flatMap((device) => Object.values(device).flatMap((column) => (Array.isArray(column) ? column[0] : [])))]);
    return { steps, xs, isTime: xs === run.begins, range: extent(xs === run.begins ? all : xs) };
  }

  function steps(label, run, factor, unit, range) {
    const times = run.times.map((time) => (time === null ? null : time / factor));
    const { steps: numbers, xs, isTime, range: domain } = axis(run);
    const x = scale2(domain);
    const y = scale(range, [HEIGHT - 4, 6]);
    const at = (step) => numbers.indexOf(step);
    const begin = run.window ? numbers.findIndex((step) => step >= run.window[0]) : 0;
    const warmup = begin > 0 ? svg("rect", { class: "warmup", x: x(xs[0]), y: 0, width: x(xs[begin]) - x(xs[0]), height: HEIGHT }) : null;
    const mark = (step, name, shape) => (at(step) < 0 ? null : svg("text", { class: name, x: x(xs[at(step)]), y: Math.max(y(times[at(step)]), 9), "text-anchor": "middle" }, shape, svg("title", {}, `step ${step}: ${shown(times[at(step)])} ${unit}`)));
    const breaks = (run.breaks ?? []).filter(([step]) => at(step) >= 0).map(([step, kind]) => svg("line", { class: "break", x1: x(xs[at(step)]), x2: x(xs[at(step)]), y1: 0, y2: HEIGHT }, svg("title", {}, `${kind} after step ${step}`)));
    const outliers = run.outlier_count === 1 ? "outlier" : "outliers";
    const marked = [run.gap_count && `${run.gap_count} left out`, run.outlier_count && `${run.outlier_count} ${outliers}`].filter(Boolean).join(", ");
    const own = extent(finite(times));
    const text = `${label}: ${shownShort(own[0])} to ${shownShort(own[1])} ${unit}${marked ? `, ${marked}` : ""}`;
    return [
      h("p", { class: "plot-title" }, text),
      svg(
        "svg",
        { class: "plot series", viewBox: `0 0 ${WIDTH} ${HEIGHT + 14}`, role: "img", "aria-label": `Steps of ${text}` },
        warmup,
        axisTexts(...range, y),
        curve(xs, times, x, y),
        breaks,
        (run.outliers ?? []).map((step) => mark(step, "outlier", "\u25cb")),
        (run.gaps ?? []).map((step) => mark(step, "gap", "\u25bc")),
        domain.map((value, i) => svg("text", { x: x(value), y: HEIGHT + 10, "text-anchor": i ? "end" : "start" }, isTime ? `${shownShort(value)} s` : `step ${value}`)),
      ),
    ];
  }

  const scale2 = ([low, high]) => (value) => LEFT + ((value - low) / (high - low || 1)) * (WIDTH - LEFT - 4);

  function reasons(mask) {
    const names = Object.entries(REASONS).filter(([bit]) => mask & bit).map(([, name]) => name);
    return names.join(", ") || "none";
  }

  // Where the mask is not 0, with what it says.
  function throttling([times, masks], x) {
    return masks.map((mask, i) => {
      if (!mask) return null;
      const end = times[i + 1] ?? times[i];
      return svg("rect", { class: "throttled", x: x(times[i]), y: 4, width: Math.max(x(end) - x(times[i]), 1), height: 18 }, svg("title", {}, reasons(mask)));
    });
  }

  // One quantity of all devices below each other, on one scale.
  function quantity(name, devices, x) {
    const [title, unit, factor] = TELEMETRY[name];
    const heading = (device) => (devices.length > 1 ? `${title}, ${device.device}` : title);
    const plot = (text, height, ...drawn) => [h("p", { class: "plot-title" }, text), svg("svg", { class: "plot", viewBox: `0 0 ${WIDTH} ${height}`, role: "img", "aria-label": text }, ...drawn)];
    if (name === "throttle_reasons") {
      return devices.map((device) => {
        const seen = [...new Set(finite(device[name][1]).filter(Boolean).map(reasons))].join("; ");
        return plot(`${heading(device)}: ${seen || "none"}`, 26, throttling(device[name], x));
      });
    }
    const values = devices.map((device) => device[name][1].map((value) => (value === null ? null : value * factor)));
    const range = extent(finite(values.flat()));
    const y = scale(range, [36, 6]);
    return devices.map((device, i) => {
      const [low, high] = extent(finite(values[i]));
      return plot(`${heading(device)}: ${shownShort(low)} to ${shownShort(high)} ${unit}`, 42, axisTexts(...range, y), curve(device[name][0], values[i], x, y));
    });
  }

  function telemetry(label, run) {
    const x = scale2(axis(run).range);
    const rows = Object.keys(TELEMETRY).map((name) => {
      const devices = run.telemetry.filter((device) => device[name]);
      return devices.length ? quantity(name, devices, x) : null;
    });
    const drawn = run.telemetry.length;
    const all = drawn < run.devices ? `${drawn} of ${run.devices} devices` : `${drawn} devices`;
    return h("details", {}, h("summary", {}, `Telemetry of ${label} (${run.devices > 1 ? all : run.telemetry[0].device})`), rows);
  }

  // The mean of each phase over the repeats, as a bar of the largest.
  function phases(runs, factor, unit) {
    const sums = {};
    for (const run of runs) for (const [name, time] of Object.entries(run.phases ?? {})) (sums[name] ??= []).push(time / factor);
    const means = Object.entries(sums).map(([name, times]) => [name, times.reduce((a, b) => a + b) / times.length]);
    if (!means.length) return null;
    const most = Math.max(...means.map(([, time]) => time));
    const rows = means.map(([name, time]) => {
      const cell = h("td", { class: "number" }, `${shownShort(time)} ${unit}`);
      cell.style.setProperty("--share", time / most);
      return h("tr", {}, h("th", { scope: "row" }, name), cell);
    });
    return h("table", { class: "bars phases" }, h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Phase"), h("th", { scope: "col", class: "right" }, "Mean per step"))), h("tbody", {}, rows));
  }

  return {
    draw(found, file) {
      const known = found.runs.filter((run) => file.has(run.run)).map((run) => [run.run.split("/").at(-1), file.get(run.run)]);
      if (!known.length) return null;
      const times = known.flatMap(([, run]) => finite(run.times));
      const usual = times.toSorted((a, b) => a - b)[times.length >> 1];
      const [factor, unit] = usual < 1e-3 ? [1e-6, "\u00b5s"] : usual < 1 ? [1e-3, "ms"] : [1, "s"];
      const range = extent(times.map((time) => time / factor));
      const runs = known.map(([, run]) => run);
      return [
        h("p", { class: "quiet" }, "Time per step. Shaded: warm-up. \u25cb outlier, \u25bc left out as a gap, dashed: a break that the log declares."),
        known.map(([label, run]) => [steps(label, run, factor, unit, range), run.telemetry ? telemetry(label, run) : null]),
        phases(runs, factor, unit),
      ];
    },
  };
})();

panelSections.push(({ found, cell }) => {
  if (!cell?.model.section.dataset.steps) return null;
  const section = panelSection("Steps", h("p", { class: "quiet" }, "Loading"));
  stepFiles.of(cell.model).then(
    (file) => {
      const drawn = stepPlots.draw(found, file);
      if (drawn) section.replaceChildren(h("h3", {}, "Steps"), ...drawn.flat(Infinity).filter(Boolean));
      else section.remove();
    },
    (error) => section.lastChild.replaceWith(h("p", {}, `The steps are not beside this page, which lacks ${error.message}. To write it, run `, h("code", {}, "reportgen build"), ".")),
  );
  return section;
});
