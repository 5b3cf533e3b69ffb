"""Programs with NIL that somebody answered wrongly, or could answer wrongly, each with what has to become of it."""

from __future__ import annotations

from tests.hunt.small_program import Found

FOUND_NIL = (
    Found(
        "NIL is the number -2**63 - 1",
        "agreed",
        claim="state.i == 0",
        model="""
@action("user", "a")
def a(self) -> None:
    if NIL == -9223372036854775808 - 1 or NIL in (1 - 9223372036854775810, 0) or not -9223372036854775809 != NIL:
        self.i = 1
""",
    ),
    Found(
        "NIL in a field of a domain without it is compared within the step",
        "refused",
        claim="state.nums[0] == 0",
        model="""
maybe: Maybe
@action("user", "a")
def a(self) -> None:
    self.i = self.maybe
    if self.i < 1 or self.i == NIL:
        self.nums[0] = 1
    self.i = 1
""",
    ),
    Found(
        "NIL in a field of a record that is stored nowhere",
        "refused",
        model="""
@action("user", "a")
def a(self) -> None:
    options = Options(seconds=NIL)
    assert options.seconds < 9
""",
    ),
    Found(
        "NIL in a field of a record that is stored, and read after that",
        "refused",
        model="""
@action("user", "a")
def a(self) -> None:
    self.opts = Options(seconds=NIL)
    assert self.opts.seconds < 9
""",
    ),
    Found(
        "a number that stands for nil, in the middle of a step",
        "agreed",
        claim="state.nums[0] == 0",
        model="""
maybe: Maybe
@action("user", "set")
def set(self, n: Maybe) -> None:
    self.maybe = n
@action("user", "a")
def a(self) -> None:
    require(self.maybe != NIL)
    self.maybe -= 2
    if self.maybe == -1 or self.maybe == -2:
        self.nums[0] = 1
    n = self.maybe if self.i == 0 else NIL
    self.maybe += 1
    self.maybe += 1
    if n == -1 or (n != NIL and n + 5 == 3) or self.maybe < 0:
        self.nums[1] = 1
    assert self.maybe == NIL or self.maybe >= 0
""",
    ),
    Found(
        "a range to NIL, which Python takes for a number",
        "refused",
        model="""
@action("user", "a")
def a(self) -> None:
    for k in range(NIL):
        self.i = 1
""",
    ),
    Found(
        "NIL is the default of a field that cannot be nil",
        "refused",
        claim="state.i == 0",
        model="""
@action("user", "a")
def a(self) -> None:
    r = R()
    if r.n == NIL:
        self.i = 1
""",
        before="""
@dataclass
class R:
    n: Count = NIL
""",
    ),
    Found(
        "NIL is the default of a domain that does not have it",
        "refused",
        claim="state.i == 0",
        model="""
@action("user", "a")
def a(self) -> None:
    self.i = R().n + 1
""",
        before="""
@dataclass
class R:
    n: Annotated[int, Domain("counts", default=NIL)]
""",
    ),
)
