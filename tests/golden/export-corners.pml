/*
 * test/corners as a transition system: version test, environment closed, scenario corners (totals to 5). Made by:
 *   podproof
 * Reductions: none; every variable of the model is here. A variable that can have one value only is a constant here.
 * A field that leaves its declared range is an error of the model that `podproof check` reports; this text does not
 *   look for such errors.
 * Steps that a bound of the scenario cuts off are not taken (total).
 * How to check it: spin -a -o2 FILE && cc -O2 -w -DSAFETY -DNOREDUCE -o pan pan.c && ./pan -m1000000. -o2 keeps SPIN
 *   from dropping variables, -m is the most steps it goes deep; -DVECTORSZ=4096 is for large states, -DMEMLIM=8000
 *   for many. SPIN stops at the first claim that fails; ./pan -c0 goes on and names each claim once, ./pan -A only
 *   counts states (`states, stored`). An assertion has the name of its claim, with `claim_` before it. For
 *   breadth-first search (-DBFS) delete from pan.h the #error about hidden variables: what a step reads of those here
 *   it has written before.
 */

#define NIL (-1)

/* The state. */
short first = NIL;  /* first: -1..2, -1 is nil */
short second = NIL;  /* second: -1..2, -1 is nil */
bool value_0 = false;  /* value[0] */
bool value_1 = false;  /* value[1] */
bool value_1_2 = false;  /* value_1 */
bool is_1 = false;  /* is_1 */
unsigned total : 3 = 0;  /* total: 0..5 */

/* The claims: true until SPIN finds one violated. They are no part of the state. */
hidden byte claim_numbers_differ = true;  /* Different numbers stay different. */
hidden byte claim_sums_stay = true;  /* The total never falls. */
hidden byte claim_never_five = true;  /* The total is below 5. */

/* Asked before an action changes anything: the first time that a claim is violated, SPIN is told. */
#define forbid(claim, violated) \
  if :: claim && (violated) -> claim = false; assert(claim) :: else -> skip fi

/* Parts of expressions, and values before a step, under way within one step. */
hidden int before_first;
hidden byte is_2;

/* user: swaps both numbers. tests/corners.py:swap */
inline swap() {
  first != second ->
  before_first = first;
  forbid(claim_numbers_differ, !(before_first == second || second != before_first));
  first = second;  /* tests/corners.py:swap */
  second = before_first;  /* tests/corners.py:swap */
}

/* user: sets the first to <number>, <only_if_smaller>. tests/corners.py:set */
inline set(number, only_if_smaller) {
  total + 1 <= 5 ->
  is_2 = !only_if_smaller || (number != NIL && first != NIL && number < first);  /* tests/corners.py:set */
  forbid(claim_numbers_differ, !(first == second || (is_2 -> number : first) != second));
  forbid(claim_sums_stay, total + 1 < total);
  if :: is_2 ->
     first = number;  /* tests/corners.py:set */
     value_0 = !value_0;  /* tests/corners.py:set */
  :: else -> skip
  fi;
  total = total + 1;  /* tests/corners.py:set */
}

/* user: turns 0 over. tests/corners.py:turn */
inline turn_i_0() {
  true ->
  value_0 = !value_1;  /* tests/corners.py:turn */
  if :: value_1 ->
     value_1_2 = false;  /* tests/corners.py:turn */
     is_1 = false;  /* tests/corners.py:turn */
  :: else ->
     is_1 = !value_1_2 && first != NIL && total - first > 2;  /* tests/corners.py:turn */
     value_1_2 = !value_1_2;  /* tests/corners.py:turn */
  fi;
}

/* user: turns 1 over. tests/corners.py:turn */
inline turn_i_1() {
  true ->
  value_1 = !value_0;  /* tests/corners.py:turn */
  if :: value_0 ->
     value_1_2 = false;  /* tests/corners.py:turn */
     is_1 = false;  /* tests/corners.py:turn */
  :: else ->
     is_1 = !value_1_2 && first != NIL && total - first > 2;  /* tests/corners.py:turn */
     value_1_2 = !value_1_2;  /* tests/corners.py:turn */
  fi;
}

active proctype system() {
end:
  do
  :: d_step { swap() }
  :: d_step { set(NIL, false) }
  :: d_step { set(NIL, true) }
  :: d_step { set(0, false) }
  :: d_step { set(0, true) }
  :: d_step { set(1, false) }
  :: d_step { set(1, true) }
  :: d_step { set(2, false) }
  :: d_step { set(2, true) }
  :: d_step { turn_i_0() }
  :: d_step { turn_i_1() }
  :: d_step { claim_never_five && total >= 5 ->
       claim_never_five = false; assert(claim_never_five) }
  od
}
