/* What is reachable, as a diagram: all of it by saturation, closed under all steps from the lowest bits upwards, or
   level by level with the distance of each state.

   What runs is saturation.ll, LLVM's text of this file; see engines/compiled/loops.c. Arrays belong to Python.

   A set of states is a node of the highest level, one level for each bit. 0 is the empty set and 1 what is below the
   lowest bit; no bit is skipped, so a node's level need not be stored. An edge adds a distance to those below it. The
   least distance in a node is 0, so it is enough to store how much farther its one edge is than the other, 0 for a mere
   set. A node of a relation has its level and one node below for each value of its bit before and after a step; where
   it has none for a level that bit stays as it is, and 1 leaves all bits as they are from there on.

   When the room is short, or Python wants an end, everything returns with what it has: less than what was asked for,
   but reachable, so the next call goes on from there. Such results are never kept. */

#include <stdint.h>

typedef int32_t i32;
typedef int64_t i64;
typedef uint64_t u64;
typedef uint32_t u32;

#define PART static inline __attribute__((always_inline))
#define SPARE 16 /* one part in so many of the room is for what is under way when it runs short */

enum { GOES_ON, ROOM_IS_SHORT, IS_ENDED };

/* A node of sets. */
typedef struct {
    u32 below[2]; /* where its bit is 0, and where it is 1 */
    i32 more;     /* how much farther the second is */
    u32 closed;   /* the node that it becomes, 0 while that is not known */
} inner;

/* See saturation.py. */
typedef struct {
    inner *nodes;
    u32 *slots; /* the table that knows which nodes there are, 0 where it is free */
    u32 *joins, *products, *nears; /* of what was computed last the arguments and the result, four numbers each */
    const u32 *steps; /* of each node of a relation its level, and the nodes below: 0 to 0, 0 to 1, 1 to 0, 1 to 1 */
    const u32 *relations; /* those that begin on each level, one level after the other */
    const u32 *first;     /* of each level where its relations begin there */
    i64 count, room;      /* of nodes */
    i64 slot_mask, result_mask;
    i64 root, state;
    i64 is_closing;   /* are products closed? */
    i64 targets;      /* that `nearest` was asked for */
    i64 chosen, near; /* what it answered */
    volatile i64 end; /* set while a thread is busy with it, and looked at by that one */
} diagram;

/* A set, each state of it so much farther than its node says. */
typedef struct {
    i32 distance;
    u32 node;
} edge;

#define NOTHING ((edge){0, 0})
#define FAR INT32_MAX

PART u64 mixed(u64 a, u64 b) {
    u64 out = (a * 0x9E3779B97F4A7C15) ^ (b * 0xC2B2AE3D27D4EB4F);
    out = (out ^ (out >> 29)) * 0xBF58476D1CE4E5B9;
    return out ^ (out >> 32);
}

PART u64 hashed(u32 a, u32 b, u32 c) { return mixed(a | (u64)c << 32, b); }

PART u32 *result(u32 *results, i64 mask, u32 a, u32 b, u32 c) { return results + 4 * (hashed(a, b, c) & mask); }

PART void keep(u32 *slot, u32 a, u32 b, u32 c, u32 found) {
    slot[0] = a, slot[1] = b, slot[2] = c, slot[3] = found;
}

PART edge farther(edge e, i32 more) { return e.node ? (edge){e.distance + more, e.node} : NOTHING; }

/* What is below a node where its bit has a value. */
PART edge below(const diagram *d, u32 node, u32 bit) {
    const inner *n = d->nodes + node;
    i32 more = bit ? n->more : -n->more;
    return (edge){more > 0 ? more : 0, n->below[bit]};
}

/* What is below a step, by the values of this level's bit before and after it. */
PART u32 taken(const diagram *d, u32 step, u32 level, u32 way) {
    const u32 *steps = d->steps + 5 * (u64)step;
    return steps[0] == level ? steps[1 + way] : way == 0 || way == 3 ? step : 0;
}

/* The node with these below it, or the other one where there is no room. */
static edge node(diagram *d, edge low, edge high, edge otherwise) {
    if (!(low.node | high.node)) return NOTHING;
    i32 more = low.node && high.node ? high.distance - low.distance : 0;
    i32 least = low.node && (!high.node || more > 0) ? low.distance : high.distance;
    u64 at = hashed(low.node, high.node, more) & d->slot_mask;
    for (u32 known; (known = d->slots[at]); at = (at + 1) & d->slot_mask) {
        const inner *n = d->nodes + known;
        if (n->below[0] == low.node && n->below[1] == high.node && n->more == more) return (edge){least, known};
    }
    if (d->count >= d->room - d->room / SPARE) d->state = ROOM_IS_SHORT;
    if (d->count >= d->room) return otherwise;
    u32 made = d->count++;
    d->nodes[made] = (inner){{low.node, high.node}, more, 0};
    return (edge){least, d->slots[at] = made};
}

