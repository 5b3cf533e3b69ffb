/*
 * test/two-phase-commit-3 as a transition system: version test, environment closed, scenario two-phase-commit-3 (3
 *   managers). Made by: podproof
 * Reductions: none; every variable of the model is here. A variable that can have one value only is a constant here.
 * A field that leaves its declared range is an error of the model that `podproof check` reports; this text does not
 *   look for such errors.
 * Not exported, for they ask for a state instead of forbidding one: all_commit, both_sent.
 * How to check it: spin -a -o2 FILE && cc -O2 -w -DSAFETY -DNOREDUCE -o pan pan.c && ./pan -m1000000. -o2 keeps SPIN
 *   from dropping variables, -m is the most steps it goes deep; -DVECTORSZ=4096 is for large states, -DMEMLIM=8000
 *   for many. SPIN stops at the first claim that fails; ./pan -c0 goes on and names each claim once, ./pan -A only
 *   counts states (`states, stored`). An assertion has the name of its claim, with `claim_` before it. For
 *   breadth-first search (-DBFS) delete from pan.h the #error about hidden variables: what a step reads of those here
 *   it has written before.
 */

#define Manager_WORKING 0  /* working */
#define Manager_PREPARED 1  /* prepared */
#define Manager_COMMITTED 2  /* committed */
#define Manager_ABORTED 3  /* aborted */
#define Coordinator_INIT 0  /* init */
#define Coordinator_COMMITTED 1  /* committed */
#define Coordinator_ABORTED 2  /* aborted */

/* The state. */
unsigned managers_0 : 2 = Manager_WORKING;  /* managers[0]: Manager */
unsigned managers_1 : 2 = Manager_WORKING;  /* managers[1]: Manager */
unsigned managers_2 : 2 = Manager_WORKING;  /* managers[2]: Manager */
unsigned coordinator : 2 = Coordinator_INIT;  /* coordinator: Coordinator */
bool known_prepared_0 = false;  /* known_prepared[0] */
bool known_prepared_1 = false;  /* known_prepared[1] */
bool known_prepared_2 = false;  /* known_prepared[2] */
bool sent_prepared_0 = false;  /* sent_prepared[0] */
bool sent_prepared_1 = false;  /* sent_prepared[1] */
bool sent_prepared_2 = false;  /* sent_prepared[2] */
bool sent_commit = false;  /* sent_commit */
bool sent_abort = false;  /* sent_abort */

/* The claims: true until SPIN finds one violated. They are no part of the state. */
hidden byte claim_consistent = true;  /* No manager commits where another aborts. */
hidden byte claim_nobody_commits = true;  /* No manager ever commits. */
hidden byte claim_first_is_never_undone = true;  /* A prepared first manager never aborts. */
hidden byte claim_decisions_stay = true;  /* The coordinator decides once. */

/* Asked before an action changes anything: the first time that a claim is violated, SPIN is told. */
#define forbid(claim, violated) \
  if :: claim && (violated) -> claim = false; assert(claim) :: else -> skip fi

/* coordinator: hears that manager 0 is prepared. tests/two_phase_commit.py:hear_prepared */
inline hear_prepared_i_0() {
  coordinator == Coordinator_INIT && sent_prepared_0 ->
  known_prepared_0 = true;  /* tests/two_phase_commit.py:hear_prepared */
}

/* coordinator: hears that manager 1 is prepared. tests/two_phase_commit.py:hear_prepared */
inline hear_prepared_i_1() {
  coordinator == Coordinator_INIT && sent_prepared_1 ->
  known_prepared_1 = true;  /* tests/two_phase_commit.py:hear_prepared */
}

/* coordinator: hears that manager 2 is prepared. tests/two_phase_commit.py:hear_prepared */
inline hear_prepared_i_2() {
  coordinator == Coordinator_INIT && sent_prepared_2 ->
  known_prepared_2 = true;  /* tests/two_phase_commit.py:hear_prepared */
}

/* coordinator: commits. tests/two_phase_commit.py:commit */
inline commit() {
  coordinator == Coordinator_INIT && known_prepared_0 && known_prepared_1 && known_prepared_2 ->
  coordinator = Coordinator_COMMITTED;  /* tests/two_phase_commit.py:commit */
  sent_commit = true;  /* tests/two_phase_commit.py:commit */
}

/* coordinator: aborts. tests/two_phase_commit.py:abort */
inline abort() {
  coordinator == Coordinator_INIT ->
  coordinator = Coordinator_ABORTED;  /* tests/two_phase_commit.py:abort */
  sent_abort = true;  /* tests/two_phase_commit.py:abort */
}

/* manager: manager 0 prepares. tests/two_phase_commit.py:prepare */
inline prepare_i_0() {
  managers_0 == Manager_WORKING ->
  managers_0 = Manager_PREPARED;  /* tests/two_phase_commit.py:prepare */
  sent_prepared_0 = true;  /* tests/two_phase_commit.py:prepare */
}

