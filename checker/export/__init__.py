"""The same transition system in the languages of other checkers, so that they can check us again."""

from podproof.checker.export.language import About
from podproof.checker.export.promela import promela
from podproof.checker.export.tla import TlaModule, tla

__all__ = ["About", "TlaModule", "promela", "tla"]
