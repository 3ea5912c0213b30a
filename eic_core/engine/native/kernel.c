/* The native engine: a tape, chunk by chunk of samples, in compiled code.
 *
 * Values come from the inner loops of NumPy's own ufuncs, so that they are the numbers that a
 * NumPy user sees; the recursion of Algorithm 1 (Yu et al., Eq. recursive_relation) and the rules
 * at its edges come from operators.h, which the build makes from the operator table.  Nothing here
 * allocates, and nothing touches Python: callers hold no lock. */

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#if defined(__x86_64__) && defined(__linux__) && defined(__GNUC__) && !defined(__clang__)
#define CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define CLONES
#endif

/* The rows of a loop do not depend on each other, whatever its pointers seem to say. */
#if defined(__clang__)
#define INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#elif defined(__GNUC__)
#define INDEPENDENT _Pragma("GCC ivdep")
#else
#define INDEPENDENT
#endif

#include <operators.h>

typedef void (*Loop)(char **args, const intptr_t *count, const intptr_t *strides, void *data);

/* What a slot holds: a leaf, or an entry: an operator with its program. */
enum { COLUMN = -1, CONSTANT = -2, CONSTANT_HIGH = -3, CONSTANT_LOW = -4, CONSTANT_ROUNDED = -5 };

/* Words of an entry: code, operands, first instruction, instructions, constants, loop of the helper
 * or -1. */
enum { CODE, OPERANDS, FIRST_INSTRUCTION, INSTRUCTIONS, CONSTANTS, HELPER, WIDTH };
enum { EDGES = 1, SIGNS = 2, VALUES_ONLY = 4, FIRST_BAD_ENDS = 8, SHORTEST = 16 };

enum { INSTRUCTION = 4 };  /* loop, inputs, first input, second input */

/* A tape, as it is kept. */
typedef struct {
    int64_t slots, operands;
    int64_t population;               /* whether it holds many formulas */
    int32_t *numbers;                 /* kinds, operands; room for five numbers a slot */
    double *parameters;               /* and constants */
    const void *const *tables;
    /* What follows is found by eic_pack. */
    double *constants;
    int32_t *reads, *buffer, *slot_of;
    int64_t buffers;                  /* how many the slots share */
} Packed;

/* A run of it, as it is asked for. */
typedef struct {
    const Packed *tape;
    int64_t slots, rows, chunk, mode;
    int64_t skip, out;                /* bits of a status: nothing more to do; not in the sums */
    const int64_t *columns;           /* addresses of the columns, in the order of their leaves */
    double *space;                    /* results, then scratch */
    const int64_t *keep_y, *keep_s2;  /* addresses by slot, or 0; or null */
    const int64_t *keep_terms;        /* addresses by operand of the tape */
} Asked;

typedef struct {
    int64_t slots, rows, chunk, mode, skip, out;
    const int32_t *kinds;             /* per slot: a leaf's code, or the number of an entry */
    const int32_t *operands;          /* of all slots, one after the other */
    const double *parameters;         /* per slot: a constant, or the exact parameter */
    const double *constants;          /* of all programs, one after the other */
    const int32_t *entries, *program; /* tables of the library */
    const int64_t *loops, *columns;   /* pairs: function, data */
    const int32_t *buffer;            /* per slot: which buffer it has, if they are shared */
    int64_t population, held;         /* held: how many buffers there are */
    double *scratch;
    double *sum;                      /* per slot, over the samples that are in */
    double *edge_sum;                 /* per operand of the tape */
    int64_t *singular;                /* per slot, how many */
    int64_t *signs;                   /* per slot: 1 positive, 2 negative; of a population, 1 if
                                         a sample is out or singular */
    int64_t *counts;                  /* COUNTS numbers */
    uint8_t *status;                  /* per sample of the last slot; all 0 unless counted */
    int32_t *dead;
    const int64_t *keep_y, *keep_s2, *keep_terms;
} Call;

enum { SINGULAR_ROWS, MARKED_ROWS, COUNTS };

int64_t eic_codes(void) { return (int64_t)(sizeof TABLE / sizeof TABLE[0]); }
const char *eic_name(int64_t code) { return TABLE[code].name; }
int64_t eic_call_size(void) { return (int64_t)(sizeof(Packed) + sizeof(Asked)); }

CLONES static double sum_of(const double *x, int64_t n)
{
    double lanes[8] = {0};
    int64_t r = 0;
    for (; r + 8 <= n; r += 8)
        for (int i = 0; i < 8; i++)
            lanes[i] += x[r + i];
    double total = 0;
    for (; r < n; r++)
        total += x[r];
    for (int i = 0; i < 8; i++)
        total += lanes[i];
    return total;
}

