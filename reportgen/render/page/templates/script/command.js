// The commands behind an answer: what computes it again from the logs, and what would settle it.

(() => {
  const quoted = (text) => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'"'"'`)}'`);

  const options = (name, factors) => Object.entries(factors).map(([factor, value]) => `${name} ${quoted(`${factor}=${value}`)}`);

  // B against A, as the command has it; "" where no command can name both cases.
  function compareCommand(own, base) {
    const [mine, other] = [own.side, base.side];
    const logs = [base, own].map(({ runs }) => evidence.folderOf(runs[0]?.sources[0]?.text ?? ""));
    if (logs.includes("") || mine.conditions[compareWords.parts] || !/^\d+\+\d+x\d+$/.test(mine.protocol)) return "";
    const differs = (name) => mine.keys[name] !== other.keys[name];
    if (![...Object.keys(mine.keys), ...Object.keys(other.keys)].some(differs)) return "";
    const part = (factors, isWanted) => Object.fromEntries(Object.entries(factors).filter(([name]) => isWanted(name)));
    return [
      "reportgen compare",
      ...[...new Set(logs)].map(quoted),
      ...options("--a", part(other.factors, differs)),
      ...options("--b", part(mine.factors, differs)),
      ...options("--where", part(mine.factors, (name) => !differs(name))),
      `--metric ${quoted(mine.metric)} --phase ${quoted(mine.phase)} --protocol ${quoted(mine.protocol)}`,
    ].join(" ");
  }

  // New runs of both commands in turns, as the logs have the commands.
  function settleCommand(own, base, verdict) {
    const [mine, other] = [own, base].map(({ side }) => side.command.flat().filter(Boolean).map(quoted).join(" "));
    const repeats = Math.max(7, (verdict?.n ?? 0) + (verdict?.more ?? 0));
    return `python -m collectors run --repeats ${repeats} --against ${quoted(other || "COMMAND OF THE SECOND")} -- ${mine || "COMMAND OF THE FIRST"}`;
  }

  const code = (text) => h("pre", { class: "command" }, h("code", {}, text));

  answerSections.push(({ own, base, found }) => {
    const command = found.contract && compareCommand(own, base);
    return command ? panelSection("From the logs", code(command)) : null;
  });

  answerSections.push(({ own, base, found: { refusal, verdict } }) => {
    const isOneQuantity = own.side.metric === base.side.metric && own.side.phase === base.side.phase && own.name !== base.name;
    const isOpen = refusal || ["undecided", "no repeats"].includes(verdict?.kind);
    if (!isOneQuantity || !isOpen) return null;
    const isPlanned = verdict && own.compared.some(({ baseline }) => baseline === base.name);
    const plan = isPlanned ? [h("p", {}, "All that this report leaves open:"), code(`reportgen plan ${quoted(evidence.report())}`)] : [];
    return panelSection("What would settle it", h("p", {}, "Runs of both in turns, under equal conditions:"), code(settleCommand(own, base, verdict)), plan);
  });
})();
