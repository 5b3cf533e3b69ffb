"""The expression graph as Z3 reads it."""
