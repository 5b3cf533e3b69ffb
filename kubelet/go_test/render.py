"""Writes Go: the file with its imports, the tests, and what holds the goroutines."""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from functools import cache

from jinja2 import Environment, PackageLoader, StrictUndefined

from podproof.checker.core.printer import visible
from podproof.kubelet.go_test.script import Api, Call, GoStep, GoTest, Handled, Kill, PodObject, Release, Update, Value

UPDATE_TYPES = {
    "sync": "kubetypes.SyncPodSync",
    "update": "kubetypes.SyncPodUpdate",
    "create": "kubetypes.SyncPodCreate",
    "kill": "kubetypes.SyncPodKill",
}
USUAL_SECONDS = 30
"""spec.terminationGracePeriodSeconds of newNamedPod."""
WIDTH = 116
"""Where comments and lists of fields wrap, in columns; a tab counts for four."""


@cache
def _templates() -> Environment:
    return Environment(
        loader=PackageLoader("podproof.kubelet.go_test", "."),
        # The usual braces are Go's own.
        variable_start_string="<<",
        variable_end_string=">>",
        undefined=StrictUndefined,
        keep_trailing_newline=True,
        autoescape=False,  # what is written is Go; strings go through `quoted`
    )


def go_test_file(tests: Sequence[GoTest], release: Release, head: Sequence[str]) -> str:
    """A _test.go file of package kubelet, which needs `held_workers_file` beside it unless every test is skipped.

    `head`: lines of the comment above it.
    """
    bodies = [(test, list(_body(test, release.value))) for test in tests]
    imports = _imports([line for _, body in bodies for line in body])
    return _render("test_file.go.jinja", head=head, tests=bodies, imports=imports, comment=_comment)


def held_workers_file(release: Release) -> str:
    """What holds the goroutines: one file, whatever the tests beside it are."""
    return _render("held_workers.go.jinja", api=release.value)


def held_kubelet_file() -> str:
    """The kubelet around the held workers, for tests of the callers."""
    return _render("held_kubelet.go.jinja")


def _render(template: str, **parts: object) -> str:
    return _templates().get_template(template).render(**parts).rstrip("\n") + "\n"


def _imports(lines: Sequence[str]) -> Sequence[Sequence[str]]:
    """The import lines of what this Go names, in gofmt's groups."""
    code = "\n".join(_STRING.sub("", line) for line in lines if not line.startswith("\t//"))
    found = [[line for name, line in group.items() if f"{name}." in code] for group in _IMPORTS]
    return [group for group in found if group]


_STRING = re.compile(r'"(\\.|[^"\\])*"')
_IMPORTS: Sequence[Mapping[str, str]] = (
    {"context": '"context"', "errors": '"errors"', "testing": '"testing"'},
    {
        "v1": 'v1 "k8s.io/api/core/v1"',
        "klog": '"k8s.io/klog/v2"',
        "kubecontainer": 'kubecontainer "k8s.io/kubernetes/pkg/kubelet/container"',
        "kubetypes": 'kubetypes "k8s.io/kubernetes/pkg/kubelet/types"',
    },
)
"""Name in the code of a test -> its import, in the order of gofmt."""


def quote(text: str) -> str:
    """A Go string literal. JSON's escapes are Go's too, but for what neither a pod's name nor an event has."""
    return json.dumps(visible(text), ensure_ascii=False)


def _comment(lines: Sequence[str]) -> Iterator[str]:
    """The lines of a Go comment; those that begin with a space or tab are kept as they are.

    What cannot be seen is written as its code: a line feed in a file's name would end the comment.
    """
    for line in lines:
        if not line:
            yield "//"
        elif line[0] in " \t":
            yield f"//{line[0]}{visible(line[1:])}"
        else:
            yield from (f"// {part}" for part in textwrap.wrap(visible(line), WIDTH - 3, break_on_hyphens=False))


def _body(test: GoTest, api: Api) -> Iterator[str]:
    """The lines of the test function, with their tabs."""
    yield f"func {test.name}(t *testing.T) {{"
    yield from _statements(test, api)
    yield "}"


def _statements(test: GoTest, api: Api) -> Iterator[str]:
    if test.skip:
        for step in test.steps:
            yield _heading(step)
        yield f"\tt.Skip({quote(test.skip)})"
        return
    yield "\tw := newHeldWorkers(t)" if test.room is None else f"\tw := newHeldKubelet(t, {test.room})"
    for request in test.requests:
        yield f"\tcompleted{request} := make(chan struct{{}})"
    yield from _cache(test.cached)
    for step in test.steps:
        actions = list(_actions(step, api))
        yield ""
        yield _heading(step) + ("" if actions else " (which calls no pod worker)")
        yield from actions
        yield from _expectations(step)


def _heading(step: GoStep) -> str:
    actor = "" if step.event.startswith(f"{step.actor} ") else f"{step.actor}: "
    return f"\t// {step.number}  {actor}{visible(step.event)}"


def _cache(cached: Mapping[str, str]) -> Iterator[str]:
    for uid, what in cached.items():
        fields = f"w.running[{quote(uid)}], w.broken[{quote(uid)}]"
        yield f"\t{fields} = {_value(what == 'running')}, {_value(what == 'error')}"