/* Of the samples whose mask is not 0. */
CLONES static double sum_where(const double *x, const int64_t *ok, int64_t n)
{
    double lanes[8] = {0};
    int64_t r = 0;
    for (; r + 8 <= n; r += 8)
        for (int i = 0; i < 8; i++)
            lanes[i] += choose(ok[r + i] != 0, x[r + i], 0);
    double total = 0;
    for (; r < n; r++)
        total += choose(ok[r] != 0, x[r], 0);
    for (int i = 0; i < 8; i++)
        total += lanes[i];
    return total;
}

CLONES static int64_t not_normal(const double *x, int64_t n)
{
    int64_t bad = 0;
    for (int64_t r = 0; r < n; r++)
        bad += !(fabs(x[r]) >= DBL_MIN);
    return bad;
}

CLONES static int64_t not_finite(const double *x, int64_t n)
{
    int64_t bad = 0;
    for (int64_t r = 0; r < n; r++)
        bad += !(fabs(x[r]) <= DBL_MAX);
    return bad;
}

/* The samples that are in and not singular; adds the others to `odd`, and counts them. */
CLONES static int64_t leave_singular(const double *restrict s2, const int64_t *restrict ok,
                                     int64_t *restrict fine, int64_t *restrict odd, int64_t n)
{
    int64_t found = 0;
    INDEPENDENT
    for (int64_t r = 0; r < n; r++) {
        const int64_t out = ok[r] & -(int64_t)!(s2[r] <= SINGULAR_S2);
        fine[r] = ok[r] & ~out;
        odd[r] |= out;
        found -= out;
    }
    return found;
}

CLONES static int64_t count_of(const int64_t *mask, int64_t n)
{
    int64_t found = 0;
    for (int64_t r = 0; r < n; r++)
        found -= mask[r];
    return found;
}

/* Marks the samples that are in the sums, and counts them and those of which anything is known;
 * whether one in the sums has few digits, or none. */
CLONES static uint8_t judge_chunk(const uint8_t *restrict status, uint8_t out,
                                  int64_t *restrict ok, int64_t *all, int64_t *told, int64_t n)
{
    int64_t valid = 0, marked = 0, coarse = 0;
    INDEPENDENT
    for (int64_t r = 0; r < n; r++) {
        const int64_t s = status[r], in = -(int64_t)!(s & out);
        ok[r] = in;
        valid -= in;
        marked += s != 0;
        coarse |= in & s & (PRECISION | NOTHING_LEFT);
    }
    *all = valid;
    *told += marked;
    return coarse != 0;
}

/* Values below double's normal range, and zeros. */
CLONES static int small_of(const double *restrict column, uint8_t *restrict status,
                           int64_t *has_zero, int64_t n)
{
    int64_t zeros = 0, low = 0;
    INDEPENDENT
    for (int64_t r = 0; r < n; r++) {
        const int zero = column[r] == 0, lost = !(fabs(column[r]) >= DBL_MIN) & !zero;
        zeros |= zero;
        low |= lost;
        status[r] = (uint8_t)(lost * LOW);
    }
    *has_zero = zeros != 0;
    return low != 0;
}

/* What is known of the samples of an operand is known of this slot's. */
CLONES static void inherit(uint8_t *restrict status, const uint8_t *restrict below, int64_t n)
{
    for (int64_t r = 0; r < n; r++)
        status[r] |= below[r];
}

CLONES static int met(const uint8_t *status, uint8_t bits, int64_t n)
{
    uint8_t any = 0;
    for (int64_t r = 0; r < n; r++)
        any |= status[r];
    return (any & bits) != 0;
}

CLONES static int signs_of(const double *y, const double *a, const int64_t *ok, int64_t n)
{
    int64_t up = 0, down = 0;
    for (int64_t r = 0; r < n; r++) {
        const int positive = a ? ((y[r] > 0) & (a[r] > 0)) | ((y[r] < 0) & (a[r] < 0)) : y[r] > 0;
        const int negative = a ? ((y[r] > 0) & (a[r] < 0)) | ((y[r] < 0) & (a[r] > 0)) : y[r] < 0;
        up += positive & (ok ? ok[r] != 0 : 1);
        down += negative & (ok ? ok[r] != 0 : 1);
    }
    return (up ? 1 : 0) | (down ? 2 : 0);
}

