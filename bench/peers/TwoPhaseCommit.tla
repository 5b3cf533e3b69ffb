---------------------------- MODULE TwoPhaseCommit ----------------------------
\* Two-phase commit with the resource managers RM, after Gray and Lamport, "Consensus on Transaction Commit", as one
\* writes it in TLA+: the messages ever sent are a set.
EXTENDS Naturals

CONSTANT RM

VARIABLES managers, coordinator, known_prepared, messages

vars == <<managers, coordinator, known_prepared, messages>>

Prepared(r) == [type |-> "prepared", manager |-> r]
Commit == [type |-> "commit"]
Abort == [type |-> "abort"]

Init ==
  /\ managers = [r \in RM |-> "working"]
  /\ coordinator = "init"
  /\ known_prepared = {}
  /\ messages = {}

HearPrepared(r) ==
  /\ coordinator = "init"
  /\ Prepared(r) \in messages
  /\ known_prepared' = known_prepared \cup {r}
  /\ UNCHANGED <<managers, coordinator, messages>>

SendCommit ==
  /\ coordinator = "init"
  /\ known_prepared = RM
  /\ coordinator' = "committed"
  /\ messages' = messages \cup {Commit}
  /\ UNCHANGED <<managers, known_prepared>>

SendAbort ==
  /\ coordinator = "init"
  /\ coordinator' = "aborted"
  /\ messages' = messages \cup {Abort}
  /\ UNCHANGED <<managers, known_prepared>>

Prepare(r) ==
  /\ managers[r] = "working"
  /\ managers' = [managers EXCEPT ![r] = "prepared"]
  /\ messages' = messages \cup {Prepared(r)}
  /\ UNCHANGED <<coordinator, known_prepared>>

ChooseToAbort(r) ==
  /\ managers[r] = "working"
  /\ managers' = [managers EXCEPT ![r] = "aborted"]
  /\ UNCHANGED <<coordinator, known_prepared, messages>>

HearCommit(r) ==
  /\ Commit \in messages
  /\ managers' = [managers EXCEPT ![r] = "committed"]
  /\ UNCHANGED <<coordinator, known_prepared, messages>>

HearAbort(r) ==
  /\ Abort \in messages
  /\ managers' = [managers EXCEPT ![r] = "aborted"]
  /\ UNCHANGED <<coordinator, known_prepared, messages>>

Next ==
  \/ SendCommit
  \/ SendAbort
  \/ \E r \in RM :
       HearPrepared(r) \/ Prepare(r) \/ ChooseToAbort(r) \/ HearCommit(r) \/ HearAbort(r)

Spec == Init /\ [][Next]_vars

Consistent == ~((\E r \in RM : managers[r] = "committed") /\ (\E r \in RM : managers[r] = "aborted"))
===============================================================================
