"""A matrix product: the floating-point rate that a device achieves, the honest 100 % of all others."""
