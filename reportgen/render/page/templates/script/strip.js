// The repeats of a case as a strip plot: a mark per repeat, the median, and the interval as a band.

function ticks(low, high, count) {
  const span = high - low || Math.abs(high) || 1;
  const rough = span / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((each) => each >= rough);
  const first = Math.ceil(low / step - 1e-9);
  const last = Math.floor(high / step + 1e-9);
  return Array.from({ length: last - first + 1 }, (_, i) => Number(((first + i) * step).toPrecision(12)));
}

function stripPlot(found) {
  const runs = found.runs.filter((run) => run.value !== null);
  if (runs.length < 2 || found.ends.length < 3) return null;
  const [low, median, high] = found.ends;
  const values = runs.map((run) => run.value);
  const ends = [Math.min(low, ...values), Math.max(high, ...values)];
  const margin = (ends[1] - ends[0]) * 0.08 || Math.abs(ends[0]) * 0.01 || 1;
  const [from, to] = [ends[0] - margin, ends[1] + margin];
  const width = 360;
  const x = (value) => 10 + ((value - from) / (to - from)) * (width - 20);
  const label = `${runs.length} repeats from ${shown(ends[0])} to ${shown(ends[1])} ${found.unit}, median ${shown(median)}`;
  const marks = runs.map((run, i) =>
    svg("circle", { class: "mark", cx: x(run.value).toFixed(1), cy: 18 + (i % 5) * 7, r: 4 }, svg("title", {}, `${run.run}: ${shown(run.value)} ${found.unit}`)),
  );
  const axis = ticks(from, to, 5).map((value) => [
    svg("line", { class: "tick", x1: x(value), x2: x(value), y1: 58, y2: 62 }),
    svg("text", { x: x(value), y: 74, "text-anchor": "middle" }, shown(value)),
  ]);
  return svg(
    "svg",
    { class: "plot strip", viewBox: `0 0 ${width} 80`, role: "img", "aria-label": label },
    svg("rect", { class: "band", x: x(low), y: 8, width: Math.max(x(high) - x(low), 1), height: 46 }),
    svg("line", { class: "axis", x1: 0, x2: width, y1: 58, y2: 58 }),
    svg("line", { class: "median", x1: x(median), x2: x(median), y1: 8, y2: 54 }),
    marks,
    axis,
  );
}
