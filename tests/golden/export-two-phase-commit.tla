----------------------------------------------- MODULE TwoPhaseCommit ------------------------------------------------
\* test/two-phase-commit-3 as a transition system: version test, environment closed, scenario two-phase-commit-3 (3
\*   managers). Made by: podproof
\* Reductions: none; every variable of the model is here. A variable that can have one value only is a constant here.
\* A field that leaves its declared range is an error of the model that `podproof check` reports; this text does not
\*   look for such errors.
\* Not exported, for they ask for a state instead of forbidding one: all_commit, both_sent.
\* How to check it: java -XX:+UseParallelGC -cp tla2tools.jar tlc2.TLC -deadlock -workers auto -config
\*   TwoPhaseCommit.cfg TwoPhaseCommit.tla. -deadlock allows states without a next one. TLC stops at the first claim
\*   that fails; -continue goes on. A trace shows the members of enumerations by number.
EXTENDS Integers

Manager_WORKING == 0  \* working
Manager_PREPARED == 1  \* prepared
Manager_COMMITTED == 2  \* committed
Manager_ABORTED == 3  \* aborted
Coordinator_INIT == 0  \* init
Coordinator_COMMITTED == 1  \* committed
Coordinator_ABORTED == 2  \* aborted

VARIABLES
  managers_0,  \* managers[0]: Manager
  managers_1,  \* managers[1]: Manager
  managers_2,  \* managers[2]: Manager
  coordinator,  \* coordinator: Coordinator
  known_prepared_0,  \* known_prepared[0]
  known_prepared_1,  \* known_prepared[1]
  known_prepared_2,  \* known_prepared[2]
  sent_prepared_0,  \* sent_prepared[0]
  sent_prepared_1,  \* sent_prepared[1]
  sent_prepared_2,  \* sent_prepared[2]
  sent_commit,  \* sent_commit
  sent_abort  \* sent_abort

vars == <<managers_0, managers_1, managers_2, coordinator, known_prepared_0, known_prepared_1, known_prepared_2,
      sent_prepared_0, sent_prepared_1, sent_prepared_2, sent_commit, sent_abort>>

TypeOK ==
  /\ managers_0 \in 0..3
  /\ managers_1 \in 0..3
  /\ managers_2 \in 0..3
  /\ coordinator \in 0..2
  /\ known_prepared_0 \in BOOLEAN
  /\ known_prepared_1 \in BOOLEAN
  /\ known_prepared_2 \in BOOLEAN
  /\ sent_prepared_0 \in BOOLEAN
  /\ sent_prepared_1 \in BOOLEAN
  /\ sent_prepared_2 \in BOOLEAN
  /\ sent_commit \in BOOLEAN
  /\ sent_abort \in BOOLEAN

Init ==
  /\ managers_0 = Manager_WORKING
  /\ managers_1 = Manager_WORKING
  /\ managers_2 = Manager_WORKING
  /\ coordinator = Coordinator_INIT
  /\ known_prepared_0 = FALSE
  /\ known_prepared_1 = FALSE
  /\ known_prepared_2 = FALSE
  /\ sent_prepared_0 = FALSE
  /\ sent_prepared_1 = FALSE
  /\ sent_prepared_2 = FALSE
  /\ sent_commit = FALSE
  /\ sent_abort = FALSE

\* coordinator: hears that manager 0 is prepared. tests/two_phase_commit.py:hear_prepared
CanHearPreparedI0 == coordinator = Coordinator_INIT /\ sent_prepared_0

HearPreparedI0 ==
  /\ CanHearPreparedI0
  /\ known_prepared_0' = TRUE  \* tests/two_phase_commit.py:hear_prepared
  /\ UNCHANGED <<managers_0, managers_1, managers_2, coordinator, known_prepared_1, known_prepared_2, sent_prepared_0,
        sent_prepared_1, sent_prepared_2, sent_commit, sent_abort>>

\* coordinator: hears that manager 1 is prepared. tests/two_phase_commit.py:hear_prepared
CanHearPreparedI1 == coordinator = Coordinator_INIT /\ sent_prepared_1

HearPreparedI1 ==
  /\ CanHearPreparedI1
  /\ known_prepared_1' = TRUE  \* tests/two_phase_commit.py:hear_prepared
  /\ UNCHANGED <<managers_0, managers_1, managers_2, coordinator, known_prepared_0, known_prepared_2, sent_prepared_0,
        sent_prepared_1, sent_prepared_2, sent_commit, sent_abort>>

\* coordinator: hears that manager 2 is prepared. tests/two_phase_commit.py:hear_prepared
CanHearPreparedI2 == coordinator = Coordinator_INIT /\ sent_prepared_2

