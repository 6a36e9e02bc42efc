"""Run a script or a module as Python does, and record the steps of its optimizer.

    python run_hooked.py train.py --lr 1
    python run_hooked.py -m package.train --lr 1

`collectors run --hook torch.optim` inserts the path of this file into commands. It is started by its path, so
that PYTHONPATH stays as it is.
"""

import runpy
import sys
from pathlib import Path

_OWN = Path(__file__).resolve()


def main() -> None:
    """Install the hook, then run what the arguments name as `__main__`."""
    adds_folder = sys.path[:1] == [str(_OWN.parent)]  # not so with -P and -I
    if adds_folder:
        del sys.path[0]
    sys.path.insert(0, str(_OWN.parents[2]))
    from collectors.integrations import torch_optim

    del sys.path[0]
    torch_optim.install()
    del sys.argv[0]
    is_module = sys.argv[0] == "-m"
    if is_module:
        del sys.argv[0]
    name = sys.argv[0]
    if adds_folder:
        sys.path.insert(0, str(Path.cwd() if is_module else Path(name).resolve().parent))
    if is_module:
        runpy.run_module(name, run_name="__main__", alter_sys=True)
    else:
        runpy.run_path(str(Path(name).absolute()), run_name="__main__")


if __name__ == "__main__":
    main()
