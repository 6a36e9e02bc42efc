// Specifications of the explorer's charts, for `charts.draw`. Fields have fixed names, so texts of logs are data and
// never a part of an expression.

const explorerCharts = (() => {
  const { factors, x, compared, measures, configurations, colours, ink } = explorerData;
  const HEIGHT = 220; // pixels of the plot, without axes
  const PARTS = 2; // the first colour of measures, so that they do not look like devices
  const CROSS = "M-1,-.6L-.6,-1L0,-.4L.6,-1L1,-.6L.4,0L1,.6L.6,1L0,.4L-.6,1L-1,.6L-.4,0Z";
  const ABOVE = { titleAngle: 0, titleAlign: "left", titleAnchor: "end", titleX: 0, titleY: -12 };

  const sideOf = (configuration) => (compared === null ? "" : factors[compared].labels[configuration.values[compared]]);
  const sidesOf = (selection) => [...new Set(selection.map(sideOf))];
  const byPosition = (selection) => [...new Set(selection.map((each) => each.values[x]))].sort((a, b) => a - b);

  // A value of a measure, or the reason why there is none; null where there is nothing to say.
  function row(configuration, i, series) {
    const cell = configuration.cells[i];
    if (!cell || (cell.value === null && cell.text === "-")) return null;
    const place = { series, x: factors[x].labels[configuration.values[x]], case: cell.case };
    if (cell.value === null) return { ...place, failed: cell.text };
    const ends = cell.interval ? { low: cell.low / measures[i].factor, high: cell.high / measures[i].factor, interval: cell.interval } : {};
    return { ...place, y: cell.value / measures[i].factor, shown: `${cell.text} ${measures[i].unit}`.trim(), ...ends };
  }

  const xAxis = (selection) => ({
    field: "x",
    type: "nominal",
    scale: { domain: byPosition(selection).map((position) => factors[x].labels[position]), type: "band", paddingInner: 0.2, paddingOuter: 0.1 },
    axis: { labelAngle: 0, title: factors[x].title },
  });

  const yAxis = (title, scale) => ({ field: "y", type: "quantitative", scale: { zero: true, ...scale }, axis: { title, grid: true, domain: false, tickCount: 5, ...ABOVE } });
  const unitOf = (visible) => [...new Set(visible.map((i) => measures[i].unit))].filter(Boolean).join(", ") || measures[visible[0]].title;

  // The colours of series, beginning with the one at `first`.
  const colour = (names, first = 0) => ({
    field: "series",
    type: "nominal",
    scale: { domain: names, range: names.map((_, i) => colours[(i + first) % colours.length]) },
    ...(names.length > 1 ? { legend: { title: null } } : { legend: null }),
  });

  // Downloads have the title; the page has a heading instead.
  function chart(title, rows, layer) {
    const fields = [{ field: "series" }, { field: "name" }, { field: "x", title: factors[x].title }, { field: "shown" }, { field: "interval", title: "interval" }, { field: "failed" }];
    return { title: { text: title }, description: title, height: HEIGHT, autosize: { type: "fit-x", contains: "padding" }, data: { values: rows }, layer, usermeta: { fields } };
  }

  // A cross at the axis where a configuration has no number.
  function crosses(lost, channels) {
    if (!lost.length) return [];
    return [{ data: { values: lost }, mark: { type: "point", style: "failed", shape: CROSS, yOffset: -8 }, encoding: { ...channels, y: { value: "height" } } }];
  }

  // The intervals of values that have one.
  function intervals(rows, channels) {
    const known = rows.filter(({ low }) => low !== undefined);
    if (!known.length) return [];
    const end = (field) => ({ field, type: "quantitative" });
    return [{ data: { values: known }, mark: { type: "rule", style: "interval" }, encoding: { ...channels, y: end("low"), y2: { field: "high" } } }];
  }

  // The memory of the devices as lines: it limits what fits.
  function sizes(selection, i) {
    const sides = sidesOf(selection);
    const known = configurations.filter((each) => each.memory && sides.includes(sideOf(each)));
    const rows = sides
      .map((side) => [side, Math.max(0, ...known.filter((each) => sideOf(each) === side).map((each) => each.memory))])
      .filter(([, size]) => size)
      .map(([side, size]) => ({ series: side || measures[i].label, y: size / measures[i].factor, text: `${side} device`.trim() }));
    if (!rows.length) return [];
    const y = { field: "y", type: "quantitative" };
    return [
      { data: { values: rows }, mark: { type: "rule", style: "reference" }, encoding: { y } },
      { data: { values: rows }, mark: { type: "text", style: "ideal-name", align: "left", dy: -7, color: ink }, encoding: { y, x: { value: 2 }, text: { field: "text" } } },
    ];
  }

  // Bars beside one another: devices, or the measures of one device.
  function grouped(title, selection, visible, most) {
    const isAlone = visible.length === 1;
    const name = (each, i) => (isAlone ? sideOf(each) || measures[i].label : measures[i].label);
    const all = visible.flatMap((i) => selection.map((each) => row(each, i, name(each, i)))).filter(Boolean);
    const names = [...new Set(visible.flatMap((i) => selection.map((each) => name(each, i))))];
    const offset = names.length > 1 ? { xOffset: { field: "series", scale: { domain: names, paddingInner: 0.06 } } } : {};
    const place = { x: xAxis(selection), ...offset };
    const color = isAlone ? colour(names, compared === null ? 0 : selection[0].values[compared]) : colour(names, PARTS);
    const isShare = visible.every((i) => measures[i].unit === "%");
    const bars = { mark: "bar", encoding: { ...place, y: yAxis(unitOf(visible), isShare ? { domain: [0, 100] } : most ? { domain: [0, most], nice: true } : {}), color } };
    const limits = isAlone && measures[visible[0]].isSize ? sizes(selection, visible[0]) : [];
    const [rows, lost] = [all.filter(({ failed }) => !failed), all.filter(({ failed }) => failed)];
    return chart(title, rows, [bars, ...intervals(rows, place), ...crosses(lost, { ...place, color }), ...limits]);
  }

  // Parts of a whole, on top of one another.
  function stacked(title, selection, visible, most) {
    const names = visible.map((i) => measures[i].label);
    const all = visible.flatMap((i, order) => selection.map((each) => row(each, i, measures[i].label)).filter(Boolean).map((each) => ({ ...each, order })));
    const place = { x: xAxis(selection) };
    const bars = { mark: "bar", encoding: { ...place, y: { ...yAxis(unitOf(visible), { domain: [0, most], nice: true }), stack: "zero" }, color: colour(names, PARTS), order: { field: "order", type: "quantitative" } } };
    const lost = all.filter(({ failed, order }) => failed && order === 0).map(({ series: _, ...each }) => each);
    return chart(title, all.filter(({ failed }) => !failed), [bars, ...crosses(lost, { ...place, color: { value: ink } })]);
  }

  const shownOf = (visible) => (each) => visible.map((i) => (each.cells[i]?.value ?? 0) / measures[i].factor);

  // The specifications of a chart. Several measures have one for each device, with the same end of the axis.
  function specs({ title, stacked: isStacked }, selection, visible) {
    const context = explorerData.contextOf(selection[0]);
    const named = (side) => [title, side, context].filter(Boolean).join(", ");
    if (visible.length < 2) return [{ side: "", spec: grouped(named(""), selection, visible) }];
    const ends = selection.map(shownOf(visible)).map((values) => (isStacked ? values.reduce((sum, value) => sum + value, 0) : Math.max(...values)));
    const most = Math.max(...ends) || 1;
    return sidesOf(selection).map((side) => {
      const own = selection.filter((each) => sideOf(each) === side);
      return { side, spec: (isStacked ? stacked : grouped)(named(side), own, visible, most) };
    });
  }

  // Points of two measures; those on the front are larger and connected.
  function scatter(title, points, across, up) {
    const rows = points.map(({ configuration, isBest }) => ({
      series: sideOf(configuration) || measures[up].label,
      name: explorerData.name(configuration),
      x: configuration.cells[across].value / measures[across].factor,
      y: configuration.cells[up].value / measures[up].factor,
      case: configuration.cells[up].case,
      point: factors[x].labels[configuration.values[x]],
      best: isBest ? 1 : 0,
      shown: `${configuration.cells[up].text} ${measures[up].unit}, ${configuration.cells[across].text} ${measures[across].unit}`,
    }));
    const names = [...new Set(rows.map(({ series }) => series))];
    const axisTitle = (i) => `${measures[i].title}${explorerTables.unitText(measures[i])}`;
    const place = {
      x: { field: "x", type: "quantitative", scale: { zero: true }, axis: { title: axisTitle(across), grid: true, tickCount: 5 } },
      y: yAxis(axisTitle(up), {}),
    };
    const front = { data: { values: rows.filter(({ best }) => best).map(({ x: at, y }) => ({ x: at, y })) }, mark: { type: "line", style: "ideal", color: ink }, encoding: { ...place, order: { field: "x", type: "quantitative" } } };
    const dots = { mark: { type: "point" }, encoding: { ...place, color: colour(names), size: { field: "best", type: "quantitative", scale: { domain: [0, 1], range: [40, 130] }, legend: null } } };
    const texts = { mark: { type: "text", dy: -11, fontSize: 11, color: ink, aria: false, tooltip: null }, encoding: { ...place, text: { field: "point" } } };
    const spec = chart(title, rows, [front, dots, texts]);
    return { ...spec, usermeta: { fields: [{ field: "name" }, { field: "shown" }] } };
  }

  return { specs, scatter };
})();
