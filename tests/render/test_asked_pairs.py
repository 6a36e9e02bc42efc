"""The script of a page against `reportgen.compare`: every pair of cells of every table of the committed reports."""

import json
import math
import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any, Literal

import pytest
from playwright.sync_api import Page

from reportgen.compare.comparison import Comparison
from reportgen.compare.contract import contract_between
from reportgen.compare.pair import Question, compare_cases
from reportgen.compare.side import Side
from reportgen.compare.terms import term_of, version_of
from reportgen.compare.verdict import Verdict
from reportgen.compare.verdicts import TimedRepeat, decide
from reportgen.core.command_line import arguments_of
from reportgen.core.factors import factor_key
from reportgen.core.metrics import RATES, metric_of
from reportgen.core.model import RESERVED
from reportgen.document.encode import decode
from reportgen.document.model import Case, Document, Table
from reportgen.document.sides import side_of
from reportgen.render.page import page_script
from reportgen.render.page.compare_data import compare_words
from tests.conftest import ROOT

OpenPage = Callable[..., Page]

SCRIPTS = Path(page_script.__file__).parent / "templates" / "script"
PURE = ("elements", "evidence", "statistics", "verdicts", "contract", "comparisons")
# Of each table, so that all reports take seconds.
MOST_PAIRS = 150


