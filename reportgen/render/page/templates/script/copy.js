// Copy a table as it is shown now: Markdown, CSV or LaTeX.

const copies = (() => {
  // What is visible: the texts of the heads over each column, and the rows.
  function grid(table) {
    const model = tables.of(table);
    const visible = model.spans.filter(({ head, first, last }) => !head.hidden && last === first + 1).map(({ first }) => first);
    const columns = [...new Set(visible)].sort((a, b) => a - b);
    const rows = [...table.tBodies[0].rows].filter((row) => !row.hidden);
    return {
      title: model.title,
      leads: columns.filter((i) => i < model.leads).length,
      heads: columns.map((i) => model.columns[i].join(" ")),
      rows: rows.map((row) => columns.map((i) => row.cells[i])),
    };
  }

  // A cell with its interval and what stands below the number, without footnote marks.
  function whole(cell) {
    const copy = cell.cloneNode(true);
    for (const mark of copy.querySelectorAll("sup")) mark.remove();
    for (const small of copy.querySelectorAll("small")) small.prepend(" ");
    return copy.textContent.replace(/\s+/g, " ").trim();
  }

  const markdownText = (text) => text.replace(/[\\`*_\[\]|~$<>]|&(?=#?\w+;)/g, "\\$&");

  function markdown(table) {
    const { heads, leads, rows } = grid(table);
    const line = (texts) => `| ${texts.join(" | ")} |`;
    const rule = heads.map((_, i) => (i < leads ? "---" : "---:"));
    return [line(heads.map(markdownText)), line(rule), ...rows.map((row) => line(row.map((cell) => markdownText(whole(cell)))))].join("\n") + "\n";
  }

  // Numbers without separators; a text that a spreadsheet would read as a formula begins with an apostrophe, "-" alone does not.
  function csvText(text, isNumber) {
    const shown = isNumber ? text.replaceAll(",", "") : text.replace(/^[=+\-@](?=.)/, "'$&");
    return /[",\n]/.test(shown) ? `"${shown.replaceAll('"', '""')}"` : shown;
  }

  function csv(table) {
    const { heads, rows } = grid(table);
    const lines = rows.map((row) => row.map((cell) => csvText(tables.plain(cell), cell.classList.contains("number"))));
    return [heads.map((head) => csvText(head, false)), ...lines].map((line) => line.join(",")).join("\n") + "\n";
  }

  const LATEX = { "\\": "\\textbackslash{}", "~": "\\textasciitilde{}", "^": "\\textasciicircum{}", "\u2013": "--", "\u00b5": "$\\mu$" };
  const latexText = (text) => text.replace(/[\\~^\u2013\u00b5]|[#$%&_{}]/g, (found) => LATEX[found] ?? `\\${found}`);

  function latex(table) {
    const { title, heads, leads, rows } = grid(table);
    const line = (texts) => `${texts.join(" & ")} \\\\`;
    return [
      "% needs \\usepackage{booktabs}",
      "\\begin{table}",
      `\\caption{${latexText(title)}}`,
      `\\begin{tabular}{${"l".repeat(leads)}${"r".repeat(heads.length - leads)}}`,
      "\\toprule",
      line(heads.map(latexText)),
      "\\midrule",
      ...rows.map((row) => line(row.map((cell) => latexText(whole(cell))))),
      "\\bottomrule",
      "\\end{tabular}",
      "\\end{table}",
      "",
    ].join("\n");
  }

  // A page from the disk may lack the clipboard's interface; the selection of a text field always works.
  async function toClipboard(text) {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      const field = h("textarea", { class: "offscreen", readonly: true });
      field.value = text;
      document.body.append(field);
      field.select();
      document.execCommand("copy");
      field.remove();
    }
  }

  return { formats: { Markdown: markdown, CSV: csv, LaTeX: latex }, toClipboard };
})();
