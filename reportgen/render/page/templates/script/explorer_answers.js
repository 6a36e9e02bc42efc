// Answers from a selection: what is fastest within an amount of memory, and which configurations no other beats.

const explorerAnswers = (() => {
  const { factors, compared, measures } = explorerData;

  // The first of some measures that is a speed: a rate of work, else one of which more is better, else a time; or -1.
  function speed(visible) {
    const first = (better, base) => visible.find((i) => measures[i].better === better && (!base || measures[i].base === base));
    return first("higher", "samples/s") ?? first("higher") ?? first("lower", "s") ?? -1;
  }

  const isBetter = (i, a, b) => (measures[i].better === "lower" ? a < b : a > b);

  function best(candidates, i) {
    return candidates.reduce((found, each) => (found === null || isBetter(i, each.cells[i].value, found.cells[i].value) ? each : found), null);
  }

  // The fastest configuration of each side that needs no more memory; limit in the unit of the measure, or null.
  function fastest(selection, fast, size, limit) {
    const measured = selection.filter((each) => each.cells[fast]?.value != null);
    const fits = measured.filter((each) => limit === null || (each.cells[size]?.value != null && each.cells[size].value <= limit * measures[size].factor));
    const sides = compared === null ? [null] : [...new Set(selection.map((each) => each.values[compared]))];
    const of = (side, list) => list.filter((each) => side === null || each.values[compared] === side);
    return {
      sides: sides.map((side) => ({ name: side === null ? "" : factors[compared].labels[side], configuration: best(of(side, fits), fast) })),
      overall: best(fits, fast),
      unknown: limit === null ? 0 : measured.filter((each) => each.cells[size]?.value == null).length,
    };
  }

  // Points with both measures. On the front are those that no other point beats in one without losing in the other.
  function front(selection, across, up) {
    const points = selection.filter((each) => each.cells[across]?.value != null && each.cells[up]?.value != null);
    const hasFront = Boolean(measures[across].better && measures[up].better);
    const noWorse = (i, a, b) => !isBetter(i, b.cells[i].value, a.cells[i].value);
    const beats = (a, b) => noWorse(across, a, b) && noWorse(up, a, b) && (isBetter(across, a.cells[across].value, b.cells[across].value) || isBetter(up, a.cells[up].value, b.cells[up].value));
    return points.map((each) => ({ configuration: each, isBest: hasFront && !points.some((other) => beats(other, each)) }));
  }

  // Configurations that were tried and have no number, those together that differ on the x axis only.
  function withoutNumber(tried, i) {
    const groups = new Map();
    for (const each of tried.filter(({ cells }) => cells[i]?.case && cells[i].value === null)) {
      const side = compared === null ? "" : explorerData.label(each, compared);
      const place = [side, explorerData.contextOf(each)].filter(Boolean).join(", ");
      const key = JSON.stringify([place, each.cells[i].text]);
      if (!groups.has(key)) groups.set(key, { place, text: each.cells[i].text, labels: [] });
      groups.get(key).labels.push(explorerData.label(each, explorerData.x));
    }
    return [...groups.values()];
  }

  return { speed, fastest, front, withoutNumber };
})();
