"""Faults planted in the checker itself, each of which some test has to notice.

    python -m tests.planted            all of them, for an hour
    python -m tests.planted NAME…      those whose names begin so, or of these files: `reductions`, `graph.py`

`faults.txt` has the faults; `fault` says what one is and plants it in a copy of the sources.
"""
