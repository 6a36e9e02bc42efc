"""Say which factor words in names are values of: `A100` is a device, `bs=8` a batch size."""

import re
from collections.abc import Iterable, Mapping, Sequence

from reportgen.formats.tables.column_words import factor_name, meaning_of

_KINDS: Mapping[str, re.Pattern[str]] = {
    "device": re.compile(
        r"(?:nvidia |amd |intel |tesla |geforce |quadro )*(?:[abhvlkpt][0-9]{1,4}[a-z]{0,4}"
        r"|a?[0-9]{4}(?: ?ti| ?super)?|rtx ?a?[0-9]{4}.{0,8}|gtx ?[0-9]{3,4}.{0,8}|mi[0-9]{2,3}x?|g[bh]200"
        r"|titan.*|tpu.{0,6}|m[1-5](?: max| pro| ultra)?|gaudi.?[0-9]?|cpu|gpu|xeon.*|epyc.*"
        r"|dgx.*)(?:[ -_](?:sxm|pcie|nvl|[0-9]{2,3}gb?)[0-9]?)*"
    ),
    "framework": re.compile(
        r"(?:py)?torch.{0,12}|tensorflow.{0,8}|tf2?|jax|onnx.{0,8}|ort|tensorrt.{0,8}|trt|vllm|sglang"
        r"|triton|mxnet|paddle.{0,8}|oneflow|deepspeed|megatron.{0,6}|eager|compiled?|torch ?compile"
        r"|inductor|xla|cublas|cudnn|cutlass|flash.?att.*"
        r"|xformers|sdpa|openvino|llama.?cpp|numpy|cupy|keras|mlx|ollama|tgi|lmdeploy"
        r"|ours|baseline|naive|native|reference"
    ),
    "precision": re.compile(
        r"[bt]?fp?(?:8|16|32|64)|float(?:16|32|64)|bfloat16|int[48]|fp[48].{0,5}|amp|half|single|double|mixed"
    ),
    "model": re.compile(
        r"(?:resnet|resnext|vgg|bert|gpt|llama|vit|mobilenet|efficientnet|inception|densenet|alexnet|yolo"
        r"|mistral|mixtral|qwen|gemma|phi|falcon|t5|roberta|distilbert|albert|deepseek|swin|deit|convnext|squeezenet|shufflenet|unet|ssd|mask.?rcnn"
        r"|whisper|opt|bloom|stable.?diffusion|sdxl|clip|dlrm|transformer|gnmt|lstm|wav2vec|googlenet|regnet).*"
    ),
    "version": re.compile(
        r"v(?:er(?:sion)? ?)?[0-9]+(?:\.[0-9]+)*(?:[._-]?(?:rc|alpha|beta|dev|post)[0-9]*)?"
        r"|[0-9]+\.[0-9]+\.[0-9]+.{0,12}"
    ),
    "mode": re.compile(r"train(?:ing)?|infer(?:ence)?|eval(?:uation)?|prefill|decode"),
    "operation": re.compile(
        r"(?:random |seq(?:uential)? )?(?:read|write|copy|scale|add|triad|send|recv|h2d|d2h|d2d|all ?reduce"
        r"|all ?gather|broadcast)"
    ),
}  # fmt: skip
_COUNTED = re.compile(
    r"(?i)x?(?P<count>[0-9]+) ?x? ?(?P<unit>gpu|device|node|thread|worker)s?"
    r"|(?:run|trial|rep|repeat|attempt|iter(?:ation)?|round|pass|seed|try|sample|messung|lauf)"
    r"[ _#-]?(?P<repeat>[0-9]+)"
)
_NAMED_NUMBER = re.compile(r"([A-Za-z][A-Za-z _-]*?)[ _]?[=:_-]?[ ]?([0-9]+)")
_COUNT_WORD = re.compile(
    r"(?i)(?<![a-z])(?:(gpu|device|node|thread|worker)|run|trial|rep|repeat|attempt|iter|round|pass|seed)s?(?![a-z])"
)
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


def pairs_of(texts: Sequence[str]) -> list[tuple[tuple[str, str], ...]]:
    """Return the two factors that each text has values of, such as `A100 fp16`; [] if there are none."""
    splits: list[dict[tuple[str, str], tuple[str, str]]] = []
    for text in texts:
        cuts = [(text[: cut.start()], text[cut.end() :]) for cut in re.finditer(r"[ _/,-]+", text)]
        splits.append({(kind_of([left]), kind_of([right])): (left, right) for left, right in cuts})
    kinds = next((pair for pair in splits[0] if all(pair) and all(pair in each for each in splits)), None)
    if kinds is None or kinds[0] == kinds[1]:
        return []
    return [tuple(zip(kinds, each[kinds], strict=True)) for each in splits]


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
