/* The loops over states: one file for all models, which are handed in as the addresses of their generated functions.

   What runs is loops.ll, LLVM's text of this file, so that nobody needs a C compiler. `pytest tests/test_loops.py`
   makes it anew and compares; with --rewrite-golden it writes it. Arrays belong to Python, which makes room in them
   between calls and says in the structs where they are (see `Struct` in machine.py). A state is a row of `words()`
   numbers of 63 bits: how many these are is known when the text is loaded, so that loops over a state's words cost
   little. */

#include <stdint.h>

typedef int64_t i64;
typedef uint64_t u64;
typedef uint32_t u32;

extern i64 words(void) __attribute__((const));

#define PART static inline __attribute__((always_inline))
#define WORD_BITS 63
#define TRANSITION_MASK ((1 << 20) - 1)

/* The generated functions of a model; see codegen.py. */
typedef struct {
    i64 (*expand)(const i64 *state, i64 *rows, i64 *bounds, i64 *bits);
    i64 (*examine)(const i64 *state, i64 *bits);
} functions;

/* States and what each was reached from, and the table that knows which these are; see store.py. */
typedef struct {
    i64 *states;
    u32 *parents;
    i64 *slots;
    i64 size; /* of the table */
} store;

/* The steps of neighbouring states, in order, and what was noted while they were computed; see machine.py.

   A row of `stride` words is the state after a step, the step's tag and a bit for each step claim that it violates. */
typedef struct {
    i64 *rows;
    u32 *origins; /* of each row the state that the step begins in */
    u64 *hashes;
    i64 *bounds, *taken;           /* how many steps each bound cut off, and how many each transition has */
    i64 *violated, *bits, *seen;   /* see `expand_states` */
    const i64 *pending;            /* a bit for each state claim that is not decided */
    i64 stride, room;              /* of rows: how wide they are, and for how many there is room */
    i64 bound_count, transitions, step_words, bit_words; /* the lengths of bounds, taken, violated and bits */
    i64 next, ready, sound;        /* the state to go on with; how many rows; how many before the model goes wrong */
    i64 first, levels, widest;     /* see `descend` */
} batch;

/* What a search has counted; see machine.py. */
typedef struct {
    i64 *bounds, *taken, *fresh;
    const i64 *pending; /* a bit for each step claim that is not decided */
    i64 count, most, steps;
} statistics;

/* -- the table of states: which of them are known, exactly ------------------------------------------------------------

   A slot is 0 where it is free. Of a state of one word it has the hash, which no other such state has. Of a longer one
   it has the state's index and the high bits of its hash, so that most unequal states are told apart without reading
   them; the comparison that decides is of whole states.

   The highest bits of a hash choose its slot, in a table of any size, so a slot's place in a larger table follows from
   the slot itself: a table grows in one pass from left to right over the old and the new one, and no state is read. */

#define INDEX_BITS 32
#define PLACE_BITS (64 - INDEX_BITS - 1) /* so many of a hash's highest bits are in a slot and choose its place */
#define TAG_SHIFT (64 - PLACE_BITS)
#define AHEAD 64 /* how many rows before its turn a row's place in the table is asked for */

/* The hash of a state. One word and its hash determine each other: every step can be undone. The highest bit of the
   first constant is set, which no word has: so the hash of a state of one word is never 0. */
PART u64 hash(const i64 *state) {
    u64 out = 0xA0761D6478BD642F;
    for (i64 i = 0; i < words(); i++) {
        out = (out ^ (u64)state[i]) * 0x9E3779B97F4A7C15;
        out ^= out >> 32;
    }
    out *= 0xD6E8FEB86659FD93;
    return out ^ (out >> 32);
}

PART i64 is_same(const i64 *a, const i64 *b) {
    for (i64 i = 0; i < words(); i++)
        if (a[i] != b[i]) return 0;
    return 1;
}

PART void copy(const i64 *from, i64 *to) {
    for (i64 i = 0; i < words(); i++) to[i] = from[i];
}

/* Where in a table of this size to begin, for the highest bits of a hash. */
PART i64 place(i64 tag, i64 size) { return (tag * size) >> PLACE_BITS; }

PART i64 place_of(u64 value, i64 size) { return place(value >> TAG_SHIFT, size); }

PART i64 after(i64 at, i64 size) { return at + 1 < size ? at + 1 : 0; }

/* What a slot says of the state with this hash and index. */
PART i64 entry(u64 value, i64 index) {
    if (words() == 1) return value;
    return ~((i64)(value >> TAG_SHIFT) << INDEX_BITS | index);
}

