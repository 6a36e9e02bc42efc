// What was held equal between two cases, what differs, and what no log states, as reportgen/compare/contract.py has
// it for a comparison of all factors in which the two differ. `compareWords` has the vocabulary.

const contracts = (() => {
  const words = compareWords;
  const ABSENT = "-";
  const isVariable = (name) => name.startsWith(words.variable);
  const sorted = (names) => [...names].sort();
  const optionName = (option) => option.replace(/^-+/, "").replace(/[-.]/g, "_").toLowerCase();

  function factors(own, base) {
    return sorted(new Set([...Object.keys(own.factors), ...Object.keys(base.factors)])).map((name) => {
      const [first, second] = [own, base].map((side) => side.factors[name] ?? null);
      const isEqual = own.keys[name] === base.keys[name];
      const texts = isEqual || first !== second ? [first, second].map((text) => text ?? ABSENT) : [own.keys[name], base.keys[name]];
      return { name, own: texts[0], baseline: isEqual ? texts[0] : texts[1], isEqual, isFactor: true };
    });
  }

  // The conditions in which a comparison of these factors differs by its nature.
  function explainedBy(names, termOf) {
    const explained = new Set(names.flatMap((name) => [name, termOf(name)]).filter(Boolean));
    const hasAny = (list) => list.some((name) => explained.has(name));
    const isOfSize = hasAny(words.sizes);
    const isOfDevice = hasAny(words.deviceNames);
    if (isOfSize) for (const name of words.ofSize) explained.add(name);
    if (isOfDevice) for (const name of words.ofDevice) explained.add(name);
    for (const name of words.unexplained) explained.delete(name);
    return explained;
  }

  // Arguments that only the one command line has, and only the other, without those that something else explains.
  function commands(own, base, explained) {
    const values = [own, base].flatMap((side) => Object.values(side.factors).map(optionName));
    const known = new Set([...explained, ...values, ...Object.keys(own.factors), ...Object.keys(base.factors)]);
    const [first, second] = [own, base].map((side) => side.command.filter((argument) => !argument.some((word) => known.has(optionName(word)))));
    const only = (list, others) => list.filter(([option, value]) => !others.some((other) => other[0] === option && other[1] === value)).flat().filter(Boolean).join(" ");
    return [only(first, second), only(second, first)];
  }

  const inOrder = (names) => [
    ...words.essential.filter((name) => names.has(name)),
    ...sorted([...names].filter((name) => !words.essential.includes(name) && words.work.includes(name))),
    ...sorted([...names].filter((name) => !words.essential.includes(name) && !words.work.includes(name))),
  ];

  function conditions(own, base, explained) {
    const names = [...Object.keys(own.conditions), ...Object.keys(base.conditions)];
    const said = names.filter((name) => isVariable(name) || (name in own.conditions && name in base.conditions));
    const ofTime = own.better === "lower" ? words.ofTime : [];
    return inOrder(new Set(said)).map((name) => {
      let [first, second] = [own, base].map((side) => side.conditions[name] ?? ABSENT);
      if (name === words.command) {
        const [mine, others] = commands(own, base, explained);
        [first, second] = mine || others ? [mine || ABSENT, others || ABSENT] : [first, first];
      }
      return { name, own: first, baseline: second, isEqual: first === second, isEssential: [...words.alwaysEssential, ...ofTime].includes(name) };
    });
  }

  function notStated(own, base) {
    const sides = [own, base];
    const item = sides.map((side) => side.conditions[words.item]).find((each) => each !== undefined);
    const stated = new Set(sides.flatMap((side) => Object.keys(side.conditions)));
    const ofWork = [...words.expected, ...(words.ofItems[item] ?? []), ...(own.isRate ? [words.item] : [])];
    const wanted = new Set([...ofWork, ...stated].filter((name) => !isVariable(name)));
    const versions = new Set([...stated].map((name) => own.versionOf(name)));
    const isOnCpu = sides.every((side) => (side.factors.device ?? "").toLowerCase() === "cpu");
    const ofDevice = isOnCpu ? [] : words.deviceTerms;
    return [
      ...inOrder(wanted).filter((name) => sides.some((side) => !(name in side.conditions))),
      ...words.versions.filter((name) => !versions.has(name) && !(isOnCpu && words.gpuVersions.includes(name))),
      ...[...ofDevice, words.command, ...words.settings].filter((name) => !stated.has(name)),
    ];
  }

  // The lists of a contract: differences with their values on both sides, names of what is not stated.
  function of(own, base) {
    const all = factors(own, base);
    const differing = all.filter((each) => !each.isEqual);
    const named = new Set(all.flatMap(({ name }) => [name, own.termOf(name)]));
    const explained = explainedBy(differing.map(({ name }) => name), own.termOf);
    const said = conditions(own, base, explained);
    const unequal = said.filter((each) => !each.isEqual);
    return {
      heldEqual: [...all, ...said].filter((each) => each.isEqual && (each.isFactor || !named.has(each.name))),
      about: [...differing, ...unequal.filter(({ name }) => explained.has(name) && !named.has(name))],
      differs: unequal.filter(({ name }) => !explained.has(name)),
      notStated: notStated(own, base).filter((name) => !named.has(name)),
    };
  }

  return { of, words: (name) => name.replaceAll("_", " ") };
})();