HearPreparedI2 ==
  /\ CanHearPreparedI2
  /\ known_prepared_2' = TRUE  \* tests/two_phase_commit.py:hear_prepared
  /\ UNCHANGED <<managers_0, managers_1, managers_2, coordinator, known_prepared_0, known_prepared_1, sent_prepared_0,
        sent_prepared_1, sent_prepared_2, sent_commit, sent_abort>>

\* coordinator: commits. tests/two_phase_commit.py:commit
CanCommit == coordinator = Coordinator_INIT /\ known_prepared_0 /\ known_prepared_1 /\ known_prepared_2

Commit ==
  /\ CanCommit
  /\ coordinator' = Coordinator_COMMITTED  \* tests/two_phase_commit.py:commit
  /\ sent_commit' = TRUE  \* tests/two_phase_commit.py:commit
  /\ UNCHANGED <<managers_0, managers_1, managers_2, known_prepared_0, known_prepared_1, known_prepared_2,
        sent_prepared_0, sent_prepared_1, sent_prepared_2, sent_abort>>

\* coordinator: aborts. tests/two_phase_commit.py:abort
CanAbort == coordinator = Coordinator_INIT

Abort ==
  /\ CanAbort
  /\ coordinator' = Coordinator_ABORTED  \* tests/two_phase_commit.py:abort
  /\ sent_abort' = TRUE  \* tests/two_phase_commit.py:abort
  /\ UNCHANGED <<managers_0, managers_1, managers_2, known_prepared_0, known_prepared_1, known_prepared_2,
        sent_prepared_0, sent_prepared_1, sent_prepared_2, sent_commit>>

\* manager: manager 0 prepares. tests/two_phase_commit.py:prepare
CanPrepareI0 == managers_0 = Manager_WORKING

PrepareI0 ==
  /\ CanPrepareI0
  /\ managers_0' = Manager_PREPARED  \* tests/two_phase_commit.py:prepare
  /\ sent_prepared_0' = TRUE  \* tests/two_phase_commit.py:prepare
  /\ UNCHANGED <<managers_1, managers_2, coordinator, known_prepared_0, known_prepared_1, known_prepared_2,
        sent_prepared_1, sent_prepared_2, sent_commit, sent_abort>>

\* manager: manager 1 prepares. tests/two_phase_commit.py:prepare
CanPrepareI1 == managers_1 = Manager_WORKING

PrepareI1 ==
  /\ CanPrepareI1
  /\ managers_1' = Manager_PREPARED  \* tests/two_phase_commit.py:prepare
  /\ sent_prepared_1' = TRUE  \* tests/two_phase_commit.py:prepare
  /\ UNCHANGED <<managers_0, managers_2, coordinator, known_prepared_0, known_prepared_1, known_prepared_2,
        sent_prepared_0, sent_prepared_2, sent_commit, sent_abort>>

\* manager: manager 2 prepares. tests/two_phase_commit.py:prepare
CanPrepareI2 == managers_2 = Manager_WORKING

PrepareI2 ==
  /\ CanPrepareI2
  /\ managers_2' = Manager_PREPARED  \* tests/two_phase_commit.py:prepare
  /\ sent_prepared_2' = TRUE  \* tests/two_phase_commit.py:prepare
  /\ UNCHANGED <<managers_0, managers_1, coordinator, known_prepared_0, known_prepared_1, known_prepared_2,
        sent_prepared_0, sent_prepared_1, sent_commit, sent_abort>>

\* manager: manager 0 chooses to abort. tests/two_phase_commit.py:choose_to_abort
CanChooseToAbortI0 == managers_0 = Manager_WORKING

ChooseToAbortI0 ==
  /\ CanChooseToAbortI0
  /\ managers_0' = Manager_ABORTED  \* tests/two_phase_commit.py:choose_to_abort
  /\ UNCHANGED <<managers_1, managers_2, coordinator, known_prepared_0, known_prepared_1, known_prepared_2,
        sent_prepared_0, sent_prepared_1, sent_prepared_2, sent_commit, sent_abort>>

\* manager: manager 1 chooses to abort. tests/two_phase_commit.py:choose_to_abort
CanChooseToAbortI1 == managers_1 = Manager_WORKING

ChooseToAbortI1 ==
  /\ CanChooseToAbortI1
  /\ managers_1' = Manager_ABORTED  \* tests/two_phase_commit.py:choose_to_abort
  /\ UNCHANGED <<managers_0, managers_2, coordinator, known_prepared_0, known_prepared_1, known_prepared_2,
        sent_prepared_0, sent_prepared_1, sent_prepared_2, sent_commit, sent_abort>>

\* manager: manager 2 chooses to abort. tests/two_phase_commit.py:choose_to_abort
CanChooseToAbortI2 == managers_2 = Manager_WORKING

ChooseToAbortI2 ==
  /\ CanChooseToAbortI2
  /\ managers_2' = Manager_ABORTED  \* tests/two_phase_commit.py:choose_to_abort
  /\ UNCHANGED <<managers_0, managers_1, coordinator, known_prepared_0, known_prepared_1, known_prepared_2,
        sent_prepared_0, sent_prepared_1, sent_prepared_2, sent_commit, sent_abort>>

