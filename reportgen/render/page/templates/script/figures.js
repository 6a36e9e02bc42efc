// The figures of the page become charts when the reader comes near them. The picture stays for print.

const figures = (() => {
  // A picture on a telephone is lower than a chart that can be read there.
  const MIN_HEIGHT = 340;
  const NEAR = "50%"; // of the height of the window

  // Open the evidence of a number, in the table of the figure if that shows it.
  function open(figure, name) {
    if (ask.choose(name)) return;
    const table = document.getElementById(figure.dataset.table);
    const td = table?.querySelector(`td a[href="#case-${CSS.escape(name)}"]`)?.closest("td");
    if (!(td && panel.openCell(td))) panel.openCase(name);
  }

  async function replace(figure) {
    const picture = figure.querySelector("svg");
    const height = Math.max(picture.getBoundingClientRect().height, MIN_HEIGHT);
    if (!(await charts.ready())) return;
    const spec = charts.spec(figure);
    const box = h("div", {});
    figure.style.minHeight = `${height}px`;
    figure.classList.add("drawn");
    figure.append(box);
    await charts.draw(box, spec, { name: spec.title.text, height, open: (found) => open(figure, found) });
    figure.style.minHeight = "";
  }

  return {
    start() {
      const observer = new IntersectionObserver(
        (entries) => {
          for (const { isIntersecting, target } of entries) {
            if (!isIntersecting || matchMedia("print").matches) continue;
            observer.unobserve(target);
            replace(target);
          }
        },
        { rootMargin: NEAR },
      );
      charts.figures().forEach((figure) => observer.observe(figure));
    },
  };
})();
