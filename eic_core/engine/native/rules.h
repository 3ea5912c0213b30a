/* One slot of the tape over one chunk of samples, and the rules of ADR 0001 at the samples where
 * the plain recursion does not hold.  The formulas themselves are in operators.h. */

#define SINGULAR_S2 1e60
#define UNIT_ROUNDOFF 1.1102230246251565e-16
#define TIE_ROUNDINGS 16.0
#define MOST_OPERANDS 64

/* What is known of a sample, and inherited by everything above. */
enum { INVALID = 1, HIGH = 2, LOW = 4, PRECISION = 8, DOUBT = 16, NOTHING_LEFT = 64 };

/* Zeros of a slot in a chunk: without noise of their own (0, 0 * x), or with (x - x). */
enum { EXACT_ZEROS = 1, NOISY_ZEROS = 2 };

/* Columns of the table. */
enum { SELECTS = 1, CROSSES = 2, CROSSES_ARGUMENT = 4, KAPPA_FIXED = 8, EXACT_SUM = 16 };

typedef struct {
    int64_t n;                       /* samples in the chunk */
    int slot, operands;
    double p;                        /* the exact parameter */
    double recheck_s2;               /* above this s^2 too few digits are left */
    double *Y, *S, *Z;               /* value, s^2, and sqrt(v) where the value is 0 */
    uint8_t *status;                 /* of each sample */
    int64_t *live;                   /* mask of all bits: not dead yet */
    int64_t *marked, *list;          /* needs the rules; the numbers of those that do */
    const int64_t *open;             /* what the rules look at: living samples, or all */
    int alone, calm;                 /* one formula only; dead samples may get a value that is quick to go on with */
    int32_t *dead;                   /* slot at which a sample first was invalid, or -1 */
    uint8_t skip;                    /* bits of the status after which nothing is left to do */
    int has_zero;
    const double *A[MOST_OPERANDS], *SA[MOST_OPERANDS], *ZA[MOST_OPERANDS];
    const double *H;                 /* the row's helper at the first operand, or null */
    double *T[MOST_OPERANDS];        /* kappa^2 s_i^2 of each operand, if wanted */
    const double *none;              /* a 0 for each sample */
    int64_t *found;                  /* what a loop finds out about each sample */
    double noisy[3];                 /* 0 where a zero of that operand may carry noise, else nan */
    int64_t still;                   /* mask of all bits: no zero of an operand carries any */
    int64_t sure;                    /* mask of all bits: a 0 is certain where those below are */
    int64_t told;                    /* whether something is known of a sample */
    int from[MOST_OPERANDS];         /* slots of the operands */
    int leaf[MOST_OPERANDS];
} Slot;

#define MEND Slot *k, int64_t count
#define ROWS Slot *k
#define UNPACK \
    const int64_t n = k->n; \
    const double p = k->p, recheck_s2 = k->recheck_s2; \
    const double *restrict Y = k->Y, *restrict A0 = k->A[0], *restrict A1 = k->A[1], *restrict A2 = k->A[2]; \
    const double *restrict S0 = k->SA[0], *restrict S1 = k->SA[1], *restrict S2 = k->SA[2]; \
    const double *restrict H = k->H; \
    double *restrict S = k->S, *restrict T0 = k->T[0], *restrict T1 = k->T[1], *restrict T2 = k->T[2]; \
    const int leaf0 = k->leaf[0]; \
    (void)p; (void)recheck_s2; (void)A0; (void)A1; (void)S0; (void)S1; (void)T0; (void)T1; (void)H; (void)leaf0; \
    (void)A2; (void)S2; (void)T2

/* The rules, at the samples listed. */
#define UNPACK_MEND \
    UNPACK; \
    const int64_t *restrict list = k->list; \
    const double *restrict Z0 = k->ZA[0] ? k->ZA[0] : k->none; \
    const double *restrict Z1 = k->ZA[1] ? k->ZA[1] : k->none; \
    const double *restrict Z2 = k->ZA[2] ? k->ZA[2] : k->none; \
    double *restrict V = k->Z; \
    int64_t *restrict found = k->found, any = 0, exact = 0, noisy = 0; \
    const int64_t sure = k->sure; \
    (void)sure; (void)n; (void)Z0; (void)Z1; (void)Z2

