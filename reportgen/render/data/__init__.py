"""The files for other programs: report.json, CSV, figures."""
