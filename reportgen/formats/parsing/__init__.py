"""Parts that formats share: text logs, step columns, timestamps, exit status."""
