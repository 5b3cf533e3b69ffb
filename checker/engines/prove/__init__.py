"""Z3 reads the same graph as every other engine: terms, the transition relation, proofs and the symbolic search."""
