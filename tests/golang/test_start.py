"""What newPodWorkers makes: the model's workers begin empty."""

from __future__ import annotations

import pytest
from tests.golang.test_edits import OF_WORKERS, edited, new_lines

from podproof.checker.core import ModelError

MAKER = """
func newPodWorkers(
	syncer podSyncer, work queue.WorkQueue, cache kubecontainer.Cache, resyncInterval, backOffPeriod time.Duration,
) *podWorkers {
	return &podWorkers{
		podSyncer:                          syncer,
		workQueue:                          work,
		podCache:                           cache,
		podSyncStatuses:                    map[types.UID]*podSyncStatus{},
		podUpdates:                         make(map[types.UID]chan struct{}),
		startedStaticPodsByFullname:        map[string]types.UID{},
		waitingToStartStaticPodsByFullname: map[string][]types.UID{},
		resyncInterval:                     resyncInterval,
		backOffPeriod:                      backOffPeriod,
	}
}
"""
STRICT = (OF_WORKERS, f"{OF_WORKERS}\n\tstrict bool\n\tresyncInterval, backOffPeriod time.Duration\n")
OTHERS = {
    "a delay for another": ("backOffPeriod,\n", "resyncInterval,\n", "p.backOffPeriod` would be `resyncInterval`"),
    "a longer delay": ("backOffPeriod,\n", "2 * backOffPeriod,\n", "would be `2 .* backOffPeriod`"),
    "workers that have synced": ("\t\tpodSyncer:", "\t\tpodsSynced: true,\n\t\tpodSyncer:", "begins with `true`"),
    "a field of the file": ("\t\tpodSyncer:", "\t\tstrict: true,\n\t\tpodSyncer:", "`strict` begins with `true`"),
    "a map with something in it": ("types.UID{},\n", 'types.UID{"a": "b"},\n', "begins with"),
    "a map too few": (
        "\t\tpodUpdates:                         make(map[types.UID]chan struct{}),\n",
        "",
        "no podUpdates",
    ),
    "a field that is set afterwards": (
        "\treturn &podWorkers{",
        "\tworkers := &podWorkers{}\n\tworkers.strict = true\n\t_ = workers\n\treturn &podWorkers{",
        "`strict` begins with `true`",
    ),
    "no delay": (
        "\t\tbackOffPeriod:                      backOffPeriod,\n",
        "",
        "makes no backOffPeriod, and it would be zero",
    ),
    "no map": ("make(map[types.UID]chan struct{}),\n", "nil,\n", "`podUpdates` begins with `nil`"),
    "no pod syncer": ("syncer,\n\t\tworkQueue", "nil,\n\t\tworkQueue", "podSyncer` would be nil"),
    "no work queue": ("\t\tworkQueue:                          work,\n", "", "makes no workQueue, and Go would panic"),
    "a delay that is set before": (
        "\treturn",
        "\tbackOffPeriod = time.Hour\n\treturn",
        "not what newPodWorkers is given",
    ),
    "a delay that grows before": ("\treturn", "\tbackOffPeriod *= 2\n\treturn", "not what newPodWorkers is given"),
    "the delays the other way round": (
        "resyncInterval, backOffPeriod time.Duration",
        "backOffPeriod, resyncInterval time.Duration",
        "their order",
    ),
    "workers that another function changes": (
        "\treturn &podWorkers{",
        "\treturn prepared(&podWorkers{}, &podWorkers{",
        "what is done with the workers",
    ),
    "workers that are made elsewhere": (
        "\treturn &podWorkers{",
        "\tif syncer == nil {\n\t\tworkers := &podWorkers{}\n\t\tworkers.prepare()\n\t}\n\treturn &podWorkers{",
        "may change the workers",
    ),
    "a goroutine": ("\treturn", "\tgo syncer.run()\n\treturn", "this goroutine is none that the model knows"),
}


def test_workers_that_begin_with_nothing_are_the_model_s() -> None:
    assert [line for line in new_lines(edited(STRICT, more=MAKER)) if "strict" not in line and "def" not in line] == [
        "super().lose_pod_worker(uid)"
    ]


@pytest.mark.quick(2)
@pytest.mark.parametrize("edit", OTHERS)
def test_workers_that_begin_otherwise_are_refused(edit: str) -> None:
    old, new, error = OTHERS[edit]
    assert old in MAKER
    made = MAKER.replace(old, new, 1)
    with pytest.raises(ModelError, match=error):
        edited(STRICT, more=made.replace("\t}\n}", "\t})\n}") if "prepared(" in made else made)


def test_workers_that_are_not_seen_to_be_made_are_refused() -> None:
    elsewhere = MAKER.replace("func newPodWorkers", "func makeWorkers")
    calls = (
        "\nfunc newPodWorkers(syncer podSyncer, a, b time.Duration) *podWorkers {\n"
        "\treturn makeWorkers(syncer, a, b)\n}\n"
    )
    with pytest.raises(ModelError, match="where the workers are made is not seen"):
        edited(STRICT, more=elsewhere + calls)


@pytest.mark.slow
def test_workers_may_have_a_name_where_they_are_made() -> None:
    named = MAKER.replace("return &podWorkers{", "workers := &podWorkers{").replace(
        "\t}\n}", "\t}\n\tworkers.strict = false\n\treturn workers\n}"
    )
    assert not any("strict = True" in line for line in new_lines(edited(STRICT, more=named)))