\* manager: manager 0 hears commit. tests/two_phase_commit.py:hear_commit
CanHearCommitI0 == sent_commit

HearCommitI0 ==
  /\ CanHearCommitI0
  /\ managers_0' = Manager_COMMITTED  \* tests/two_phase_commit.py:hear_commit
  /\ UNCHANGED <<managers_1, managers_2, coordinator, known_prepared_0, known_prepared_1, known_prepared_2,
        sent_prepared_0, sent_prepared_1, sent_prepared_2, sent_commit, sent_abort>>

\* manager: manager 1 hears commit. tests/two_phase_commit.py:hear_commit
CanHearCommitI1 == sent_commit

HearCommitI1 ==
  /\ CanHearCommitI1
  /\ managers_1' = Manager_COMMITTED  \* tests/two_phase_commit.py:hear_commit
  /\ UNCHANGED <<managers_0, managers_2, coordinator, known_prepared_0, known_prepared_1, known_prepared_2,
        sent_prepared_0, sent_prepared_1, sent_prepared_2, sent_commit, sent_abort>>

\* manager: manager 2 hears commit. tests/two_phase_commit.py:hear_commit
CanHearCommitI2 == sent_commit

HearCommitI2 ==
  /\ CanHearCommitI2
  /\ managers_2' = Manager_COMMITTED  \* tests/two_phase_commit.py:hear_commit
  /\ UNCHANGED <<managers_0, managers_1, coordinator, known_prepared_0, known_prepared_1, known_prepared_2,
        sent_prepared_0, sent_prepared_1, sent_prepared_2, sent_commit, sent_abort>>

\* manager: manager 0 hears abort. tests/two_phase_commit.py:hear_abort
CanHearAbortI0 == sent_abort

HearAbortI0 ==
  /\ CanHearAbortI0
  /\ managers_0' = Manager_ABORTED  \* tests/two_phase_commit.py:hear_abort
  /\ UNCHANGED <<managers_1, managers_2, coordinator, known_prepared_0, known_prepared_1, known_prepared_2,
        sent_prepared_0, sent_prepared_1, sent_prepared_2, sent_commit, sent_abort>>

\* manager: manager 1 hears abort. tests/two_phase_commit.py:hear_abort
CanHearAbortI1 == sent_abort

HearAbortI1 ==
  /\ CanHearAbortI1
  /\ managers_1' = Manager_ABORTED  \* tests/two_phase_commit.py:hear_abort
  /\ UNCHANGED <<managers_0, managers_2, coordinator, known_prepared_0, known_prepared_1, known_prepared_2,
        sent_prepared_0, sent_prepared_1, sent_prepared_2, sent_commit, sent_abort>>

\* manager: manager 2 hears abort. tests/two_phase_commit.py:hear_abort
CanHearAbortI2 == sent_abort

HearAbortI2 ==
  /\ CanHearAbortI2
  /\ managers_2' = Manager_ABORTED  \* tests/two_phase_commit.py:hear_abort
  /\ UNCHANGED <<managers_0, managers_1, coordinator, known_prepared_0, known_prepared_1, known_prepared_2,
        sent_prepared_0, sent_prepared_1, sent_prepared_2, sent_commit, sent_abort>>

Next ==
  \/ HearPreparedI0
  \/ HearPreparedI1
  \/ HearPreparedI2
  \/ Commit
  \/ Abort
  \/ PrepareI0
  \/ PrepareI1
  \/ PrepareI2
  \/ ChooseToAbortI0
  \/ ChooseToAbortI1
  \/ ChooseToAbortI2
  \/ HearCommitI0
  \/ HearCommitI1
  \/ HearCommitI2
  \/ HearAbortI0
  \/ HearAbortI1
  \/ HearAbortI2

Spec == Init /\ [][Next]_vars

\* always: No manager commits where another aborts.
consistent == ~((managers_0 = Manager_COMMITTED \/ managers_1 = Manager_COMMITTED \/
      managers_2 = Manager_COMMITTED) /\ (managers_0 = Manager_ABORTED \/ managers_1 = Manager_ABORTED \/
      managers_2 = Manager_ABORTED))

\* always: No manager ever commits.
nobody_commits == ~(managers_0 = Manager_COMMITTED \/ managers_1 = Manager_COMMITTED \/
      managers_2 = Manager_COMMITTED)

\* step: A prepared first manager never aborts.
first_is_never_undone == [][ managers_0 # Manager_PREPARED \/ managers_0' # Manager_ABORTED ]_vars

\* step: The coordinator decides once.
decisions_stay == [][ coordinator = Coordinator_INIT \/ coordinator' = coordinator ]_vars
======================================================================================================================