typedef struct {
    int32_t *first_operand, *first_constant, *fixed;  /* per slot */
    double *Y, *S, *Z, *H, *T, *none, *spare;
    int64_t *found, *live, *marked, *list, *ok, *fine, *odd, *every;  /* per sample */
    uint8_t *status_bytes;
    int32_t *dead;
    int shared;             /* whether buffers are: each slot's, once read, go to another */
    int settled;            /* whether constant steps have their values in shared buffers */
    double *before;         /* the results as they were before this chunk */
    const double **value;   /* per slot: its values in this chunk */
    double **s2;            /* per slot: where its s^2 lie; all leaves share theirs */
    double *ones;           /* that of leaves */
    uint8_t **status;       /* per slot: null where nothing is known of any sample */
    int64_t *dense;         /* per slot: for how many chunks all samples are taken for special */
    int64_t *has_zero;
} Chunk;

/* Where everything lies in the scratch; library.py counts its doubles. */
static void lay_out(const Call *c, Chunk *x, int64_t operands)
{
    double *at = c->scratch;
    const int64_t m = c->chunk, k = c->slots, held = c->held;
    x->Y = at, at += held * m;
    x->S = at, at += held * m;
    x->Z = at, at += held * m;
    x->H = at, at += m;
    x->none = at, at += m;
    memset(x->none, 0, (size_t)m * sizeof(double));
    x->spare = at, at += m;
    x->found = (int64_t *)at, at += m;
    x->live = (int64_t *)at, at += m;
    x->marked = (int64_t *)at, at += m;
    x->list = (int64_t *)at, at += m;
    x->ok = (int64_t *)at, at += m;
    x->fine = (int64_t *)at, at += m;
    x->odd = (int64_t *)at, at += m;
    x->every = (int64_t *)at, at += m;
    memset(x->every, 0xff, (size_t)m * sizeof(int64_t));
    x->T = c->mode & EDGES ? at : 0;
    at += c->mode & EDGES ? operands * m : 0;
    x->value = (const double **)at, at += k;
    x->s2 = (double **)at, at += k;
    x->ones = at, at += m;
    for (int64_t r = 0; r < m; r++)
        x->ones[r] = 1;
    x->before = at, at += 3 * k + operands;
    x->status = (uint8_t **)at, at += k;
    x->has_zero = (int64_t *)at, at += k;
    x->dense = (int64_t *)at, at += k;
    memset(x->dense, 0, (size_t)k * sizeof(int64_t));
    x->first_operand = (int32_t *)at, x->first_constant = x->first_operand + k;
    x->fixed = x->first_constant + k, at += (3 * k + 1) / 2;
    x->dead = (int32_t *)at, at += (m + 1) / 2;
    x->status_bytes = (uint8_t *)at;
    int32_t operand = 0, constant = 0;
    for (int64_t slot = 0; slot < k; slot++) {
        const int32_t kind = c->kinds[slot];
        x->first_operand[slot] = operand;
        x->first_constant[slot] = constant;
        x->fixed[slot] = kind != COLUMN;
        if (kind < 0)
            continue;
        const int32_t *entry = c->entries + WIDTH * kind;
        for (int32_t i = 0; i < entry[OPERANDS]; i++)
            x->fixed[slot] &= x->fixed[c->operands[operand++]];
        constant += entry[CONSTANTS];
    }
}

/* Whether the double is the number meant: the text is its shortest decimal. */
static inline int is_meant(const Call *c, int32_t slot)
{
    return c->kinds[slot] == CONSTANT || (c->kinds[slot] == COLUMN && c->mode & SHORTEST);
}

/* Whether a 0 of this operator is one, as far as those of its operands are. */
static inline int64_t surely_zero(const Call *c, const Row *row, const int32_t *from)
{
    if (!(row->flags & EXACT_SUM))
        return row->flags & KAPPA_FIXED ? -1 : 0;
    return from[0] == from[1] || (is_meant(c, from[0]) && is_meant(c, from[1])) ? -1 : 0;
}

static inline int64_t place_of(const Call *c, const Chunk *x, int64_t slot)
{
    return (x->shared ? c->buffer[slot] : slot) * c->chunk;
}

