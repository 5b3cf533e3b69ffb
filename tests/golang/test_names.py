"""Go in which two names meet: what Go keeps apart, or in one place, and the model would not, is refused."""

from __future__ import annotations

import re

import pytest
from tests.golang.test_translation import SOURCE, WORKER, changed, lines_of, translated

from podproof.checker.core import CheckerError, ModelError
from podproof.golang.fingerprints import IMPORTS
from podproof.golang.module import FileTranslation
from podproof.golang.syntax import parse
from podproof.golang.vocabulary import worker_vocabulary
from podproof.model.releases import V1_29

STORED = "\t\tp.podSyncStatuses[uid] = status\n\t}\n"
LOOKED = "\tstatus, known := p.podSyncStatuses[uid]\n"
TOLD = "\tfor _, told := range status.notifyPostTerminating {\n\t\tclose(told)\n\t}\n"
TAKEN = "\twork.Options = *status.pendingUpdate\n\tstatus.pendingUpdate = nil\n"
WAITING = "\twaiting := p.waitingToStartStaticPodsByFullname[fullname]\n"
KNOWN_PODS = "\tfor uid, status := range p.podSyncStatuses {\n"
NOTIFIED = "\t\t\tstatus.notifyPostTerminating = append(status.notifyPostTerminating, done)\n"
COUNTED = "\tif count := len(status.statusPostTerminating); count > 0 {\n"
ROOM = "\tfor _, other := range p.podSyncStatuses {\n"

REFUSED = {
    "a channel that is made on one way only": (
        "\t\ttokens = make(chan struct{}, 1)\n\t\tp.podUpdates[uid] = tokens\n",
        "\t\tif isRuntimePod {\n\t\t\ttokens = make(chan struct{}, 1)\n\t\t}\n\t\tp.podUpdates[uid] = tokens\n",
        "`tokens` is made on one way only",
    ),
    "a nil status under a name of its own": (
        STORED,
        f"{STORED}\tif before == nil {{\n\t\treturn\n\t}}\n",
        "`before` is not kept here",
    ),
    "an update that is replaced": (
        TAKEN,
        "\tpending := status.pendingUpdate\n\tstatus.pendingUpdate = nil\n\twork.Options = *pending\n",
        "`pending` is not kept here",
    ),
    "an update that a function replaces": (
        "\tstatus.startedAt = time.Now()\n\tstatus.remember(work.Options)\n",
        "\tlast := status.activeUpdate\n\tstatus.remember(work.Options)\n\tif last == nil {\n"
        "\t\tstatus.startedAt = time.Now()\n\t}\n",
        "`last` is not kept here",
    ),
    "an update that a loop replaces": (
        TOLD,
        "\tlast := status.pendingUpdate\n\tfor range 2 {\n\t\tif last == nil {\n\t\t\tstatus.working = false\n\t\t}\n"
        f"\t\tstatus.pendingUpdate = nil\n\t}}\n{TOLD}",
        "what `last` points to is replaced in this loop",
    ),
    "a list whose elements may be written over": (
        TOLD,
        "\tall := status.notifyPostTerminating\n\tstatus.notifyPostTerminating = status.notifyPostTerminating[:0]\n"
        "\tfor _, told := range all {\n\t\tclose(told)\n\t}\n",
        "`all` is not kept here",
    ),
    "the length of a list that is emptied": (
        COUNTED,
        "\tcount := len(status.statusPostTerminating)\n\tstatus.statusPostTerminating = nil\n\tif count > 0 {\n",
        "`count` is not kept here",
    ),
    "waiting pods whose list is deleted": (
        WAITING,
        f"{WAITING}\tdelete(p.waitingToStartStaticPodsByFullname, fullname)\n",
        "`waiting` is not kept here",
    ),
    "a channel in the list twice": (NOTIFIED, NOTIFIED * 2, "may append it a second time"),
    "a part of a map": (
        KNOWN_PODS,
        f"{ROOM}\t\tif other.restartRequested {{\n\t\t\tbreak\n\t\t}}\n\t\tother.working = true\n\t}}\n{KNOWN_PODS}",
        "depends on the order of a map",
    ),
    "the first of a map": (
        KNOWN_PODS,
        f"{ROOM}\t\tother.working = true\n\t\tbreak\n\t}}\n{KNOWN_PODS}",
        "depends on the order of a map",
    ),
    "a number that is cut off": ("\tif seconds < 1 {\n", "\tif int32(seconds) < 1 {\n", "int32 may cut a number off"),
    "no status for the sync function": (
        "work.Options.MirrorPod, status)",
        "work.Options.MirrorPod, nil)",
        "`nil` is not the status that was waited for",
    ),
    "another package": (
        "type KillPodOptions",
        'import v1 "k8s.io/api/apps/v1"\n\ntype KillPodOptions',
        "`v1` is k8s.io/api/apps/v1 here",
    ),
    "a package without a name": (
        "type KillPodOptions",
        'import . "k8s.io/klog/v2"\n\ntype KillPodOptions',
        "`.` is k8s.io/klog/v2 here",
    ),
}


