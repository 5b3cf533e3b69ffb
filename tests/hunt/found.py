"""Programs that somebody answered wrongly, each with what has to become of it."""

from __future__ import annotations

from tests.hunt.small_program import Found

FOUND = (
    Found(
        "an augmented assignment finds its target once",
        "agreed or refused",
        claim="state.nums[1] == 0",
        model="""
def move(self) -> int:
    self.i = 1
    return 1
@action("user", "a")
def a(self) -> None:
    require(self.i == 0)
    self.nums[self.i] += self.move()
""",
    ),
    Found(
        "the record of an augmented assignment is replaced by its right side",
        "agreed or refused",
        claim="state.boxes[0].n == 0",
        model="""
def swap(self) -> int:
    self.boxes[0] = copy(self.box)
    return 1
@action("user", "a")
def a(self) -> None:
    require(self.i == 0)
    self.i = 1
    self.boxes[0].n += self.swap()
""",
    ),
    Found(
        "an index replaces the record whose array it indexes",
        "agreed or refused",
        claim="state.i == 0",
        model="""
def swap(self) -> int:
    self.boxes[0] = copy(self.box)
    return 1
@action("user", "a")
def a(self) -> None:
    require(self.i == 0)
    self.boxes[0].cells[1] = 2
    self.i = self.boxes[0].cells[self.swap()]
""",
    ),
    Found(
        "a record is replaced by one that was made before it was looked up",
        "refused",
        claim="state.boxes[0].n == 0",
        model="""
@action("user", "a")
def a(self) -> None:
    new = copy(self.box)
    old = self.boxes[0]
    self.boxes[0] = new
    old.n = 1
""",
    ),
    Found(
        "a branch replaces the record that both branches look up",
        "refused",
        claim="state.boxes[0].n == 0",
        model="""
@action("user", "a")
def a(self) -> None:
    if self.i == 0:
        box = self.boxes[0]
        self.boxes[0] = copy(self.box)
    else:
        self.boxes[1] = copy(self.box)
        box = self.boxes[0]
    box.n = 1
""",
    ),
    Found(
        "the condition of a require changes the state",
        "refused",
        claim="state.nums[0] == 0",
        model="""
def move(self) -> int:
    self.i = 1
    return 1
@action("user", "a")
def a(self) -> None:
    require(self.move() == 2)
@action("user", "b")
def b(self) -> None:
    require(self.i == 1)
    self.nums[0] = 1
""",
    ),
    Found(
        "an argument stores the record of another argument",
        "refused",
        claim="state.opts.seconds == 0",
        model="""
def keep(self, o: Options) -> int:
    self.opts = o
    return 1
def both(self, o: Options, n: int) -> int:
    o.seconds = 2
    return n
@action("user", "a")
def a(self) -> None:
    o = Options(seconds=1)
    self.both(o, self.keep(o))
""",
    ),
    Found(
        "an argument replaces the record that a method is called on",
        "refused",
        claim="state.r.n != 2",
        model="""
r: R
def swap(self) -> int:
    self.r = R(n=1)
    return 1
@action("user", "a")
def a(self) -> None:
    self.r.put(self.swap())
""",
        before="""
@dataclass
class R:
    n: Count = 0
    def put(self, v: int) -> None:
        self.n = 2
""",
    ),
    Found(
        "a target is found after its right side",
        "agreed",
        claim="state.opts.seconds != 1",
        model="""
def swap(self) -> int:
    self.opts = Options(on=True)
    return 1
@action("user", "a")
def a(self) -> None:
    self.opts.seconds = self.swap()
""",
    ),
    Found(
        "a local is read before it is set, and a global has its name",
        "refused",
        model="""
@action("user", "a")
def a(self) -> None:
    self.i = LIMIT
    LIMIT = 1
""",
    ),
    Found(
        "a loop that never runs makes a global's name local",
        "refused",
        model="""
@action("user", "a")
def a(self) -> None:
    for LIMIT in range(0):
        pass
    self.i = LIMIT
""",
    ),
    Found(
        "a sum beyond 64 bits",
        "agreed or refused",
        claim="state.nums[0] == 0",
        model="""
@action("user", "a")
def a(self) -> None:
    if self.i + 9223372036854775807 > 9223372036854775807:
        self.nums[0] = 1
    self.i = 1
""",
    ),
    Found(
        "a tuple puts one record into two fields",
        "refused",
        claim="state.box2.seconds != 2",
        model="""
box2: Options
@action("user", "a")
def a(self) -> None:
    require(self.i == 0)
    o = Options(seconds=1)
    self.opts, self.box2 = o, o
    self.i = 1
@action("user", "b")
def b(self) -> None:
    self.opts.seconds = 2
""",
    ),
    Found(
        "a tuple puts one record into two fields, seen in one step",
        "refused",
        claim="state.box2.seconds != 2",
        model="""
box2: Options
@action("user", "a")
def a(self) -> None:
    o = Options(seconds=1)
    self.opts, self.box2 = o, o
    self.opts.seconds = 2
""",
    ),
    Found(
        "an action is decorated with functools.wraps",
        "refused",
        claim="state.nums[0] == 0",
        model="""
@action("user", "a")
@twice
def a(self) -> None:
    self.i = 1
""",
        before="""
def twice(function):
    @functools.wraps(function)
    def inside(self):
        function(self)
        self.nums[0] = 1
    return inside
""",
    ),
    Found(
        "a record in a record has a default factory of its own",
        "refused",
        claim="state.r.opts.seconds == 0",
        model="""
r: R
@action("user", "a")
def a(self) -> None:
    self.r = R()
""",
        before="""
@dataclass
class R:
    opts: Options = field(default_factory=lambda: Options(seconds=3))
""",
    ),
    Found(
        "__post_init__ changes a field",
        "refused",
        claim="state.r.n == 0",
        model="""
r: R
@action("user", "a")
def a(self) -> None:
    self.r = R(n=1)
""",
        before="""
@dataclass
class R:
    n: Count = 0
    def __post_init__(self):
        self.n = 3
""",
    ),
    Found(
        "a record has an __init__ of its own",
        "refused",
        claim="state.r.n == 1",
        model="""
r: R
@action("user", "a")
def a(self) -> None:
    self.r = R(n=1)
""",
        before="""
@dataclass
class R:
    n: Count = 0
    def __init__(self, n=0):
        self.n = 3
""",
    ),
    Found(
        "__setattr__ stores something else",
        "refused",
        claim="state.i == 0",
        model="""
def __setattr__(self, name, value):
    object.__setattr__(self, name, 0 if name == "i" else value)
@action("user", "a")
def a(self) -> None:
    self.i = 1
""",
    ),
    Found(
        "a yield that is never reached makes a generator",
        "refused",
        claim="state.i == 0",
        model="""
def f(self) -> bool:
    self.i = 1
    return True
    yield
@action("user", "a")
def a(self) -> None:
    self.f()
""",
    ),
    Found(
        "defaults of a function are changed from outside",
        "agreed or refused",
        claim="state.i != 2",
        model="""
def f(self, n: int = 1) -> int:
    return n
@action("user", "a")
def a(self) -> None:
    self.i = self.f()
""",
        after="""
Model.f.__defaults__ = (2,)
""",
    ),
    Found(
        "min with a key",
        "refused",
        claim="state.i != 2",
        model="""
@action("user", "a")
def a(self) -> None:
    self.i = min(2, 1, key=neg)
""",
        before="""
def neg(x): return -x
""",
    ),
    Found(
        "require with a keyword that it does not have",
        "refused",
        model="""
@action("user", "a")
def a(self) -> None:
    require(self.i == 0, extra=1)
""",
    ),
    Found(
        "copy with a keyword that it does not have",
        "refused",
        model="""
@action("user", "a")
def a(self) -> None:
    self.opts = copy(self.opts, deep=True)
""",
    ),
    Found(
        "a function of the module is called min",
        "agreed",
        claim="state.i != 3",
        model="""
@action("user", "a")
def a(self) -> None:
    self.i = min(1, 2)
""",
        before="""
def min(a: int, b: int) -> int:
    return 3
""",
    ),
    Found(
        "a range with step 0",
        "refused",
        model="""
@action("user", "a")
def a(self) -> None:
    for k in range(0, 3, 0):
        self.i = 1
""",
    ),
)
