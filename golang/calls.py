"""Calls: of the file's own functions, of what the vocabulary knows, and of what it ignores."""

from __future__ import annotations

from typing import TYPE_CHECKING

from podproof.golang.expressions import ExpressionTranslation
from podproof.golang.syntax import GoFunction, expressions, field, inside, text
from podproof.golang.values import NIL_VALUE, Meaning, Translated
from podproof.golang.vocabulary import RECORDS, SAY_IT, ZEROS

if TYPE_CHECKING:
    from tree_sitter import Node

ERROR_LINES = ("programmer error", "Pod sync status does not exist")
"""What a log line says that must never be reached."""


class CallTranslation(ExpressionTranslation):
    """Adds calls."""

    # -- effects -------------------------------------------------------------------------------------------------
    def effect(self, node: Node, at: Node) -> None:
        """A call as a statement."""
        if node.type != "call_expression":
            self.refuse(at, f"`{text(at)}` is outside what is translated", "call a function")
        if self.lock(at, self.without_receiver(node)):
            return
        if self.is_ignored(node):
            said = [
                part for part in inside(node, "interpreted_string_literal") if any(w in text(part) for w in ERROR_LINES)
            ]
            if said:
                self.emit(f"programmer_error({text(said[0])})", at)
            return
        if self.phrase_effect(node, at) or self.builtin(node, at):
            return
        own = self.own(node)
        if own is None:
            go = text(field(node, "function"))
            self.refuse(
                at,
                f"nothing is known of `{go}`",
                f"{SAY_IT}: --assume '{go}($*) = ignore' where it does nothing",
            )
        values = self.call_own(own, node, expressions(field(node, "arguments")))
        if self.pending_call:
            self.emit(self.pending_call, at)
            self.pending_call = ""
        elif values:
            self.emit(values[0].text, at)

    def phrase_effect(self, node: Node, at: Node) -> bool:
        for phrase, holes in self.vocabulary.match("effects", node):
            values = self.holes(phrase, holes)
            if values is None:
                continue
            uid = next((value.uid for value in values.values() if value.uid), "")
            if phrase.needs:
                self.need(self.filled(phrase.needs, values, uid, node))
            meaning, _, given = phrase.meanings[0][0].partition(" -> ")
            self.emit(self.filled(meaning, values, uid, node), at)
            if given:
                value, _, kind = given.partition(" : ")
                self.store(holes["local"], Meaning(value, kind), at)
            self.writes = True
            self.flow.forget_state(False)
            return True
        return False

    def builtin(self, node: Node, at: Node) -> bool:
        """delete(map, key)."""
        function, arguments = text(field(node, "function")), expressions(field(node, "arguments"))
        if function != "delete" or len(arguments) != 2:
            return False
        base, key = self.expression(arguments[0]), self.expression(arguments[1])
        self.writes = True
        match base.kind, key.kind:
            case "statuses", "uid":
                self.deletes = True
                self.emit(f"self.delete_pod_sync_status({key.text})", at)
                uid = self.uid_of(key, at)
                for name, value in self.flow.scope.items():
                    if value.kind == "status" and value.uid == uid:
                        self.flow.dead[name] = self.go_line(at)
            case "started", "full_name":
                self.emit(f"{base.text}[{key.text}] = NIL", at)
            case "waiting", "full_name":
                self.emit(f"clear({base.text}[{key.text}])", at)
            case _:
                self.refuse(at, f"`{text(node)}` is outside what is translated", "delete from the pod workers' maps")
        self.flow.forget_state(True)
        return True

    # -- calls of the file's own functions -----------------------------------------------------------------------
    def call_own(self, function: GoFunction, node: Node, arguments: list[Node]) -> list[Meaning]:
        found = self.translate(function, node)
        is_method = function.receiver == "podSyncStatus"
        if len(arguments) != len(function.parameters):
            self.refuse(node, f"`{text(node)}` has another number of arguments", "pass each")
        nodes = [field(field(node, "function"), "operand")] if is_method else []
        for argument, go in zip(arguments, function.parameters.values(), strict=True):
            untold = {"context.Context": "parent", "klog.Logger": "logger"}.get(go)
            if untold is None:
                nodes.append(argument)
            elif self.expression(argument).kind != untold:
                self.refuse(argument, f"`{text(argument)}` is no {untold} that comes from outside", "see docs/go.md")
        values = [self.expression(part) for part in nodes]
        texts = [
            self.argument(value, kind, part, found)
            for value, kind, part in zip(values, found.kinds, nodes, strict=True)
        ]
        if is_method:
            self.touch_record(values[0], node)
            self.need_not_nil(values[0], nodes[0])
        uids = (
            {
                self.uid_of(v, n)
                for v, n in zip(values, nodes, strict=True)
                if v.kind in (*RECORDS, "pod", "running") and v.uid
            }
            if found.uid
            else set()
        )
        if found.needs_uid:
            if len(uids) != 1:
                self.refuse(node, f"`{text(node)}`: of which pod this is told cannot be seen", "pass the UID as well")
            (uid,) = uids
            self.uses_uid = self.uses_uid or uid == self.implicit_uid
            texts.insert(0, uid)
        elif found.uid and uids:
            given = self.uid_of(values[found.parameters.index(found.uid)], node)
            if uids != {given}:
                self.refuse(node, f"`{text(node)}` mixes what belongs to two pods", "pass one pod's own")
        if found.locks and self.flow.lock != "free":
            self.refuse(node, f"`{text(node)}` locks podLock, which is held here", "call it without the lock")
        if found.touches and not found.locks:
            self.touch(node)
        if found.writes:
            if self.guards:
                self.refuse(node, f"`{text(node)}` changes something in the midst of a condition", "call it before")
            self.writes = True
            self.changes += 1
            self.deletes = self.deletes or found.deletes
            self.flow.forget_state(found.deletes)
        receiver = "" if is_method else "self."
        call = f"{receiver}{found.name}({', '.join(texts)})"
        if not found.results:
            self.pending_call = call
            return []
        if len(found.results) > 1:
            self.several = call
            return [Meaning("", kind) for kind in found.results]
        return [Meaning(call, found.results[0])]

    def argument(self, value: Meaning, kind: str, node: Node, found: Translated) -> str:
        """The text of an argument; records are passed as they are, since no function writes its own."""
        if kind in ("pod", "kill", "update") and value == NIL_VALUE:
            return ZEROS[kind]
        if value.kind != kind:
            self.refuse(
                node, f"`{text(node)}` is of another kind than the parameter ({value.kind}, {kind})", "see docs/go.md"
            )
        return value.text
