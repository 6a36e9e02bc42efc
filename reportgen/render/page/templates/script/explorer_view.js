// What a reader has selected, and the address that says it: `#explorer?f.model=...&f.device=...&on=...`.

const explorerView = (() => {
  const PREFIX = "#explorer?";
  const { factors, facets, compared, measures, switches, configurations } = explorerData;
  const measureName = (i) => `${measures[i].metric}.${measures[i].phase}`;
  const sized = measures.findIndex((measure) => measure.isSize);

  // The view of an address without choices: the first configuration, everything side by side.
  function initial() {
    const first = configurations[0].values;
    return {
      chosen: new Map(facets.map((i) => [i, first[i]])), // factor -> value
      shown: new Set(compared === null ? [] : factors[compared].labels.keys()), // values side by side
      on: new Set(), // ids of switches
      limit: "", // amount of memory, as written
      against: sized >= 0 ? sized : measures.findIndex((measure, i) => i > 0 && measure.better), // trade-off
    };
  }

  const hasPart = (values, i) => values.indexOf(i) >= 0;

  // Whether a measure is shown: switches show some measures, and others in their place.
  function isShown(view, i) {
    return switches.every(({ id, measures: own, insteadOf }) => (view.on.has(id) ? !hasPart(insteadOf, i) : !hasPart(own, i)));
  }

  const chartIsShown = (view, chart) => switches.every(({ id, charts: own }) => view.on.has(id) || !own.includes(chart.id));

  const matchesFacets = (view, { values }) => facets.every((i) => values[i] === view.chosen.get(i));

  // The configurations that are selected, in the order of the report.
  function selected(view) {
    return configurations.filter((each) => matchesFacets(view, each) && (compared === null || view.shown.has(each.values[compared])));
  }

  function address(view) {
    const pairs = new URLSearchParams();
    for (const [i, value] of view.chosen) pairs.append(`f.${factors[i].name}`, factors[i].values[value]);
    const all = compared === null || view.shown.size === factors[compared].labels.length;
    if (!all) for (const value of [...view.shown].sort((a, b) => a - b)) pairs.append(`f.${factors[compared].name}`, factors[compared].values[value]);
    if (!all && view.shown.size === 0) pairs.append("none", "1");
    for (const { id } of switches) if (view.on.has(id)) pairs.append("on", id);
    if (view.limit) pairs.append("within", view.limit);
    if (view.against !== initial().against) pairs.append("against", measureName(view.against));
    return PREFIX + pairs;
  }

  // The view of an address; choices that the page does not have are left out. Null if it is not of the explorer.
  function read(hash) {
    if (!hash.startsWith(PREFIX)) return null;
    const pairs = new URLSearchParams(hash.slice(PREFIX.length));
    const view = initial();
    const position = (i, text) => factors[i].values.findIndex((value) => String(value) === text);
    for (const i of facets) {
      const value = position(i, pairs.get(`f.${factors[i].name}`) ?? "");
      if (value >= 0) view.chosen.set(i, value);
    }
    if (compared !== null) {
      const values = pairs.getAll(`f.${factors[compared].name}`).map((text) => position(compared, text)).filter((value) => value >= 0);
      if (values.length || pairs.has("none")) view.shown = new Set(values);
    }
    view.on = new Set(pairs.getAll("on").filter((id) => switches.some((each) => each.id === id)));
    view.limit = /^\d+(?:\.\d+)?$/.test(pairs.get("within") ?? "") ? pairs.get("within") : "";
    const against = measures.findIndex((_, i) => measureName(i) === pairs.get("against"));
    if (against >= 0) view.against = against;
    return view;
  }

  return { initial, isShown, chartIsShown, selected, matchesFacets, address, read, sized };
})();
