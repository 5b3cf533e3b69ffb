/*
 * Two-phase commit with N resource managers, after Gray and Lamport, "Consensus on Transaction Commit", written for
 * SPIN by hand and for speed: the managers' states are two bits each of one word, the messages ever sent one bit each,
 * one step is one d_step, and the claim is looked at once a state.
 *
 * spin -DN=8 -a -o2 two_phase_commit.pml && cc -O2 -DSAFETY -DNOREDUCE -o pan pan.c && ./pan -m10000
 */

#define WORKING 0
#define PREPARED 1
#define COMMITTED 2
#define ABORTED 3
#define LOW 87381  /* the low bit of each of nine managers */

#define INIT 0
#define ALL ((1 << N) - 1)

unsigned managers : 18;
unsigned coordinator : 2;
unsigned known_prepared : 9;
unsigned sent_prepared : 9;
bool sent_commit;
bool sent_abort;

#define manager(i) ((managers >> (2 * i)) & 3)
#define becomes(i, s) managers = (managers & ~(3 << (2 * i))) | (s << (2 * i))
#define somebody_committed ((managers >> 1) & ~managers & LOW)
#define somebody_aborted ((managers >> 1) & managers & LOW)

#define MANAGER(i) \
  :: d_step { coordinator == INIT && (sent_prepared & (1 << i)) -> known_prepared = known_prepared | (1 << i) } \
  :: d_step { manager(i) == WORKING -> becomes(i, PREPARED); sent_prepared = sent_prepared | (1 << i) } \
  :: d_step { manager(i) == WORKING -> becomes(i, ABORTED) } \
  :: d_step { sent_commit -> becomes(i, COMMITTED) } \
  :: d_step { sent_abort -> becomes(i, ABORTED) }

active proctype commit() {
end:
  do
  :: d_step { coordinator == INIT && known_prepared == ALL -> coordinator = COMMITTED; sent_commit = true }
  :: d_step { coordinator == INIT -> coordinator = ABORTED; sent_abort = true }
  MANAGER(0) MANAGER(1) MANAGER(2)
#if N > 3
  MANAGER(3)
#endif
#if N > 4
  MANAGER(4)
#endif
#if N > 5
  MANAGER(5)
#endif
#if N > 6
  MANAGER(6)
#endif
#if N > 7
  MANAGER(7)
#endif
#if N > 8
  MANAGER(8)
#endif
  :: d_step { somebody_committed && somebody_aborted -> assert(false) }
  od
}
