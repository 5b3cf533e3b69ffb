/* Saturation: what is reachable, as a diagram that is closed under all steps from the lowest bits upwards.

   What runs is saturation.ll, LLVM's text of this file; see engines/compiled/loops.c. Arrays belong to Python.

   A set of states is a node of the highest level, one level for each bit. 0 is the empty set and 1 what is below the
   lowest bit; no bit is skipped, so a node's level need not be stored. A node of a relation has its level and one
   node below for each value of its bit before and after a step; where it has none for a level that bit stays as it is,
   and 1 leaves all bits as they are from there on.

   When the room is short, or Python wants an end, everything returns with what it has: less than what was asked for,
   but reachable, so the next call goes on from there. Such results are never kept. */

#include <stdint.h>

typedef int64_t i64;
typedef uint64_t u64;
typedef uint32_t u32;

#define PART static inline __attribute__((always_inline))
#define SPARE 16 /* one part in so many of the room is for what is under way when it runs short */

enum { GOES_ON, ROOM_IS_SHORT, IS_ENDED };

/* See saturation.py. */
typedef struct {
    u32 *nodes;            /* of each node those below it: where its bit is 0, and where it is 1 */
    u32 *closed;           /* of each node the one that it becomes, 0 while that is not known */
    u32 *slots;            /* the table that knows which nodes there are, 0 where it is free */
    u32 *joins, *products; /* of what was computed last both arguments and the result, four numbers each */
    const u32 *steps;      /* of each node of a relation its level, and the nodes below: 0 to 0, 0 to 1, 1 to 0, 1 to 1 */
    const u32 *relations;  /* those that begin on each level, one level after the other */
    const u32 *first;      /* of each level where its relations begin there */
    i64 count, room;       /* of nodes */
    i64 slot_mask, result_mask;
    i64 root, state;
    volatile i64 end; /* set while a thread is busy with it, and looked at by that one */
} diagram;

PART u64 mixed(u64 a, u64 b) {
    u64 out = (a * 0x9E3779B97F4A7C15) ^ (b * 0xC2B2AE3D27D4EB4F);
    out = (out ^ (out >> 29)) * 0xBF58476D1CE4E5B9;
    return out ^ (out >> 32);
}

PART u32 *result(u32 *results, i64 mask, u32 a, u32 b) { return results + 4 * (mixed(a, b) & mask); }

PART void keep(u32 *slot, u32 a, u32 b, u32 found) {
    slot[0] = a, slot[1] = b, slot[2] = found;
}

/* The node with these below it, or the other one where there is no room. */
static u32 node(diagram *d, u32 low, u32 high, u32 otherwise) {
    if (!(low | high)) return 0;
    u64 at = mixed(low, high) & d->slot_mask;
    for (u32 known; (known = d->slots[at]); at = (at + 1) & d->slot_mask)
        if (d->nodes[2 * (u64)known] == low && d->nodes[2 * (u64)known + 1] == high) return known;
    if (d->count >= d->room - d->room / SPARE) d->state = ROOM_IS_SHORT;
    if (d->count >= d->room) return otherwise;
    u32 made = d->count++;
    d->nodes[2 * (u64)made] = low, d->nodes[2 * (u64)made + 1] = high;
    d->closed[made] = 0;
    return d->slots[at] = made;
}

/* Both sets, or at least the first. */
static u32 joined(diagram *d, u32 a, u32 b) {
    if (a == b || !b) return a;
    if (!a) return b;
    if (d->state) return a;
    u32 x = a < b ? a : b, y = a < b ? b : a, *slot = result(d->joins, d->result_mask, x, y);
    if (slot[0] == x && slot[1] == y) return slot[2];
    u32 low = joined(d, d->nodes[2 * (u64)a], d->nodes[2 * (u64)b]);
    u32 high = joined(d, d->nodes[2 * (u64)a + 1], d->nodes[2 * (u64)b + 1]);
    u32 found = node(d, low, high, a);
    if (!d->state) keep(slot, x, y, found);
    return found;
}