/* The free slot where a state with this hash belongs, or -1 if an equal one is stored. */
PART i64 find(const i64 *states, const i64 *slots, i64 size, const i64 *state, u64 value) {
    i64 at = place_of(value, size), slot = slots[at];
    if (words() == 1) {
        for (; slot != 0; slot = slots[at]) {
            if (slot == (i64)value) return -1;
            at = after(at, size);
        }
        return at;
    }
    i64 tag = ~(i64)(value >> TAG_SHIFT);
    for (; slot != 0; slot = slots[at]) {
        if (slot >> INDEX_BITS == tag && is_same(states + (~slot & 0xFFFFFFFF) * words(), state)) return -1;
        at = after(at, size);
    }
    return at;
}

/* Have a hash's place in the table brought into the cache. */
PART void ask_for(const i64 *slots, i64 size, u64 value) { __builtin_prefetch(slots + place_of(value, size)); }

PART i64 free_slot(const i64 *slots, i64 size, i64 at) {
    while (slots[at] != 0) at = after(at, size);
    return at;
}

/* The hash of each of so many states. */
void hash_rows(const i64 *states, i64 count, u64 *hashes) {
    for (i64 i = 0; i < count; i++) hashes[i] = hash(states + i * words());
}

/* Fill an empty table with so many states, which are all different. */
void enter(const i64 *states, i64 count, i64 *slots, i64 size) {
    for (i64 i = 0; i < count; i++) {
        if (i + AHEAD < count) ask_for(slots, size, hash(states + (i + AHEAD) * words()));
        u64 value = hash(states + i * words());
        slots[free_slot(slots, size, place_of(value, size))] = entry(value, i);
    }
}

/* Enter what a part of a table has into a larger one, too. */
void move(const i64 *old, i64 first, i64 end, i64 *slots, i64 size) {
    for (i64 i = first; i < end; i++) {
        i64 slot = old[i];
        if (slot == 0) continue;
        i64 at = words() == 1 ? place_of(slot, size) : place(~slot >> INDEX_BITS, size);
        slots[free_slot(slots, size, at)] = slot;
    }
}

/* -- the search -------------------------------------------------------------------------------------------------- */

/* Note a state's index for the claims that it decides, unless an earlier one of the batch does. */
PART void note(batch *b, i64 index) {
    for (i64 word = 0; word < b->bit_words; word++) {
        i64 hits = b->bits[word] & b->pending[word];
        if (hits == 0) continue;
        for (i64 bit = 0; bit < WORD_BITS; bit++)
            if (hits >> bit & 1 && b->seen[word * WORD_BITS + bit] < 0) b->seen[word * WORD_BITS + bit] = index;
    }
}

/* Fill a batch with the steps from state `first` and later ones, up to `stop` or until there are more than `limit`.

   Everything is done here that needs no order: `next` gets the state to go on with, `ready` the number of rows,
   `sound` that of rows before the first in which the model goes wrong; `taken` counts the transitions, `violated` has
   a bit for each step claim that a row violates, `seen` gets for each state claim that is pending the first state that
   decides it. The states are only read; what is decided by now may still be pending here, and is looked at again when
   stored. */
void expand_states(const functions *model, const i64 *states, i64 first, i64 stop, i64 limit, batch *b) {
    i64 stride = b->stride, step_words = b->step_words, *row = b->rows, *taken = b->taken, *violated = b->violated;
    i64 ready = 0, state = first, fault = -1;
    u64 *hashes = b->hashes;
    u32 *origins = b->origins;
    for (; state < stop && ready <= limit; state++) {
        i64 end = ready + model->expand(states + state * words(), row, b->bounds, b->bits);
        note(b, state);
        for (; ready < end; ready++, row += stride) {
            i64 tag = row[words()];
            if (tag < 0 && fault < 0) fault = ready;
            taken[tag & TRANSITION_MASK] += 1;
            for (i64 i = 0; i < step_words; i++) violated[i] |= row[words() + 1 + i];
            hashes[ready] = hash(row);
            origins[ready] = state;
        }
    }
    b->next = state, b->ready = ready, b->sound = fault < 0 ? ready : fault;
}

/* As `expand_states`, for states whose steps are not wanted; the first of them has index `first`. */
void examine_states(const functions *model, const i64 *states, i64 count, i64 first, batch *b) {
    for (i64 i = 0; i < count; i++) {
        model->examine(states + i * words(), b->bits);
        note(b, first + i);
    }
}