def _pairs(table: Table, cases: dict[str, Case]) -> list[tuple[str, str]]:
    """Return pairs of cells of one quantity, spread over the table, in both directions."""
    names = list(dict.fromkeys(cell.case for line in table.cells for cell in line if cell.case))
    comparable = [
        pair
        for pair in combinations([name for name in names if cases[name].summary], 2)
        if len({(cases[name].metric, cases[name].phase, cases[name].protocol) for name in pair}) == 1
        and cases[pair[0]].conditions.get("parts") == cases[pair[1]].conditions.get("parts")
    ]
    chosen = comparable[:: len(comparable) // MOST_PAIRS + 1]
    return [pair if i % 2 else pair[::-1] for i, pair in enumerate(chosen)]


def _compare(own: Case, base: Case) -> Comparison:
    """Compare two cases as `reportgen compare --a ... --b ...` does, with one case on each side."""
    factors = [{name: factor_key(value) for name, value in case.factors.items()} for case in (own, base)]
    about = {name for name, _ in factors[0].items() ^ factors[1].items()} - set(RESERVED)
    sides = side_of(own), side_of(base)
    speed = compare_cases(*sides, Question("speedup", about))
    return speed if speed.speed_ratio is not None else compare_cases(*sides, Question("ratio", about))


def _expected(comparison: Comparison) -> dict[str, Any]:
    return {
        "refusal": comparison.refusal,
        "value": _digits(comparison.value),
        "overAll": _digits(comparison.over_all),
        "verdict": _verdict(comparison.verdict) if comparison.verdict else None,
        "heldEqual": [[name, value] for name, value in comparison.held_equal if name not in RESERVED],
        "about": [[each.name, each.own, each.baseline] for each in comparison.about],
        "differs": [[each.name, each.own, each.baseline, each.is_essential] for each in comparison.differs],
        "notStated": list(comparison.not_stated),
    }


def _verdict(verdict: Verdict) -> dict[str, Any]:
    numbers = (verdict.ratio, verdict.low, verdict.high, verdict.p, verdict.spread)
    return {
        "words": [verdict.kind, verdict.test, verdict.arrangement, verdict.reason],
        "sentences": [verdict.sentence(), verdict.sentence(beside_time=True)],
        "numbers": [_digits(number) for number in numbers],
        "counts": [verdict.n, verdict.more],
    }


def _digits(number: float | None) -> object:
    """Return a number that equals the page's in the twelve digits that report.json has."""
    return None if number is None or math.isnan(number) else pytest.approx(number, rel=1e-12, abs=0)


SHOWN = """
const digits = (number) => (number === undefined || Number.isNaN(number) ? null : number);
const verdict = (each) => ({
  words: [each.kind, each.test ?? "", each.arrangement, each.reason ?? ""],
  sentences: [verdictText.sentence(each, false), verdictText.sentence(each, true)],
  numbers: [each.ratio, each.low, each.high, each.p, each.spread].map(digits),
  counts: [each.n ?? 0, each.more ?? 0],
});
"""
ASK = """
return PAIRS.map(([own, base]) => {
  const found = comparisons.of(evidence.side(own), evidence.side(base));
  const { heldEqual, about, differs, notStated } = found.contract;
  return {
    refusal: found.refusal,
    value: digits(found.ratio),
    overAll: digits(found.overAll),
    verdict: found.verdict && verdict(found.verdict),
    heldEqual: heldEqual.map((each) => [each.name, each.own]),
    about: about.map((each) => [each.name, each.own, each.baseline]),
    differs: differs.map((each) => [each.name, each.own, each.baseline, each.isEssential]),
    notStated,
  };
});
"""


def asked(page: Page, pairs: list[tuple[str, str]]) -> list[dict[str, Any]]:
    """Return what the script of the page computes of each pair."""
    return _evaluate(page, PURE, SHOWN + ASK.replace("PAIRS", json.dumps(pairs)))


def _evaluate(page: Page, modules: Sequence[str], body: str) -> Any:
    """Return what modules and the body of a function after them compute; null for undefined and infinity.

    It travels as one text: Playwright checks each number of a list by itself, which took longer than the answers.
    """
    texts = "".join((SCRIPTS / f"{name}.js").read_text("utf-8") for name in modules)
    words = json.dumps(compare_words())
    script = f'(() => {{ "use strict"; const compareWords = {words};\n{texts}\n{body} }})()'
    return json.loads(page.evaluate(f"JSON.stringify({script}, (name, each) => each ?? null)"))


def _report(name: str) -> Document:
    path = ROOT / "reports" / name / "report.json"
    return decode(path.read_bytes(), name)


def _all_pairs(report: Document) -> Iterator[tuple[str, str]]:
    for table in report.tables:
        yield from _pairs(table, report.case_by_name)


@pytest.fixture
def has_charts() -> bool:
    return False


@pytest.mark.no_cover
@pytest.mark.parametrize(
    "name", ["collectives", "dlperf-v1", "flux", "h200", "jade2", "serving", "transformers"]
)
def test_the_page_compares_as_the_program_does(open_page: OpenPage, name: str) -> None:
    report = _report(name)
    page = open_page({"index.html": (ROOT / "reports" / name / "index.html").read_bytes()})
    pairs = list(dict.fromkeys(_all_pairs(report)))
    answers = asked(page, pairs)
    assert len(pairs) > 30
    for pair, answer in zip(pairs, answers, strict=True):
        own, base = (report.case_by_name[each] for each in pair)
        assert answer == _expected(_compare(own, base)), pair


def _repeats(noise: random.Random, center: float, count: int, decimals: int) -> list[float]:
    spread = noise.choice((0.02, 0.0005))
    return [round(center * noise.lognormvariate(0, spread), decimals) for _ in range(count)]


def _timed(noise: random.Random, order: str, values: Sequence[float], which: int) -> list[TimedRepeat]:
    """Return the repeats of the first or second case in an order of both."""
    late = {"blocked": 1000.0 * which, "alternating": 1.0 * which}.get(order, 0.0)
    repeats = []
    for n, value in enumerate(values):
        jitter = {"rounds": 1.0, "planned": noise.choice((1.0, 12.0))}.get(order, 0.0)
        start = 10.0 * n + late + jitter * noise.random()
        planned = (7, n + noise.randrange(2) * (n == len(values) - 1)) if order == "planned" else None
        clock = f"log {which}" if order == "clocks" else ""
        repeats.append(TimedRepeat(value, None if order == "none" else start, planned, clock=clock))
    return repeats


def _made_up() -> list[tuple[list[TimedRepeat], list[TimedRepeat], Literal["higher", "lower"]]]:
    noise, pairs = random.Random(1), []
    for n in range(1500):
        order = ("none", "blocked", "alternating", "rounds", "planned", "clocks")[n % 6]
        count = noise.randrange(1, 13)
        counts = (count, count if noise.random() < 0.8 else noise.randrange(1, 13))
        centers = (100.0, 100.0 * noise.choice((1.0, 1.003, 1.02, 0.9, 3.0, 1e-9)))
        decimals = noise.choice((0, 1, 12))
        sides = [_repeats(noise, *each, decimals) for each in zip(centers, counts, strict=True)]
        if min(map(min, sides)) > 0:
            own, base = (_timed(noise, order, values, which) for which, values in enumerate(sides))
            pairs.append((own, base, noise.choice(("higher", "lower"))))
    return pairs


def test_the_page_decides_as_the_program_does_for_any_order_of_runs(window: Page) -> None:
    pairs = _made_up()
    sides = [
        [[{"value": r.value, "start": r.start, "clock": r.clock, "round": r.round} for r in side] for side in pair[:2]]
        for pair in pairs
    ]  # fmt: skip
    asked_pairs = [[*each, better] for each, (_, _, better) in zip(sides, pairs, strict=True)]
    ask = f"return {json.dumps(asked_pairs)}.map((each) => verdict(verdicts.decide(...each)));"
    answers = _evaluate(window, ("statistics", "verdicts"), f"{SHOWN}\n{ask}")
    expected = [_verdict(decide(own, base, better=better)) for own, base, better in pairs]
    kinds = Counter((each["words"][1], each["words"][0]) for each in expected)
    assert len(kinds) == 9, kinds
    for pair, answer, wanted in zip(pairs, answers, expected, strict=True):
        assert answer == wanted, pair


def test_a_sum_is_exact(window: Page) -> None:
    noise = random.Random(2)
    lists = [
        [noise.choice((-1, 1)) * noise.random() * 2.0 ** noise.randrange(-60, 60) for _ in range(9)]
        for _ in range(500)
    ]
    # The sum is half of a last digit more, and a little bit decides.
    lists += [[2.0**53, 1.0, 2.0**-60], [2.0**53, 1.0, -(2.0**-60)], [-(2.0**53), -1.0, -(2.0**-60)], []]
    sums = _evaluate(window, ("statistics",), f"return {json.dumps(lists)}.map(statistics.sum);")
    assert list(map(float, sums)) == list(map(math.fsum, lists))


FACTORS = {
    "batch_size": (8, 16), "device": ("A100", "V100", "cpu"), "devices": (1, 8), "framework": ("a", "b"),
    "item": ("image", "token"), "lr": ("0.1", "0.2"), "model": ("m", "n"), "seq_len": (128, 512),
}  # fmt: skip
CONDITIONS = {
    "clock": ("host", "device"), "clock_limit": ("1410 MHz", "1200 MHz"), "device_model": ("A100", "V100"),
    "command": ("t.py --lr 0.1 --batch-size 8", "t.py --lr 0.2 -x", "t.py --Batch.Size=16 'a b'"),
    "dataset": ("imagenet", "made up"), "driver": ("470", "550"), "evidence": ("measured", "already reduced"),
    "item": ("image", "token"), "model": ("m", "n"), "operations_per_sample": ("1", "2"), "ranks": ("1", "8"),
    "samples_per_step": ("8", "16"), "sequence_length": ("128", "512"), "statistic": ("mean", "p99"),
    "torch.cuda": ("12.1", "12.4"), "variable OMP_NUM_THREADS": ("1", "8"), "xla": ("True", "False"),
}  # fmt: skip


def _made_up_side(noise: random.Random, metric: str) -> Side:
    """Return a side with about half of the factors, and most of the conditions."""
    factors, conditions = (
        {name: noise.choice(values) for name, values in known.items() if noise.random() < share}
        for known, share in ((FACTORS, 0.5), (CONDITIONS, 0.7))
    )
    return Side(metric, "step", "", 1.0, factors=factors, conditions=conditions)


def _asked_side(side: Side) -> dict[str, Any]:
    factors = {name: str(value) for name, value in side.factors.items()}
    metric = metric_of(side.metric)
    return {
        "factors": factors,
        "keys": factors,
        "conditions": side.conditions,
        "command": arguments_of(side.conditions.get("command", "")),
        "better": metric.better,
        "isRate": metric.unit in RATES,
    }


def test_the_page_makes_the_contracts_that_the_program_makes(window: Page) -> None:
    noise = random.Random(3)
    metrics = ("throughput", "step_time", "memory_used")
    pairs = [[_made_up_side(noise, metrics[n % 3]) for _ in range(2)] for n in range(600)]
    words = {name: (term_of(name), version_of(name)) for name in {**FACTORS, **CONDITIONS}}
    body = f"""
      const words = {json.dumps(words)};
      const meanings = {{ termOf: (name) => words[name]?.[0] ?? "", versionOf: (name) => words[name]?.[1] ?? "" }};
      const shown = (list) => list.map((each) => [each.name, each.own, each.baseline, each.isEssential ?? false]);
      return {json.dumps([list(map(_asked_side, pair)) for pair in pairs])}.map((pair) => {{
        const {{ heldEqual, about, differs, notStated }} = contracts.of(...pair.map((each) => ({{ ...each, ...meanings }})));
        return [heldEqual.map((each) => each.name), shown(about), shown(differs), notStated];
      }});
    """
    for (own, base), answer in zip(pairs, _evaluate(window, ("contract",), body), strict=True):
        about = [name for name in FACTORS if own.factors.get(name) != base.factors.get(name)]
        wanted = contract_between(own, base, about)
        lists = [
            [[e.name, e.own, e.baseline, e.is_essential] for e in differing]
            for differing in (wanted.about, wanted.differs)
        ]
        assert answer == [[name for name, _ in wanted.held_equal], *lists, list(wanted.not_stated)], (
            own,
            base,
        )
