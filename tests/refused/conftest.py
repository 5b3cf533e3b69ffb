"""The files here are models with a mistake in each: read by test_refusals.py, and by nothing else."""

collect_ignore_glob = ["*.py"]
