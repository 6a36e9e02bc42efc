"""How many batches a step accumulates, in the forms in which programs, shells and configurations state it."""

from reportgen.formats.parsing.accumulation import accumulation_steps
from tests.each_of import each_row


@each_row(
    [
        (b"+ gradient_accumulation_steps=704\n", 704),
        (b"Namespace(fp16=True, gradient_accumulation_steps=1056, seed=1)", 1056),
        (b"num_accumulation_steps: 132\n", 132),
        (b"run.py --num_accumulation_steps=132 --x", 132),
        (b"run.py --accumulate 4 --x", 4),
        (b"run.py --gradient-accumulation-steps 4\n", 4),
        (b'{"gradient_accumulation_steps": 8}', 8),
        (b"  gradient_accumulation_steps ...... 2\n", 2),
        (b"  Gradient Accumulation steps = 2\n", 2),
        (b"accumulate_grad_batches: 4\n", 4),
        (b"+ accumulation_steps=2\nNamespace(accumulation_steps=3)", 3),
        (b"gradient_accumulation_steps_phase2=5 gradient_accumulation_steps=2.5 my_accumulate=3", 1),
        (b"we accumulate 5 batches; --gradient_accumulation_steps=$steps", 1),
        (b"loss: 2", 1),
    ]
)
def test_accumulation_is_read_in_every_form(text: bytes, steps: int) -> None:
    assert accumulation_steps(text) == steps
