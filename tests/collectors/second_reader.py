"""A second reader of log format 1, written from `logs/FORMAT.md` alone, for testing writers.

It returns what `expected.json` of the conformance corpus contains. It is simple and slow by design.
"""

import json
import re
from pathlib import Path

MOST = 2**63 - 1
STATUSES = {"running", "complete", "failed", "out_of_memory", "cancelled", "partial"}
CLOCKS = ("host", "host_synchronized", "cuda_event")
COUNT = re.compile(r"[a-z][a-z0-9_]*_count")
PHASE = re.compile(r"([a-z][a-z0-9_]*)_(host|host_synchronized|cuda_event)_ns")


def read(folder):
    """Return {"run", "findings"} of a run folder."""
    reader = Reader(Path(folder))
    run = reader.run()
    findings = [
        {"rule": rule, "path": path, "line": line} for (rule, path), line in sorted(reader.findings.items())
    ]
    return {"run": run, "findings": findings}


class Reader:
    def __init__(self, folder):
        self.folder = folder
        self.findings = {}
        self.has_half_line = False

    def note(self, rule, path="", line=None):
        self.findings.setdefault((rule, path), line)

    def malformed(self, path, line=None):
        self.note("read.malformed-line", path, line)

    def run(self):
        about = self.about()
        if about.get("version", 1) > 1:
            self.note("read.newer-version", "run.json")
            return None
        steps = {rank: self.steps(path, about) for rank, path in self.files("steps.rank")}
        run = {
            "factors": about["case"],
            "repeat": about["repeat"],
            "item": about["item"],
            "samples_per_step": about["samples_per_step"],
            "ranks": steps,
            "environment": {node: self.environment(path) for node, path in self.files("environment.node")},
            "telemetry": {},
        }
        for node, path in self.files("telemetry.node"):
            run["telemetry"][node], events, intervals = self.telemetry(path)
            if events:
                run.setdefault("events", {})[node] = events
            if intervals:
                run.setdefault("intervals", {})[node] = intervals
        if "flops_per_step" in about:
            run["flops_per_step"] = about["flops_per_step"]
        run.update(self.profile(about))
        status = about["status"]
        has_steps = any(rank["steps"] for rank in steps.values())
        is_short = self.has_half_line or len(steps) < about["ranks"] or (steps and not has_steps)
        if status == "complete" and is_short:
            status = "partial"
        if about.get("recorder", {}).get("no_device_time"):
            self.note("clock.no-device-time", "run.json")
        if about.get("recorder", {}).get("hook", {}).get("others"):
            self.note("read.several-optimizers", "run.json")
        is_command = status == "complete" and "wall_time_ns" in about and not about["ranks"] and not steps
        if is_command:
            run["wall_time_ns"] = about["wall_time_ns"]
            self.note("read.no-steps", "run.json")
        elif status in ("running", "partial") or len(steps) < about["ranks"] or not has_steps:
            self.note("read.incomplete-run")
        if status in ("failed", "out_of_memory", "cancelled"):
            self.note("read.failed-run")
        return {"status": status, **run}

    def profile(self, about):
        for _, path in self.files("kernels.rank") if "profiler" in about else ():
            self.kernels(path)
        return {"profiler": about["profiler"]["name"]} if "profiler" in about else {}

    def kernels(self, path):
        for number, line in enumerate(path.read_text().split("\n")[1:-1], 2):
            _, count, duration, name = line.split(",", 3)
            if count.isdecimal() and duration.isdecimal() and name:
                self.note("read.profile", path.name, number)
            else:
                self.malformed(path.name, number)

    def files(self, prefix):
        pattern = re.compile(re.escape(prefix) + r"([0-9]+)\.(csv|json)")
        matches = [(pattern.fullmatch(path.name), path) for path in self.folder.iterdir()]
        return sorted((match.group(1), path) for match, path in matches if match)

    def about(self):
        path = self.folder / "run.json"
        about = {"status": "partial", "case": {}, "ranks": 0}
        about.update(repeat=None, item=None, samples_per_step=None)
        if not path.exists():
            return about
        try:
            read = json.loads(path.read_bytes())
        except ValueError:
            read = None
        if not isinstance(read, dict) or read.get("format") != "reportgen-run":
            self.malformed("run.json")
            return about
        about["version"] = read.get("version", 1)
        checks = {
            "status": lambda value: value in STATUSES,
            "case": lambda value: isinstance(value, dict),
            "repeat": lambda value: type(value) is int and value >= 1,
            "item": lambda value: isinstance(value, str),
            "samples_per_step": lambda value: type(value) is int and value >= 0,
            "tokens_per_step": lambda value: type(value) is int and value >= 0,
            "flops_per_step": lambda value: type(value) is int and value >= 0,
            "wall_time_ns": lambda value: type(value) is int and value >= 0,
            "ranks": lambda value: type(value) is int and value >= 1,
            "columns": lambda value: isinstance(value, dict),
            "recorder": lambda value: isinstance(value, dict),
            "profiler": lambda value: isinstance(value, dict) and isinstance(value.get("name"), str),
        }
        for key, is_good in checks.items():
            if key in read and is_good(read[key]):
                about[key] = read[key]
            elif key in read:
                self.malformed("run.json")
        about["case"] = {name: value for name, value in about["case"].items() if self.is_factor(name, value)}
        return about

    def is_factor(self, name, value):
        good = re.fullmatch(r"[A-Za-z_][A-Za-z0-9_.-]*", name) and isinstance(value, (str, int, float))
        if not good:
            self.malformed("run.json")
        return good

    def lines(self, path):
        text = path.read_bytes().decode("utf-8", "replace")
        whole, _, rest = text.rpartition("\n")
        if rest:
            self.has_half_line = True
        return [line.rstrip("\r") for line in whole.split("\n")] if whole else []

    def table(self, path, first, required, numeric):
        """Yield ("#", number, cells) and ("row", number, {column: text}) of a file."""
        header = None
        for number, line in enumerate(self.lines(path), 1):
            cells = line.split(",")
            if not line:
                continue
            if line.startswith("#"):
                yield "#", number, cells
            elif cells[0] == first:
                header = cells if set(required) <= set(cells) and len(set(cells)) == len(cells) else None
                if header is None:
                    self.malformed(path.name, number)
            elif header is None or len(cells) != len(header):
                self.malformed(path.name, number)
            else:
                row = dict(zip(header, cells, strict=True))
                values = {name: integer(text) for name, text in row.items() if numeric(name)}
                if any(value is False for value in values.values()):
                    self.malformed(path.name, number)
                else:
                    yield "row", number, {**row, **values}

    def steps(self, path, about):
        plain = {"step", "span", "samples", "tokens", "begin_ns", "duration_ns"}
        kinds = {name: column.get("clock") for name, column in about.get("columns", {}).items()}
        rows, breaks, clock, own = [], [], None, {}
        required = ["step", "begin_ns", "duration_ns"]
        table = self.table(
            path,
            "step",
            required,
            lambda name: name in plain or PHASE.fullmatch(name) or COUNT.fullmatch(name),
        )
        for kind, number, cells in table:
            if kind == "row":
                if not cells["step"] or (rows and cells["step"] <= rows[-1]["step"]):
                    self.malformed(path.name, number)
                else:
                    rows.append(cells)
            elif cells[0] == "#clock":
                pair = [integer(text) for text in cells[1:]]
                if len(pair) != 2 or any(value in (None, False) for value in pair):
                    self.malformed(path.name, number)
                else:
                    clock = clock or pair
            elif cells[0] == "#break":
                times = [integer(text) for text in cells[2:]]
                if len(times) != 3 or any(value is None or value is False for value in times):
                    self.malformed(path.name, number)
                else:
                    breaks.append([cells[1], *times])
            elif not rank_record(cells, own):
                self.malformed(path.name, number)
        idle = idle_after(own.pop("waits", []), rows, breaks)
        own |= {"idle_after": idle} if idle else {}
        columns = {f"step/{kinds.get('duration_ns') or 'host'}": [row["duration_ns"] for row in rows]}
        for name in {name: None for row in rows for name in row if PHASE.fullmatch(name)}:
            phase, by = PHASE.fullmatch(name).groups()
            columns[f"{phase}/{kinds.get(name) or by}"] = [row.get(name) for row in rows]
        tokens = [work(row, "tokens", about.get("tokens_per_step")) for row in rows]
        phases = {PHASE.fullmatch(name).group(1) for row in rows for name in row if PHASE.fullmatch(name)}
        not_entered = {phase: not_entered_steps(rows, phase) for phase in sorted(phases - {"step"})}
        not_entered = {phase: steps for phase, steps in not_entered.items() if steps}
        return {
            **({"not_entered": not_entered} if not_entered else {}),
            **({"tokens": tokens} if any(count is not None for count in tokens) else {}),
            "clock": clock,
            "steps": [row["step"] for row in rows],
            "spans": [row.get("span") or 1 for row in rows],
            "begin_ns": [row["begin_ns"] for row in rows],
            "samples": [work(row, "samples", about["samples_per_step"]) for row in rows],
            "columns": columns,
            "breaks": breaks,
            **own,
        }

    def environment(self, path):
        return flat(json.loads(path.read_bytes())["environment"])

    def telemetry(self, path):
        devices, events, intervals = {}, [], {}
        table = self.table(path, "device", ["device", "monotonic_ns"], lambda name: name != "device")
        for kind, number, cells in table:
            if kind == "#":
                if not telemetry_record(cells, events, intervals):
                    self.malformed(path.name, number)
            else:
                columns = devices.setdefault(cells.pop("device"), {})
                for name, value in cells.items():
                    name = name.replace("clocks_throttle_reasons", "clocks_event_reasons")
                    columns.setdefault(name, []).append(value)
        return devices, events, intervals


