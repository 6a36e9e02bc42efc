"""Write the logs that the how-to guides start from, in the form of llm.c; all numbers are invented.

`python -m tests.documentation.logs` writes `logs/gpt2/<gpu>-b<batch>-<repeat>.log` below the working folder.
"""

import random
from pathlib import Path

HEAD = """\
| device                | {gpu} |
| precision             | BF16 |
| weight init method    | {model} |
batch_size B={batch} * seq_len T=1024 * num_processes=1 and total_batch_size={tokens}
"""
STEP = "step {step:4}/125 | loss 9.0 (+nanz)| norm 5.1 (+nanz)| lr 1e-04 | {ms:.2f} ms | 40.0% bf16 MFU | {rate:.0f} tok/s\n"
# GPU, model, batch size, milliseconds of a step
CASES = [
    ("NVIDIA A40", "d12", 8, 62.0),
    ("NVIDIA A40", "d12", 16, 120.0),
    ("NVIDIA A40", "d24", 8, 170.0),
    ("NVIDIA H100 80GB HBM3", "d12", 8, 20.0),
    ("NVIDIA H100 80GB HBM3", "d12", 16, 35.0),
    ("NVIDIA H100 80GB HBM3", "d12", 32, 66.0),
    ("NVIDIA H100 80GB HBM3", "d24", 8, 48.0),
]


def main() -> None:
    """Write three repeats of each case."""
    for gpu, model, batch, milliseconds in CASES:
        for repeat in (1, 2, 3):
            numbers = random.Random(f"{gpu}, {model}, {batch}, {repeat}")
            text = HEAD.format(gpu=gpu, model=model, batch=batch, tokens=batch * 1024)
            for step in range(1, 126):
                ms = milliseconds * numbers.gauss(1, 0.01)
                text += STEP.format(step=step, ms=ms, rate=batch * 1024 / ms * 1000)
            path = Path("logs/gpt2") / f"{gpu.split()[1].lower()}-{model}-b{batch}-{repeat}.log"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
