// A table that is wider than its place says how many columns are beside it, since a telephone shows no scroll bar,
// and begins where its first number is seen.

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
    boxes.get(box).isPlaced = true;
    const first = box.querySelector("tbody td");
    if (first) box.scrollLeft = Math.max(0, first.getBoundingClientRect().right - box.getBoundingClientRect().right + SLACK);
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
