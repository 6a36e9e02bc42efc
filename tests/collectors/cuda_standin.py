"""A stand-in for `torch.cuda` whose device clock is known: devices with streams, a launch queue, events, captures.

The host queues launches, each of which takes it some time. The device does them one after the other in each stream.
At most 1,024 launches may be queued on a device: one more makes the host wait until the device has begun another,
as CUDA does. All times are integers in ns on the fake clock of the test.
"""

import sys
from contextlib import contextmanager
from types import SimpleNamespace

import pytest

from collectors.machine import environment
from collectors.recorder import cuda_events
from collectors.telemetry import watch

QUEUE_LAUNCHES = 1024
LAUNCH_NS = 5_000  # of the host, for one launch
MS = 1_000_000


class Cuda:
    """The functions of `torch.cuda` that the recorder uses, and `launch` for the training."""

    def __init__(self, clock):
        self.clock = clock
        self.device, self.stream = 0, "main"
        self.free_at = {}  # (device, stream) -> when the device has done all that is queued there
        self.ends = {}  # device -> ends of its launches, ascending
        self.synchronized_at = []
        self.events = 0
        self.recorded = 0
        self.streams_found = 0
        self.is_in_error = False
        self.capture = None  # what a capture has seen; None: no capture
        cuda = self

        class Event:
            def __init__(self, enable_timing):
                assert enable_timing
                cuda.events += 1
                self.device = self.at = None
                self.is_captured = False

            def record(self, stream=None):
                cuda.check()
                cuda.recorded += 1
                stream = stream or cuda.current_stream()
                if self.device not in (None, stream.device):
                    raise RuntimeError(f"Event device {self.device} does not match recording stream's device")
                self.device, self.is_captured = stream.device, cuda.capture is not None
                self.at = max(cuda.clock.now, cuda.free_at.get((stream.device, stream.name), 0))

            def query(self):
                cuda.check()
                if cuda.capture is not None:
                    cuda.capture.append("query")  # which invalidates the capture
                if self.is_captured:
                    raise RuntimeError(
                        "CUDA error: operation not permitted on an event last recorded in a capture"
                    )
                return cuda.clock.now >= self.at

            def elapsed_time(self, other):
                if self.device != other.device:
                    raise RuntimeError("CUDA error: invalid device ordinal")
                if not (self.query() and other.query()):
                    raise RuntimeError("CUDA error: device not ready")
                return (other.at - self.at) / MS

        self.Event = Event

    def check(self):
        if self.is_in_error:
            raise RuntimeError("CUDA error: device-side assert triggered\nCompile with TORCH_USE_CUDA_DSA")

    def launch(self, duration, count=1):
        """Queue work for the current stream; return nothing, as the host learns nothing of it."""
        ends = self.ends.setdefault(self.device, [])
        if self.capture is not None:
            self.clock.now += LAUNCH_NS * count
            self.capture += ["launch"] * count
            return
        place = (self.device, self.stream)
        now, free_at = self.clock.now, self.free_at.get(place, 0)
        for _ in range(count):  # two million times in all tests
            now += LAUNCH_NS
            if len(ends) >= QUEUE_LAUNCHES and now < ends[-QUEUE_LAUNCHES]:
                now = ends[-QUEUE_LAUNCHES]
            free_at = duration + (now if now > free_at else free_at)
            ends.append(free_at)
        self.clock.now, self.free_at[place] = now, free_at

    def synchronize(self, device=None):
        """Wait for all streams of one device, by default of the current one."""
        assert self.capture is None
        self.check()
        device = self.device if device is None else device
        free_at = [at for (number, _), at in self.free_at.items() if number == device]
        self.clock.now = max([self.clock.now, *free_at])
        self.synchronized_at.append(self.clock.now)

    def device_count(self):
        return 3

    def has_context(self, device):
        """Return what torch._C._cuda_hasPrimaryContext does."""
        return device == 0 or device in self.ends or device == self.device

    def current_device(self):
        return self.device

    def current_stream(self):
        self.streams_found += 1
        return SimpleNamespace(device=self.device, name=self.stream)

    def stream_address(self, device):
        """Return what torch._C._cuda_getCurrentRawStream does: equal on all devices for their default streams."""
        assert device == self.device
        return 0 if self.stream == "main" else sum(self.stream.encode())

    def max_memory_allocated(self, device):
        return 1000 if device in self.ends else 0

    def max_memory_reserved(self, device):
        return 2000 if device in self.ends else 0

    def get_device_properties(self, device):
        return SimpleNamespace(uuid=f"GPU-{device}")

    def is_initialized(self):
        return True

    is_available = is_initialized

    def is_current_stream_capturing(self):
        return self.capture is not None

    @contextmanager
    def on_stream(self, stream):
        """Make a stream the current one."""
        before, self.stream = self.stream, stream
        self.clock.now += 1_000  # what torch needs for it
        yield
        self.stream = before
        self.clock.now += 1_000

    def wait_stream(self, stream, device=None):
        """Let the current stream wait for what another one has queued so far."""
        place = (self.device, self.stream)
        other = (self.device if device is None else device, stream)
        self.free_at[place] = max(self.free_at.get(place, 0), self.free_at.get(other, 0))

    @contextmanager
    def on_device(self, device):
        """Make a device the current one, as the kernels of a tensor on it do."""
        before, self.device = self.device, device
        yield
        self.device = before

    @contextmanager
    def graph(self):
        """Capture what the body queues."""
        self.clock.now += MS
        self.capture = []
        yield
        assert "query" not in self.capture
        self.capture = None
        self.clock.now += MS


@pytest.fixture
def cuda(clock, monkeypatch):
    """Return the stand-in, which is `torch.cuda` in this test."""
    cuda = Cuda(clock)
    c = SimpleNamespace(
        _cuda_hasPrimaryContext=cuda.has_context,
        _cuda_getDevice=cuda.current_device,
        _cuda_getCurrentRawStream=cuda.stream_address,
    )
    monkeypatch.setitem(sys.modules, "torch", SimpleNamespace(cuda=cuda, _C=c, __version__="0"))

    def sleep(seconds):
        clock.now += round(seconds * 1e9)

    monkeypatch.setattr(cuda_events, "time", SimpleNamespace(monotonic=lambda: clock.now / 1e9, sleep=sleep))
    monkeypatch.setenv(watch.WATCHED_VARIABLE, watch.host_id())  # no telemetry
    monkeypatch.setattr(environment, "capture", dict)  # the packages of this host take 100 ms
    return cuda
