"""Select cases, arrange them in rows and columns, compare them."""
