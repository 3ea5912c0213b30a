/* One slot of the tape over one chunk of samples, and the rules of ADR 0001 at the samples where
 * the plain recursion does not hold.  The formulas themselves are in operators.h. */

#define RECHECK_S2 8.1129638414606686e+25 /* tape.RECHECK_S2; a test compares them */
#define SINGULAR_S2 1e60
#define UNIT_ROUNDOFF 1.1102230246251565e-16
#define TIE_ROUNDINGS 16.0
#define MOST_OPERANDS 64

/* What is known of a sample, and inherited by everything above. */
enum { INVALID = 1, HIGH = 2, LOW = 4, PRECISION = 8, DOUBT = 16 };

/* Zeros of a slot in a chunk: without noise of their own (0, 0 * x), or with (x - x). */
enum { EXACT_ZEROS = 1, NOISY_ZEROS = 2 };

/* Columns of the table. */
enum { SELECTS = 1, CROSSES = 2, CROSSES_ARGUMENT = 4, KAPPA_FIXED = 8 };

typedef struct {
    int64_t n;                       /* samples in the chunk */
    int slot, operands;
    double p;                        /* the exact parameter */
    double *Y, *S, *Z;               /* value, s^2, and sqrt(v) where the value is 0 */
    uint8_t *status;                 /* of each sample */
    int64_t *live, *marked;          /* masks of all bits: not dead yet; needs the rules */
    const int64_t *open;             /* what the rules look at: living samples, or all */
    int alone, calm;                 /* one formula only; dead samples may get a value that is quick to go on with */
    int32_t *dead;                   /* slot at which a sample first was invalid, or -1 */
    uint8_t skip;                    /* bits of the status after which nothing is left to do */
    int overflow_is_invalid, has_zero;
    const double *A[MOST_OPERANDS], *SA[MOST_OPERANDS], *ZA[MOST_OPERANDS];
    const double *H;                 /* the row's helper at the first operand, or null */
    double *T[MOST_OPERANDS];        /* kappa^2 s_i^2 of each operand, if wanted */
    const double *none;              /* a 0 for each sample */
    double *spare[2];                /* where nobody looks: terms that are not wanted */
    int64_t *found;                  /* what a loop over the chunk finds out about each sample */
    int from[MOST_OPERANDS];         /* slots of the operands */
    int leaf[MOST_OPERANDS];
} Slot;

typedef struct {
    double kappa2[2], partial[2], limit[2];
    int pole, vanishes, doubtful;
} Facts;

#define FACTS \
    const double *a, const double *s, const int *leaf, double y, double p, Facts *f
#define MEND Slot *k
#define MEND_GIVEN k
#define ROWS Slot *k
#define UNPACK \
    const int64_t n = k->n; \
    const double p = k->p; \
    const double *restrict Y = k->Y, *restrict A0 = k->A[0], *restrict A1 = k->A[1]; \
    const double *restrict S0 = k->SA[0], *restrict S1 = k->SA[1]; \
    const double *restrict H = k->H; \
    double *restrict S = k->S, *restrict T0 = k->T[0], *restrict T1 = k->T[1]; \
    const int leaf0 = k->leaf[0]; \
    (void)p; (void)A0; (void)A1; (void)S0; (void)S1; (void)T0; (void)T1; (void)H; (void)leaf0

#define UNPACK_MEND \
    UNPACK; \
    const double *restrict Z0 = k->ZA[0] ? k->ZA[0] : k->none; \
    const double *restrict Z1 = k->ZA[1] ? k->ZA[1] : k->none; \
    double *restrict V = k->Z; \
    int64_t *restrict found = k->found; \
    T0 = T0 ? T0 : k->spare[0], T1 = T1 ? T1 : k->spare[1]; \
    (void)Z0; (void)Z1

#define UNPACK_MARK \
    UNPACK; \
    const int64_t *restrict open = k->open; \
    int64_t *restrict marked = k->marked, count = 0

static inline double length_of(double a, double b)
{
    const double most = choose(a > b, a, b), least = choose(a > b, b, a), q = least / most;
    return choose((most == 0) | !(most <= DBL_MAX), most, most * sqrt(1 + q * q));
}