/* Store those of the first `ready` rows of a batch that are new, in order.

   Gives the row at which as many states as may be were stored and one more was to be, or `ready`. */
i64 insert(store *s, statistics *total, const batch *b, i64 ready) {
    i64 *states = s->states, *slots = s->slots, *fresh = total->fresh, count = total->count, most = total->most;
    i64 size = s->size, stride = b->stride, row = 0;
    const i64 *state = b->rows;
    const u64 *hashes = b->hashes;
    for (; row < ready; row++, state += stride) {
        if (row + AHEAD < ready) ask_for(slots, size, hashes[row + AHEAD]);
        i64 slot = find(states, slots, size, state, hashes[row]);
        if (slot < 0) continue;
        if (count >= most) break;
        slots[slot] = entry(hashes[row], count);
        copy(state, states + count * words());
        s->parents[count] = b->origins[row];
        fresh[state[words()] & TRANSITION_MASK] += 1;
        count++;
    }
    total->count = count;
    return row;
}

PART void hand_over(i64 *counts, i64 length, i64 *totals) {
    for (i64 i = 0; i < length; i++) totals[i] += counts[i], counts[i] = 0;
}

PART i64 any_of(const i64 *bits, const i64 *pending, i64 length) {
    for (i64 i = 0; i < length; i++)
        if (bits[i] & pending[i]) return 1;
    return 0;
}

/* Expand and store up to so many whole levels from state `b->next` on, as long as none has more than `narrow` states.

   It ends with a level that was expanded and not stored where something is to be looked at first: its steps find no
   `room`, go wrong or violate a claim that is pending. The batch is then as after `expand_states`, else it has no rows.
   `first` is the first state of which no step is stored, `levels` are those that led to new states, `widest` is the
   most rows that a level had. */
void descend(const functions *model, i64 levels, i64 narrow, i64 room, store *s, statistics *total, batch *b) {
    i64 first = b->next, end = total->count, gone = 0, widest = 0;
    while (first < end && gone < levels && end - first <= narrow) {
        expand_states(model, s->states, first, end, b->room, b);
        i64 ready = b->ready;
        if (ready > widest) widest = ready;
        if (b->sound < ready || end + ready > room || any_of(b->violated, total->pending, b->step_words)) break;
        insert(s, total, b, ready);
        total->steps += ready;
        hand_over(b->bounds, b->bound_count, total->bounds);
        hand_over(b->taken, b->transitions, total->taken);
        b->ready = b->sound = 0;
        first = end, end = total->count;
        if (end > first) gone++;
    }
    b->first = first, b->levels = gone, b->widest = widest;
}

/* Remember the first step that violates a claim, for every pending one, among the first rows of a batch. */
void judge(const batch *b, i64 end, i64 *pending, i64 *found) {
    const i64 *tag = b->rows + words();
    for (i64 row = 0; row < end; row++, tag += b->stride)
        for (i64 word = 0; word < b->step_words; word++) {
            i64 hits = tag[1 + word] & pending[word], *places = found + 2 * WORD_BITS * word;
            pending[word] &= ~hits;
            for (; hits != 0; hits >>= 1, places += 2)
                if (hits & 1) places[0] = b->origins[row], places[1] = *tag;
        }
}

/* -- state graphs: see `numbered_steps` in search.py and difference/behaviour.py ------------------------------------ */

/* Put the numbers of so many states, which are all different, into an open table of -1s; `mask` is its size less 1. */
void number_states(const i64 *states, i64 count, int32_t *table, i64 mask) {
    for (i64 i = 0; i < count; i++) {
        i64 at = hash(states + i * words()) & mask;
        while (table[at] != -1) at = (at + 1) & mask;
        table[at] = i;
    }
}

/* The numbers of the states that the steps of a batch lead to; -1 for one that is not in the table. */
void numbers_of(const i64 *states, const int32_t *table, i64 mask, const batch *b, int32_t *numbers) {
    const i64 *state = b->rows;
    for (i64 row = 0; row < b->ready; row++, state += b->stride) {
        i64 at = b->hashes[row] & mask;
        while (table[at] != -1 && !is_same(states + table[at] * words(), state)) at = (at + 1) & mask;
        numbers[row] = table[at];
    }
}

/* State i of a labelled graph has the steps first[i] up to first[i + 1] of `labels` and `targets`. */
typedef struct {
    const i64 *first;
    const int32_t *labels, *targets;
    i64 states;
} graph;