static void read_leaf(const Call *c, Chunk *x, int64_t slot, const double *column, int64_t n)
{
    const int32_t kind = c->kinds[slot];
    const int64_t place = place_of(c, x, slot);
    uint8_t *status = x->status_bytes + place;
    x->s2[slot] = x->ones;
    if (kind != COLUMN) {
        double *Y = x->Y + place;
        for (int64_t r = 0; r < n; r++)
            Y[r] = c->parameters[slot];
        x->value[slot] = Y;
        x->has_zero[slot] = c->parameters[slot] == 0 && kind == CONSTANT;
        x->status[slot] = 0;
        if (c->mode & VALUES_ONLY ? kind == CONSTANT_HIGH
                                  : kind == CONSTANT_HIGH || kind == CONSTANT_LOW) {
            x->status[slot] = status;
            memset(status, c->mode & VALUES_ONLY ? INVALID : kind == CONSTANT_LOW ? LOW : HIGH, (size_t)n);
        }
        if (x->has_zero[slot])
            memset(x->Z + place, 0, (size_t)n * sizeof(double));
        return;
    }
    x->value[slot] = column;
    x->status[slot] = 0;
    x->has_zero[slot] = 0;
    if (c->mode & VALUES_ONLY || !not_normal(column, n))
        return;
    double *Z = x->Z + place;
    memset(Z, 0, (size_t)n * sizeof(double));
    const int any = small_of(column, status, &x->has_zero[slot], n);
    if (any)
        x->status[slot] = status;
}

static void run_program(const Call *c, const Chunk *x, const int32_t *h, const int32_t *from,
                        const double *constants, double *Y, int64_t n)
{
    const intptr_t count = (intptr_t)n;
    const int32_t *i = c->program + INSTRUCTION * h[FIRST_INSTRUCTION];
    for (int32_t left = h[INSTRUCTIONS]; left > 0; left--, i += INSTRUCTION) {
        char *args[3];
        intptr_t strides[3] = {8, 8, 8};
        for (int32_t j = 0; j < i[1]; j++) {
            const int32_t what = i[2 + j];
            if (what >= 0)
                args[j] = (char *)(uintptr_t)x->value[from[what]];
            else if (what == -1)
                args[j] = (char *)Y;
            else {
                args[j] = (char *)(uintptr_t)(constants - what - 2);
                strides[j] = 0;
            }
        }
        args[i[1]] = (char *)Y;
        strides[i[1]] = 8;
        ((Loop)(uintptr_t)c->loops[2 * i[0]])(args, &count, strides,
                                              (void *)(uintptr_t)c->loops[2 * i[0] + 1]);
    }
}

/* x where a mask is 0, else what is given. */
CLONES static void put(double *to, const double *x, const int64_t *where, double given, int64_t n)
{
    INDEPENDENT
    for (int64_t r = 0; r < n; r++)
        to[r] = choose(where[r] != 0, given, x[r]);
}

/* The program, with nan outside the domain: loops are slow there, so they get another operand. */
static void run_inside(const Call *c, Chunk *x, Slot *k, const Row *row, const int32_t *h,
                       const int32_t *from, const double *constants)
{
    if (!row->outside || !row->outside(k->n, k->A, k->p, x->found)) {
        run_program(c, x, h, from, constants, k->Y, k->n);
        return;
    }
    put(x->spare, k->A[0], x->found, 1, k->n);
    x->value[from[0]] = x->spare;
    run_program(c, x, h, from, constants, k->Y, k->n);
    x->value[from[0]] = k->A[0];
    put(k->Y, k->Y, x->found, NAN, k->n);
}

/* If one sample in so many is special, the rules are followed for all, and for those of so many
 * chunks more. */
enum { DENSE = 4, LONG = 15 };