/* What was found of a sample, and its zero. */
#define TELL \
    any |= found[i]; \
    exact |= -(int64_t)((y == 0) & (v == 0)); \
    noisy |= -(int64_t)((y == 0) & (v != 0))
#define TOLD \
    k->has_zero |= (exact ? EXACT_ZEROS : 0) | (noisy ? NOISY_ZEROS : 0); \
    return any

/* Marks the samples that need the rules, and counts them.  Of others the plain recursion holds: only
 * a large s^2 is something to be told, or a zero that carries no noise. */
#define UNPACK_MARK \
    UNPACK; \
    const double w0 = k->noisy[0], w1 = k->noisy[1], w2 = k->noisy[2]; \
    const int64_t still = k->still, *restrict open = k->open; \
    int64_t *restrict marked = k->marked, *restrict found = k->found; \
    int64_t count = 0, coarse = 0, exact = 0; \
    (void)w0; (void)w1; (void)w2; (void)still
#define MARK(special, zero) \
    const int64_t plain = open[r] & still & -(int64_t)(zero); \
    const int64_t here = open[r] & ~plain & -(int64_t)(special); \
    marked[r] = here; \
    found[r] = PRECISION & open[r] & ~here & -(int64_t)!(s <= recheck_s2); \
    count -= here; \
    coarse |= found[r]; \
    exact |= plain
#define MARKED \
    k->has_zero = exact ? EXACT_ZEROS : 0; \
    k->told = coarse; \
    return count

static inline double length_of(double a, double b)
{
    const double most = choose(a > b, a, b), least = choose(a > b, b, a), q = least / most;
    return choose((most == 0) | !(most <= DBL_MAX), most, most * sqrt(1 + q * q));
}

/* No real value, unless something overflowed before: after that nan means nothing. */
enum { UNREAL = 32 };

/* What is known of a sample, without branches. */
static inline int64_t found_at(double y, int pole, int vanishes, int ordinary, int doubtful,
                               double s, double recheck_s2, int64_t sure)
{
    const int64_t infinite = -(int64_t)!(fabs(y) <= DBL_MAX);
    const int64_t unreal = -(int64_t)((y != y) | (pole != 0));
    const int64_t high = -(int64_t)(ordinary != 0), near = -(int64_t)(doubtful != 0);
    const int64_t low = -(int64_t)((fabs(y) < DBL_MIN) & !((y == 0) & (vanishes != 0)));
    const int64_t coarse = -(int64_t)!(s <= recheck_s2);
    const int64_t none = sure & -(int64_t)((y == 0) & (s > DBL_MAX));
    return (infinite & ((unreal & UNREAL) | (~unreal & high & HIGH))) | (~infinite & low & LOW)
        | (near & DOUBT) | (coarse & ~none & PRECISION) | (none & NOTHING_LEFT);
}

static inline void bury(Slot *k, int64_t r)
{
    if (k->dead[r] < 0)
        k->dead[r] = k->slot;
    if (!k->alone)  /* what is dead in one formula of a population lives in others */
        return;
    k->live[r] = 0;
    if (k->calm)
        k->Y[r] = k->S[r] = 1;
}

CLONES static void add_bits(uint8_t *restrict status, const int64_t *restrict found, int64_t n)
{
    INDEPENDENT
    for (int64_t r = 0; r < n; r++)
        status[r] |= (uint8_t)found[r];
}

/* The numbers of the samples marked, one after the other. */
static int64_t list_marked(Slot *k)
{
    const int64_t *restrict marked = k->marked;
    int64_t *restrict list = k->list, count = 0;
    const int64_t n = k->n;
    for (int64_t r = 0; r < n; r++) {
        list[count] = r;
        count -= marked[r];
    }
    return count;
}