/* manager: manager 1 prepares. tests/two_phase_commit.py:prepare */
inline prepare_i_1() {
  managers_1 == Manager_WORKING ->
  managers_1 = Manager_PREPARED;  /* tests/two_phase_commit.py:prepare */
  sent_prepared_1 = true;  /* tests/two_phase_commit.py:prepare */
}

/* manager: manager 2 prepares. tests/two_phase_commit.py:prepare */
inline prepare_i_2() {
  managers_2 == Manager_WORKING ->
  managers_2 = Manager_PREPARED;  /* tests/two_phase_commit.py:prepare */
  sent_prepared_2 = true;  /* tests/two_phase_commit.py:prepare */
}

/* manager: manager 0 chooses to abort. tests/two_phase_commit.py:choose_to_abort */
inline choose_to_abort_i_0() {
  managers_0 == Manager_WORKING ->
  managers_0 = Manager_ABORTED;  /* tests/two_phase_commit.py:choose_to_abort */
}

/* manager: manager 1 chooses to abort. tests/two_phase_commit.py:choose_to_abort */
inline choose_to_abort_i_1() {
  managers_1 == Manager_WORKING ->
  managers_1 = Manager_ABORTED;  /* tests/two_phase_commit.py:choose_to_abort */
}

/* manager: manager 2 chooses to abort. tests/two_phase_commit.py:choose_to_abort */
inline choose_to_abort_i_2() {
  managers_2 == Manager_WORKING ->
  managers_2 = Manager_ABORTED;  /* tests/two_phase_commit.py:choose_to_abort */
}

/* manager: manager 0 hears commit. tests/two_phase_commit.py:hear_commit */
inline hear_commit_i_0() {
  sent_commit ->
  managers_0 = Manager_COMMITTED;  /* tests/two_phase_commit.py:hear_commit */
}

/* manager: manager 1 hears commit. tests/two_phase_commit.py:hear_commit */
inline hear_commit_i_1() {
  sent_commit ->
  managers_1 = Manager_COMMITTED;  /* tests/two_phase_commit.py:hear_commit */
}

/* manager: manager 2 hears commit. tests/two_phase_commit.py:hear_commit */
inline hear_commit_i_2() {
  sent_commit ->
  managers_2 = Manager_COMMITTED;  /* tests/two_phase_commit.py:hear_commit */
}

/* manager: manager 0 hears abort. tests/two_phase_commit.py:hear_abort */
inline hear_abort_i_0() {
  sent_abort ->
  forbid(claim_first_is_never_undone, managers_0 == Manager_PREPARED);
  managers_0 = Manager_ABORTED;  /* tests/two_phase_commit.py:hear_abort */
}

/* manager: manager 1 hears abort. tests/two_phase_commit.py:hear_abort */
inline hear_abort_i_1() {
  sent_abort ->
  managers_1 = Manager_ABORTED;  /* tests/two_phase_commit.py:hear_abort */
}

/* manager: manager 2 hears abort. tests/two_phase_commit.py:hear_abort */
inline hear_abort_i_2() {
  sent_abort ->
  managers_2 = Manager_ABORTED;  /* tests/two_phase_commit.py:hear_abort */
}

active proctype system() {
end:
  do
  :: d_step { hear_prepared_i_0() }
  :: d_step { hear_prepared_i_1() }
  :: d_step { hear_prepared_i_2() }
  :: d_step { commit() }
  :: d_step { abort() }
  :: d_step { prepare_i_0() }
  :: d_step { prepare_i_1() }
  :: d_step { prepare_i_2() }
  :: d_step { choose_to_abort_i_0() }
  :: d_step { choose_to_abort_i_1() }
  :: d_step { choose_to_abort_i_2() }
  :: d_step { hear_commit_i_0() }
  :: d_step { hear_commit_i_1() }
  :: d_step { hear_commit_i_2() }
  :: d_step { hear_abort_i_0() }
  :: d_step { hear_abort_i_1() }
  :: d_step { hear_abort_i_2() }
  :: d_step { claim_consistent && (managers_0 == Manager_COMMITTED || managers_1 == Manager_COMMITTED ||
        managers_2 == Manager_COMMITTED) && (managers_0 == Manager_ABORTED || managers_1 == Manager_ABORTED ||
        managers_2 == Manager_ABORTED) ->
       claim_consistent = false; assert(claim_consistent) }
  :: d_step { claim_nobody_commits && (managers_0 == Manager_COMMITTED || managers_1 == Manager_COMMITTED ||
        managers_2 == Manager_COMMITTED) ->
       claim_nobody_commits = false; assert(claim_nobody_commits) }
  od
}