/* Value, s^2 and status of one operator over the chunk; true if a sample is out. */
static int measure_slot(const Call *c, Chunk *x, Slot *k, int64_t slot, int64_t n)
{
    const int32_t *h = c->entries + WIDTH * c->kinds[slot];
    const Row *row = &TABLE[h[CODE]];
    const int32_t first_operand = x->first_operand[slot];
    const int32_t *from = c->operands + first_operand;
    const int64_t m = c->chunk, place = place_of(c, x, slot);
    uint8_t *status = x->status_bytes + place;
    k->n = n, k->slot = (int)slot, k->operands = h[OPERANDS], k->p = c->parameters[slot];
    k->Y = x->Y + place, k->S = x->S + place, k->Z = x->Z + place;
    k->status = status, k->dead = x->dead, k->has_zero = 0;
    k->open = x->fixed[slot] ? x->every : x->live;  /* a constant is seen by every chunk */
    k->live = x->live, k->marked = x->marked, k->list = x->list, k->found = x->found;
    k->none = x->none, k->sure = surely_zero(c, row, from);
    int zeros = 0, known = 0;
    for (int i = 0; i < k->operands; i++) {
        const int32_t o = from[i];
        k->A[i] = x->value[o];
        k->SA[i] = x->s2[o];
        k->ZA[i] = x->has_zero[o] ? x->Z + place_of(c, x, o) : 0;
        k->T[i] = x->T ? x->T + ((x->shared ? 0 : first_operand) + i) * m : 0;
        k->leaf[i] = c->kinds[o] < 0;
        k->from[i] = o;
        zeros |= (int)x->has_zero[o];
        if (x->status[o] && known++)
            inherit(status, x->status[o], n);
        else if (x->status[o])
            memcpy(status, x->status[o], (size_t)n);
    }
    for (int i = k->operands; i < 3; i++)
        k->A[i] = 0, k->SA[i] = 0, k->ZA[i] = 0, k->T[i] = 0;
    run_inside(c, x, k, row, h, from, c->constants + x->first_constant[slot]);
    x->value[slot] = k->Y;
    x->s2[slot] = k->S;
    x->has_zero[slot] = 0;
    x->status[slot] = known ? status : 0;
    if (c->mode & VALUES_ONLY) {
        if (!not_finite(k->Y, n))
            return known != 0;
        if (!known)
            memset(status, 0, (size_t)n);
        for (int64_t r = 0; r < n; r++)
            if (!(fabs(k->Y[r]) <= DBL_MAX))
                status[r] |= INVALID;
        x->status[slot] = status;
        return 1;
    }
    k->H = 0;
    if (h[HELPER] >= 0) {
        char *args[2] = {(char *)(uintptr_t)k->A[0], (char *)x->H};
        const intptr_t count = (intptr_t)n, strides[2] = {8, 8};
        ((Loop)(uintptr_t)c->loops[2 * h[HELPER]])(
            args, &count, strides, (void *)(uintptr_t)c->loops[2 * h[HELPER] + 1]);
        k->H = x->H;
    }
    k->told = 0;
    const int selects = row->flags & SELECTS, selection = selects && k->operands > 2;
    int dense = x->dense[slot] > 0;
    int64_t count = n;
    if (dense) {
        x->dense[slot]--;
    } else if (!selection) {
        /* Beside a value that is not 0, an operand that is 0 and carries no noise adds
         * kappa^2 s^2 = 0, as the plain recursion has it. */
        if (!(x->T ? row->rows_edges(k) : row->rows(k))
            && !(zeros & NOISY_ZEROS && !(row->flags & KAPPA_FIXED)))
            return known != 0;
    }
    if (!known)
        memset(status, 0, (size_t)n);
    k->still = zeros & NOISY_ZEROS ? 0 : -1;
    for (int i = 0; i < 3 && i < k->operands; i++)
        k->noisy[i] = x->has_zero[from[i]] & NOISY_ZEROS ? 0 : NAN;
    if (selection) {
        memcpy(x->marked, k->open, (size_t)n * sizeof(int64_t));
    } else if (!dense) {
        count = row->mark(k);
        if (!selects && DENSE * count > n) {
            dense = 1;
            x->dense[slot] = LONG;
        }
        if (k->told)
            add_bits(status, x->found, n);
        if (k->has_zero)
            memset(k->Z, 0, (size_t)n * sizeof(double));
    }
    if (dense) {
        settle_all(k, row->mend(k, n));
    } else if (count) {
        count = list_marked(k);
        settle(k, count, selection ? mend_selection(k, count) : row->mend(k, count));
    }
    x->has_zero[slot] = k->has_zero;
    x->status[slot] = known || k->told ? status : 0;
    return x->status[slot] != 0;
}