/* Adds what was found of the samples listed to what is known; `any` is all of it. */
static void settle(Slot *k, int64_t count, int64_t any)
{
    const uint8_t skip = k->skip;
    const int64_t *list = k->list;
    k->told |= any;
    if (!(any & (UNREAL | HIGH))) {
        for (int64_t i = 0; any && i < count; i++) {
            const uint8_t known = k->status[list[i]];
            k->status[list[i]] = known | (uint8_t)(known & skip ? 0 : k->found[i]);
        }
        return;
    }
    for (int64_t i = 0; i < count; i++) {
        const int64_t r = list[i];
        const uint8_t known = k->status[r];
        uint8_t found = (uint8_t)k->found[i];
        if (!found || (known & skip))
            continue;
        if (found & UNREAL)  /* after an overflow nan means nothing */
            found = (uint8_t)((found & ~UNREAL) | (known & HIGH ? 0 : INVALID));
        if (found & INVALID) {
            k->status[r] = known | (uint8_t)(found & ~PRECISION);
            bury(k, r);
        } else {
            k->status[r] = known | found;
        }
    }
}

/* The same for all samples. */
CLONES static void settle_all(Slot *k, int64_t any)
{
    const int64_t n = k->n, skip = k->skip, alone = -(int64_t)k->alone, calm = -(int64_t)k->calm;
    const int64_t *restrict open = k->open, *restrict found = k->found;
    const int64_t slot = k->slot;
    int64_t *restrict live = k->live;
    int32_t *restrict dead = k->dead;
    uint8_t *restrict status = k->status;
    double *restrict Y = k->Y, *restrict S = k->S;
    k->told |= any;
    if (!any)
        return;
    INDEPENDENT
    for (int64_t r = 0; r < n; r++) {
        const int64_t known = status[r], told = found[r] & open[r] & -(int64_t)!(known & skip);
        const int64_t invalid = -(int64_t)(((told & UNREAL) != 0) & !(known & HIGH));
        const int64_t first = invalid & -(int64_t)(dead[r] < 0), now = invalid & alone;
        status[r] = (uint8_t)(known | (told & ~(UNREAL | (invalid & PRECISION))) | (invalid & INVALID));
        dead[r] = (int32_t)((first & slot) | (~first & dead[r]));
        live[r] &= ~now;
        Y[r] = choose((now & calm) != 0, 1, Y[r]);
        S[r] = choose((now & calm) != 0, 1, S[r]);
    }
}

/* min and max: all comes through the operand attained, at ties through the noisier. */
static int64_t mend_selection(MEND)
{
    int64_t any = 0;
    for (int64_t j = 0; j < count; j++) {
        const int64_t r = k->list[j];
        const double y = k->Y[r];
        double a[MOST_OPERANDS], std[MOST_OPERANDS], attained = 0, best = -1;
        int chosen = 0, ordinary = 1;
        for (int i = 0; i < k->operands; i++) {
            a[i] = k->A[i][r];
            std[i] = deviation(a[i], k->SA[i][r], k->ZA[i] ? k->ZA[i][r] : 0);
            ordinary &= fabs(a[i]) <= DBL_MAX;
            if (a[i] != y)
                continue;
            if (std[i] > attained)
                attained = std[i];
            if (takes_over(1, k->SA[i][r], best)) {
                chosen = i;
                best = k->SA[i][r];
            }
        }
        int near = 0, computed = 0;
        for (int i = 0; i < k->operands; i++) {
            int seen = 0;
            for (int before = 0; before < i; before++)
                seen |= k->from[before] == k->from[i];
            if (seen || !(fabs(a[i] - y) <= TIE_ROUNDINGS * UNIT_ROUNDOFF * (std[i] + attained)))
                continue;
            near++;
            computed |= !k->leaf[i];
        }
        const double s = k->SA[chosen][r], total = 1 + s;
        for (int i = 0; i < k->operands; i++)
            if (k->T[i])
                k->T[i][r] = i == chosen ? s : 0;
        k->Z[r] = std[chosen];
        if (y == 0)
            k->has_zero |= std[chosen] == 0 ? EXACT_ZEROS : NOISY_ZEROS;
        k->S[r] = total;
        k->found[j] = found_at(y, 0, 1, ordinary, computed && near > 1, total, k->recheck_s2, 0);
        any |= k->found[j];
    }
    return any;
}

