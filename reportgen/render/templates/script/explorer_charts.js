// Specifications of the explorer's charts. Fields have fixed names, so texts of logs are data and never a part
// of an expression.

const explorerCharts = (() => {
  const { factors, x, compared, measures, configurations } = explorerData;
  const HEIGHT = 240;

  const sideOf = (configuration) => (compared === null ? "" : factors[compared].labels[configuration.values[compared]]);
  const sidesOf = (selection) => [...new Set(selection.map(sideOf))];

  // One mark: a value of a measure, or the reason why there is none.
  function mark(configuration, i, isAlone) {
    const cell = configuration.cells[i];
    const measure = measures[i];
    if (!cell || (cell.value === null && cell.text === "-")) return null;
    const side = sideOf(configuration);
    return {
      x: factors[x].labels[configuration.values[x]],
      series: isAlone ? side || measure.label : [side, measure.label].filter(Boolean).join(", "),
      side,
      part: measure.label,
      value: cell.value === null ? null : cell.value / measure.factor,
      missing: cell.value === null ? "\u2715" : "",
      text: cell.value === null ? cell.text : `${cell.text} ${measure.unit}`.trim(),
    };
  }

  const marks = (selection, visible) => selection.flatMap((each) => visible.map((i) => mark(each, i, visible.length === 1))).filter(Boolean);

  function categories(selection) {
    const positions = [...new Set(selection.map((each) => each.values[x]))].sort((a, b) => a - b);
    return positions.map((position) => factors[x].labels[position]);
  }

  const xAxis = (selection) => ({
    field: "x",
    type: "nominal",
    title: factors[x].title,
    scale: { domain: categories(selection) },
    axis: { labelAngle: 0 },
  });

  function yTitle(visible) {
    const titles = new Set(visible.map((i) => measures[i].unit));
    return [...titles].filter(Boolean).join(", ") || measures[visible[0]].title;
  }

  const isShare = (visible) => visible.every((i) => measures[i].unit === "%");
  const yAxis = (visible, scale) => ({ field: "value", type: "quantitative", title: yTitle(visible), scale: { zero: true, ...scale } });
  const tooltip = (name) => [
    { field: "x", type: "nominal", title: factors[x].title },
    { field: name, type: "nominal", title: "series" },
    { field: "text", type: "nominal", title: "value" },
  ];

  // Where a configuration has no number: a cross at the foot of the chart.
  const crosses = (encoding) => ({
    transform: [{ filter: { field: "missing", equal: "\u2715" } }],
    mark: { type: "text", baseline: "bottom", fontSize: 13, tooltip: true },
    encoding: { ...encoding, y: { datum: 0 }, text: { field: "missing", type: "nominal" } },
  });

  const shell = (layer, values) => ({ width: "container", height: HEIGHT, data: { values }, layer });

  // The memory of the devices as lines: it limits what fits.
  function sizes(selection, i) {
    const bySide = new Map();
    for (const each of configurations) {
      if (each.memory && selection.some((other) => sideOf(other) === sideOf(each))) bySide.set(sideOf(each), Math.max(each.memory, bySide.get(sideOf(each)) ?? 0));
    }
    const values = [...bySide].map(([side, size]) => ({ limit: size / measures[i].factor, name: [side, "device"].filter(Boolean).join(" ") }));
    return [
      { data: { values }, mark: { type: "rule", strokeDash: [5, 4] }, encoding: { y: { field: "limit", type: "quantitative" } } },
      {
        data: { values },
        mark: { type: "text", align: "left", baseline: "bottom", dx: 3, dy: -2 },
        encoding: { x: { value: 0 }, y: { field: "limit", type: "quantitative" }, text: { field: "name", type: "nominal" } },
      },
    ];
  }

  function grouped(selection, visible) {
    const values = marks(selection, visible);
    const names = [...new Set(values.map(({ series }) => series))];
    const place = { x: xAxis(selection), xOffset: { field: "series", type: "nominal", scale: { domain: names } }, tooltip: tooltip("series") };
    const bars = {
      mark: { type: "bar" },
      encoding: {
        ...place,
        y: yAxis(visible, isShare(visible) ? { domain: [0, 100] } : {}),
        color: { field: "series", type: "nominal", scale: { domain: names }, title: null, legend: names.length > 1 ? { orient: "top" } : null },
      },
    };
    const limits = visible.length === 1 && measures[visible[0]].isSize ? sizes(selection, visible[0]) : [];
    return shell([bars, crosses(place), ...limits], values);
  }

  // Parts of a whole, on top of one another; `most` is the end of the axis, the same for all sides.
  function stacked(selection, visible, most) {
    const values = marks(selection, visible);
    const names = visible.map((i) => measures[i].label);
    const place = { x: xAxis(selection), tooltip: tooltip("part") };
    const bars = {
      mark: { type: "bar" },
      encoding: {
        ...place,
        y: { ...yAxis(visible, { domain: [0, most] }), stack: "zero" },
        color: { field: "part", type: "nominal", scale: { domain: names }, sort: names, title: null, legend: { orient: "top" } },
        order: { field: "order", type: "quantitative" },
      },
    };
    return shell([bars, crosses(place)], values.map((each) => ({ ...each, order: names.indexOf(each.part) })));
  }

  const total = (visible) => (each) => visible.reduce((sum, i) => sum + (each.cells[i]?.value ?? 0) / measures[i].factor, 0);

  // The specifications of a chart, each with the words that name it.
  function specs(chart, selection, visible) {
    if (!chart.stacked || visible.length < 2) return [{ side: "", spec: grouped(selection, visible) }];
    const most = Math.max(...selection.map(total(visible))) || 1;
    return sidesOf(selection).map((side) => ({
      side,
      spec: stacked(selection.filter((each) => sideOf(each) === side), visible, most),
    }));
  }

  // Points of two measures; `front` are the ones that no other point beats in both.
  function scatter(points, across, up) {
    const values = points.map(({ configuration, isBest }) => ({
      across: configuration.cells[across].value / measures[across].factor,
      up: configuration.cells[up].value / measures[up].factor,
      name: explorerData.name(configuration),
      series: sideOf(configuration) || measures[up].title,
      label: factors[x].labels[configuration.values[x]],
      best: isBest ? "on the front" : "beaten",
      text: `${configuration.cells[up].text} ${measures[up].unit}, ${configuration.cells[across].text} ${measures[across].unit}`,
    }));
    const names = [...new Set(values.map(({ series }) => series))];
    const axis = (name, i) => ({ field: name, type: "quantitative", title: `${measures[i].title}${explorerTables.unitText(measures[i])}`, scale: { zero: true } });
    const place = { x: axis("across", across), y: axis("up", up) };
    const front = {
      transform: [{ filter: { field: "best", equal: "on the front" } }],
      mark: { type: "line", strokeDash: [4, 3], point: false },
      encoding: { ...place, order: { field: "across", type: "quantitative" } },
    };
    const dots = {
      mark: { type: "point", filled: true, size: 70 },
      encoding: {
        ...place,
        color: { field: "series", type: "nominal", scale: { domain: names }, title: null, legend: names.length > 1 ? { orient: "top" } : null },
        shape: { field: "best", type: "nominal", scale: { domain: ["on the front", "beaten"], range: ["diamond", "circle"] }, title: null, legend: { orient: "top" } },
        tooltip: [
          { field: "name", type: "nominal", title: "configuration" },
          { field: "text", type: "nominal", title: "value" },
        ],
      },
    };
    const labels = { mark: { type: "text", dy: -9 }, encoding: { ...place, text: { field: "label", type: "nominal" } } };
    return shell([front, dots, labels], values);
  }

  return { specs, scatter };
})();
