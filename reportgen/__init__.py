"""reportgen turns benchmark logs into tables, plots and expected-speed statements."""

__version__ = "0.1.0"
