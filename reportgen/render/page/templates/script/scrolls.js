// A table that is wider than its place says how many columns are beside it, since a telephone shows no scroll bar,
// and begins where its first number is seen. Heads of a row that leave no room for that number move below the first.

const scrolls = (() => {
  const SLACK = 8; // pixels that a column may be cut off
  const boxes = new WeakMap();

  function update(box) {
    const { table, hint, isPlaced } = boxes.get(box);
    hint.hidden = box.scrollWidth - box.clientWidth < SLACK;
    if (hint.hidden) return;
    if (!isPlaced) showFirst(box);
    const end = box.getBoundingClientRect().right + SLACK;
    const beside = [...table.tHead.rows].at(-1);
    const count = [...beside.cells].filter((head) => head.getBoundingClientRect().right > end).length;
    hint.textContent = count ? `${count} more ${count === 1 ? "column" : "columns"} to the right \u2192` : "\u2190 more columns to the left";
  }

  function showFirst(box) {
    const { table } = boxes.get(box);
    boxes.get(box).isPlaced = true;
    const first = box.querySelector("tbody td");
    const hidden = () => first.getBoundingClientRect().right - box.getBoundingClientRect().right + SLACK;
    if (first && hidden() > SLACK) stack(table);
    if (first) box.scrollLeft = Math.max(0, hidden());
  }

  function stack(table) {
    const { leads } = tables.of(table);
    for (const row of [table.tHead.rows[0], ...table.tBodies[0].rows]) {
      const [first, ...others] = [...row.cells].slice(0, leads);
      const texts = others.map(tables.plain).filter((text) => text && text !== "-");
      if (texts.length) first.dataset.aside = texts.join(" \u00b7 ");
      others.forEach((head) => head.classList.add("aside"));
      first.append(...others.flatMap((head) => [...head.querySelectorAll("sup")]));
    }
    table.classList.add("stacked");
  }

  const sizes = new ResizeObserver((entries) => entries.forEach(({ target }) => update(target)));

  return {
    add(table) {
      const box = table.closest(".scroll");
      const hint = h("p", { class: "hint", hidden: true, "aria-hidden": "true" });
      box.before(hint);
      boxes.set(box, { table, hint });
      box.addEventListener("scroll", () => update(box), { passive: true });
      sizes.observe(box);
    },
  };
})();
