"""A solver of other people, which reads the scripts that a proof is written to."""

from __future__ import annotations

from pathlib import Path

import cvc5


def ask_cvc5(path: Path) -> str:
    """What cvc5 answers to a script in SMT-LIB 2."""
    terms = cvc5.TermManager()
    solver = cvc5.Solver(terms)
    parser = cvc5.InputParser(solver)
    parser.setFileInput(cvc5.InputLanguage.SMT_LIB_2_6, str(path))
    symbols, answer = parser.getSymbolManager(), ""
    while not (command := parser.nextCommand()).isNull():
        answer += str(command.invoke(solver, symbols))
    return answer.strip()