/* No real value, unless something overflowed before: after that nan means nothing. */
enum { UNREAL = 32 };

/* The same as `trouble` below, without branches, and what else is known of a sample. */
static inline int64_t found_at(double y, int pole, int vanishes, int ordinary, int doubtful,
                               double s)
{
    const int64_t infinite = -(int64_t)!(fabs(y) <= DBL_MAX);
    const int64_t unreal = -(int64_t)((y != y) | (pole != 0));
    const int64_t high = -(int64_t)(ordinary != 0), near = -(int64_t)(doubtful != 0);
    const int64_t low = -(int64_t)((fabs(y) < DBL_MIN) & !((y == 0) & (vanishes != 0)));
    const int64_t coarse = -(int64_t)!(s <= RECHECK_S2);
    return (infinite & ((unreal & UNREAL) | (~unreal & high & HIGH))) | (~infinite & low & LOW)
        | (near & DOUBT) | (coarse & PRECISION);
}

static inline void bury(Slot *k, int64_t r)
{
    if (k->dead[r] < 0)
        k->dead[r] = k->slot;
    if (!k->alone)  /* what is dead in one formula of a population lives in others */
        return;
    k->live[r] = 0;
    if (k->calm)
        k->Y[r] = 1;
}

/* What was found of the living samples; and their zeros. */
CLONES static int64_t summary_of(Slot *k)
{
    const int64_t n = k->n;
    const double *restrict Y = k->Y, *restrict V = k->Z;
    const int64_t *restrict open = k->open;
    int64_t *restrict found = k->found, any = 0, exact = 0, noisy = 0;
    INDEPENDENT
    for (int64_t r = 0; r < n; r++) {
        found[r] &= open[r];
        any |= found[r];
        exact |= open[r] & -(int64_t)((Y[r] == 0) & (V[r] == 0));
        noisy |= open[r] & -(int64_t)((Y[r] == 0) & (V[r] != 0));
    }
    k->has_zero |= (exact ? EXACT_ZEROS : 0) | (noisy ? NOISY_ZEROS : 0);
    return any;
}

CLONES static void add_bits(uint8_t *restrict status, const int64_t *restrict found, int64_t n)
{
    INDEPENDENT
    for (int64_t r = 0; r < n; r++)
        status[r] |= (uint8_t)found[r];
}

static void settle_chunk(Slot *k)
{
    const uint8_t overflow = k->overflow_is_invalid ? INVALID : 0;
    const int64_t any = summary_of(k);
    if (!(any & (UNREAL | HIGH))) {
        if (any)
            add_bits(k->status, k->found, k->n);
        return;
    }
    for (int64_t r = 0; r < k->n; r++) {
        const uint8_t known = k->status[r];
        uint8_t found = (uint8_t)k->found[r];
        if (!found || (known & k->skip))
            continue;
        if (found & UNREAL)
            found = (uint8_t)((found & ~UNREAL) | (known & HIGH ? 0 : INVALID));
        else if (found & HIGH)
            found |= overflow;
        if (found & INVALID) {
            k->status[r] = known | (uint8_t)(found & ~PRECISION);
            bury(k, r);
        } else {
            k->status[r] = known | found;
        }
    }
}

/* A value that is no ordinary double: is there no real value, or has it left double range? */
static inline uint8_t trouble(const Slot *k, double y, const double *a, const Facts *f,
                              uint8_t known)
{
    if (!(fabs(y) <= DBL_MAX)) {
        if (isnan(y) || f->pole)  /* after an overflow nan means nothing */
            return known & HIGH ? 0 : INVALID;
        for (int i = 0; i < k->operands; i++)
            if (!(fabs(a[i]) <= DBL_MAX))
                return 0;
        return k->overflow_is_invalid ? HIGH | INVALID : HIGH;
    }
    if (fabs(y) < DBL_MIN && !(y == 0 && f->vanishes))
        return LOW;
    return 0;
}

static inline int settle(Slot *k, int64_t r, uint8_t known)
{
    k->status[r] = known;
    if (known & INVALID)
        bury(k, r);
    return (known & INVALID) != 0;
}

