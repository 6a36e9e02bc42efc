"""Say which factor words in names are values of: `A100` is a device, `bs=8` a batch size."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.formats.tables.column_words import factor_name, meaning_of
from reportgen.formats.tables.levels import levels_of

_KINDS: Mapping[str, re.Pattern[str]] = {
    "device": lazy_pattern(
        r"(?:nvidia |amd |intel |tesla |geforce |quadro )*(?:(?:[abhlkpt]|v(?=[0-9]{2}))[0-9]{1,4}[a-z]{0,4}"
        r"|a?[0-9]{4}(?: ?ti| ?super)?|rtx ?a?[0-9]{4}.{0,8}|gtx ?[0-9]{3,4}.{0,8}|mi[0-9]{2,3}x?|g[bh]200"
        r"|titan.*|tpu.{0,6}|m[1-5](?: max| pro| ultra)?|gaudi.?[0-9]?|cpu|gpu|xeon.*|epyc.*"
        r"|dgx.*)(?:[ -_](?:sxm|pcie|nvl|[0-9]{2,3}gb?)[0-9]?)*"
    ),
    "framework": lazy_pattern(
        r"(?:(?:py)?torch.{0,12}|tensorflow.{0,8}|tf2?|jax|onnx.{0,8}|ort|tensorrt.{0,8}|trt|vllm|sglang"
        r"|triton|mxnet|paddle.{0,8}|oneflow|deepspeed|megatron.{0,6}|eager|compiled?|torch ?compile"
        r"|inductor|xla|cublas(?:lt)?|cudnn|cutlass|flash(?:.?att.*)?|fa[ -]?[234]"
        r"|xformers|sdpa|openvino|llama.?cpp|numpy|cupy|keras|mlx|ollama|tgi|lmdeploy"
        r"|cuda|hip|rocm|sycl|opencl|vulkan|ours|baseline|naive|native|reference)"
        r"(?:[ -]v?[0-9]+(?:\.[0-9]+)*)?"
    ),
    "precision": lazy_pattern(
        r"[bt]?fp?(?:8|16|32|64)|float(?:16|32|64)|bfloat16|int[48]|fp[48].{0,5}|amp|half|single|double|mixed"
    ),
    "model": lazy_pattern(
        r"(?:resnet|resnext|vgg|bert|gpt|llama|vit|mobilenet|efficientnet|inception|densenet|alexnet|yolo"
        r"|mistral|mixtral|qwen|gemma|phi|falcon|t5|roberta|distilbert|albert|deepseek|swin|deit|convnext|squeezenet|shufflenet|unet|ssd|mask.?rcnn"
        r"|whisper|opt|bloom|stable.?diffusion|sdxl|clip|dlrm|transformer|gnmt|lstm|wav2vec|googlenet|regnet).*"
    ),
    "version": lazy_pattern(
        r"v(?:er(?:sion)? ?)?[0-9]+(?:\.[0-9]+)*(?:[._-]?(?:rc|alpha|beta|dev|post)[0-9]*)?"
        r"|[0-9]+\.[0-9]+\.[0-9]+.{0,12}"
    ),
    "mode": lazy_pattern(r"train(?:ing)?|infer(?:ence)?|eval(?:uation)?|prefill|decode"),
    "pass": lazy_pattern(r"(?:forward|fwd|backward|bwd)(?: ?pass)?|(?:fwd|forward) ?[+&] ?(?:bwd|backward)"),
    "operation": lazy_pattern(
        r"(?:random |seq(?:uential)? )?(?:read|write|copy|scale|add|triad|send|recv|h2d|d2h|d2d|all ?reduce"
        r"|all ?gather|broadcast)"
    ),
}  # fmt: skip
_COUNTED = lazy_pattern(
    r"(?i)x?(?P<count>[0-9]+) ?x? ?(?P<unit>gpu|device|node|thread|worker)s?"
    r"|(?:run|trial|rep|repeat|attempt|iter(?:ation)?|round|pass|seed|try|sample|messung|lauf)"
    r"[ _#-]?(?P<repeat>[0-9]+)"
)
_NAMED_NUMBER = lazy_pattern(r"([A-Za-z][A-Za-z. _-]*?)[ _]?[=:_-]?[ ]?([0-9]+[kK]?)")
_COUNT_WORD = lazy_pattern(
    r"(?i)(?<![a-z])(?:(gpu|device|node|thread|worker)|run|trial|rep|repeat|attempt|iter|round|pass|seed)s?(?![a-z])"
)
_BLANKS = lazy_pattern(r"[ _/,-]+")
# "8xH100": devices of a kind.
_TIMES = lazy_pattern(r"(?i)^([0-9]{1,4}) ?[x×*] ?(?=[a-z])")
_COUNT_TIMES = lazy_pattern(r"(?i)([0-9]{1,4})x")
_VERSION = lazy_pattern(r"v?[0-9]+(?:\.[0-9]+)*")
# Words of one value: "RTX 4090 Ti".
_MAX_WORDS = 4
_COUNT_FACTORS = {
    "gpu": "devices",
    "device": "devices",
    "node": "nodes",
    "thread": "threads",
    "worker": "workers",
}


def kind_of(texts: Iterable[str]) -> str:
    """Return the factor that all of these texts are usual values of, "" without one."""
    lower = [text.strip().lower().replace("_", " ") for text in texts]
    if not lower:
        return ""
    return next((name for name, known in _KINDS.items() if all(map(known.fullmatch, lower))), "")


def parts_of(texts: Sequence[str]) -> list[tuple[tuple[str, str], ...]]:
    """Return the factors that each text has values of, such as `A100 fp16 bs=8`; [] if there are none.

    A word that all texts have names the number after it, `CPython 3.11`, or says nothing. Texts in a grid
    have two factors if one of them is known.
    """
    words = [_BLANKS.split(_TIMES.sub(r"\1x ", text.strip())) for text in texts]
    shared = frozenset.intersection(*map(frozenset, words)) if len(words) > 1 else frozenset()
    readings = [{tuple(name for name, _ in each): each for each in _readings(text, shared)} for text in words]
    names = next((key for key in readings[0] if key and all(key in each for each in readings)), ())
    values = [readings[at][names] for at in range(len(texts))] if names else []
    is_clear = len(set(values)) == len(values) and _are_several(names, words)
    return values if values and is_clear else _in_grid(texts)


def _in_grid(texts: Sequence[str]) -> list[tuple[tuple[str, str], ...]]:
    """Return two factors of texts such as `fp8 mine`, `fp8 yours`, `fp16 mine`, `fp16 yours`; else []."""
    levels = next((each for each in map(_levels, (" ", "_"), (texts, texts)) if each), [])
    if not levels:
        return []
    uppers, lowers = zip(*levels, strict=True)
    upper, lower = (numbered(each) or (kind_of(each), each) for each in (uppers, lowers))
    if upper[0] == lower[0]:
        return []
    first, second = upper[0] or "variant", lower[0] or "variant"
    return [((first, a), (second, b)) for a, b in zip(upper[1], lower[1], strict=True)]


def _levels(blank: str, texts: Sequence[str]) -> list[tuple[str, str]]:
    """Return the upper and the lower part of each text in a grid, as written; [] if one is in none.

    blank  what separates the parts
    """
    names = [text.replace(blank, " ") for text in texts]
    levels = levels_of(names)
    if len(levels) < len(names):
        return []
    parts = zip(texts, (levels[name] for name in names), strict=True)
    return [(text[: len(upper)], text[len(text) - len(lower) :]) for text, (upper, lower) in parts]


def _are_several(names: Sequence[str], words: Sequence[Sequence[str]]) -> bool:
    """Return whether factors are several, or one that several texts have below a word of all."""
    return len(names) > 1 or (len(names) == 1 and len(words) > 1)


def _readings(words: Sequence[str], shared: frozenset[str]) -> Iterator[tuple[tuple[str, str], ...]]:
    """Yield each way to read words as values of different factors."""
    if not words:
        yield ()
    for end in range(1, min(len(words), _MAX_WORDS) + 1):
        text, rest = " ".join(words[:end]), words[end:]
        own = _value_of(text, shared)
        if own is None:
            continue
        for others in _readings(rest, shared):
            if not own or own[0] not in dict(others):
                yield ((own, *others) if own else others)


def _value_of(text: str, shared: frozenset[str]) -> tuple[str, str] | tuple[()] | None:
    """Return (factor, value) of a text, () for a word that all have, None for a text without a meaning."""
    if kind := kind_of([text]):
        return kind, text
    if counted := numbered([text]):
        return counted[0], counted[1][0]
    if count := _COUNT_TIMES.fullmatch(text):
        return "devices", count[1]
    word, _, number = text.rpartition(" ")
    if word in shared and _VERSION.fullmatch(number):
        return factor_name(word), number
    return () if text in shared else None


def numbered(texts: Sequence[str]) -> tuple[str, list[str]] | None:
    """Return (factor, numbers) of texts that are one word with different numbers; None for others.

    `bs=8` is a batch size, `8 GPUs` devices, `run 2` a repeat.
    """
    matches = [_COUNTED.fullmatch(text.strip()) for text in texts]
    counts = [match for match in matches if match]
    if counts and len(counts) == len(texts):
        units = {(match["unit"] or "repeat").lower() for match in counts}
        if len(units) == 1:
            unit = units.pop()
            return _COUNT_FACTORS.get(unit, unit), [match["count"] or match["repeat"] for match in counts]
    parts = [match for text in texts if (match := _NAMED_NUMBER.fullmatch(text.strip()))]
    names = {factor_name(part[1]) for part in parts if meaning_of(part[1]).kind == "factor"}
    if len(parts) == len(texts) and len(names) == 1 and not kind_of(texts):
        return names.pop(), [part[2] for part in parts]
    return None


def count_word(column: str) -> str:
    """Return the factor that the number in a name counts: `devices` for `8 GPUs`, `repeat` for `run 1`."""
    match = _COUNT_WORD.search(column)
    if not match:
        return "variant"
    return _COUNT_FACTORS[match[1].lower()] if match[1] else "repeat"