def integer(text):
    """Return the number, None for an empty cell, False for anything else."""
    if not text:
        return None
    if not re.fullmatch("[0-9]+", text) or int(text) > MOST:
        return False
    return int(text)


def rank_record(cells, own):
    """Keep a # record about the rank; return True if it is valid or of an unknown kind."""
    name, *cells = cells
    if name == "#device":
        is_good = len(cells) in (1, 2) and all(cells)
        if is_good:
            own.setdefault("device", [*cells, None][:2])
        return is_good
    counts = {"#memory": 2, "#sync": 3}
    if name not in counts:
        return True
    values = [integer(text) for text in cells]
    if len(values) != counts[name] or not all(type(value) is int for value in values):
        return False
    if name == "#memory":
        own["memory"] = values
    else:
        own.setdefault("waits", []).append(values)
    return True


def idle_after(waits, rows, breaks):
    """Return the steps whose duration contains a wait for the devices."""
    ends = {
        row["step"]: row["begin_ns"] + row["duration_ns"]
        for row in rows
        if None not in (row["begin_ns"], row["duration_ns"])
    }
    for _, step, begin, end in breaks:
        ends[step] = ends.get(step, 0) + (end - begin if begin < ends.get(step, 0) else 0)
    return [step for step, begin, _ in waits if begin < ends.get(step, begin + 1 if step else 0)]


