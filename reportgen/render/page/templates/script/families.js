// Tables that differ in their facets only: a list for each facet chooses the one that is shown.

const families = (() => {
  const known = new WeakMap(); // section -> the function that shows one of its folds

  const distinct = (values) => [...new Set(values)];

  // The fold with the wanted values: all of them, else the first that has the value that was just chosen.
  function fitting(folds, wanted, changed) {
    const fits = (fold, places) => places.every((i) => fold.values[i] === wanted[i]);
    return folds.find((fold) => fits(fold, [...wanted.keys()])) ?? folds.find((fold) => fits(fold, [changed]));
  }

  function add(section) {
    const names = JSON.parse(section.dataset.facets);
    const folds = [...section.children]
      .filter((child) => child.matches("details.fold"))
      .map((element) => ({ element, values: JSON.parse(element.dataset.facet) }));
    let current = folds[0];

    const lists = names.map((name, i) => {
      const options = distinct(folds.map((fold) => fold.values[i])).map((value) => h("option", { value }, value));
      const list = h("select", { onchange: () => choose(fitting(folds, lists.map((each) => each.value), i)) }, options);
      return list;
    });

    function update() {
      for (const fold of folds) {
        const isCurrent = fold === current;
        fold.element.hidden = !all.checked && !isCurrent;
        fold.element.classList.toggle("chosen", !all.checked && isCurrent);
      }
      lists.forEach((list, i) => (list.value = current.values[i]));
    }

    function choose(fold) {
      current = fold;
      current.element.open = true;
      update();
    }

    const all = h("input", { type: "checkbox", onchange: update });
    const shown = names.map((name, i) => (distinct(folds.map((fold) => fold.values[i])).length > 1 ? labelled(name, lists[i]) : null));
    const count = h("span", { class: "quiet" }, `${folds.length} tables`);
    const bar = h("div", { class: "facets", role: "group", "aria-label": `Tables of ${section.dataset.title}` }, shown, h("label", {}, all, " Show all"), count);
    folds[0].element.before(bar);
    known.set(section, (element) => choose(folds.find((fold) => fold.element.contains(element)) ?? current));
    update();
  }

  return {
    start: () => document.querySelectorAll("section.family[data-facets]").forEach(add),

    // Show the table that an element is in.
    reveal(element) {
      const section = element.closest("section.family[data-facets]");
      if (section && section !== element) known.get(section)?.(element);
    },
  };
})();
