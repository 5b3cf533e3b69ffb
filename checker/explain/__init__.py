"""What a counterexample says: the part that is false, other ways to break a claim, runs that are played."""