/* What a chunk of which something is known adds to the sums of a formula. */
static void gather(const Call *c, Chunk *x, int64_t start, int64_t n)
{
    const int64_t m = c->chunk;
    const uint8_t *status = x->status[c->slots - 1];
    int64_t *counts = c->counts;
    const int64_t *ok = 0;
    int64_t singular_possible = 0, valid = n;
    if (status) {
        singular_possible = judge_chunk(status, (uint8_t)c->out, x->ok, &valid,
                                        &counts[MARKED_ROWS], n);
        ok = x->ok;
        memcpy(c->status + start, status, (size_t)n);
        memcpy(c->dead + start, x->dead, (size_t)n * sizeof(int32_t));
    } else {
        memset(c->status + start, 0, (size_t)n);
    }
    if (c->mode & VALUES_ONLY)
        return;
    if (singular_possible)
        memset(x->odd, 0, (size_t)n * sizeof(int64_t));
    for (int64_t slot = 0; slot < c->slots; slot++) {
        const int32_t kind = c->kinds[slot];
        const int32_t *h = c->entries + WIDTH * (kind < 0 ? 0 : kind);
        const int32_t first_operand = x->first_operand[slot];
        const double *S = x->s2[slot];
        const int64_t *use = ok;
        if (kind < 0) {  /* 1 everywhere */
            c->sum[slot] += (double)valid;
            continue;
        }
        double sum = use ? sum_where(S, use, n) : sum_of(S, n);
        if (singular_possible && !(sum <= SINGULAR_S2)) {  /* none of them is more than their sum */
            const int64_t found = leave_singular(S, ok, x->fine, x->odd, n);
            c->singular[slot] += found;
            use = found ? x->fine : ok;
            sum = found ? sum_where(S, use, n) : sum;
        }
        c->sum[slot] += sum;
        if (c->mode & EDGES && kind >= 0)
            for (int32_t i = 0; i < h[OPERANDS]; i++) {
                const double *T = x->T + (first_operand + i) * m;
                c->edge_sum[first_operand + i] += use ? sum_where(T, use, n) : sum_of(T, n);
            }
        if (c->mode & SIGNS && kind >= 0 && c->signs[slot] != 3) {
            const int flags = TABLE[h[CODE]].flags;
            if (flags & (CROSSES | CROSSES_ARGUMENT))
                c->signs[slot] |= signs_of(
                    x->value[slot],
                    flags & CROSSES ? 0 : x->value[c->operands[first_operand]], ok, n);
        }
    }
    if (singular_possible)
        counts[SINGULAR_ROWS] += count_of(x->odd, n);
}

static void copy_kept(const int64_t *keep, int64_t place, int64_t start, const double *from,
                      int64_t n)
{
    if (keep && keep[place])
        memcpy((double *)(intptr_t)keep[place] + start, from, (size_t)n * sizeof(double));
}

/* Hands out what was asked for of a slot. */
static void keep_slot(const Call *c, const Chunk *x, int64_t slot, int64_t start, int64_t n)
{
    copy_kept(c->keep_y, slot, start, x->value[slot], n);
    copy_kept(c->keep_s2, slot, start, x->s2[slot], n);
    if (!c->keep_terms || c->kinds[slot] < 0)
        return;
    const int32_t first = x->first_operand[slot];
    for (int32_t i = 0; i < c->entries[WIDTH * c->kinds[slot] + OPERANDS]; i++)
        copy_kept(c->keep_terms, first + i, start, x->T + ((x->shared ? 0 : first) + i) * c->chunk, n);
}

/* With shared buffers a slot is done with at once.  Whether nothing is known of its samples, so that
 * all are in the sums; of a population that is noted. */
static int settle_slot(const Call *c, Chunk *x, int64_t slot, int64_t start, int64_t n)
{
    const int32_t kind = c->kinds[slot];
    const double *S = x->s2[slot];
    int odd = x->status[slot] && (!c->population || met(x->status[slot], (uint8_t)c->out, n));
    if (!odd && !(c->mode & VALUES_ONLY)) {
        const double sum = kind < 0 ? (double)n : sum_of(S, n);
        c->sum[slot] += sum;
        odd = c->population && !(sum <= SINGULAR_S2);  /* none of them is more than their sum */
    }
    if (c->population)
        c->signs[slot] |= odd;
    else if (odd)
        return 0;
    keep_slot(c, x, slot, start, n);
    if (kind < 0)
        return 1;
    const int32_t *h = c->entries + WIDTH * kind, first = x->first_operand[slot];
    const int flags = TABLE[h[CODE]].flags;
    for (int32_t i = 0; c->mode & EDGES && i < h[OPERANDS]; i++)
        c->edge_sum[first + i] += sum_of(x->T + i * c->chunk, n);
    if (c->mode & SIGNS && flags & (CROSSES | CROSSES_ARGUMENT) && c->signs[slot] != 3)
        c->signs[slot] |= signs_of(x->value[slot],
                                   flags & CROSSES ? 0 : x->value[c->operands[first]], 0, n);
    return 1;
}

/* Per slot of a population, the largest sum at or below it, and whether one is out or singular there. */
static void spread_worst(const Call *c)
{
    const int32_t *o = c->operands;
    for (int64_t slot = 0; slot < c->slots; slot++) {
        if (c->kinds[slot] < 0)
            continue;
        for (int32_t i = c->entries[WIDTH * c->kinds[slot] + OPERANDS]; i > 0; i--, o++) {
            if (c->sum[*o] > c->sum[slot])
                c->sum[slot] = c->sum[*o];
            c->signs[slot] |= c->signs[*o];
        }
    }
}

