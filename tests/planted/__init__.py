"""Faults planted in the checker itself, each of which some test has to notice.

    python -m tests.planted            all of them, for an hour
    python -m tests.planted NAME…      those whose names begin so, or of these files: `reductions`, `graph.py`

`fault` says what a fault is and plants it in a copy of the sources; the other files here are tables of faults.
"""