/* Has state `state` a step with this event into this block, among those before `end`? */
PART i64 has_step(const graph *g, const int32_t *blocks, i64 state, i64 end, i64 label, i64 block) {
    for (i64 i = g->first[state]; i < end; i++)
        if (g->labels[i] == label && blocks[g->targets[i]] == block) return 1;
    return 0;
}

/* Not 0, whatever the event and the block: a sum of these says of each whether it is there. */
PART u64 mix(u64 label, u64 block) {
    u64 out = ((label + 1) ^ block << 32) * 0x9E3779B97F4A7C15;
    out = (out ^ out >> 32) * 0xD6E8FEB86659FD93;
    return out ^ out >> 32;
}

/* Number equal codes alike, from 0 in the order in which they come; gives how many are different.

   `places` has where each number comes first. A slot has a number and one, or 0; `mask` is how many there are, less 1. */
i64 number_alike(const i64 *codes, i64 count, u32 *slots, i64 mask, int32_t *numbers, i64 *places) {
    i64 found = 0;
    for (i64 i = 0; i < count; i++) {
        i64 at = mix(codes[i], 0) & mask;
        while (slots[at] != 0 && codes[places[slots[at] - 1]] != codes[i]) at = (at + 1) & mask;
        if (slots[at] == 0) places[found++] = i, slots[at] = found;
        numbers[i] = slots[at] - 1;
    }
    return found;
}

/* For each state a hash of its own block and of the set of (event, block of the target) of its steps. */
void sign(const graph *g, const int32_t *blocks, u64 *signs) {
    for (i64 state = 0; state < g->states; state++) {
        u64 total = mix(blocks[state], 0x7FFFFFFF);
        for (i64 i = g->first[state]; i < g->first[state + 1]; i++) {
            i64 label = g->labels[i], block = blocks[g->targets[i]];
            if (!has_step(g, blocks, state, i, label, block)) total += mix(label, block);
        }
        signs[state] = total;
    }
}

/* Has state `a` for each step of `b` one with the same event into the same block? */
PART i64 follows(const graph *g, const int32_t *blocks, i64 a, i64 b) {
    for (i64 i = g->first[b]; i < g->first[b + 1]; i++)
        if (!has_step(g, blocks, a, g->first[a + 1], g->labels[i], blocks[g->targets[i]])) return 0;
    return 1;
}

/* The first state with a step that the example of its block cannot follow, or the other way round; else -1. */
i64 first_unlike(const graph *g, const int32_t *blocks, const i64 *examples) {
    for (i64 state = 0; state < g->states; state++) {
        i64 example = examples[blocks[state]];
        if (!follows(g, blocks, example, state) || !follows(g, blocks, state, example)) return state;
    }
    return -1;
}

/* -- graphs of runs: see liveness/components.py -------------------------------------------------------------------- */

/* Number the strong components of the states that have 0 in `component`, where the others have -1; gives their count.

   Tarjan's search with stacks of its own: the states that are open, and the path to the one that is looked at. An open
   state has the lowest place among these that it is known to come back to, from 1 on. One whose component is complete
   has its number n as -2 - n until the end: as an unsigned number more than any place. `next` has room for the next
   step of each state, `stacks` for both stacks. */
i64 strong_components(const i64 *first, const int32_t *targets, i64 states, int32_t *component, i64 *next,
                      int32_t *stacks) {
    int32_t *open = stacks, *path = stacks + states;
    i64 count = 0;
    for (i64 root = 0; root < states; root++) {
        if (component[root] != 0) continue;
        i64 opened = 0, depth = 1;
        path[0] = root;
        while (depth > 0) {
            i64 state = path[depth - 1];
            if (component[state] == 0) open[opened] = state, component[state] = ++opened, next[state] = first[state];
            if (next[state] < first[state + 1]) {
                i64 target = targets[next[state]];
                if (component[target] == 0) path[depth++] = target; /* and then this step is looked at again */
                else if (next[state]++, (u32)component[target] < (u32)component[state])
                    component[state] = component[target];
                continue;
            }
            depth--;
            if (open[component[state] - 1] != state) continue;
            do component[open[--opened]] = -2 - count; while (open[opened] != state);
            count++;
        }
    }
    for (i64 state = 0; state < states; state++) component[state] = -2 - component[state];
    return count;
}

/* The sources of all steps, by their targets; `ends` of each target's become their beginnings. */
void turn_round(const i64 *first, const int32_t *targets, i64 states, i64 *ends, int32_t *sources) {
    for (i64 state = 0; state < states; state++)
        for (i64 i = first[state]; i < first[state + 1]; i++) sources[--ends[targets[i]]] = state;
}