static u32 product(diagram *d, u32 set, u32 step, u32 level);

/* The least set with this one that no step leaves which begins on this level or below it. */
static u32 closure(diagram *d, u32 set, u32 level) {
    if (set < 2) return set;
    if (d->closed[set]) return d->closed[set];
    u32 below[2] = {closure(d, d->nodes[2 * (u64)set], level + 1), closure(d, d->nodes[2 * (u64)set + 1], level + 1)};
    i64 is_larger = 1;
    while (is_larger && !d->state) {
        is_larger = 0;
        for (u32 r = d->first[level]; r < d->first[level + 1]; r++)
            for (u32 way = 0; way < 4; way++) {
                u32 step = d->steps[5 * (u64)d->relations[r] + 1 + way], from = below[way >> 1], to = below[way & 1];
                below[way & 1] = joined(d, to, product(d, from, step, level + 1));
                is_larger |= below[way & 1] != to;
            }
    }
    u32 found = node(d, below[0], below[1], set);
    if (!d->state) d->closed[set] = d->closed[found] = found;
    return found;
}

/* Where a step leads from a closed set, closed in turn. */
static u32 product(diagram *d, u32 set, u32 step, u32 level) {
    if (!set || !step || d->state) return 0;
    if (set == 1 || step == 1) return set;
    u32 *slot = result(d->products, d->result_mask, set, step);
    if (slot[0] == set && slot[1] == step) return slot[2];
    if (d->end) d->state = IS_ENDED;
    const u32 *below = d->nodes + 2 * (u64)set, *steps = d->steps + 5 * (u64)step;
    u32 low, high;
    if (steps[0] > level) {
        low = product(d, below[0], step, level + 1);
        high = product(d, below[1], step, level + 1);
    } else {
        low = product(d, below[0], steps[1], level + 1);
        low = joined(d, low, product(d, below[1], steps[3], level + 1));
        high = product(d, below[0], steps[2], level + 1);
        high = joined(d, high, product(d, below[1], steps[4], level + 1));
    }
    u32 found = closure(d, node(d, low, high, 0), level);
    if (!d->state) keep(slot, set, step, found);
    return found;
}

/* Go on with the root until nothing is missing, or `state` says why not. */
void saturate(diagram *d) {
    d->state = GOES_ON;
    d->root = closure(d, d->root, 0);
}

/* The root with one more state: its bits, from the highest level to the lowest. */
void add_state(diagram *d, const uint8_t *bits, i64 levels) {
    u32 chain = 1;
    for (i64 level = levels - 1; level >= 0; level--)
        chain = bits[level] ? node(d, 0, chain, 0) : node(d, chain, 0, 0);
    d->root = joined(d, d->root, chain);
}

/* How many states each node up to the root has, as near as a floating number comes to that. */
void weigh(const diagram *d, double *weights) {
    weights[0] = 0, weights[1] = 1;
    for (i64 i = 2; i <= d->root; i++) weights[i] = weights[d->nodes[2 * i]] + weights[d->nodes[2 * i + 1]];
}

/* Fill larger tables that are still empty: with the nodes, and with the results of smaller ones. */
void move(diagram *d, const u32 *joins, const u32 *products, i64 results) {
    for (i64 i = 2; i < d->count; i++) {
        u64 at = mixed(d->nodes[2 * i], d->nodes[2 * i + 1]) & d->slot_mask;
        while (d->slots[at]) at = (at + 1) & d->slot_mask;
        d->slots[at] = i;
    }
    for (const u32 *old = joins; old < joins + 4 * results; old += 4)
        if (old[0]) keep(result(d->joins, d->result_mask, old[0], old[1]), old[0], old[1], old[2]);
    for (const u32 *old = products; old < products + 4 * results; old += 4)
        if (old[0]) keep(result(d->products, d->result_mask, old[0], old[1]), old[0], old[1], old[2]);
}