static inline __attribute__((always_inline)) void mend_rows(Slot *k, void (*facts)(FACTS))
{
    for (int64_t r = 0; r < k->n; r++) {
        uint8_t known = k->status[r];
        if (!k->marked[r] || (known & k->skip))
            continue;
        double a[2], s[2];
        for (int i = 0; i < k->operands; i++) {
            a[i] = k->A[i][r];
            s[i] = k->SA[i][r];
        }
        const double y = k->Y[r];
        Facts f = {0};
        facts(a, s, k->leaf, y, k->p, &f);
        known |= trouble(k, y, a, &f, known) | (f.doubtful ? DOUBT : 0);
        if (settle(k, r, known))
            continue;
        double total = 1, variance = 0;
        for (int i = 0; i < k->operands; i++) {
            const double below = k->ZA[i] ? k->ZA[i][r] : 0;
            const double moved = moved_by(f.partial[i], deviation(a[i], s[i], below));
            const double term = edge_term(y, a[i], s[i], f.kappa2[i], f.limit[i], moved);
            total += term;
            if (k->T[i])
                k->T[i][r] = term;
            if (y == 0 && moved != 0)
                variance = variance == 0 ? moved : length_of(variance, moved);
        }
        if (y == 0) {
            k->Z[r] = variance;
            k->has_zero |= variance == 0 ? EXACT_ZEROS : NOISY_ZEROS;
        }
        k->S[r] = total;
        k->status[r] = known | (total <= RECHECK_S2 ? 0 : PRECISION);
    }
}

/* min and max: all comes through the operand attained, at ties through the noisier. */
static void mend_selection(Slot *k)
{
    for (int64_t r = 0; r < k->n; r++) {
        uint8_t known = k->status[r];
        if (!k->marked[r] || (known & k->skip))
            continue;
        const double y = k->Y[r];
        double a[MOST_OPERANDS], std[MOST_OPERANDS], attained = 0, best = -1;
        int chosen = 0;
        for (int i = 0; i < k->operands; i++) {
            a[i] = k->A[i][r];
            std[i] = deviation(a[i], k->SA[i][r], k->ZA[i] ? k->ZA[i][r] : 0);
            if (a[i] != y)
                continue;
            if (std[i] > attained)
                attained = std[i];
            if (takes_over(1, k->SA[i][r], best)) {
                chosen = i;
                best = k->SA[i][r];
            }
        }
        const Facts f = {.vanishes = 1};
        known |= trouble(k, y, a, &f, known);
        if (settle(k, r, known))
            continue;
        int near = 0, computed = 0;
        for (int i = 0; i < k->operands; i++) {
            int seen = 0;
            for (int j = 0; j < i; j++)
                seen |= k->from[j] == k->from[i];
            if (seen || !(fabs(a[i] - y) <= TIE_ROUNDINGS * UNIT_ROUNDOFF * (std[i] + attained)))
                continue;
            near++;
            computed |= !k->leaf[i];
        }
        const double s = k->SA[chosen][r], total = 1 + s;
        for (int i = 0; i < k->operands; i++)
            if (k->T[i])
                k->T[i][r] = i == chosen ? s : 0;
        if (y == 0) {
            k->Z[r] = std[chosen];
            k->has_zero |= std[chosen] == 0 ? EXACT_ZEROS : NOISY_ZEROS;
        }
        k->S[r] = total;
        known |= (computed && near > 1 ? DOUBT : 0) | (total <= RECHECK_S2 ? 0 : PRECISION);
        k->status[r] = known;
    }
}

CLONES static void mend_two(MEND)
{
    UNPACK_MEND;
    const int apart = (k->from[0] != k->from[1]) & !(k->leaf[0] & k->leaf[1]);
    const double reach = TIE_ROUNDINGS * UNIT_ROUNDOFF;
    INDEPENDENT
    for (int64_t r = 0; r < n; r++) {
        const double y = Y[r], a0 = A0[r], a1 = A1[r], s0 = S0[r], s1 = S1[r];
        const double d0 = deviation(a0, s0, Z0[r]), d1 = deviation(a1, s1, Z1[r]);
        const double u0 = choose(a0 == y, d0, 0), u1 = choose(a1 == y, d1, 0);
        const double attained = choose(u1 > u0, u1, u0);
        const int second = (a1 == y) & (!(a0 == y) | (s1 > s0));
        const int near = apart & (fabs(a0 - y) <= reach * (d0 + attained))
            & (fabs(a1 - y) <= reach * (d1 + attained));
        const double t = choose(second, s1, s0), s = 1 + t;
        T0[r] = choose(second, 0, s0);
        T1[r] = choose(second, s1, 0);
        S[r] = s;
        V[r] = choose(y == 0, choose(second, d1, d0), 0);
        found[r] = found_at(y, 0, 1, (fabs(a0) <= DBL_MAX) & (fabs(a1) <= DBL_MAX), near, s);
    }
    settle_chunk(k);
}

