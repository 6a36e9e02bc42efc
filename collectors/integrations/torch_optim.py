"""Record the steps of any training with an optimizer of torch, through torch's hook for all optimizers.

A step is one step of the optimizer, from its end to the end of the next. So the first one is not recorded:
its beginning is unknown. Accumulated gradients make no difference. What the loop does between two steps
(an evaluation, a checkpoint) is in the second one. If several optimizers step, the first one counts, and the
run says so.
"""

import atexit
import os
import sys
import weakref
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import Any, Callable, Optional

from collectors.format_v1.run_folder import SAMPLES_VARIABLE
from collectors.machine.distributed import rank_text
from collectors.messages import warn
from collectors.recorder.recorder import Recorder

HOOK = "torch.optim"
_MODULE = "torch.optim.optimizer"


def install() -> None:
    """Hook torch's optimizers as soon as the program imports them; torch itself is not imported here."""
    steps = OptimizerSteps()
    atexit.register(steps.report)
    if _MODULE in sys.modules:
        steps.hook(sys.modules[_MODULE])
    else:
        sys.meta_path.insert(0, _ImportWatch(_MODULE, steps.hook))


class OptimizerSteps:
    """Counts the steps of the first optimizer that steps; the steps of others apart."""

    def __init__(self) -> None:
        self._pid = os.getpid()
        self._trouble = "the program did not import torch"
        self.recorder: Optional[Recorder] = None  # None before the first step
        self._counted: Optional[weakref.ref[Any]] = None
        self._names: list[str] = []  # of the optimizers that were counted, one after the other
        self._others: dict[str, int] = {}  # steps of the others, by name

    def hook(self, optimizers: ModuleType) -> None:
        """Register the hook in `torch.optim.optimizer`."""
        register = getattr(optimizers, "register_optimizer_step_post_hook", None)
        if register is None:
            self._trouble = "this torch has no hook for optimizers; use 2.0 or newer"
            return
        self._trouble = "no optimizer has stepped"
        register(self.after_step)

    def after_step(self, optimizer: Any, args: object, kwargs: object) -> None:
        """End a step of the optimizer that counts; the first step of the first one starts the recorder."""
        if os.getpid() != self._pid:
            return
        counted = None if self._counted is None else self._counted()
        if counted is None:
            self._count(optimizer)
        elif optimizer is not counted:
            self._note_other(type(optimizer).__name__)
        elif self.recorder is not None:
            self.recorder.step()

    def _count(self, optimizer: Any) -> None:
        """Count the steps of this optimizer: the first one, or the first after that one is gone."""
        self._counted = weakref.ref(optimizer)
        self._names.append(type(optimizer).__name__)
        if len(self._names) == 1:
            self._trouble = self._start()
        elif self.recorder is not None:
            self.recorder.mark_break("next_optimizer")

    def _start(self) -> str:
        """Start the recorder; return why nothing is recorded, "" if it is."""
        if "deepspeed" in sys.modules:
            return "DeepSpeed steps its optimizer several times in a step; use a Recorder in the script"
        samples = os.environ.get(SAMPLES_VARIABLE)
        recorder = Recorder.start(samples_per_step=None if samples is None else int(samples))
        if recorder.folder is None:
            return "the recorder did not start"
        recorder.facts["hook"] = {"name": HOOK, "optimizers": self._names, "others": self._others}
        self.recorder = recorder
        warn(f"hook {HOOK}: {rank_text()}: a step is one step of {self._names[0]}, from now on")
        return ""

    def _note_other(self, name: str) -> None:
        if name not in self._others:
            self._others[name] = 0
            warn(f"hook {HOOK}: {name} is a second optimizer; only the steps of {self._names[-1]} count")
        self._others[name] += 1

    def report(self) -> None:
        """Say at the end of the process why nothing was recorded."""
        if self._trouble and os.getpid() == self._pid:
            warn(f"hook {HOOK}: {rank_text()}: nothing is recorded: {self._trouble}")


class _ImportWatch(MetaPathFinder):
    """Calls a function with a module when it has been imported, however the program imports it."""

    def __init__(self, name: str, then: Callable[[ModuleType], None]) -> None:
        self._name = name
        self._then = then

    def find_spec(
        self, fullname: str, path: Optional[Sequence[str]], target: Optional[ModuleType] = None
    ) -> Optional[ModuleSpec]:
        """Return the spec of the watched module, whose loader calls the function."""
        if fullname != self._name:
            return None
        sys.meta_path.remove(self)
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is not None and spec.loader is not None:
            execute, then = spec.loader.exec_module, self._then

            def execute_and_call(module: ModuleType) -> None:
                execute(module)
                then(module)

            spec.loader.exec_module = execute_and_call  # type: ignore[method-assign]
        return spec