/* The nodes of formulas, each of which counts its own from 0, become slots: equal nodes, of one
 * symbol and the same operands, share one.  Notes the slot of each node, and the first node of each
 * slot.  `room` has a number for each node, and a table of `places`, a power of two. */
static void lay_out_formulas(Packed *t, int32_t *symbols, int32_t *room, int64_t places)
{
    const int64_t n = t->slots, mask = places - 1;
    const int32_t *ends = symbols + n;
    int32_t *slot_of = t->slot_of, *first = slot_of + n, *start = room, *table = room + n;
    memset(table, 0, (size_t)places * sizeof *table);
    const int32_t *entries = t->tables[0], *reads = t->reads;
    int32_t slots = 0, base = 0, *own = t->reads;
    double *held = t->constants, *constants = held;
    for (int32_t i = 0; i < n; i++) {
        const int32_t kind = t->numbers[i], symbol = symbols[i];
        const int32_t *entry = entries + WIDTH * (kind < 0 ? 0 : kind);
        const int32_t count = kind < 0 ? 0 : entry[OPERANDS];
        const int32_t further = kind < 0 ? 0 : entry[CONSTANTS];
        uint64_t hash = (uint32_t)symbol * 0x9e3779b97f4a7c15u;
        while (i == *ends)
            base = *ends++;
        for (int32_t j = 0; j < count; j++) {
            own[j] = slot_of[base + *reads++];
            hash = ((hash ^ (hash >> 29)) ^ (uint32_t)own[j]) * 0x9e3779b97f4a7c15u;
        }
        int64_t place = (int64_t)(hash >> 32) & mask;
        int32_t slot;
        for (; (slot = table[place] - 1) >= 0; place = (place + 1) & mask)
            if (symbols[slot] == symbol
                && !memcmp(t->reads + start[slot], own, (size_t)count * sizeof *own))
                break;
        if (slot < 0) {
            slot = slots++;
            table[place] = slots;
            t->numbers[slot] = kind, symbols[slot] = symbol, t->parameters[slot] = t->parameters[i];
            first[slot] = i, start[slot] = (int32_t)(own - t->reads);
            own += count;
            for (int32_t j = 0; j < further; j++)
                *constants++ = held[j];
        }
        held += further;
        slot_of[i] = slot;
    }
    t->slots = slots;
    t->operands = own - t->reads;
}

/* What is noted of a slot beside its readers: it is constant; at or below it an operator of constants
 * alone may lose digits. */
enum { FIXED = 1 << 30, CONSTANT_STEP = 1 << 29, READERS = CONSTANT_STEP - 1 };

/* Give each slot a buffer, which goes to another once nothing reads the slot any more; two more
 * numbers a slot lie behind.  Constant steps of a single formula keep one of their own. */
static void share_buffers(Packed *t)
{
    const int32_t *o = t->reads, *entries = t->tables[0];
    int32_t *readers = t->buffer + t->slots, *vacant = readers + t->slots, count = 0, left = 0;
    for (int64_t i = 0; i < t->operands; i++)
        readers[o[i]]++;
    for (int64_t slot = 0; slot < t->slots; slot++) {
        const int32_t kind = t->numbers[slot];
        const int32_t operands = kind < 0 ? 0 : entries[WIDTH * kind + OPERANDS];
        int32_t noted = kind == COLUMN ? 0 : FIXED;
        for (int32_t i = 0; i < operands; i++)
            noted &= readers[o[i]];
        if (noted && kind >= 0 && !(TABLE[entries[WIDTH * kind + CODE]].flags & KAPPA_FIXED))
            noted |= CONSTANT_STEP;
        const int kept = noted && !t->population;
        t->buffer[slot] = left && !kept ? vacant[--left] : count++;
        if (!readers[slot] && !kept)
            vacant[left++] = t->buffer[slot];
        for (int32_t i = 0; i < operands; i++, o++) {
            const int stays = readers[*o] & FIXED && !t->population;
            noted |= readers[*o] & CONSTANT_STEP;
            if (!(--readers[*o] & READERS) && !stays)
                vacant[left++] = t->buffer[*o];
        }
        readers[slot] |= noted;
    }
    t->buffers = count;
}

