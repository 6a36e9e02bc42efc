"""Read the name of a column as people write it: a metric with its unit and statistic, a factor, or neither.

`latency_ms` is a latency in ms, `throughput (images/s)` a throughput, `p99 (ms)` a percentile of some time,
`# GPUs` the factor `devices`. A name that leaves the metric or the unit open says so: a wrong name is worse
than none.
"""

import re
from collections.abc import Sequence, Set
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from typing import Literal

from reportgen.core import units
from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.core.metrics import METRICS
from reportgen.formats.tables.column_units import MULTIPLE_OR_CASE, RATES, ColumnUnit, times, unit_of
from reportgen.formats.tables.definition import statistic_name
from reportgen.formats.tables.extremes import extreme
from reportgen.formats.tables.multiples import may_be_case, multiple_in, multiple_of

Kind = Literal[
    "figure",
    "factor",
    "repeat",
    "started",
    "status",
    "index",
    "ignored",
    "spread",
    "derived",
    "series",
    "other",
]


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# "Latency (in ms)"
_IN = lazy_pattern(r"(?i)^(?:in|em|en) ")
_BRACKETS = lazy_pattern(r"[(\[]([^()\[\]]*)[)\]]")
# Octets in French; in brackets, or after a word of a size: a column may be named "to" or "Go".
_OCTETS = lazy_pattern(r"^([kKMGT]i?)o(/s)?$")
_OCTETS_AT_END = lazy_pattern(r"(?<=[\s_])(?:([kKMGT]i?)o(/s)?|[kmgt]o)$")
# "Mio" of something else are millions.
_BINARY_OCTETS = lazy_pattern(r"(?<=[\s_(\[])([KMGT]i)o(/s)?(?=[)\]]|$)")
_FRENCH_SIZES = _words(
    """
    alloue allouee alloué allouée débit disque fichier fichiers mémoire memoire occupé taille utilise
    utilisee utilisé utilisée
    """
)
_SIZES_IN_FRENCH = _FRENCH_SIZES | _words("cache debit libre pic ram rss")
# Words in English: "rss_go" is that of a program in Go.
_ENGLISH_WORDS = ("go", "to")
# Billions or bytes, trillions or a case.
_LETTER = lazy_pattern(r"[(\[][BT][)\]]")
_PER = lazy_pattern(
    r"(?i)(?:/ ?(?=op)|(?<![a-z])per[\s_]+)"
    r"(op(?:eration)?|token|step|image|sample|request|query|call|epoch|iteration|batch)(?![a-z])"
)
# "Jetson 15 W" is a mode of a device, "GPU 0 W" the power of one.
_MODE = lazy_pattern(r"(?i)(?<!gpu)(?<!cpu)(?<!device)(?<!rank)(?<!node)(?<!socket)[\s_][0-9]+$")
_RATE_OF_UNKNOWN = lazy_pattern(r"(?i)(?:(?<![a-z])per|/)$")
# "tpot_ms_first_rounds", "rss_mb_peak", but not "errors_per_mb_total", "over_100_ms_total", "latency_ms_rank"
_UNIT_WITHIN = lazy_pattern(
    r"^(?P<before>(?:(?!per_)[a-z]+_)+)(?P<unit>ns|ms|kb|mb|gb|mib|gib)_"
    r"(?=(?:(?:first|last|peak|rounds?|total)[\s_]*)+$)"
)
# What loggers put before a name: "train/tokens_per_second".
_GROUP = lazy_pattern(r"(?i)^(train|training|eval|val|validation|test|perf|performance)/(?=[a-z_]{4})")
_PLUS_MINUS = lazy_pattern(r"\s*(?:±|\+/-)[^()\[\],]*")
# "Average time (5 runs)", "Time [mean of 100]", "median over 7 runs"
_RUNS = r"(?:runs?|reps?|repeats?|repetitions?|iterations?|iters?|trials?|executions?)"
_OF_RUNS = lazy_pattern(
    rf"(?i)(?<=[(\[])(?:n ?= ?)?[0-9]+ ?{_RUNS}(?=[)\]])|(?<=[(\[])n ?= ?[0-9]+(?=[)\]])"
    rf"|\b(?:of|over|across) [0-9]+(?: {_RUNS}\b|(?=[)\]]))"
)
_PER_ONE = lazy_pattern(rf"(?i)(?<=per)[\s_]+1(?=[\s_]+(?:{_RUNS}|steps?|calls?)(?![a-z]))")
# "Total time over 100 iterations" is not the time of one.
_SUMS = _words("cumulative sum summed total")
_COUNTED_RUNS = lazy_pattern(rf"(?i){_RUNS}|steps?|calls?")
# "Time/ms", "Throughput / (req/s)"
_DIVIDED = lazy_pattern(r"(?P<quantity>[^/()\[\]]*[^/()\[\]\s]) ?/ ?\(?(?P<unit>[^()\s][^()]{0,14}?)\)?")
_BITS_OF_MEMORY = lazy_pattern(r"(?<![A-Z])([KMG])b(?!_?[A-Za-z/]| ?per)")
_A_MINUTE = lazy_pattern(r"(?i)(?:(?:/ ?|\bper[ _])min(?:ute)?)$")
_MINUTES_PER = lazy_pattern(r"(?i)min ?/ ?(?:epoch|step|iter|run|image|img|sample|file|doc|page|video|query)")
# "95% reads", "at 80% load"
_MIX = lazy_pattern(
    r"(?i)[\s_]+(?:busy|capacity|cpu|delete|density|full|gets?|hits?|inserts?|load|miss(?:es)?|of|puts?|random"
    r"|reads?|scans?|sets?|sparse|sparsity|updates?|util(?:i[sz]ation)?|writes?)(?![a-z])"
)
# "% of peak", "pct_of_baseline"
_SHARE_OF = lazy_pattern(r"(?i)(?:%|percent|pct)[\s_]+of[\s_]")
_CAMEL = lazy_pattern(r"(?<=[a-z0-9])(?=[A-Z][a-z])")
_COUNT_OF = lazy_pattern(r"^(?:of|anzahl|nb|nombre_de|número_de|numero_de|number_of|num|no_of)_|_count$")
# "p99LatencyMs", "P99TTFT", "latencyP99"
_PERCENTILE_IN_CAMEL = lazy_pattern(
    r"(?<=[pP][0-9]{2})(?=[A-Z][a-z])|(?<=P9[0-9])(?=[A-Z])|(?<=[a-z])(?=P[0-9]{2})"
)
# Keys of JSON: "latency.percentiles.99.9"
_PERCENTILE_KEY = lazy_pattern(r"(?i)(?<![^.])(?:percentile|quantile)s?\.([0-9]{1,2}(?:\.[0-9]{1,3})?)$")
# Keys of JSON: "throughput.16"
_NUMBERED_KEY = lazy_pattern(r"(?P<name>(?:.*\.)?[^.0-9]+)\.(?P<number>[0-9]{1,9})")
# Statistics in other languages, and measures of errors: pattern -> usual word.
_SPELLINGS = tuple(
    (lazy_pattern(rf"(?i)(?<![^\W_])(?:{pattern})(?![^\W_])"), word)
    for pattern, word in (
        (
            r"[eé]carts?[\s_-]?types?|standardabweichung|desviaci[oó]n[\s_](?:est[aá]ndar|t[ií]pica)"
            r"|deviazione[\s_]standard|scarto[\s_]quadratico[\s_]medio|desvio[\s_]padr[aã]o",
            "std",
        ),
        (
            r"moyen(?:ne)?s?|mittel(?:wert)?|durchschnitt(?:lich)?|promedio|média"
            r"|media(?=[\s_]*(?:[(\[]\s*)?(?:ns|[uµ]s|ms|s|seg|sec)\W*$)",
            "mean",
        ),
        (r"m[eé]diane|mediana|medianwert", "median"),
        (r"m[ií]nimo|minimale?", "minimum"),
        (r"m[aá]ximo|massimo|maximale?", "maximum"),
        (r"root[\s_-]mean[\s_-]squared?[\s_-]error", "rmse"),
        (r"mean[\s_-]squared?[\s_-]error", "mse"),
        (r"mean[\s_-]absolute[\s_-]error", "mae"),
        (r"mean[\s_-]absolute[\s_-]percentage[\s_-]error", "mape"),
    )
)
# "99 percentile", "99th %ile", "percentile 99.9"
_PERCENTILE_IN_WORDS = lazy_pattern(
    r"(?i)(?<![0-9a-z.])(100|[0-9]{1,2}(?:\.[0-9]{1,3})?)(?:st|nd|rd|th)?[\s_-]?(?:percentile|%[\s-]?ile)s?(?![a-z])"
    r"|(?<![0-9a-z])percentile[\s_-]?([0-9]{1,2}(?:\.[0-9]{1,3})?)(?![0-9])"
)
_WORD = lazy_pattern(r"[^\W_]+(?:\.[0-9]+)?|[#%]")
_PERCENTILE = lazy_pattern(
    r"p(?:[0125]|[1-9][0-9])(?:\.[0-9]{1,3})?|p999|p100|100%|[0-9]{1,2}th|[0-9]{1,2}(?:\.[0-9]+)?%(?:ile)?"
)
_STATISTICS = _words(
    """
    average avg best fastest max maximum mean med median min minimum p50 slowest worst
    """
)
# "Max" is a part of these names.
_PRODUCT = lazy_pattern(r"(?i)(?<![^\W_])(?:m[1-9]|ai|iphone[\s_][0-9]{1,2}[\s_]pro)[\s_]max$")
# The other part of a name with a hyphen: "Count-Min", "Max-Pool2d", "max-heap", but not "max-parse".
_NAME_BEFORE = lazy_pattern(r"([^\W\d_]+)-$")
_NAME_AFTER = lazy_pattern(r"-([A-Z][^\W\d_]*|(?:cut|flow|heap|plus|pool|sat)(?![^\W_]|[-_]))")
# A quantity with its unit has a maximum: "max-heap (MB)".
_BOUND = lazy_pattern(r"^\s*(max|min)-")
# What is before the last part of the name of an algorithm.
_BEFORE_NAME = _words("arg count hard log soft")
_SPREADS = _words(
    """
    ci ci95 cv error iqr sd sem sigma std stddev stderr stdev var variance
    """
)
_STATISTICS_AND_SPREADS = _STATISTICS | _SPREADS
# Words of differences without a unit.
DIFFERENCES = _words(
    "change degradation delta δ diff difference gain improvement overhead penalty saving savings"
)
_DERIVED = DIFFERENCES | _words(
    """
    aceleración accélération beschleunigung efficiency effizienz faktor ideal mejora normalised normalized
    rapport rapporto ratio relación relativ relative scaling slowdown speedup verhältnis vs
    """
)
# Differences after a quantity; others may be what was measured: "drop table", "logistic regression".
_CHANGES = _words("decrease drop increase reduction regression")
_SERIES = _words(
    """
    elapsed epoch epochs global_step iter iteration step steps
    """
)
_REPEAT = _words(
    """
    attempt durchlauf lauf messung rep repeat replicate run run_no run_number seed trial trial_number
    """
)
_STARTED = _words(
    """
    created created_at date date_time datetime start_time started started_at time_stamp timestamp when
    """
)
_STATUS = _words("exit_status outcome result_status state status")
_INDEX = _words(
    """
    # call_id experiment_id id idx index job job_id jobid message_id no nr pid prompt_id query_id req_id
    request_id row run_id sample_id trace_id trial_id unnamed_0 uuid
    """
) | {""}
_IGNORED = _words(
    """
    cmd command comment comments description email file filename host hostname link log logfile note
    notes output_dir path remark remarks source url user username
    """
)
_FACTORS = {
    "batch_size": "batch lot lote batchgröße batchgroesse stapelgröße tamaño_de_lote taille_de_lot"
    " taille_du_lot dimensione_batch bs bsz batchsize batch_size per_device_batch_size"
    " batch_size_per_gpu",
    "global_batch_size": "gbs global_batch_size global_batch total_batch_size",
    "micro_batch_size": "mbs micro_batch_size micro_batch",
    "devices": "gpus ngpus ngpu n_gpus n_gpu num_gpus num_gpu gpu_count number_of_gpus #_gpus #gpus"
    " #_gpu world_size devices num_devices n_devices ndev accelerators num_accelerators cards nproc num_chips"
    " chips",
    "nodes": "nodes num_nodes nnodes n_nodes #_nodes number_of_nodes",
    "device": "device device_name grafikkarte karte tarjeta gpu_model gpu_name"
    " gpu_type accelerator carte hardware card hw",
    "model": "model modell modello modelo modèle model_name network net arch architecture model_id",
    "precision": "precision präzision précision genauigkeit dtype data_type datatype prec",
    "seq_len": "seq seq_len seqlen seq_length sequence_length max_seq_len max_seq_length sl",
    "concurrency": "concurrency max_concurrency concurrent_requests num_concurrent",
    "tensor_parallel": "tp tp_size tensor_parallel tensor_parallel_size",
    "pipeline_parallel": "pp pp_size pipeline_parallel pipeline_parallel_size",
    "message_size": "message_size msg_size",
}
# Numbers that people choose and do not measure.
_CHOSEN = _words(
    """
    accumulation_steps batch_tokens beam beam_size block_size channels chunk_size column_number context
    context_len context_length cores count cp cpus ctx depth device_id dim dims dp dropout elements ep gpu_id
    grad_accum gradient_accumulation_steps head_dim heads height hidden hidden_dim hidden_size
    image_size img_size input_len input_length input_size iterations iters k layers learning_rate lr m
    max_tokens n n_cores n_heads n_layers n_threads n_workers nnz num_beams num_cores num_heads
    loops rounds num_iters num_layers num_prompts num_runs num_samples num_threads num_workers output_len
    output_length output_tokens page_size power_limit prompt_len prompt_tokens queue_depth rank ranks
    repeats request_rate resolution row_number rows size sparsity stage threads version vocab_size warmup
    width window workers year zero_stage
    """
)
CONFIGURATION = _words(
    """
    args arguments config configuration env environment hardware machine machine_info meta metadata options
    parameters params platform settings setup system system_info
    """
)
_FILLER = _words(
    """
    a and avg bench benchmark benchmarks better data figures higher in is lower measured measurement
    measurements metric metrics numbers of overall per perf performance report
    res result results score scores statistics stats summary the value values
    """
)
# "Power mode" and "memory type" are settings.
_NAMES_OF_KINDS = _words(
    "backend config format id kind label level mode name preset profile setting type version"
)
# What language models do.
_OF_TOKENS = _words("decode decoding gen generation input output prefill prompt")
_UNIT_WORDS = _words("fps iops qps rps")
# The doubt about a unit that is work, or work in a second.
_FLOPS = lazy_pattern(r'"([kmgtp])flops?s?" has several meanings', re.IGNORECASE)
# How good the answers of a model are; "map" is also a container.
_QUALITIES = _words(
    "ap50 auc bleu cer f1 iou mae map50 mape miou mrr mse ndcg perplexity ppl psnr recall rmse rouge ssim wer"
)
# What a rate of them is a share of: no speed.
RATED = _words("acceptance cache error errors fail failure hit loss miss reject rejection success")
# What is counted where something goes wrong.
FAULTS = _words("crashes dropped drops errors errs failed failures lost retransmits retries timeouts")
ERROR_WORDS = _words("err error")
# It measures the error of a result, and not a spread: "rmse_error".
_ERROR_MEASURES = _words("cer mae mape mse rmse wer")
_COUNTS = _words("count counts num number total")
_SHARES = _words("fraction pct percent percentage rate ratio share")
# Words of an error that says how exact another number is.
_OF_SPREAD = _words("ci margin relative rel sampling score standard std")
LATENCY_WORDS = _words("lat latence latencia latencies latency latenz latenza задержка 延迟 レイテンシ 지연")
TIME_WORDS = _words(
    """
    clock dauer duration durations durée elapsed laufzeit runtime runtimes tempi tempo tempos temps tiempo
    tiempos time times took wall wall_time wallclock walltime zeit zeiten время 时间 耗时 時間 시간
    """
)
_RATE_WORDS = _words(
    "durchsatz débit geschwindigkeit processing rate rates rendimiento speed speeds throughput throughputs"
    " thruput tput velocidad vitesse скорость 速度 吞吐量 スループット 처리량"
)
_BANDWIDTH_WORDS = _words("algbw bandwidth busbw bw")
_MEMORY_WORDS = _words("mem memoire memoria memory mémoire speicher vram память 内存 显存 メモリ 메모리")
_SIZE_WORDS = _words(
    """
    buffer bytes cap file limit message model msg params size
    """
)
# Of these, what is reduced: "message drop" is measured.
_SIZES = _words("bytes param parameter parameters params size")
# Words of names whose numbers have no unit, or a percentage.
QUALITY_WORDS = _QUALITIES | _words("acc accuracy ap loss map precision score")
# Words of quantities whose units are one letter: bytes, watts, joules, degrees.
MEASURED_WORDS = (
    _MEMORY_WORDS | _SIZE_WORDS | _words("current draw energy power temp temperature voltage watts")
)
_QUANTITIES = (
    LATENCY_WORDS | TIME_WORDS | _RATE_WORDS | _BANDWIDTH_WORDS | _MEMORY_WORDS | QUALITY_WORDS | _UNIT_WORDS
) | _words("cost energy perf performance power quality ttft tpot itl")
# What a statistic with a hyphen is of: in "Read-Max" it is one, in "Max-Heap" a part of a name.
_BESIDE_STATISTIC = (_QUANTITIES | MEASURED_WORDS | FAULTS | ERROR_WORDS | _OF_TOKENS | _FILLER) | _words(
    """
    backward batch call case cpu delay device disk epoch forward gap gpu infer inference io iter iteration
    jitter lag network op operation pause ping queue ram read request response rss rtt run stall step token
    train training wait write
    """
)
# metric, words, a phrase: one of the words or the phrase names the metric
_NAMED_TIMES: tuple[tuple[str, frozenset[str], str], ...] = (
    ("ttft", frozenset(("ttft",)), "time to first token"),
    ("ttft", frozenset(), "first token"),
    ("tpot", frozenset(("tpot",)), "time output token"),
    ("itl", frozenset(("itl",)), "inter token latency"),
    ("e2e_latency", frozenset(("e2e", "e2el")), "end to end latency"),
    ("e2e_latency", frozenset(), "request latency"),
    ("time_to_train", frozenset(("ttt",)), "time to train"),
)
_TIMES_PER = {"token": "tpot", "call": "action_time", "operation": "action_time", "op": "action_time"}
_PHASES = {
    "forward": "forward", "fwd": "forward", "backward": "backward", "bwd": "backward",
    "optimizer": "optimizer", "optim": "optimizer",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class ColumnMeaning:
    """The meaning of a column, from its name alone.

    kind       other: the name says nothing
    metric     "" if the words do not name one; unit  "" if there is none
    scale      of the numbers in the unit
    statistic  "" if the name has none
    factor     name of a factor
    extra      words that neither the metric nor the unit explains
    label      the part of the name with these words
    doubt      why it is not certain, "" if it is
    likely     the unit that its numbers rather have, if it is in doubt
    is_own     whether the metric is one that only the name of the column has, such as a hit rate in %
    may_be_binary  whether a size of memory says MB, as programs that count MiB do, too
    """

    kind: Kind
    metric: str = ""
    unit: str = ""
    scale: float = 1.0
    statistic: str = ""
    phase: str = "step"
    factor: str = ""
    extra: tuple[str, ...] = ()
    label: str = ""
    doubt: str = ""
    likely: str = ""
    is_own: bool = False
    may_be_binary: bool = False

    @property
    def base(self) -> str:
        """The base unit of its numbers, "" without a unit."""
        return units.to_base(1.0, self.unit)[1] if self.unit else ""

    @property
    def item(self) -> str:
        """The item that its rate counts, "" for anything else."""
        return self.unit.removesuffix("/s").removesuffix("s") if self.base == "samples/s" else ""


# A longer one is a text.
_LONGEST_NAME = 300
_FACTOR_OF = {spelling: name for name, spellings in _FACTORS.items() for spelling in spellings.split()}


def words_of(name: str) -> list[str]:
    """Return the words of a name, in lower case."""
    return [word.lower() for word in _WORD.findall(_CAMEL.sub(" ", name))]


def compares(name: str) -> bool:
    """Return whether a name has a word of a ratio or of a difference."""
    return _is_compared(words_of(name))


def _is_compared(words: Sequence[str]) -> bool:
    is_saved = "saved" in words and len(words) > 1 and "rate" not in words
    return not _DERIVED.isdisjoint(words) or is_saved or _is_change(words)


def _is_change(words: Sequence[str]) -> bool:
    """Return whether a quantity is before a word of its change: "latency increase", "drop in accuracy"."""
    if words == ["regression"]:
        return True
    changes = [at for at, word in enumerate(words) if word in _CHANGES]
    quantities = _QUANTITIES | _SIZES
    return any(
        not quantities.isdisjoint(words[:at]) or words[at + 1 : at + 2] in (["in"], ["of"]) for at in changes
    )


def counts_faults(name: str) -> bool:
    """Return whether the name of a column of numbers says that they count what went wrong."""
    words = set(words_of(name))
    return bool(FAULTS & words) or bool(ERROR_WORDS & words and _COUNTS & words)


def slug(name: str) -> str:
    """Return a name as a factor has it: `Batch Size` is batch_size; gnuplot comments its header, `#size`."""
    own = "_".join(words_of(name))[:60]
    return own if own in _FACTOR_OF or own == "#" else own.removeprefix("#_").removesuffix("_#")


def factor_name(name: str) -> str:
    """Return the usual name of a factor, else its own words."""
    own = slug(name)
    counted = _COUNT_OF.sub("", own)
    return _FACTOR_OF.get(own) or (_FACTOR_OF.get(counted) if counted != own else None) or own


@lru_cache(maxsize=4096)
def meaning_of(name: str, unit: str = "") -> ColumnMeaning:
    """Return the meaning of a column. unit  as a second header row or its cells have it, "" without one."""
    if len(name) > _LONGEST_NAME:
        return ColumnMeaning("other")
    name = _PERCENTILE_KEY.sub(r"p\1", name)
    if (key := _NUMBERED_KEY.fullmatch(name)) and (case := _of_number(key["name"], key["number"], unit)):
        return case
    last, parents = path_of(name)
    own = slug(last)
    if _PLUS_MINUS.match(last):
        return ColumnMeaning("spread")
    if parents & CONFIGURATION:
        return ColumnMeaning("factor", factor=factor_name(last))
    if not unit and (role := _role(own)):
        return role
    known = unit_of(unit) if unit else None
    full = name.replace("/", " ") if parents and not name.startswith(("/", "../")) else last
    return _figure(full.replace("../", " "), known)


def _of_number(name: str, number: str, unit: str) -> ColumnMeaning | None:
    """Return the meaning of a key that is a number, below a metric; None for others.

    Below a time with its unit it may be a percentile.
    """
    meaning = meaning_of(name, unit)
    is_plain = meaning.kind == "figure" and meaning.metric and not meaning.label and not meaning.statistic
    is_case = is_plain and (unit or meaning.base != "s")
    return replace(meaning, extra=(number,), label=number) if is_case else None


def path_of(name: str) -> tuple[str, set[str]]:
    """Return the last part of a name of JSON, and the words of the objects that it is in.

    A name with blanks is whole: "jq 1.7" has no parts.
    """
    if re.search(r"[\s(\[]", name) or "." not in name.strip("./"):
        return name.lstrip("./") if name.startswith(("/", "../")) else name, set()
    *parents, last = name.lstrip("./").split(".")
    if re.fullmatch(r"[0-9]+(?:_.*|[a-z%]*)?", last) and parents:  # p99.9
        last = f"{parents.pop()}.{last}"
    return last, {part.lower() for part in parents}


def _role(own: str) -> ColumnMeaning | None:
    kinds: list[tuple[Set[str], Kind]] = [
        (_REPEAT, "repeat"),
        (_STARTED, "started"),
        (_STATUS, "status"),
        (_INDEX, "index"),
        (_IGNORED, "ignored"),
        (_SERIES, "series"),
    ]
    for words, kind in kinds:
        if own in words:
            return ColumnMeaning(kind, factor=own)
    if own in _CHOSEN or factor_name(own) in _FACTORS:
        return ColumnMeaning("factor", factor=factor_name(own))
    return None


def _figure(name: str, unit: ColumnUnit | None) -> ColumnMeaning:
    """Return the meaning of a name that is not one of the usual names of factors."""
    whole = name
    name = name if _SUMS & set(words_of(name)) else _OF_RUNS.sub("", name)
    name = _PER_ONE.sub("", name)
    name = with_plain_statistic(_PLUS_MINUS.sub(" ", name))
    name = _with_unit_in_brackets(_GROUP.sub(r"\1 ", name))
    multiple, plain = multiple_in(name)
    # Beside a unit of cells "x100" is a case.
    multiple, name = ("", name) if unit and multiple_of(multiple) == 1 else (multiple, plain)
    unit, text = _unit_in_brackets(name, unit)
    unit = _of_letter(unit, name)
    statistic, spread, text = without_statistic(text)
    own = text
    if unit is None:
        unit, text = _unit_in_words(own)
        own = text if unit and text and "/" not in unit.unit else own.replace("/", " per ")
    unit = _times(unit, multiple, whole) if unit and multiple else unit
    words = _telling(text)
    unit = _of_flops(_of_tokens(unit, words), set(words_of(text)))
    if unit and not unit.per and (per := _PER.search(text)):
        unit = replace(unit, per=per[1].lower().replace("operation", "op"))
    if unit is None and words and words[-1] in _NAMES_OF_KINDS:
        return ColumnMeaning("factor", factor="_".join(words_of(_BRACKETS.sub(" ", name)) or words_of(name)))
    if unit is None and (short := next((word for word in words if word in _UNIT_WORDS), "")):
        unit = unit_of(short)
        words.remove(short)
    if spread and (own_meaning := _of_spread(name, statistic, unit, words)):
        return own_meaning
    is_ratio = _is_compared(words_of(text)) or bool(_SHARE_OF.match(name))
    if is_ratio or (unit and unit.doubt.startswith('"x"')):
        return _compared(own, unit, statistic)
    if unit and unit.doubt:
        return ColumnMeaning("figure", statistic=statistic, extra=tuple(words), doubt=unit.doubt)
    meaning = _measured(words, unit or ColumnUnit(""))
    if unit and not meaning.metric and meaning.kind in ("figure", "other"):
        meaning = _own_metric(own, unit, meaning)
    if unit is None and not meaning.metric:
        is_factor = meaning.kind == "factor"
        return meaning if is_factor else ColumnMeaning("other", statistic=statistic, extra=tuple(words))
    if unit is None and not meaning.unit:
        meaning = replace(meaning, doubt="has no unit")
    if meaning.metric.startswith("memory") and statistic == "maximum":
        statistic = ""  # memory is a peak
    label = _label(text, meaning.extra)
    scale = unit.scale if unit else 1.0
    statistic = extreme(statistic, meaning.metric, meaning.unit)
    return replace(meaning, scale=scale, statistic=statistic, label=label)


def _telling(text: str) -> list[str]:
    """Return the words of a name that say something; an article at its end is a name: "model a"."""
    words = words_of(text)
    named = words[-1:] if words[-1:] in (["a"], ["the"]) else []
    return [*(word for word in words if word not in _FILLER), *named]


def _compared(text: str, unit: ColumnUnit | None, statistic: str) -> ColumnMeaning:
    """Return the meaning of a ratio or a difference: one with a unit is a figure, unless others show it."""
    if unit is None or unit.doubt or units.to_base(1.0, unit.unit)[1] in ("1", "ratio"):
        return ColumnMeaning("derived")
    metric = _free_name(slug(text).strip("%_"), unit.unit)
    statistic = extreme(statistic, metric, unit.unit)
    return ColumnMeaning("figure", metric, unit.unit, unit.scale, statistic, is_own=True)


def _of_spread(name: str, statistic: str, unit: ColumnUnit | None, words: list[str]) -> ColumnMeaning | None:
    """Return the meaning of a name with a word of a spread; None for another one: "error_runs" is a count.

    words  of the name, without that of the spread
    """
    if errors := _share_of_errors(name, unit, words):
        return errors
    if not _ERROR_MEASURES.isdisjoint(words):
        return None
    if statistic and not unit and not words and not _BRACKETS.search(name):  # "max_error" of a result
        return ColumnMeaning("other", statistic=statistic, extra=("error",))
    is_spread = unit or not words or _measured(words, ColumnUnit("")).metric
    return ColumnMeaning("spread") if is_spread else None


def _share_of_errors(name: str, unit: ColumnUnit | None, words: list[str]) -> ColumnMeaning | None:
    """Return the meaning of a share of errors, which is not a spread: "Error %", "Top-1 error (%)".

    words  of the name, without "error"
    """
    own = set(words_of(name))
    is_share = unit is not None and units.to_base(1.0, unit.unit)[1] == "ratio"
    is_of_other = bool(_measured([word for word in words if word not in _SHARES], ColumnUnit("")).metric)
    if not own & ERROR_WORDS or own & _OF_SPREAD or is_of_other or not (is_share or own & _SHARES):
        return None
    metric = re.sub(r"_(?:pct|percent|percentage)$", "", slug(_BRACKETS.sub(" ", name)).strip("%_"))
    metric = "error_rate" if metric in ERROR_WORDS else metric
    if unit is None or not is_share:
        return ColumnMeaning("figure", metric, doubt="has no unit")
    return ColumnMeaning("figure", metric, unit.unit, unit.scale)


def _with_unit_in_brackets(name: str) -> str:
    """Return a name with its unit in brackets: `Latency/ms` and `t / s` are quantities divided by a unit.

    "Kb" of memory are bytes: no program states its memory in bits.
    """
    # `step_time/min` is the minimum that a logger keeps.
    is_statistic = name.endswith("/min")
    if not is_statistic and (match := _DIVIDED.fullmatch(name)) and (unit := unit_of(match["unit"])):
        is_time = units.to_base(1.0, unit.unit)[1] == "s"
        is_symbol = is_time and match["quantity"] == "t" and name != "t/s"  # that may be tokens/s
        if (
            is_symbol
            or (is_time and _PERCENTILE.fullmatch(match["quantity"].lower()))
            or _is_quantity(match["quantity"], unit)
        ):
            return f"{'time' if is_symbol else match['quantity']} ({match['unit']})"
    words = set(words_of(name))
    if "Mio" not in name or words & (_SIZES_IN_FRENCH | _MEMORY_WORDS):
        name = _BINARY_OCTETS.sub(r"\1B\2", name)
    octets = _OCTETS_AT_END.search(name)
    if octets and words & (_FRENCH_SIZES if octets[0].lower() in _ENGLISH_WORDS else _SIZES_IN_FRENCH):
        in_brackets = octets[0] if octets[1] else octets[0].capitalize().replace("Ko", "ko")
        return f"{name[: octets.start()]}({in_brackets})"
    return _BITS_OF_MEMORY.sub(r"\1B", name) if words & (_MEMORY_WORDS | {"rss"}) else name


def _times(unit: ColumnUnit, multiple: str, name: str) -> ColumnUnit:
    """Return a unit with the multiple that the name of its column states; a letter is one of a rate."""
    if may_be_case(multiple) and unit.unit:
        return ColumnUnit("", doubt=f'"{name}" {MULTIPLE_OR_CASE}')
    is_rate = units.to_base(1.0, unit.unit)[1] in RATES
    return times(unit, multiple_of(multiple), name) if is_rate or len(multiple) > 1 else unit


def _of_letter(unit: ColumnUnit | None, name: str) -> ColumnUnit | None:
    """Return the unit of a name; in doubt for B or T beside items, or their rate: "tokens (B)", "rps (T)"."""
    if not (unit is None or unit.unit == "B") or not _LETTER.search(name):
        return unit
    plain = _LETTER.sub("", name)
    words = {word for word in words_of(plain) if re.search("[^s]s$", word)} - {"params", "parameters"}
    items = (f"{word}/s" for word in sorted(words))
    counted = [_unit_at_end(plain)[0], *map(unit_of, items)]
    are_items = any(x and x.unit and units.to_base(1.0, x.unit)[1] == "samples/s" for x in counted)
    return ColumnUnit("", doubt=f'"{name}" has several meanings') if are_items else unit


def with_plain_statistic(name: str) -> str:
    """Return a name whose statistic is a word of its own: `latency Mean Ms`, `p99 latency`."""
    for pattern, word in _SPELLINGS:
        name = pattern.sub(word, name)
    name = _PERCENTILE_IN_WORDS.sub(
        lambda match: "max" if match[1] == "100" else f"p{match[1] or match[2]}", name
    )
    name = _PERCENTILE_IN_CAMEL.sub(" ", name).replace("StdDev", "Stddev").replace("stdDev", "stddev")
    return re.sub(r"[^\W_]+", lambda match: _apart(re.split("(?<=[a-z0-9])(?=[A-Z])", match[0])), name)


def _apart(words: Sequence[str]) -> str:
    """Return the words of a name in camel case as one, but for words of a statistic; "PerMin" is a minute."""
    text = words[0]
    for before, word in pairwise(words):
        is_own = not _STATISTICS_AND_SPREADS.isdisjoint((before.lower(), word.lower()))
        text += f"{' ' if is_own and before.lower() != 'per' else ''}{word}"
    return text


def _of_tokens(unit: ColumnUnit | None, words: list[str]) -> ColumnUnit | None:
    """Return the unit of a name: the "tps" of what language models do are tokens."""
    is_tps = unit is not None and unit.doubt.lower().startswith('"tps"')
    return ColumnUnit("tokens/s") if is_tps and set(words) & _OF_TOKENS else unit


def _of_flops(unit: ColumnUnit | None, words: Set[str]) -> ColumnUnit | None:
    """Return the unit of a name: the "GFLOPS" of a throughput are a rate, and no work."""
    match = _FLOPS.match(unit.doubt) if unit else None
    is_rate = match and words & (_RATE_WORDS | {"perf", "performance"})
    return unit_of(f"{match[1]}FLOP/s") if match and is_rate else unit


def _unit_in_brackets(name: str, unit: ColumnUnit | None) -> tuple[ColumnUnit | None, str]:
    """Return the unit, if there is none the first in brackets, and the name with other brackets in front."""
    text, before = name, ""
    for match in _BRACKETS.finditer(name):
        inside, others = _unit_in_parts(_IN.sub("", match[1]))
        unit = unit or inside
        text = (_BOUND.sub(r"\1 ", text) if inside else text).replace(match[0], " ")
        before += f"{others} "
    return unit, before.lstrip() + text


def _unit_in_parts(text: str) -> tuple[ColumnUnit | None, str]:
    """Return the unit in brackets, and the words that count: "p99" of "ms, p99", "batch 8" of "batch 8, ms".

    Words after the unit are remarks, unless they are a statistic: "ms, lower is better".
    """
    parts = [text] if unit_of(text) else [part.strip() for part in text.split(",")]  # "1,000 us" is one part
    for at, part in enumerate(parts):
        octets = _OCTETS.sub(r"\1B\2", part)
        inside = unit_of(octets) if not at or len(part) > 1 or part in ("s", "%") else None
        if inside:
            inside = replace(inside, is_decimal=True) if octets != part else inside
            return inside, " ".join((*parts[:at], *filter(_is_statistic, parts[at + 1 :])))
    return None, text


def _is_statistic(text: str) -> bool:
    """Return whether a text is the name of a statistic and nothing else."""
    statistic, _, rest = without_statistic(text)
    return bool(statistic) and not words_of(rest)


def _own_metric(text: str, unit: ColumnUnit, meaning: ColumnMeaning) -> ColumnMeaning:
    """Return a figure whose metric is named by the words of its column, if the unit is not a time."""
    name = slug(re.sub(r"(?i)/ ?(?=op)", " per ", text)).strip("%_") or ("share" if unit.unit == "%" else "")
    if units.to_base(1.0, unit.unit)[1] == "s" or not re.search(r"[^\W\d_]", name):
        return meaning
    if name in _CHOSEN or name in _FACTOR_OF:
        return ColumnMeaning("factor", factor=factor_name(name), unit=unit.unit)
    return ColumnMeaning("figure", _free_name(name, unit.unit), unit.unit, is_own=True)


def _free_name(name: str, unit: str) -> str:
    """Return the name of a metric with this unit: energy in J/doc is not the energy of a run in J."""
    if name not in METRICS or METRICS[name].unit == units.to_base(1.0, unit)[1]:
        return name
    _, slash, below = unit.partition("/")
    own = slug(unit.replace("%", "percent").replace("$", "usd"))
    return f"{name}_per_{slug(below)}" if slash else f"{name}_in_{own}"


def _label(text: str, extra: tuple[str, ...]) -> str:
    """Return the part of a text from the first to the last of these words, as written.

    A word that says nothing is a part of the one that it is written with: the first of "resNet".
    """
    cuts = [match.start() for match in _CAMEL.finditer(text)]
    spans = [match.span() for match in _WORD.finditer(_CAMEL.sub(" ", text))]
    places = [[at - sum(cut + n < at for n, cut in enumerate(cuts)) for at in span] for span in spans]
    own = [at for at, (begin, end) in enumerate(places) if text[begin:end].lower() in extra]
    if not own:
        return ""
    first = own[0]
    begin, end = places[first][0], places[own[-1]][1]
    before = places[first - 1] if first else [0, 0]
    is_one_word = begin in cuts and before[1] == begin and text[slice(*before)].lower() in _FILLER
    return text[before[0] if is_one_word else begin : end]


def without_statistic(text: str) -> tuple[str, bool, str]:
    """Return (statistic, whether it is a spread, the rest of the text)."""
    statistic = ""
    spread = False
    for match in reversed(list(re.finditer(r"[^\W_]+(?:[._][0-9]+(?![0-9A-Za-z]))?%?", text))):
        word = match[0].lower().replace("_", ".")
        is_minute = _A_MINUTE.search(text[: match.end()]) or _MINUTES_PER.match(text, match.start())
        is_product = word == "max" and _PRODUCT.search(text[: match.end()])
        is_part = is_product or _is_in_name(text, match.start(), match.end())
        if is_minute or is_part or (word.endswith("%") and _MIX.match(text, match.end())):
            continue
        plain = word if _PERCENTILE.fullmatch(word) else re.split(r"[._]", word)[0]
        if plain in _STATISTICS or _PERCENTILE.fullmatch(plain):
            name = f"p{plain[:-2]}" if plain.endswith("th") else plain.removesuffix("ile")
            statistic = statistic_name(name)
        elif plain in _SPREADS:
            spread = True
        else:
            continue
        text = text[: match.start()] + " " + text[match.end() :]
    text = re.sub(r"(?i)\bpercentile\b", " ", text)
    if _PERCENTILE.fullmatch(statistic):
        text = re.sub(r"(?i)^\s*line\s*$", "", text)  # "90% Line" of JMeter
    return statistic, spread, text


def _is_in_name(text: str, start: int, end: int) -> bool:
    """Return whether a word of a statistic is a part of a proper name with a hyphen: "Count-Min", "Max-Heap".

    Before a metric, a unit, an operation or a filler word it is none, "Mean-FPS", and after a hyphen it is
    one, "Compile-Max", but for a few names.
    """
    word = text[start:end]
    if word.lower() not in _STATISTICS or (word.islower() and word not in ("max", "min")):
        return False
    before, after = _NAME_BEFORE.search(text[:start]), _NAME_AFTER.match(text, end)
    is_last = before is not None and before[1].lower() in _STATISTICS | _BEFORE_NAME
    is_first = after is not None and (after[1].lower() in _STATISTICS or not _may_have_statistic(after[1]))
    return is_last or is_first


def _may_have_statistic(word: str) -> bool:
    return word.lower() in _BESIDE_STATISTIC or unit_of(word) is not None


def _unit_in_words(text: str) -> tuple[ColumnUnit | None, str]:
    """Return the unit at the end of a text, else the one before words such as "peak", and the other words."""
    unit, rest = _unit_at_end(text)
    match = _UNIT_WITHIN.match(text) if unit is None else None
    return (unit_of(match["unit"]), match["before"] + text[match.end() :]) if match else (unit, rest)


def _unit_at_end(text: str) -> tuple[ColumnUnit | None, str]:
    """Return the longest unit at the end of a text, and the text before it."""
    text = text.strip(" _-:,.")
    cuts = [0] + [m.end() for m in re.finditer(r"[\s_\-:,.]+|(?<=[a-z])(?=[A-Z])", text)]
    for cut in cuts:
        apart = re.sub(r"[-.]", " ", _CAMEL.sub(" ", text[cut:]))
        # "kWh" is one word.
        if cut < len(text) and (unit := unit_of(text[cut:]) or unit_of(apart)):
            before = text[:cut].strip(" _-:,.")
            if before.endswith(" /") and _is_quantity(before, unit):
                return unit, before.removesuffix(" /")
            if _RATE_OF_UNKNOWN.search(before):
                if set(words_of(before)) & (TIME_WORDS | LATENCY_WORDS):
                    continue  # "time_per_step_s" is a time
                return None, text
            if unit.unit == "W" and _MODE.search(before):
                continue
            # "latency_min" is a minimum, "tokens" alone in "max_h" an abbreviation.
            if (
                unit.unit in ("h", "min", "B", "W", "J", "degC", "day", "ct")
                and text[cut:].lower() in ("h", "min", "b", "c", "j", "day", "days", "с", "ct", "cts")
                and not set(words_of(before))
                & (TIME_WORDS | _MEMORY_WORDS | {"cost", "energy", "price", "temp", "temperature"})
            ):
                continue
            return unit, before
    return None, text


def _is_quantity(text: str, unit: ColumnUnit) -> bool:
    """Return whether a text names a metric with this unit: "Bandwidth / GB/s", but not "tokens / s"."""
    metric = _unitless(_telling(text)).metric
    return metric in METRICS and METRICS[metric].unit == units.to_base(1.0, unit.unit)[1]


def _measured(words: list[str], unit: ColumnUnit) -> ColumnMeaning:
    """Return the metric of words with a unit; without a unit, the metric that the words alone name."""
    base = units.to_base(1.0, unit.unit)[1] if unit.unit else ""
    by_base = {
        "s": _time, "samples/s": _rate, "B/s": _bandwidth, "FLOP/s": _flops, "B": _memory, "W": _power,
        "J": _energy, "ratio": _share, "degC": _temperature,
        "Hz": _clock,
    }  # fmt: skip
    if base in by_base:
        return by_base[base](words, unit)
    if base:
        return ColumnMeaning("figure", unit=unit.unit, extra=tuple(words), doubt="names no metric")
    return _unitless(words)


def _made(
    metric: str, unit: ColumnUnit, words: list[str], known: Set[str], phase: str = "step", doubt: str = ""
) -> ColumnMeaning:
    extra = tuple(word for word in words if word not in known)
    return ColumnMeaning("figure", metric, unit.unit, phase=phase, extra=extra, doubt=doubt)


def _time(words: list[str], unit: ColumnUnit) -> ColumnMeaning:
    own, said = set(words), set(words) | ({unit.per} if unit.per else set())
    joined = " ".join(words)
    generic = TIME_WORDS | {"latency", "lat", "total", "run", "train", "training", "end"}
    if any(before.isdigit() and _COUNTED_RUNS.fullmatch(word) for before, word in pairwise(words)):
        return _made("run_time", unit, words, generic)
    if own & {"gpu", "gpus", "device", "node", "cpu"} and unit.unit == "h":
        return ColumnMeaning("derived")  # hours of all devices together
    for metric, names, phrase in _NAMED_TIMES:
        if own & names or phrase in joined:
            known = set(phrase.split()) if phrase in joined else set()
            return _made(metric, unit, words, names | known | generic)
    if phase := next((_PHASES[word] for word in words if word in _PHASES), ""):
        return _made("step_time", unit, words, generic | set(_PHASES) | {"pass", "step"}, phase)
    if "data" in own and own & {"loading", "load", "wait"}:
        return _made("step_time", unit, words, generic | {"data", "loading", "load", "wait"}, "data_loading")
    epochs = {"epoch", "epoche", "epochenzeit", "epoca", "época", "epoque", "époque"}
    if said & epochs:
        return _made("epoch_time", unit, words, generic | epochs | {"par", "por", "pro"})
    steps = {"step", "steps", "schritt", "iter", "iteration", "it", "iters", "batch"}
    steps -= {word for word, after in pairwise(words) if after.isdigit()}  # "iter 1" counts repeats
    if said & steps and (unit.per == "step" or not own & {"latency", "lat"}):
        per = {"pro"} if "schritt" in own else set()  # "Zeit pro Schritt"; not of "M2 Pro"
        return _made("step_time", unit, words, generic | steps | per)
    if unit.per:
        metric = _TIMES_PER.get(unit.per, f"time_per_{unit.per}")
        return _made(metric, unit, words, generic | {unit.per, f"{unit.per}s"})
    latency = LATENCY_WORDS | {"inference", "infer", "response", "delay"}
    if own & latency:
        return _made("latency", unit, words, generic | latency)
    if own <= generic:
        metric = "latency" if unit.unit in ("ns", "us", "ms") else "run_time"
        doubt = "" if own & TIME_WORDS else "names no metric"
        return _made(metric, unit, words, generic, doubt=doubt)
    # Another time: its words name it, and no comparison claims that less is better.
    return _made("", unit, words, generic, doubt="" if own & (TIME_WORDS | {"lat"}) else "names no metric")


def _rate(words: list[str], unit: ColumnUnit) -> ColumnMeaning:
    own = set(words)
    item = unit.unit.removesuffix("/s")
    generic = _RATE_WORDS | {item, item.removesuffix("s"), "total", "model", "system", "global"} - {"total"}
    if unit.per_device:
        return _made("throughput_per_device", unit, words, generic)
    if item == "tokens":
        for metric, names in (
            ("output_token_throughput", {"output", "generated", "generation", "gen", "decode", "out"}),
            ("input_token_throughput", {"input", "prompt", "prefill", "in"}),
            ("total_token_throughput", {"total"}),
        ):
            if own & names:
                return _made(metric, unit, words, generic | names)
    if item in ("requests", "queries"):
        if own & {"offered", "arrival", "target", "load"} or own == {"request", "rate"}:
            return ColumnMeaning("factor", factor="request_rate")
        if "goodput" in own:
            return _made("goodput", unit, words, generic | {"goodput"})
        return _made("request_throughput", unit, words, generic | {"qps", "rps"})
    if item.lower() in FAULTS:
        return ColumnMeaning("figure", f"{_singular(item.lower())}_rate", unit.unit)
    if item == "operations":
        of_storage = {"io", "iops", "disk", "read", "write"}
        metric = "iops" if unit.metric or own & of_storage else "throughput"
        return _made(metric, unit, words, generic | {"io", "iops", "disk"})
    return _made("throughput", unit, words, generic | {"total", "fps"})


def _singular(word: str) -> str:
    """Return the singular of an English plural: retry, crash, error."""
    return f"{word[:-3]}y" if word.endswith("ies") else re.sub("(?<=sh)es$|s$", "", word)


def _bandwidth(words: list[str], unit: ColumnUnit) -> ColumnMeaning:
    own = set(words)
    generic = (
        _BANDWIDTH_WORDS
        | _RATE_WORDS
        | {"memory", "mem", "effective", "achieved", "bus", "algo", "alg", "algorithm"}
    )
    if own & {"bus", "busbw"}:
        return _made("bus_bandwidth", unit, words, generic)
    if own & {"alg", "algo", "algbw", "algorithm"}:
        return _made("algorithm_bandwidth", unit, words, generic)
    return _made("bandwidth", unit, words, generic)


def _flops(words: list[str], unit: ColumnUnit) -> ColumnMeaning:
    generic = _RATE_WORDS | {"achieved", "flops", "compute", "model", "tflops"}
    return _made("flops_per_device" if unit.per_device else "flops", unit, words, generic)


def _memory(words: list[str], unit: ColumnUnit) -> ColumnMeaning:
    own = set(words)
    used = {
        "gpu",
        "used",
        "usage",
        "peak",
        "max",
        "footprint",
        "cuda",
        "device",
        "consumption",
        "allocated",
        "reserved",
    }
    if not own & _MEMORY_WORDS:
        return ColumnMeaning("factor" if own & _SIZE_WORDS else "other", unit=unit.unit, extra=tuple(words))
    if own & {"total", "limit", "free", "cpu", "host", "ram", "system", "bus", "clock"}:
        return ColumnMeaning("other", extra=tuple(words))
    metric = (
        "memory_allocated"
        if "allocated" in own
        else "memory_reserved"
        if "reserved" in own
        else "memory_used"
    )
    meaning = _made(metric, unit, words, _MEMORY_WORDS | used)
    return replace(meaning, may_be_binary="i" not in unit.unit and unit.unit != "B" and not unit.is_decimal)


def _power(words: list[str], unit: ColumnUnit) -> ColumnMeaning:
    if set(words) & {"limit", "cap", "tdp"}:
        return ColumnMeaning("factor", factor="_".join(words))
    return _made(
        "power",
        unit,
        words,
        {"power", "leistung", "draw", "gpu", "consumption"},
        doubt="" if {"power", "leistung"} & set(words) else "names no metric",
    )


def _energy(words: list[str], unit: ColumnUnit) -> ColumnMeaning:
    return _made(
        "energy",
        unit,
        words,
        {"energy", "total", "consumed", "gpu"},
        doubt="" if "energy" in words else "names no metric",
    )


def _share(words: list[str], unit: ColumnUnit) -> ColumnMeaning:
    own = set(words)
    if own & {"util", "utilization", "utilisation", "usage"} and own & {"gpu", "sm"} | (
        own & {"utilization"} if len(own) == 1 else set()
    ):
        return _made("utilization", unit, words, own)
    if own & {"accuracy", "acc"}:
        return _made("accuracy", unit, words, {"accuracy", "acc", "test", "val", "validation", "eval"})
    if "mfu" in own:
        return _made("mfu", unit, words, {"mfu", "model", "flops", "utilization"})
    return ColumnMeaning("figure", unit=unit.unit, extra=tuple(words), doubt="names no metric")


def _clock(words: list[str], unit: ColumnUnit) -> ColumnMeaning:
    own = set(words)
    for metric, names in (
        ("memory_clock", {"mem", "memory"}),
        ("sm_clock", {"sm"}),
        ("graphics_clock", {"graphics", "gfx"}),
    ):
        if own & names and own & {"clock", "clk", "frequency", "freq"}:
            return _made(metric, unit, words, names | {"clock", "clk", "frequency", "freq", "gpu"})
    return ColumnMeaning("figure", unit=unit.unit, extra=tuple(words), doubt="names no metric")


def _temperature(words: list[str], unit: ColumnUnit) -> ColumnMeaning:
    return _made("temperature", unit, words, {"temperature", "temp", "gpu"})


def _unitless(words: list[str]) -> ColumnMeaning:
    """Return the metric that words name without a unit; the unit stays open."""
    own = set(words)
    if "rate" in own and own & RATED:
        return ColumnMeaning("figure", "_".join(words), doubt="has no unit", is_own=True)
    for names, unit in (
        ({"ttft", "tpot", "itl", "e2el"} | LATENCY_WORDS | TIME_WORDS, "s"),
        (_BANDWIDTH_WORDS, "GB/s"),
        (_RATE_WORDS, "samples/s"),
        (_MEMORY_WORDS, "GiB"),
        ({"power"}, "W"),
        ({"energy"}, "J"),
        ({"accuracy", "acc", "mfu", "util", "utilization", "utilisation"}, "%"),
    ):
        if own & names and not own & {"limit", "cap", "size"}:
            meaning = _measured(words, ColumnUnit(unit))
            metric = meaning.metric
            if unit == "s" and metric == "run_time":
                metric = "latency" if own & {"latency", "lat"} else "run_time"
            return replace(meaning, kind="figure", metric=metric, unit="", doubt="has no unit")
    if own & {"params", "parameters"}:
        return ColumnMeaning("factor", factor="_".join(words))
    if quality := next((word for word in words if word in _QUALITIES), ""):
        return _made(quality, ColumnUnit(""), words, {quality}, doubt="has no unit")
    if own and own <= {"loss", "train", "val", "validation", "eval", "final"} and "loss" in own:
        return ColumnMeaning(
            "figure", "loss", "1", extra=tuple(w for w in words if w not in ("loss", "final"))
        )
    return ColumnMeaning("other", extra=tuple(words))
