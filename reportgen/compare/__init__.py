"""How two cases compare: verdict, conditions, parts of the difference, ratio per cycle and joule."""
