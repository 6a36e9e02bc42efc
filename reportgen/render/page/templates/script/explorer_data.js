// The configurations that a reader explores. The modules of the explorer are only on pages that have one.
// docs/developers/rendering.md describes the keys. All texts and numbers are as the report wrote them.

const explorerData = (() => {
  const data = JSON.parse(document.getElementById("explorer-data").textContent);

  const cell = (fields) => {
    if (!fields) return null;
    const [value, text, name = null, ratio = null, ratioText = "", verdict = "", low = null, high = null, interval = ""] = fields;
    return { value, text, case: name, ratio, ratioText, verdict, low, high, interval };
  };
  const positions = data.factors.map(({ values }) => new Map(values.map((value, i) => [value, i])));
  const configurations = data.configurations.map(([values, others, memory, ...cells]) => ({
    values: values.map((value, i) => positions[i].get(value)), // position of the value of each factor
    others,
    memory, // of one device, in bytes
    cells: data.measures.map((_, i) => cell(cells[i])), // null: no such case
  }));

  const x = data.factors.length - 1;
  const compared = data.compared < 0 ? null : data.compared;

  // Values of factors in words; a number needs the name of its factor.
  function words(configuration, positions) {
    const texts = positions.map((i) => [data.factors[i].title, data.factors[i].labels[configuration.values[i]]]);
    return texts.map(([title, label]) => (/^[\d.,]+$/.test(label) ? `${title} ${label}` : label)).join(", ");
  }

  return {
    ...data,
    configurations,
    x, // position of the factor on the x axis
    compared, // position of the factor whose values are side by side, or null
    facets: data.factors.map((_, i) => i).filter((i) => i !== x && i !== compared),
    label: (configuration, i) => data.factors[i].labels[configuration.values[i]],
    // The facets of a configuration, in words.
    contextOf: (configuration) => words(configuration, data.factors.map((_, i) => i).filter((i) => i !== x && i !== compared && data.factors[i].labels.length > 1)),
    // What a configuration is among those with the same facets, in words.
    name: (configuration) => words(configuration, [compared, x].filter((i) => i !== null)),
  };
})();