/* The same for two operands of ordinary samples; counts those that need the rules. */
CLONES static int64_t rows_of_two(Slot *k)
{
    UNPACK;
    const double reach = k->leaf[0] & k->leaf[1] ? -1 : TIE_ROUNDINGS * UNIT_ROUNDOFF;
    const double apart = k->from[0] == k->from[1] ? -1 : reach;
    int64_t bad = 0;
    INDEPENDENT
    for (int64_t r = 0; r < n; r++) {
        const double y = Y[r], a0 = A0[r], a1 = A1[r], s0 = S0[r], s1 = S1[r];
        const double first = choose(a0 == y, s0, 0), second = choose(a1 == y, s1, 0);
        const double s = 1 + choose(first > second, first, second);
        S[r] = s;
        const double near = apart * (fabs(a0) * sqrt(s0) + fabs(a1) * sqrt(s1));
        bad += !(s <= RECHECK_S2) | !(fabs(y) >= DBL_MIN) | !(fabs(y) <= DBL_MAX)
            | (fabs(a0 - a1) <= near);
    }
    if (T0) {
        INDEPENDENT
        for (int64_t r = 0; r < n; r++) {
            const int second = (!(A0[r] == Y[r])) | ((A1[r] == Y[r]) & (S1[r] > S0[r]));
            T0[r] = choose(second, 0, S0[r]);
            T1[r] = choose(second, S1[r], 0);
        }
    }
    return bad;
}

CLONES static int64_t mark_of_two(ROWS)
{
    UNPACK_MARK;
    const double reach = k->leaf[0] & k->leaf[1] ? -1 : TIE_ROUNDINGS * UNIT_ROUNDOFF;
    const double apart = k->from[0] == k->from[1] ? -1 : reach;
    INDEPENDENT
    for (int64_t r = 0; r < n; r++) {
        const double y = Y[r], s = S[r];
        const double near = apart * (fabs(A0[r]) * sqrt(S0[r]) + fabs(A1[r]) * sqrt(S1[r]));
        marked[r] = open[r] & -(int64_t)(!(s <= RECHECK_S2) | !(fabs(y) >= DBL_MIN)
                                         | !(fabs(y) <= DBL_MAX) | (fabs(A0[r] - A1[r]) <= near));
        count -= marked[r];
    }
    return count;
}

/* Products, quotients and powers: where the value is 0 because an operand is, and no zero carries
 * noise, the plain recursion holds (every limit is kappa) and the zero carries none, either.
 * Counts the samples where that is not so. */
CLONES static int64_t not_exact_zeros(Slot *k)
{
    UNPACK;
    int64_t bad = 0;
    const double *restrict B1 = A1 ? A1 : A0;
    const int64_t *restrict open = k->open;
    INDEPENDENT
    for (int64_t r = 0; r < n; r++) {
        const double y = Y[r];
        const int exact = (y == 0) & ((A0[r] == 0) | (B1[r] == 0));
        bad -= open[r] & -(int64_t)(!(S[r] <= RECHECK_S2) | !(fabs(y) <= DBL_MAX)
                                    | (!exact & !(fabs(y) >= DBL_MIN)));
    }
    return bad;
}

typedef struct {
    const char *name;
    int64_t (*rows)(ROWS);
    int64_t (*rows_edges)(ROWS);
    int64_t (*mark)(ROWS);
    void (*mend)(MEND);        /* the rules at the samples marked */
    void (*mend_chunk)(MEND);  /* at every sample, without branches; or null */
    int64_t (*outside)(int64_t n, const double *const *A, double p, int64_t *restrict found);
    int flags;
} Row;