def _actions(step: GoStep, api: Api) -> Iterator[str]:
    if step.restart:
        yield "\tw.restart()"
    yield from _cache(step.cached)
    yield from (f"\tw.due({quote(uid)})" for uid in step.due)
    if step.handled is not None:
        yield from _handled(step.number, step.handled)
    else:
        for call in step.calls:
            yield from _update(call, api) if isinstance(call, Update) else _sync_known_pods(call, api)
    if step.sources_ready:
        yield "\tw.ready = true"
    if step.goroutine is not None:
        goroutine = f"{quote(step.goroutine.uid)}, {step.goroutine.number}"
        if step.answer is None:
            yield f"\tw.receive({goroutine})"
        else:
            fields = ["terminal: true"] if step.answer.terminal else []
            fields += [f"err: {step.answer.error}"] if step.answer.error else []
            yield f"\tw.answer({goroutine}, heldAnswer{{{', '.join(fields)}}})"
    if step.settles:
        yield "\tw.settle()"


def _handled(number: int, handled: Handled) -> Iterator[str]:
    if handled.refused:
        yield "\tw.refuses = true"
    match handled.handler:
        case "sync":
            yield f"\tw.sync({quote(handled.pod.uid)})"
        case "addRejected":
            yield f"\tw.addRejected({number}, {_asking(handled.pod)})"
        case _:
            yield f"\tw.{handled.handler}({_asking(handled.pod)})"


def _asking(pod: PodObject) -> str:
    """A pod as its source has it: with a container."""
    text = f"heldRequest({_pod(pod)})"
    return f"heldMirror({text}, {pod.mirror})" if pod.mirror else text


def _update(update: Update, api: Api) -> Iterator[str]:
    fields = {"UpdateType": UPDATE_TYPES[update.type]}
    if update.runtime:
        names = {"ID": update.pod.uid, "Name": update.pod.name, "Namespace": update.pod.namespace}
        text = ", ".join(f"{name}: {quote(value)}" for name, value in names.items())
        fields["RunningPod"] = f"&kubecontainer.Pod{{{text}}}"
    else:
        fields["Pod"] = _pod(update.pod)
    kill = {} if update.kill is None else _kill(update.kill)
    if update.kill is not None and not kill:
        fields["KillPodOptions"] = "&KillPodOptions{}"
    yield f"\tw.UpdatePod({api.context}UpdatePodOptions{{"
    yield from _align(fields, "\t\t")
    if kill:
        yield "\t\tKillPodOptions: &KillPodOptions{"
        yield from _align(kill, "\t\t\t")
        yield "\t\t},"
    yield "\t})"


def _align(fields: Mapping[str, str], indent: str) -> Iterator[str]:
    """The fields of a literal, one a line, with their values in one column as gofmt wants it."""
    width = max(map(len, fields), default=0) + 1
    yield from (f"{indent}{name + ':':<{width}} {value}," for name, value in fields.items())


def _sync_known_pods(call: Call, api: Api) -> Iterator[str]:
    pods = ", ".join(map(_pod, call.desired))
    yield f"\tw.SyncKnownPods({api.logger}{f'[]*v1.Pod{{{pods}}}' if pods else 'nil'})"


def _pod(pod: PodObject) -> str:
    names = ", ".join(map(quote, (pod.uid, pod.namespace, pod.name)))
    text = f"newNamedPod({names}, {_value(pod.static)})"
    if pod.spec_seconds != USUAL_SECONDS:
        text = f"heldSpec({text}, {pod.spec_seconds})"
    if pod.deletion_seconds is not None:
        text = f"heldDeleted({text}, {pod.deletion_seconds})"
    if pod.phase:
        text = f"heldEnded({text}, v1.Pod{pod.phase})"
    return text


def _kill(kill: Kill) -> Mapping[str, str]:
    fields = {}
    if kill.request is not None:
        fields["CompletedCh"] = f"completed{kill.request}"
    if kill.evict:
        fields["Evict"] = "true"
    if kill.status_func:
        fields["PodStatusFunc"] = "func(*v1.PodStatus) {}"
    if kill.override is not None:
        fields["PodTerminationGracePeriodSecondsOverride"] = f"heldSeconds({kill.override})"
    return fields


def _expectations(step: GoStep) -> Iterator[str]:
    if step.called is not None:
        yield f"\tw.expectCalls({', '.join([str(step.number), *map(quote, step.called)])})"
    yield from _states("expect", "heldState", step.number, step.expected)
    yield from _states("expectCaller", "heldCaller", step.number, step.callers)
    for request, closed in step.channels.items():
        name = f"completed{request}"
        yield f"\tw.expectClosed({step.number}, {quote(name)}, {name}, {_value(closed)})"
    for text in step.logged:
        yield f"\tw.expectLogged({step.number}, {quote(text)})"


def _states(
    method: str, struct: str, number: int, expected: Sequence[tuple[PodObject, Mapping[str, Value]]]
) -> Iterator[str]:
    for pod, fields in expected:
        head = f"w.{method}({number}, {quote(pod.uid)}, {quote(pod.full_name)}, {struct}{{"
        items = [f"{name}: {_value(value)}" for name, value in fields.items() if value]
        if len(line := head + ", ".join(items) + "})") <= WIDTH - 4:
            yield f"\t{line}"
            continue
        yield f"\t{head}"
        yield from (f"\t\t{line}" for line in _wrap(items, WIDTH - 8))
        yield "\t})"


def _wrap(items: Sequence[str], width: int) -> Iterator[str]:
    """Items of a literal, several a line; each line ends with a comma."""
    line = ""
    for item in items:
        if line and len(line) + len(item) + 2 > width:
            yield line
            line = ""
        line += f"{' ' if line else ''}{item},"
    if line:
        yield line


def _value(value: Value) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case int():
            return str(value)
        case _:
            return quote(value)
