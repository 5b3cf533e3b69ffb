"""What everything else in the checker is about: the expression graph, systems, claims, traces and verdicts."""
