// A case against another one, as `reportgen compare` compares them: the ratio, the contract, the refusal, the verdict.

const comparisons = (() => {
  // Why the two numbers do not measure one thing, "" if they do.
  function hindrance(own, base) {
    if (own.name === base.name) return "both are the same case";
    const without = [own, base].find((side) => side.value === null);
    if (without) return `${without.title} of ${without === own ? "the first" : "the second"} has no number`;
    if (own.metric !== base.metric || own.phase !== base.phase) return `${own.title} and ${base.title} are two quantities`;
    if (own.protocol !== base.protocol) return `measured by two protocols, ${own.protocol} and ${base.protocol}`;
    const parts = [own, base].map((side) => side.conditions[compareWords.parts]);
    return parts[0] === parts[1] ? "" : `the totals have other parts: ${parts.map((each) => each ?? "one phase").join("; ")}`;
  }

  const invalidity = (own, base) => (own.invalid ? `invalid: ${own.invalid}` : base.invalid ? `invalid: ${base.invalid} in the baseline` : "");

  // Of speeds, how many times faster; of other quantities, the ratio of the values. NaN if one of them is zero.
  function ratioOf(own, value, other) {
    if (!value || !other) return NaN;
    return own.isSpeed && own.better === "lower" ? other / value : value / other;
  }

  function verdictOf(own, base, refused, ratio) {
    const values = [...own.repeats, ...base.repeats].map(({ value }) => value);
    if (!own.isSpeed || !(ratio > 0) || !own.repeats.length || !base.repeats.length || Math.min(...values) <= 0) return null;
    const texts = refused.map(({ name, own: mine, baseline }) => `${name} ${baseline} -> ${mine}`);
    if (texts.length) return { kind: "not comparable", ratio, arrangement: "unknown", reason: `differs in ${texts.join(" and ")}` };
    return verdicts.decide(own.repeats, base.repeats, own.better);
  }

  // Two sides (evidence.js) compared; `refusal` is why they may not be, and then there is no ratio or it means nothing.
  function of(own, base) {
    const hindered = hindrance(own, base) || invalidity(own, base);
    if (hindered) return { refusal: hindered, ratio: NaN, overAll: NaN, verdict: null, contract: null };
    const contract = contracts.of(own, base);
    const refused = contract.differs.filter((each) => each.isEssential);
    const ratio = ratioOf(own, own.value, base.value);
    const hasGaps = own.overAll !== null || base.overAll !== null;
    return {
      refusal: refused.length ? `differs in ${refused.map(({ name, own: mine, baseline }) => `${name} (${mine}; ${baseline} in the baseline)`).join(" and ")}` : "",
      ratio,
      overAll: hasGaps ? ratioOf(own, own.overAll ?? own.value, base.overAll ?? base.value) : NaN,
      verdict: verdictOf(own, base, refused, ratio),
      contract,
    };
  }

  return { of };
})();