/* The same for two operands. */
CLONES static int64_t mend_two(MEND)
{
    UNPACK_MEND;
    const int apart = (k->from[0] != k->from[1]) & !(k->leaf[0] & k->leaf[1]);
    const double reach = TIE_ROUNDINGS * UNIT_ROUNDOFF;
    INDEPENDENT
    for (int64_t i = 0; i < count; i++) {
        const int64_t r = list[i];
        const double y = Y[r], a0 = A0[r], a1 = A1[r], s0 = S0[r], s1 = S1[r];
        const double d0 = deviation(a0, s0, Z0[r]), d1 = deviation(a1, s1, Z1[r]);
        const double u0 = choose(a0 == y, d0, 0), u1 = choose(a1 == y, d1, 0);
        const double attained = choose(u1 > u0, u1, u0);
        const int second = (a1 == y) & (!(a0 == y) | (s1 > s0));
        const int near = apart & (fabs(a0 - y) <= reach * (d0 + attained))
            & (fabs(a1 - y) <= reach * (d1 + attained));
        const double t = choose(second, s1, s0), s = 1 + t, v = choose(second, d1, d0);
        if (T0) {
            T0[r] = choose(second, 0, s0);
            T1[r] = choose(second, s1, 0);
        }
        S[r] = s;
        V[r] = v;
        found[i] = found_at(y, 0, 1, (fabs(a0) <= DBL_MAX) & (fabs(a1) <= DBL_MAX), near, s, recheck_s2, 0);
        TELL;
    }
    TOLD;
}

/* Whether two operands may tie to within their roundings, sooner too often: |a - b| against
 * |a| s_a + |b| s_b, both squared. */
#define UNPACK_TIES \
    const double apart = k->from[0] == k->from[1] || (k->leaf[0] && k->leaf[1]) \
        ? -1 : 3 * (TIE_ROUNDINGS * UNIT_ROUNDOFF) * (TIE_ROUNDINGS * UNIT_ROUNDOFF)
#define MAY_TIE \
    ((a0 - a1) * (a0 - a1) <= apart * (a0 * a0 * s0 + a1 * a1 * s1))

/* The same for two operands of ordinary samples; counts those that need the rules. */
CLONES static int64_t rows_of_two(Slot *k)
{
    UNPACK;
    UNPACK_TIES;
    int64_t bad = 0;
    INDEPENDENT
    for (int64_t r = 0; r < n; r++) {
        const double y = Y[r], a0 = A0[r], a1 = A1[r], s0 = S0[r], s1 = S1[r];
        const double first = choose(a0 == y, s0, 0), second = choose(a1 == y, s1, 0);
        const double s = 1 + choose(first > second, first, second);
        S[r] = s;
        bad += !(s <= recheck_s2) | !(fabs(y) >= DBL_MIN) | !(fabs(y) <= DBL_MAX) | MAY_TIE;
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
    UNPACK_TIES;
    INDEPENDENT
    for (int64_t r = 0; r < n; r++) {
        const double y = Y[r], a0 = A0[r], a1 = A1[r], s0 = S0[r], s1 = S1[r], s = S[r];
        MARK(!(fabs(y) >= DBL_MIN) | !(fabs(y) <= DBL_MAX) | (a0 == w0) | (a1 == w1) | MAY_TIE, 0);
    }
    MARKED;
}

typedef struct {
    const char *name;
    int64_t (*rows)(ROWS);
    int64_t (*rows_edges)(ROWS);
    int64_t (*mark)(ROWS);
    int64_t (*mend)(MEND);     /* the rules at the samples marked; what it finds */
    int64_t (*outside)(int64_t n, const double *const *A, double p, int64_t *restrict found);
    int flags;
} Row;
