"""A loop over a map comes in any order: what depends on it is refused."""

from __future__ import annotations

import pytest
from tests.golang.test_translation import SOURCE, changed, lines_of, translated

from podproof.checker.core import ModelError

LOOP = "\tfor _, other := range p.podSyncStatuses {\n"
HELD = "\tstatus, known := p.podSyncStatuses[uid]\n"
MATTERS = {
    "at most one": ("\tdone := 0\n",
                    "\t\tif done < 1 && other.working {\n\t\t\tother.deleted = true\n\t\t\tdone++\n\t\t}\n"),
    "the first only": ("\tdone := false\n", "\t\tif !done {\n\t\t\tother.deleted = true\n\t\t\tdone = true\n\t\t}\n"),
    "the last one": ("\tlast := int64(0)\n", "\t\tlast = other.gracePeriod\n"),
    "a number each": ("\tlast := int64(0)\n", "\t\tother.gracePeriod = last\n\t\tlast++\n"),
    "a field of the workers": ("", "\t\tif p.podsSynced {\n\t\t\tp.podsSynced = !other.working\n\t\t}\n"),
    "how many are left": ("", "\t\tif len(p.podSyncStatuses) > 1 {\n\t\t\tdelete(p.podSyncStatuses, key)\n\t\t}\n"),
    "another pod's status": ("", "\t\tother.deleted = status.deleted\n"),
    "who is started": (
        "", "\t\tif _, is := p.startedStaticPodsByFullname[other.fullname]; !is {\n"
            "\t\t\tp.startedStaticPodsByFullname[other.fullname] = key\n\t\t}\n",
    ),
    "two constants": ("\tlast := int64(0)\n",
                      "\t\tif other.working {\n\t\t\tlast = 1\n\t\t} else {\n\t\t\tlast = 2\n\t\t}\n"),
    "through a function": ("", "\t\tp.markFirst(other)\n"),
}  # fmt: skip
MARK = (
    "\nfunc (p *podWorkers) markFirst(other *podSyncStatus) {\n"
    "\tif !p.podsSynced {\n\t\tother.deleted = true\n\t\tp.podsSynced = true\n\t}\n}\n"
)


def looped(before: str, body: str) -> str:
    loop = LOOP.replace("_,", "key,") if "key" in body else LOOP
    after = "".join(f"\tif {name} {test} {{\n\t\treturn\n\t}}\n" for name, test in USED if f"\t{name} :=" in before)
    return changed((HELD, f"{HELD}{before}{loop}{body}\t}}\n{after}")) + MARK


USED = (("last", "> 1"), ("done", "== false"), ("count", "> 1"), ("longest", "> 1"))


@pytest.mark.quick(2)
@pytest.mark.parametrize("how", MATTERS)
def test_a_loop_whose_order_matters_is_refused(how: str) -> None:
    before, body = MATTERS[how]
    text = looped(before, body)
    if "done++" in body:
        text = text.replace("if done == false {", "if done > 2 {")
    with pytest.raises(ModelError, match="the order of this map, which is random, matters because of line"):
        translated(text)


ANY_ORDER = {
    "each its own": ("", "\t\tif other.working {\n\t\t\tother.deleted = true\n\t\t}\n"),
    "a count": ("\tcount := 0\n", "\t\tif other.working {\n\t\t\tcount++\n\t\t}\n"),
    "a sum": ("\tcount := int64(0)\n", "\t\tcount += other.gracePeriod\n"),
    "the longest": ("\tlongest := int64(0)\n", "\t\tlongest = max(longest, other.gracePeriod)\n"),
    "one constant": ("\tcount := 0\n", "\t\tif other.working {\n\t\t\tcount = 2\n\t\t}\n"),
    "deleted": ("", "\t\tif other.finished {\n\t\t\tdelete(p.podSyncStatuses, key)\n\t\t}\n"),
    "its own entry": (
        "", "\t\tif p.startedStaticPodsByFullname[other.fullname] == key {\n"
            "\t\t\tdelete(p.startedStaticPodsByFullname, other.fullname)\n\t\t}\n",
    ),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("how", ANY_ORDER)
def test_a_loop_that_does_the_same_in_any_order_is_translated(how: str) -> None:
    assert lines_of(translated(looped(*ANY_ORDER[how]))) != lines_of(translated(SOURCE + MARK))
