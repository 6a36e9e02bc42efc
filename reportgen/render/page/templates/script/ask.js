// One number against another one: a reader chooses the second, and the panel says how the two compare and whether
// that is real. `#case-OWN/case-OTHER` is the address of the answer.
//
// A section of the answer is a function of {own, base, found} that returns an element or null; add it to
// `answerSections`. `own` and `base` are cases (evidence.js), `found` their comparison (comparisons.js).

const answerSections = [];

const ask = (() => {
  let first = null; // the name of the first case, while a reader chooses the second
  let opener = null; // the first number, which has the focus again when a reader leaves
  const status = h("div", { id: "ask", role: "status" });

  const ofSide = (differences, side) => differences.map((each) => `${contracts.words(each.name)} ${each[side]}`).join(", ");

  function start(name, text) {
    first = name;
    panel.hide();
    opener = document.activeElement;
    opener.closest("td")?.classList.add("asked");
    document.body.classList.add("asking");
    status.replaceChildren(
      h("p", {}, `Compare ${text} with another number: click it, or move to it and press Enter. Escape leaves.`),
      h("button", { type: "button", onclick: () => leave() }, "Leave"),
    );
  }

  // Whether a second number was being chosen; then it no longer is.
  function leave() {
    const wasAsking = first !== null;
    first = null;
    document.body.classList.remove("asking");
    opener?.closest("td")?.classList.remove("asked");
    if (status.contains(document.activeElement)) opener.focus();
    status.replaceChildren();
    return wasAsking;
  }

  // The number that a reader chose; false if none is asked for.
  function choose(name) {
    return first !== null && open(first, name);
  }

  function titleOf({ own, base, found }) {
    const differing = found.contract?.about.filter((each) => each.isFactor) ?? [];
    const sides = differing.length ? `: ${ofSide(differing, "own")} against ${ofSide(differing, "baseline")}` : "";
    const { verdict, refusal, ratio } = found;
    const answer = refusal ? "not comparable" : verdict ? headline(verdict) : Number.isNaN(ratio) ? "no ratio" : `${shownShort(ratio)}x`;
    return { heads: `${own.title === base.title ? own.title : `${own.title} against ${base.title}`}${sides}`, text: answer };
  }

  // The verdict in a word or two; where nothing is decided, it is not the difference that a reader takes home.
  const headline = ({ kind, ratio }) => (kind === "faster" || kind === "slower" ? verdictText.difference(ratio) : kind);

  // Show the answer; false if the page does not have both cases.
  function open(name, other) {
    leave();
    return panel.withEvidence([name, other], () => answer(name, other));
  }

  function answer(name, other) {
    const [own, base] = [name, other].map((each) => ({ ...evidence.get(each), side: evidence.side(each) }));
    if (!own.name || !base.name) return false;
    const asked = { own, base, found: comparisons.of(own.side, base.side) };
    panel.open({ ...titleOf(asked), sections: answerSections.map((section) => section(asked)), address: `#case-${name}/case-${other}` });
    return true;
  }

  return {
    status,
    start,
    leave,
    choose,
    open,
    // The two cases that an address names, or null.
    read(address) {
      const names = address.match(/^#case-([^/]+)\/case-([^/]+)$/);
      return names && names.slice(1);
    },
  };
})();

// The number behind the cell: a speed-up is compared by the throughput that it stands on.
panelSections.push(({ found }) => {
  const text = found.value === null ? found.title : `${found.title}, ${shown(found.value)} ${found.unit}`.trim();
  return h("p", {}, h("button", { type: "button", onclick: () => ask.start(found.name, text) }, "Compare with \u2026"));
});

// The two numbers, the ratio, and the same question the other way round.
answerSections.push(({ own, base, found }) => {
  const row = (each, title) => h("tr", {}, h("th", { scope: "row" }, title), h("td", {}, h("a", { href: `#case-${each.name}` }, each.summary)));
  const overAll = Number.isNaN(found.overAll) ? null : `; ${shownShort(found.overAll)} over all of the time, with what gaps left out`;
  const ratio = Number.isNaN(found.ratio) ? null : h("p", { class: "formula" }, formula({ value: found.ratio }, own, base), overAll);
  const swap = h("a", { href: `#case-${base.name}/case-${own.name}` }, "The other way round");
  return h("section", {}, h("table", { class: "pairs" }, h("tbody", {}, row(own, "This"), row(base, "Against"))), found.refusal ? null : ratio, h("p", {}, swap));
});

// The verdict with its test, or why there is none.
answerSections.push(({ own, base, found }) => {
  const { refusal, verdict } = found;
  if (refusal) return panelSection("Not comparable", h("p", {}, `${refusal}.`));
  if (!verdict) return panelSection("Verdict", h("p", {}, own.side.isSpeed ? "Only numbers above 0 are tested." : "Only speeds are tested."));
  const tests = {
    "signed rank": `Wilcoxon's signed ranks of ${verdict.n} ${verdict.arrangement === "alternating" ? "alternating rounds" : verdict.arrangement}, p = ${verdict.p?.toPrecision(2)}`,
    separation: `the means must be ${verdict.needed?.toFixed(2)} times the larger standard deviation apart`,
  };
  const coverage = verdict.coverage ? `; the interval covers ${(100 * verdict.coverage).toFixed(1)} %` : "";
  const test = verdict.test ? `Test of this pair alone: ${tests[verdict.test]}${coverage}. ` : "";
  const repeats = `Repeats: ${own.side.repeats.length} against ${base.side.repeats.length}.`;
  return panelSection("Verdict", h("p", { class: "summary" }, verdictText.whole(verdict, own.side.better === "lower")), h("p", { class: "quiet" }, test, repeats));
});

// Cases with repeats that differ from a case in one factor of those that both have, such as the publication.
function repeatsLike(side) {
  const isLike = (other) => other.repeats.length > 1 && ["metric", "phase", "protocol"].every((field) => other[field] === side[field]);
  return evidence.names().map(evidence.side).filter(isLike).flatMap((other) => {
    const differing = Object.keys(side.keys).filter((name) => name in other.keys && side.keys[name] !== other.keys[name]);
    return differing.length === 1 ? [{ side: other, name: differing[0], value: other.factors[differing[0]] }] : [];
  });
}

// Single figures cannot answer; other cases of the page may.
answerSections.push(({ own, base, found }) => {
  if (found.verdict?.kind !== "no repeats") return null;
  const isFree = ({ name }) => own.side.keys[name] === base.side.keys[name];
  const others = repeatsLike(base.side);
  // A publication may have the repeats of one of the two only.
  const isPair = (mine, other) => other.name === mine.name && other.value === mine.value && other.side.name !== mine.side.name;
  const answers = repeatsLike(own.side).filter(isFree).flatMap((mine) => others.filter((other) => isPair(mine, other)).map((other) => [mine, other]));
  const line = ([mine, other]) => {
    const { verdict, contract, refusal } = comparisons.of(mine.side, other.side);
    const text = refusal || (verdict ? verdictText.whole(verdict, mine.side.better === "lower") : "no verdict");
    const differs = (contract?.about ?? []).map((each) => `${contracts.words(each.name)} ${each.own} against ${each.baseline}`).join(", ");
    return h("li", {}, h("a", { href: `#case-${mine.side.name}/case-${other.side.name}` }, text), h("small", {}, `${contracts.words(mine.name)} ${mine.value}; ${differs}`));
  };
  return answers.length ? panelSection("The same with repeats", h("ul", {}, answers.slice(0, 6).map(line))) : null;
});

// What the tables say of the two, with the expected speed and the split of the time where they have them.
answerSections.push(({ own, base }) => {
  const lines = [
    [own, base],
    [base, own],
  ].flatMap(([each, other]) => comparedLines(each, each.compared.filter(({ baseline }) => baseline === other.name)));
  return lines.length ? panelSection("In the tables", lines) : null;
});

// The contract: more than one difference leaves open which of them made the ratio.
answerSections.push(({ found }) => {
  if (!found.contract) return null;
  const { about, differs, notStated, heldEqual } = found.contract;
  const { words } = contracts;
  const rows = [...about, ...differs].map((each) => h("tr", {}, h("th", { scope: "row" }, words(each.name)), h("td", {}, each.own), h("td", {}, each.baseline)));
  const head = h("tr", {}, ["Differs", "this", "against"].map((text) => h("th", { scope: "col" }, text)));
  const chosen = about.filter((each) => each.isFactor).length;
  const several = chosen > 1 ? h("p", {}, `The two differ in ${chosen} factors, so the ratio is due to all of them together.`) : null;
  return [
    panelSection("Differs", several, rows.length ? h("table", {}, h("thead", {}, head), h("tbody", {}, rows)) : h("p", {}, "Nothing that the logs state.")),
    notStated.length ? panelSection("Not stated", h("p", {}, notStated.map(words).join(", "))) : null,
    panelSection("Held equal", heldEqual.length ? h("details", {}, h("summary", {}, `${heldEqual.length} values`), pairs(Object.fromEntries(heldEqual.map((each) => [words(each.name), each.own])))) : h("p", {}, "Nothing that the logs state.")),
  ];
});
