"""How two cases compare: from a pair to one Comparison. No other package gives a ratio with a verdict.

side           what a comparison needs to know of a case: measured now, or stored in a document
contract       what was held equal, what differs, what is not stated
verdicts       the order in which the repeats ran, the test that it allows, and the verdict
per_cycle      the ratio per cycle of the SM clock and per joule
why            the difference of the times, split into parts that add up to it
pair           all of it in one pass: two sides in, a Comparison out
comparison     the result, which tables, reports and differences hold
"""
