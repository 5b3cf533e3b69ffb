"""Fewer and smaller states with the same verdicts: each reduction takes a system apart and says what it did."""
