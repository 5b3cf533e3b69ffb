"""Reads a model's source once and turns it into the expression graph."""

from podproof.checker.lowering.actions import Description, lower_system

__all__ = ["Description", "lower_system"]
