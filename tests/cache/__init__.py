"""Tests of reportgen.cache."""