/* Make a tape ready to be run: of slots, or of formulas with symbols for their nodes, and ends. */
void eic_pack(Packed *t, int32_t *symbols, int32_t *room, int64_t places)
{
    const int64_t n = t->slots;
    t->reads = t->numbers + n;
    t->constants = t->parameters + n;
    t->slot_of = t->reads + t->operands;
    t->buffer = t->slot_of + 2 * n;
    if (symbols)
        lay_out_formulas(t, symbols, room, places);
    share_buffers(t);
}

static Call call_of(const Asked *asked)
{
    const Packed *t = asked->tape;
    const int64_t slots = asked->slots;
    double *at = asked->space;
    Call c = {
        slots, asked->rows, asked->chunk, asked->mode, asked->skip, asked->out,
        t->numbers, t->reads, t->parameters, t->constants,
        t->tables[0], t->tables[1], t->tables[2], asked->columns,
        t->buffer, t->population, t->population ? t->buffers : slots,
    };
    c.sum = at, at += slots;
    c.edge_sum = at, at += t->operands;
    c.singular = (int64_t *)at, at += slots;
    c.signs = (int64_t *)at, at += slots;
    c.counts = (int64_t *)at, at += COUNTS;
    c.status = (uint8_t *)at, at += (c.rows + 7) / 8;
    c.dead = (int32_t *)at, at += (c.rows + 1) / 2;
    c.scratch = at;
    c.keep_y = asked->keep_y, c.keep_s2 = asked->keep_s2, c.keep_terms = asked->keep_terms;
    return c;
}

/* One chunk.  Returns 0 if something is known of a sample, where slots share their buffers and none
 * is there any more when that is known. */
static int run_chunk(const Call *c, Chunk *x, Slot *k, int64_t start, int64_t n)
{
    memset(x->dead, 0xff, (size_t)n * sizeof(int32_t));
    memset(x->live, 0xff, (size_t)n * sizeof(int64_t));
    int64_t column = 0;
    for (int64_t slot = 0; slot < c->slots; slot++) {
        const int32_t kind = c->kinds[slot];
        if (kind == COLUMN)
            read_leaf(c, x, slot, (const double *)(intptr_t)c->columns[column++] + start, n);
        else if (kind < 0 && !x->settled)
            read_leaf(c, x, slot, 0, n);
        else if (kind >= 0 && !(x->settled && x->fixed[slot] && !x->T))
            measure_slot(c, x, k, slot, n);
        if (x->status[slot] && c->mode & FIRST_BAD_ENDS)
            return 0;
        if (x->shared && !settle_slot(c, x, slot, start, n))
            return 0;
    }
    x->settled = x->shared && !c->population;
    return 1;
}

/* Run a tape over its samples.  Returns of how many samples anything is known (not of a
 * population), or -1 if it gave up.
 *
 * Slots share buffers, so that the processor's nearest cache holds them, until something is known of
 * a sample: then each has its own, since only the last slot tells which samples are in the sums. */
int64_t eic_run(const Asked *asked, double recheck_s2)
{
    const Call call = call_of(asked), *c = &call;
    Chunk chunk, *x = &chunk;
    Slot k;
    memset(&k, 0, sizeof k);
    k.skip = (uint8_t)c->skip;
    k.recheck_s2 = recheck_s2;
    k.alone = !c->population;
    k.calm = !c->keep_s2;
    lay_out(c, x, asked->tape->operands);
    const size_t results = (size_t)((double *)c->counts - c->sum) * sizeof(double);
    memset(c->sum, 0, results + COUNTS * sizeof(int64_t));
    x->shared = 1, x->settled = 0;
    for (int64_t start = 0; start < c->rows; start += c->chunk) {
        const int64_t n = c->rows - start < c->chunk ? c->rows - start : c->chunk;
        if (!c->population)
            memcpy(x->before, c->sum, results);
        if (run_chunk(c, x, &k, start, n) && x->shared) {
            if (!c->population)
                memset(c->status + start, 0, (size_t)n);
            continue;
        }
        if (c->mode & FIRST_BAD_ENDS)
            return -1;
        if (x->shared) {
            memcpy(c->sum, x->before, results);
            x->shared = x->settled = 0;
            run_chunk(c, x, &k, start, n);
        }
        gather(c, x, start, n);
        for (int64_t slot = 0; slot < c->slots; slot++)
            keep_slot(c, x, slot, start, n);
        x->shared = !x->status[c->slots - 1];
    }
    if (c->population)
        spread_worst(c);
    return c->counts[MARKED_ROWS];
}