@pytest.mark.quick(5)
@pytest.mark.parametrize("names", REFUSED)
def test_what_the_model_would_mix_up_is_refused(names: str) -> None:
    old, new, error = REFUSED[names]
    more = [(LOOKED, f"\tbefore := p.podSyncStatuses[uid]\n{LOOKED}")] if "before" in new else []
    with pytest.raises(ModelError) as refused:
        translated(changed((old, new), *more))
    assert error in str(refused.value)


def test_a_list_is_kept_where_only_its_field_is_emptied() -> None:
    kept = "\tall := status.notifyPostTerminating\n\tstatus.notifyPostTerminating = nil\n"
    lines = lines_of(translated(changed((TOLD, f"{kept}\tfor _, told := range all {{\n\t\tclose(told)\n\t}}\n"))))
    first = lines.index("        all = copy(status)")
    assert lines[first + 2].endswith("status.notify_post_terminating[request] = False")
    assert lines[first + 4].endswith("if all.notify_post_terminating[told]:")


def test_a_search_in_a_map_ends_where_it_has_found_one() -> None:
    found = "\t\tif other.working {\n\t\t\tbusy = true\n\t\t\tbreak\n\t\t}\n"
    search = f"\tbusy := false\n{ROOM}{found}\t}}\n\tp.podsSynced = busy\n"
    assert "        self.pods_synced = busy" in lines_of(translated(changed((KNOWN_PODS, f"{search}{KNOWN_PODS}"))))


@pytest.mark.slow
def test_packages_under_their_own_paths_change_nothing() -> None:
    paths = {**IMPORTS, "queue": "k8s.io/kubernetes/pkg/kubelet/util/queue", "sync": "sync"}
    used = [f'\t{name} "{path}"\n' for name, path in paths.items() if re.search(rf"\b{name}\.", SOURCE)]
    imports = f"import (\n{''.join(used)})\n\ntype KillPodOptions"
    assert lines_of(translated(changed(("type KillPodOptions", imports)))) == lines_of(translated(SOURCE))


HOSTILE = {
    "defer of no call": ("\tstatus.finished, status.working = true, false\n", "\tdefer &p.podLock\n"),
    "go of no call": ("\t\tgo p.podWorkerLoop(uid, tokens)\n", "\t\tgo <-tokens\n"),
    "append by itself": ("\tseconds := status.gracePeriod\n", "\tseconds := append\n"),
    "Enqueue of nothing": ("\t\tp.workQueue.Enqueue(uid, 0)\n", "\t\tp.workQueue.Enqueue()\n"),
    "a result where none belongs": (STORED, f"{STORED}\treturn p.wake(uid)\n"),
    "blocks too deep": (KNOWN_PODS, KNOWN_PODS + "\t\tif status.working {\n\t\t\tcontinue\n\t\t}\n" * 100),
}


@pytest.mark.parametrize("text", HOSTILE)
def test_what_is_no_go_is_refused_in_a_sentence(text: str) -> None:
    with pytest.raises(CheckerError):
        FileTranslation(parse(changed(HOSTILE[text]).encode(), WORKER), worker_vocabulary()).make(V1_29)
