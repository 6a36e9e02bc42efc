"""The values that every package works with: runs, cases, results, metrics, units, errors, rules."""