/* Both sets with the lesser distances, or at least the first. */
static edge joined(diagram *d, edge a, edge b) {
    if (!b.node) return a;
    if (!a.node) return b;
    if (a.node == b.node) return a.distance <= b.distance ? a : b;
    if (d->state) return a;
    edge x = a.node < b.node ? a : b, y = a.node < b.node ? b : a;
    i32 least = x.distance < y.distance ? x.distance : y.distance, more = y.distance - x.distance;
    u32 *slot = result(d->joins, d->result_mask, x.node, y.node, more);
    if (slot[0] == x.node && slot[1] == y.node && slot[2] == (u32)more) return (edge){least, slot[3]};
    edge low = joined(d, farther(below(d, a.node, 0), a.distance), farther(below(d, b.node, 0), b.distance));
    edge high = joined(d, farther(below(d, a.node, 1), a.distance), farther(below(d, b.node, 1), b.distance));
    edge found = node(d, low, high, a);
    if (!d->state) keep(slot, x.node, y.node, more, found.node);
    return found;
}

static edge product(diagram *d, u32 set, u32 step, u32 level);

/* The least set with this one, without distances, that no step leaves which begins on this level or below it. */
static u32 closure(diagram *d, u32 set, u32 level) {
    if (set < 2) return set;
    if (d->nodes[set].closed) return d->nodes[set].closed;
    edge parts[2];
    for (u32 bit = 0; bit < 2; bit++) parts[bit] = (edge){0, closure(d, below(d, set, bit).node, level + 1)};
    i64 is_larger = 1;
    while (is_larger && !d->state) {
        is_larger = 0;
        for (u32 r = d->first[level]; r < d->first[level + 1]; r++)
            for (u32 way = 0; way < 4; way++) {
                u32 step = d->steps[5 * (u64)d->relations[r] + 1 + way], to = parts[way & 1].node;
                parts[way & 1] = joined(d, parts[way & 1], product(d, parts[way >> 1].node, step, level + 1));
                is_larger |= parts[way & 1].node != to;
            }
    }
    u32 found = node(d, parts[0], parts[1], (edge){0, set}).node;
    if (!d->state) d->nodes[set].closed = d->nodes[found].closed = found;
    return found;
}

/* Where a step leads, which adds nothing to distances; closed in turn if the set is. */
static edge product(diagram *d, u32 set, u32 step, u32 level) {
    if (!set || !step || d->state) return NOTHING;
    if (set == 1 || step == 1) return (edge){0, set};
    u32 *slot = result(d->products, d->result_mask, set, step, 0);
    if (slot[0] == set && slot[1] == step) return (edge){slot[2], slot[3]};
    if (d->end) d->state = IS_ENDED;
    edge one = below(d, set, 0), other = below(d, set, 1), low, high;
    const u32 *steps = d->steps + 5 * (u64)step;
    if (steps[0] > level) {
        low = farther(product(d, one.node, step, level + 1), one.distance);
        high = farther(product(d, other.node, step, level + 1), other.distance);
    } else {
        low = farther(product(d, one.node, steps[1], level + 1), one.distance);
        low = joined(d, low, farther(product(d, other.node, steps[3], level + 1), other.distance));
        high = farther(product(d, one.node, steps[2], level + 1), one.distance);
        high = joined(d, high, farther(product(d, other.node, steps[4], level + 1), other.distance));
    }
    edge found = node(d, low, high, NOTHING);
    if (d->is_closing) found.node = closure(d, found.node, level);
    if (!d->state) keep(slot, set, step, found.distance, found.node);
    return found;
}

/* Go on with the root until nothing is missing, or `state` says why not. */
void saturate(diagram *d) {
    d->state = GOES_ON, d->is_closing = 1;
    d->root = closure(d, d->root, 0);
}

/* Where those steps lead that begin on this level or below it. */
static edge image(diagram *d, u32 set, u32 level) {
    if (set < 2 || d->state) return NOTHING;
    u32 *slot = result(d->products, d->result_mask, set, 0, 0);
    if (slot[0] == set && slot[1] == 0) return (edge){slot[2], slot[3]};
    edge parts[2];
    for (u32 bit = 0; bit < 2; bit++) {
        edge from = below(d, set, bit);
        parts[bit] = farther(image(d, from.node, level + 1), from.distance);
    }
    for (u32 r = d->first[level]; r < d->first[level + 1]; r++)
        for (u32 way = 0; way < 4; way++) {
            edge from = below(d, set, way >> 1);
            edge to = product(d, from.node, d->steps[5 * (u64)d->relations[r] + 1 + way], level + 1);
            parts[way & 1] = joined(d, parts[way & 1], farther(to, from.distance));
        }
    edge found = node(d, parts[0], parts[1], NOTHING);
    if (!d->state) keep(slot, set, 0, found.distance, found.node);
    return found;
}

