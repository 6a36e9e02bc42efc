// A selection as CSV: a line per configuration and measure, in base units, as in tables/*.csv.

const explorerCsv = (() => {
  const { factors, measures } = explorerData;
  const OWN = ["metric", "phase", "unit", "value", "low", "high", "text", "ratio", "verdict"];

  // A text that a spreadsheet would read as a formula begins with an apostrophe.
  const guarded = (text) => (/^[=+\-@\t\r]/.test(text) ? `'${text}` : text);
  const quoted = (text) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const field = (value) => (value === null || value === undefined ? "" : typeof value === "string" ? quoted(guarded(value)) : String(value));

  function text(selection, visible) {
    const head = [...factors.map(({ name }) => (OWN.includes(name) ? `${name}_factor` : name)), ...OWN];
    const lines = selection.flatMap((each) =>
      visible
        .filter((i) => each.cells[i])
        .map((i) => {
          const { value, low, high, text: shown, ratio, verdict } = each.cells[i];
          const own = [measures[i].metric, measures[i].phase, measures[i].base, value, low, high, value === null ? shown : "", ratio, verdict];
          return [...factors.map(({ values }, at) => values[each.values[at]]), ...own];
        }),
    );
    return [head, ...lines].map((line) => `${line.map(field).join(",")}\n`).join("");
  }

  function download(name, content) {
    const url = URL.createObjectURL(new Blob([content], { type: "text/csv" }));
    h("a", { href: url, download: name }).click();
    setTimeout(() => URL.revokeObjectURL(url), 0);
  }

  return { text, download };
})();
