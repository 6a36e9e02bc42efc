// The side list of sections: it follows the reader, and its search finds tables and numbers.

const contents = (() => {
  const MOST_RESULTS = 40;
  let index = null; // {text, label, table, href} of every table and of every cell with evidence

  function makeIndex() {
    return tables.all().flatMap((table) => {
      const model = tables.of(table);
      const cells = [...table.tBodies[0].querySelectorAll("td")].filter((td) => td.textContent.trim() && td.textContent.trim() !== "-");
      return [
        { label: model.title, table: "", href: `#${model.id}` },
        ...cells.map((td) => {
          const cell = tables.cell(td);
          return { label: `${[...cell.row, ...cell.column].filter(Boolean).join(", ")}: ${cell.text}`, table: model.title, href: cell.address };
        }),
      ].map((entry) => ({ ...entry, text: `${entry.label} ${entry.table}`.toLowerCase() }));
    });
  }

  function search(text, list, status) {
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    index ??= makeIndex();
    const found = words.length ? index.filter((entry) => words.every((word) => entry.text.includes(word))) : [];
    list.replaceChildren(
      ...found.slice(0, MOST_RESULTS).map((entry) => h("li", {}, h("a", { href: entry.href }, entry.label), entry.table ? h("small", {}, entry.table) : null)),
    );
    const rest = found.length - MOST_RESULTS;
    status.textContent = !words.length ? "" : rest > 0 ? `${found.length} found, the first ${MOST_RESULTS}:` : `${found.length} found`;
  }

  function addSearch(nav) {
    const list = h("ul", { class: "results" });
    const status = h("p", { class: "quiet", role: "status" });
    const field = h("input", { type: "search", "aria-label": "Search tables and numbers", placeholder: "Search tables and numbers" });
    field.addEventListener("input", () => {
      nav.classList.toggle("searching", Boolean(field.value.trim()));
      search(field.value, list, status);
    });
    nav.prepend(h("div", { class: "search", role: "search" }, field, status, list));
  }

  // Mark the section that the reader is at: the last one whose begin has passed the top third of the window.
  function follow(nav) {
    const links = new Map([...nav.querySelectorAll('li > a[href^="#"]')].map((link) => [link.hash.slice(1), link]));
    const targets = [...links.keys()].map((id) => document.getElementById(id)).filter(Boolean);
    let current = null;
    function update() {
      const passed = targets.filter((target) => target.checkVisibility() && target.getBoundingClientRect().top < innerHeight / 3);
      const link = passed.length ? links.get(passed.at(-1).id) : null;
      if (link === current) return;
      current?.removeAttribute("aria-current");
      link?.setAttribute("aria-current", "true");
      current = link;
    }
    let isWaiting = false;
    addEventListener("scroll", () => {
      if (isWaiting) return;
      isWaiting = true;
      requestAnimationFrame(() => {
        isWaiting = false;
        update();
      });
    }, { passive: true });
    update();
  }

  return {
    start() {
      const nav = document.getElementById("contents");
      if (!nav) return;
      addSearch(nav);
      follow(nav);
      // On a narrow screen the list would push the results down.
      if (!matchMedia("(min-width: 80rem)").matches) nav.querySelector("details")?.removeAttribute("open");
    },
  };
})();
