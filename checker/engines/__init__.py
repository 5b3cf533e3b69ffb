"""The ways to decide claims about a system."""