def telemetry_record(cells, events, intervals):
    """Keep a # record of telemetry; return True if it is valid or of an unknown kind."""
    name, *cells = cells
    if name == "#event":
        when = integer(cells[1]) if len(cells) == 3 else None
        names = ("lost", "reset", "returned")
        is_good = bool(when is not None and when is not False and cells[0] and cells[2] in names)
        events.extend([[cells[0], when, cells[2]]] if is_good else [])
        return is_good
    if name == "#xid":
        values = [integer(text) for text in cells[1:]]
        is_good = len(values) == 2 and bool(cells[0]) and all(type(value) is int for value in values)
        events.extend([[cells[0], values[0], f"xid {values[1]}"]] if is_good else [])
        return is_good
    counts = {"#clock": 2, "#interval": 1, "#achieved": 3, "#update": 1}
    column, texts = (cells[0], cells[1:]) if name == "#update" else ("", cells)
    values = [integer(text) for text in texts]
    if name not in counts:
        return True
    if len(values) != counts[name] or any(value is None or value is False for value in values):
        return False
    if name == "#update":
        intervals.setdefault("update", {})[column] = values[0]
    elif name != "#clock":
        key = {"#interval": "requested", "#achieved": "achieved"}[name]
        intervals[key] = values if name == "#achieved" else values[0]
    return True


def not_entered_steps(rows, phase):
    """Return the steps that did not enter a phase; [] if no step has a time of it."""
    times = [[row.get(f"{phase}_{clock}_ns") for clock in CLOCKS] for row in rows]
    if not any(time is not None for row in times for time in row):
        return []
    steps = []
    for row, own in zip(rows, times, strict=True):
        count = row.get(f"{phase}_count")
        is_single = (row.get("span") or 1) == 1
        if count == 0 or (count is None and is_single and all(time is None for time in own)):
            steps.append(row["step"])
    return steps


def work(row, column, per_step):
    if row.get(column) is not None:
        return row[column]
    return None if per_step is None else per_step * (row.get("span") or 1)


def flat(group, prefix=""):
    out = {}
    for name, value in group.items():
        if isinstance(value, dict):
            out.update(flat(value, f"{prefix}{name}."))
        else:
            out[prefix + name] = value
    return out
