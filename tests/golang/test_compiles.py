"""What the Go compiler would refuse is refused: nothing is said of a file that is no program."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.command_line import run
from tests.golang.test_translation import SOURCE, changed, translated

from podproof.checker.core import ModelError
from podproof.golang.compiler import free_names
from podproof.golang.syntax import parse, text

FILE = """\
package kubelet

import (
\t"context"
\t"k8s.io/klog/v2"
)

const most = 3

type pods struct {
\tcount int64
\tisFull bool
}

type Counter interface {
\tCount(more int64) bool
}

func newCounter() Counter {
\treturn &pods{count: 1}
}

func (p *pods) Count(more int64) bool {
\tklog.InfoS("count", "of", context.TODO())
\tp.count += more
\tswitch {
\tcase p.count > most:
\t\treturn true
\tdefault:
\t\treturn p.isFull
\t}
}

func (p *pods) both() (int64, bool) { return p.count, p.isFull }
"""
HEAD = "\tp.count += more\n"
WRONG = {
    "a local that nobody uses": ("\tleft := more\n", "`left` is declared and not used"),
    "a local that is only set": ("\tvar left int64\n\tleft = more\n", "`left` is declared and not used"),
    "a local of an inner block": ("\tif left := more; p.isFull {\n\t\treturn true\n\t}\n", "`left` is declared"),
    "a local of a loop": ("\tfor i := range []int{1} {\n\t}\n", "`i` is declared and not used"),
    "a local of a function literal": ("\tfunc() {\n\t\tleft := more\n\t}()\n", "`left` is declared and not used"),
    "a function that nobody calls": ("\tf := func() bool { return true }\n", "`f` is declared and not used"),
    "one of two results": ("\tcount, isFull := p.both()\n\tp.count = count\n", "`isFull` is declared and not used"),
    "nothing new": ("\tmore := more\n\tp.count = more\n", "`:=` declares nothing new here"),
    "a local twice": ("\tvar a, a int64\n\tp.count = a\n", "`a` is declared twice"),
    "no import of a package": ('\tklog.InfoS("x", "y", errors.New("x"))\n', "`errors` is used and not imported"),
    "a field that there is not": ('\tklog.InfoS("x", "y", p.left)\n', "pods has no field or method 'left'"),
    "a method that there is not": ('\tklog.InfoS("x", "y", p.left())\n', "pods has no field or method 'left'"),
    "a field of a literal": ("\tp = &pods{left: 1}\n", "pods has no field 'left'"),
    "a field that is given twice": ("\tp = &pods{count: 1, count: 2}\n", "'count' is given twice"),
    "too few arguments": ("\tp.Count()\n", "`p.Count()` has another number of arguments"),
    "too many results": ("\treturn true, true\n", "this returns another number of values"),
    "no result": ("\treturn\n", "this returns another number of values"),
    "two results for one name": ("\tcount := p.both()\n\tp.count = count\n", "has 2 results where one belongs"),
    "one result for two names": ("\ta, b := p.Count(1)\n\tp.isFull = a && b\n", "2 names for 1 values"),
    "a case twice": ("\tswitch more {\n\tcase 1:\n\tcase 2, 1:\n\t}\n", "`1` is a case twice"),
    "a constant case twice": ("\tswitch more {\n\tcase most:\n\tcase most:\n\t}\n", "`most` is a case twice"),
    "two defaults": ("\tswitch {\n\tdefault:\n\tdefault:\n\t}\n", "this has two defaults"),
    "a constant that is set": ("\tmost = 3\n", "`most` is a const, and is set"),
    "a value that is not used": ("\tp.isFull\n", "`p.isFull` does nothing"),
    "an append that is not used": ("\tappend([]int64{}, more)\n", "does nothing"),
    "a break of nothing": ("\tif p.isFull {\n\t\tbreak\n\t}\n", "`break` stands in nothing that it could leave"),
    "a label that nobody uses": ("again:\n\tfor p.isFull {\n\t}\n", "the label `again` is declared and not used"),
    "a label that there is not": ("\tfor p.isFull {\n\t\tcontinue again\n\t}\n", "there is no label `again`"),
    "a use after the block": (
        "\tif a := more; a > 1 {\n\t\treturn true\n\t}\n\tklog.InfoS(\"x\", \"y\", a)\n", "`a` is not declared",
    ),
    "a name that nobody declares": ('\tklog.InfoS("x", "y", left)\n', "`left` is not declared"),
}  # fmt: skip


def refused(source: str) -> str:
    """The error of a file, with what the file does not declare."""
    try:
        free = free_names(parse(source.encode(), Path("pods.go")))
    except ModelError as error:
        return str(error)
    return "".join(f"`{text(name)}` is not declared" for name in free)


def test_a_program_is_read() -> None:
    assert refused(FILE) == ""


@pytest.mark.parametrize("wrong", WRONG)
def test_a_function_that_does_not_compile_is_refused(wrong: str) -> None:
    go, error = WRONG[wrong]
    assert error in refused(FILE.replace(HEAD, go + HEAD))


DECLARED = {
    "an import that nobody uses": ('\t"context"\n', '\t"context"\n\t"strings"\n', "`strings` is imported and not used"),
    "an import twice": ('\t"context"\n', '\t"context"\n\t"context"\n', "`context` is declared twice"),
    "a field twice": ("\tisFull bool\n", "\tisFull bool\n\tisFull bool\n", "the field 'isFull' is declared twice"),
    "a type twice": ("const most", "type pods bool\n\nconst most", "`pods` is declared twice"),
    "a constant twice": ("const most = 3", "const most = 3\nconst most = 4", "`most` is declared twice"),
    "a method twice": ("(p *pods) both()", "(p *pods) Count(more int64)", "`pods.Count` is declared twice"),
    "a method as a field": ("(p *pods) both()", "(p *pods) count()", "pods has a field 'count', too"),
    "a parameter twice": ("both() (int64", "both(a, a bool) (int64", "`a` is declared twice"),
    "a way without a return": ("\tdefault:\n\t\treturn p.isFull\n", "", "may come to its end without a `return`"),
    "a method less": ("(p *pods) Count(more", "(p *pods) Add(more", "pods has no method 'Count', which Counter has"),
    "another method": ("(p *pods) Count(more int64)", "(p *pods) Count(more int32)", "than Counter says"),
}


@pytest.mark.parametrize("wrong", DECLARED)
def test_declarations_that_do_not_compile_are_refused(wrong: str) -> None:
    old, new, error = DECLARED[wrong]
    assert FILE.count(old) == 1
    assert error in refused(FILE.replace(old, new))


RIGHT = [
    "\tvar left int64\n\tp.count = left\n",
    "\tcount, isFull := p.both()\n\tp.count, p.isFull = count, isFull\n",
    "\tmore, isFull := p.both()\n\tp.isFull = isFull\n",
    "\tfor {\n\t\tif p.isFull {\n\t\t\tbreak\n\t\t}\n\t}\n",
    "again:\n\tfor range 3 {\n\t\tfor range 3 {\n\t\t\tcontinue again\n\t\t}\n\t}\n",
    "\tswitch more := more + 1; more {\n\tcase most:\n\t\treturn true\n\tcase 1, 2:\n\t}\n",
    "\tf := func(a int64) (b bool) { b = a > 1; return }\n\tp.isFull = f(more)\n",
    "\tvar any interface{} = more\n\tswitch v := any.(type) {\n\tcase int64:\n\t\tp.count = v\n\t}\n",
    "\tall := map[string]pods{\"a\": {count: 1}}\n\tfor a, b := range all {\n\t\tklog.InfoS(a, \"y\", b.count)\n\t}\n",
    "\tleft := 1\n\tleft++\n",
    "\tdefer func() { recover() }()\n",
    "\t_, _ = p.both()\n",
]  # fmt: skip


@pytest.mark.parametrize("right", RIGHT)
def test_what_compiles_is_read(right: str) -> None:
    assert refused(FILE.replace(HEAD, right + HEAD)) == ""


@pytest.mark.slow
def test_no_command_takes_what_does_not_compile(tmp_path: Path) -> None:
    file = tmp_path / "pod_workers.go"
    file.write_text(changed(("\tseconds := status.gracePeriod\n", "\tseconds, left := status.gracePeriod, 1\n")))
    for command in (
        ("review", "v1.29", str(file)),
        ("check", "--go", str(file), "--version", "v1.29", "--scenario", "lone-pod"),
    ):
        told = run(*command)
        assert told.exit_code == 2
        assert "`left` is declared and not used; remove it" in " ".join(told.output.split())


@pytest.mark.parametrize("name", ["nosuch", "nosuch.Field", "nosuch(uid)"])
def test_what_a_log_says_is_declared(name: str) -> None:
    held = "\tstatus, known := p.podSyncStatuses[uid]\n"
    with pytest.raises(ModelError, match="`nosuch` is not declared in this file"):
        translated(changed((held, f'{held}\tklog.InfoS("x", "y", {name})\n')).replace("package kubelet", IMPORTS))


IMPORTS = "package kubelet\n\nimport (\n" + "".join(
    f'\t{name} "{path}"\n'
    for name, path in (
        ("context", "context"), ("strings", "strings"), ("sync", "sync"), ("time", "time"),
        ("klog", "k8s.io/klog/v2"), ("types", "k8s.io/apimachinery/pkg/types"), ("v1", "k8s.io/api/core/v1"),
        ("wait", "k8s.io/apimachinery/pkg/util/wait"), ("queue", "k8s.io/kubernetes/pkg/kubelet/util/queue"),
        ("kubecontainer", "k8s.io/kubernetes/pkg/kubelet/container"),
        ("kubetypes", "k8s.io/kubernetes/pkg/kubelet/types"),
    )
    if f"{name}." in SOURCE
) + ")"  # fmt: skip