/* The root with all that is one step farther than its farthest states; unchanged if `state` says why. */
void advance(diagram *d) {
    d->state = GOES_ON, d->is_closing = 0;
    edge root = joined(d, (edge){0, d->root}, farther(image(d, d->root, 0), 1));
    if (!d->state) d->root = root.node;
}

/* The root with one more state: its bits, from the highest level to the lowest. */
void add_state(diagram *d, const uint8_t *bits, i64 levels) {
    edge chain = {0, 1};
    for (i64 level = levels - 1; level >= 0; level--)
        chain = bits[level] ? node(d, NOTHING, chain, NOTHING) : node(d, chain, NOTHING, NOTHING);
    d->root = joined(d, (edge){0, d->root}, chain).node;
}

/* Of each node up to the root how many states it has, as near as a floating number comes to that, and how far it goes. */
void weigh(const diagram *d, double *weights, i32 *depths) {
    weights[0] = 0, weights[1] = 1;
    depths[0] = depths[1] = 0;
    for (i64 i = 2; i <= d->root; i++) {
        edge low = below(d, i, 0), high = below(d, i, 1);
        i32 one = low.distance + depths[low.node], other = high.distance + depths[high.node];
        weights[i] = weights[low.node] + weights[high.node];
        depths[i] = one > other ? one : other;
    }
}

/* The least distance of a state in this set from which a step leads to the target, or anywhere if there is none. */
static i32 nearness(diagram *d, u32 set, u32 step, u32 level, const uint8_t *target) {
    if (!set || !step) return FAR;
    if (set == 1 || (step == 1 && !target)) return 0;
    u32 number = target ? d->targets : 0, *slot = result(d->nears, d->result_mask, set, step, number);
    if (slot[0] == set && slot[1] == step && slot[2] == number) return slot[3];
    i32 found = FAR;
    for (u32 way = 0; way < 4; way++) {
        if (target && target[level] != (way & 1)) continue;
        edge from = below(d, set, way >> 1);
        i32 near = nearness(d, from.node, taken(d, step, level, way), level + 1, target);
        if (near != FAR && near + from.distance < found) found = near + from.distance;
    }
    keep(slot, set, step, number, found);
    return found;
}

/* Of all states from which one of these steps leads to the target, or anywhere if there is none, one with the least
   distance: its bits, `near` for its distance or FAR if there is none, and `chosen` for the step. */
void nearest(diagram *d, const u32 *steps, i64 count, const uint8_t *target, uint8_t *bits, i64 levels) {
    d->near = FAR, d->targets += !!target;
    for (i64 i = 0; i < count; i++) {
        i32 near = nearness(d, d->root, steps[i], 0, target);
        if (near < d->near) d->near = near, d->chosen = i;
    }
    if (d->near == FAR) return;
    u32 set = d->root, step = steps[d->chosen];
    i32 left = d->near;
    for (i64 level = 0; level < levels; level++)
        for (u32 way = 0; way < 4; way++) {
            edge from = below(d, set, way >> 1);
            u32 next = taken(d, step, level, way);
            if (target && target[level] != (way & 1)) continue;
            if (nearness(d, from.node, next, level + 1, target) != left - from.distance) continue;
            set = from.node, step = next, left -= from.distance, bits[level] = way >> 1;
            break;
        }
}

/* Fill larger tables that are still empty: with the nodes, and with the results of smaller ones. */
void move(diagram *d, const u32 *joins, const u32 *products, i64 results) {
    for (i64 i = 2; i < d->count; i++) {
        const inner *n = d->nodes + i;
        u64 at = hashed(n->below[0], n->below[1], n->more) & d->slot_mask;
        while (d->slots[at]) at = (at + 1) & d->slot_mask;
        d->slots[at] = i;
    }
    for (const u32 *old = joins; old < joins + 4 * results; old += 4)
        if (old[0]) keep(result(d->joins, d->result_mask, old[0], old[1], old[2]), old[0], old[1], old[2], old[3]);
    for (const u32 *old = products; old < products + 4 * results; old += 4)
        if (old[0]) keep(result(d->products, d->result_mask, old[0], old[1], 0), old[0], old[1], old[2], old[3]);
}
