/* Written by generate.py from the operator table: do not edit. */

/* A choice without a branch: compilers leave loops that hold one without vectors. */
static inline double choose(int first, double a, double b)
{
    uint64_t x, y;
    memcpy(&x, &a, sizeof x), memcpy(&y, &b, sizeof y);
    const uint64_t mask = -(uint64_t)(first != 0);
    x = (x & mask) | (y & ~mask);
    memcpy(&a, &x, sizeof a);
    return a;
}

static inline double deviation(double a, double s2, double below)
{
    return choose((a == 0.0), below, (fabs(a) * sqrt(s2)));
}

static inline double moved_by(double partial, double std)
{
    return choose(((std == 0.0) | (partial == 0.0)), 0.0, (fabs(partial) * std));
}

static inline double plain_term(double kappa2, double s2)
{
    return choose((kappa2 == 0.0), 0.0, (kappa2 * s2));
}

static inline double takes_over(double attained, double s2, double best)
{
    return ((attained && (s2 > best)) | (!attained && 0));
}

static inline double edge_term(double y, double a, double s2, double kappa2, double limit, double moved)
{
    return choose((y == 0.0), choose(((fabs(limit) <= DBL_MAX) & (limit != 0.0)), ((limit * limit) * s2), choose((moved == 0.0), 0.0, INFINITY)), choose((a == 0.0), ((moved / fabs(y)) * (moved / fabs(y))), choose((kappa2 == 0.0), 0.0, (kappa2 * s2))));
}

static inline double lost_phase(double x, double s2, double kappa2)
{
    return ((((x * x) * s2) > 10000000000.0) & ((((((2.220446049250313e-16 * sqrt((kappa2 * s2))) * s2) * (x * x)) * (1.0 + (kappa2 / (x * x)))) / (1.0 + (kappa2 * s2))) > fmax(2e-09, (4.440892098500626e-16 * sqrt((1.0 + (kappa2 * s2)))))));
}

#include "rules.h"

CLONES static int64_t rows_add(ROWS)
{
    UNPACK;
    int64_t bad = 0;
    INDEPENDENT
    for (int64_t r = 0; r < n; r++) {
        const double y = Y[r];
        const double a0 = A0[r], s0 = S0[r];
        const double a1 = A1[r], s1 = S1[r];
        const double t0 = plain_term(((a0 / y) * (a0 / y)), s0);
        const double t1 = plain_term(((1.0 - (a0 / y)) * (1.0 - (a0 / y))), s1);
        const double s = 1.0 + t0 + t1;
        S[r] = s;
        bad += !(s <= RECHECK_S2) | !(fabs(y) >= DBL_MIN) | !(fabs(y) <= DBL_MAX);
    }
    return bad;
}
CLONES static int64_t rows_add_edges(ROWS)
{
    UNPACK;
    int64_t bad = 0;
    INDEPENDENT
    for (int64_t r = 0; r < n; r++) {
        const double y = Y[r];
        const double a0 = A0[r], s0 = S0[r];
        const double a1 = A1[r], s1 = S1[r];
        const double t0 = plain_term(((a0 / y) * (a0 / y)), s0);
        const double t1 = plain_term(((1.0 - (a0 / y)) * (1.0 - (a0 / y))), s1);
        const double s = 1.0 + t0 + t1;
        S[r] = s; T0[r] = t0; T1[r] = t1;
        bad += !(s <= RECHECK_S2) | !(fabs(y) >= DBL_MIN) | !(fabs(y) <= DBL_MAX);
    }
    return bad;
}
CLONES static int64_t mark_add(ROWS)
{
    UNPACK_MARK;
    INDEPENDENT
    for (int64_t r = 0; r < n; r++) {
        const double y = Y[r], s = S[r];
        const double a0 = A0[r], s0 = S0[r];
        (void)a0, (void)s0;
        const double a1 = A1[r], s1 = S1[r];
        (void)a1, (void)s1;
        MARK(!(fabs(y) >= DBL_MIN) | !(fabs(y) <= DBL_MAX) | (a0 == w0) | (a1 == w1), 0);
    }
    MARKED;
}

CLONES static int64_t mend_add(MEND)
{
    UNPACK_MEND;
    if (count < n) {
        INDEPENDENT
        for (int64_t i = 0; i < count; i++) {
            const int64_t r = list[i];
            const double y = Y[r];
            const double a0 = A0[r], s0 = S0[r], z0 = Z0[r];
            const double a1 = A1[r], s1 = S1[r], z1 = Z1[r];
            const double k0 = ((a0 / y) * (a0 / y));
            const double m0 = moved_by(1.0, deviation(a0, s0, z0));
            const double t0 = edge_term(y, a0, s0, k0, NAN, m0);
            const double k1 = ((1.0 - (a0 / y)) * (1.0 - (a0 / y)));
            const double m1 = moved_by(1.0, deviation(a1, s1, z1));
            const double t1 = edge_term(y, a1, s1, k1, NAN, m1);
            const double s = 1.0 + t0 + t1, v = length_of(m0, m1);
            if (T0) T0[r] = t0;
            if (T1) T1[r] = t1;
            S[r] = s;
            V[r] = v;
            found[i] = found_at(y, 0, 1, (fabs(a0) <= DBL_MAX) & (fabs(a1) <= DBL_MAX), 0, s);
            TELL;
        }
    } else {
        INDEPENDENT
        for (int64_t i = 0; i < count; i++) {
            const int64_t r = i;
            const double y = Y[r];
            const double a0 = A0[r], s0 = S0[r], z0 = Z0[r];
            const double a1 = A1[r], s1 = S1[r], z1 = Z1[r];
            const double k0 = ((a0 / y) * (a0 / y));
            const double m0 = moved_by(1.0, deviation(a0, s0, z0));
            const double t0 = edge_term(y, a0, s0, k0, NAN, m0);
            const double k1 = ((1.0 - (a0 / y)) * (1.0 - (a0 / y)));
            const double m1 = moved_by(1.0, deviation(a1, s1, z1));
            const double t1 = edge_term(y, a1, s1, k1, NAN, m1);
            const double s = 1.0 + t0 + t1, v = length_of(m0, m1);
            if (T0) T0[r] = t0;
            if (T1) T1[r] = t1;
            S[r] = s;
            V[r] = v;
            found[i] = found_at(y, 0, 1, (fabs(a0) <= DBL_MAX) & (fabs(a1) <= DBL_MAX), 0, s);
            TELL;
        }
    }
    TOLD;
}

CLONES static int64_t rows_sub(ROWS)
{
    UNPACK;
    int64_t bad = 0;
    INDEPENDENT
    for (int64_t r = 0; r < n; r++) {
        const double y = Y[r];
        const double a0 = A0[r], s0 = S0[r];
        const double a1 = A1[r], s1 = S1[r];
        const double t0 = plain_term(((a0 / y) * (a0 / y)), s0);
        const double t1 = plain_term(((1.0 - (a0 / y)) * (1.0 - (a0 / y))), s1);
        const double s = 1.0 + t0 + t1;
        S[r] = s;
        bad += !(s <= RECHECK_S2) | !(fabs(y) >= DBL_MIN) | !(fabs(y) <= DBL_MAX);
    }
    return bad;
}
CLONES static int64_t rows_sub_edges(ROWS)
{
    UNPACK;
    int64_t bad = 0;
    INDEPENDENT
    for (int64_t r = 0; r < n; r++) {
        const double y = Y[r];
        const double a0 = A0[r], s0 = S0[r];
        const double a1 = A1[r], s1 = S1[r];
        const double t0 = plain_term(((a0 / y) * (a0 / y)), s0);
        const double t1 = plain_term(((1.0 - (a0 / y)) * (1.0 - (a0 / y))), s1);
        const double s = 1.0 + t0 + t1;
        S[r] = s; T0[r] = t0; T1[r] = t1;
        bad += !(s <= RECHECK_S2) | !(fabs(y) >= DBL_MIN) | !(fabs(y) <= DBL_MAX);
    }
    return bad;
}
CLONES static int64_t mark_sub(ROWS)
{
    UNPACK_MARK;
    INDEPENDENT
    for (int64_t r = 0; r < n; r++) {
        const double y = Y[r], s = S[r];
        const double a0 = A0[r], s0 = S0[r];
        (void)a0, (void)s0;
        const double a1 = A1[r], s1 = S1[r];
        (void)a1, (void)s1;
        MARK(!(fabs(y) >= DBL_MIN) | !(fabs(y) <= DBL_MAX) | (a0 == w0) | (a1 == w1), 0);
    }
    MARKED;
}

CLONES static int64_t mend_sub(MEND)
{
    UNPACK_MEND;
    if (count < n) {
        INDEPENDENT
        for (int64_t i = 0; i < count; i++) {
            const int64_t r = list[i];
            const double y = Y[r];
            const double a0 = A0[r], s0 = S0[r], z0 = Z0[r];
            const double a1 = A1[r], s1 = S1[r], z1 = Z1[r];
            const double k0 = ((a0 / y) * (a0 / y));
            const double m0 = moved_by(1.0, deviation(a0, s0, z0));
            const double t0 = edge_term(y, a0, s0, k0, NAN, m0);
            const double k1 = ((1.0 - (a0 / y)) * (1.0 - (a0 / y)));
            const double m1 = moved_by((-1.0), deviation(a1, s1, z1));
            const double t1 = edge_term(y, a1, s1, k1, NAN, m1);
            const double s = 1.0 + t0 + t1, v = length_of(m0, m1);
            if (T0) T0[r] = t0;
            if (T1) T1[r] = t1;
            S[r] = s;
            V[r] = v;
            found[i] = found_at(y, 0, 1, (fabs(a0) <= DBL_MAX) & (fabs(a1) <= DBL_MAX), 0, s);
            TELL;
        }
    } else {
        INDEPENDENT
        for (int64_t i = 0; i < count; i++) {
            const int64_t r = i;
            const double y = Y[r];
            const double a0 = A0[r], s0 = S0[r], z0 = Z0[r];
            const double a1 = A1[r], s1 = S1[r], z1 = Z1[r];
            const double k0 = ((a0 / y) * (a0 / y));
            const double m0 = moved_by(1.0, deviation(a0, s0, z0));
            const double t0 = edge_term(y, a0, s0, k0, NAN, m0);
            const double k1 = ((1.0 - (a0 / y)) * (1.0 - (a0 / y)));
            const double m1 = moved_by((-1.0), deviation(a1, s1, z1));
            const double t1 = edge_term(y, a1, s1, k1, NAN, m1);
            const double s = 1.0 + t0 + t1, v = length_of(m0, m1);
            if (T0) T0[r] = t0;
            if (T1) T1[r] = t1;
            S[r] = s;
            V[r] = v;
            found[i] = found_at(y, 0, 1, (fabs(a0) <= DBL_MAX) & (fabs(a1) <= DBL_MAX), 0, s);
            TELL;
        }
    }
    TOLD;
}

CLONES static int64_t rows_mul(ROWS)
{
    UNPACK;
    int64_t bad = 0;
    INDEPENDENT
    for (int64_t r = 0; r < n; r++) {
        const double y = Y[r];
        const double a0 = A0[r], s0 = S0[r];
        const double a1 = A1[r], s1 = S1[r];
        const double t0 = plain_term(1.0, s0);
        const double t1 = plain_term(1.0, s1);
        const double s = 1.0 + t0 + t1;
        S[r] = s;
        bad += !(s <= RECHECK_S2) | !(fabs(y) >= DBL_MIN) | !(fabs(y) <= DBL_MAX);
    }
    return bad;
}
CLONES static int64_t rows_mul_edges(ROWS)
{
    UNPACK;
    int64_t bad = 0;
    INDEPENDENT
    for (int64_t r = 0; r < n; r++) {
        const double y = Y[r];
        const double a0 = A0[r], s0 = S0[r];
        const double a1 = A1[r], s1 = S1[r];
        const double t0 = plain_term(1.0, s0);
        const double t1 = plain_term(1.0, s1);
        const double s = 1.0 + t0 + t1;
        S[r] = s; T0[r] = t0; T1[r] = t1;
        bad += !(s <= RECHECK_S2) | !(fabs(y) >= DBL_MIN) | !(fabs(y) <= DBL_MAX);
    }
    return bad;
}
CLONES static int64_t mark_mul(ROWS)
{
    UNPACK_MARK;
    INDEPENDENT
    for (int64_t r = 0; r < n; r++) {
        const double y = Y[r], s = S[r];
        const double a0 = A0[r], s0 = S0[r];
        (void)a0, (void)s0;
        const double a1 = A1[r], s1 = S1[r];
        (void)a1, (void)s1;
        MARK(!(fabs(y) >= DBL_MIN) | !(fabs(y) <= DBL_MAX), (y == 0) & ((a0 == 0) | (a1 == 0)));
    }
    MARKED;
}

CLONES static int64_t mend_mul(MEND)
{
    UNPACK_MEND;
    if (count < n) {
        INDEPENDENT
        for (int64_t i = 0; i < count; i++) {
            const int64_t r = list[i];
            const double y = Y[r];
            const double a0 = A0[r], s0 = S0[r], z0 = Z0[r];
            const double a1 = A1[r], s1 = S1[r], z1 = Z1[r];
            const double k0 = 1.0;
            const double m0 = moved_by(a1, deviation(a0, s0, z0));
            const double t0 = edge_term(y, a0, s0, k0, 1.0, m0);
            const double k1 = 1.0;
            const double m1 = moved_by(a0, deviation(a1, s1, z1));
            const double t1 = edge_term(y, a1, s1, k1, 1.0, m1);
            const double s = 1.0 + t0 + t1, v = length_of(m0, m1);
            if (T0) T0[r] = t0;
            if (T1) T1[r] = t1;
            S[r] = s;
            V[r] = v;
            found[i] = found_at(y, 0, ((a0 == 0.0) | (a1 == 0.0)), (fabs(a0) <= DBL_MAX) & (fabs(a1) <= DBL_MAX), 0, s);
            TELL;
        }
    } else {
        INDEPENDENT
        for (int64_t i = 0; i < count; i++) {
            const int64_t r = i;
            const double y = Y[r];
            const double a0 = A0[r], s0 = S0[r], z0 = Z0[r];
            const double a1 = A1[r], s1 = S1[r], z1 = Z1[r];
            const double k0 = 1.0;
            const double m0 = moved_by(a1, deviation(a0, s0, z0));
            const double t0 = edge_term(y, a0, s0, k0, 1.0, m0);
            const double k1 = 1.0;
            const double m1 = moved_by(a0, deviation(a1, s1, z1));
            const double t1 = edge_term(y, a1, s1, k1, 1.0, m1);
            const double s = 1.0 + t0 + t1, v = length_of(m0, m1);
            if (T0) T0[r] = t0;
            if (T1) T1[r] = t1;
            S[r] = s;
            V[r] = v;
            found[i] = found_at(y, 0, ((a0 == 0.0) | (a1 == 0.0)), (fabs(a0) <= DBL_MAX) & (fabs(a1) <= DBL_MAX), 0, s);
            TELL;
        }
    }
    TOLD;
}

CLONES static int64_t rows_div(ROWS)
{
    UNPACK;
    int64_t bad = 0;
    INDEPENDENT
    for (int64_t r = 0; r < n; r++) {
        const double y = Y[r];
        const double a0 = A0[r], s0 = S0[r];
        const double a1 = A1[r], s1 = S1[r];
        const double t0 = plain_term(1.0, s0);
        const double t1 = plain_term(1.0, s1);
        const double s = 1.0 + t0 + t1;
        S[r] = s;
        bad += !(s <= RECHECK_S2) | !(fabs(y) >= DBL_MIN) | !(fabs(y) <= DBL_MAX);
    }
    return bad;
}
CLONES static int64_t rows_div_edges(ROWS)
{
    UNPACK;
    int64_t bad = 0;
    INDEPENDENT
    for (int64_t r = 0; r < n; r++) {
        const double y = Y[r];
        const double a0 = A0[r], s0 = S0[r];
        const double a1 = A1[r], s1 = S1[r];
        const double t0 = plain_term(1.0, s0);
        const double t1 = plain_term(1.0, s1);
        const double s = 1.0 + t0 + t1;
        S[r] = s; T0[r] = t0; T1[r] = t1;
        bad += !(s <= RECHECK_S2) | !(fabs(y) >= DBL_MIN) | !(fabs(y) <= DBL_MAX);
    }
    return bad;
}
CLONES static int64_t mark_div(ROWS)
{
    UNPACK_MARK;
    INDEPENDENT
    for (int64_t r = 0; r < n; r++) {
        const double y = Y[r], s = S[r];
        const double a0 = A0[r], s0 = S0[r];
        (void)a0, (void)s0;
        const double a1 = A1[r], s1 = S1[r];
        (void)a1, (void)s1;
        MARK(!(fabs(y) >= DBL_MIN) | !(fabs(y) <= DBL_MAX), (y == 0) & ((a0 == 0) | (a1 == 0)));
    }
    MARKED;
}

CLONES static int64_t mend_div(MEND)
{
    UNPACK_MEND;
    if (count < n) {
        INDEPENDENT
        for (int64_t i = 0; i < count; i++) {
            const int64_t r = list[i];
            const double y = Y[r];
            const double a0 = A0[r], s0 = S0[r], z0 = Z0[r];
            const double a1 = A1[r], s1 = S1[r], z1 = Z1[r];
            const double k0 = 1.0;
            const double m0 = moved_by((1.0 / a1), deviation(a0, s0, z0));
            const double t0 = edge_term(y, a0, s0, k0, 1.0, m0);
            const double k1 = 1.0;
            const double m1 = moved_by(((-y) / a1), deviation(a1, s1, z1));
            const double t1 = edge_term(y, a1, s1, k1, (-1.0), m1);
            const double s = 1.0 + t0 + t1, v = length_of(m0, m1);
            if (T0) T0[r] = t0;
            if (T1) T1[r] = t1;
            S[r] = s;
            V[r] = v;
            found[i] = found_at(y, (a1 == 0.0), (a0 == 0.0), (fabs(a0) <= DBL_MAX) & (fabs(a1) <= DBL_MAX), 0, s);
            TELL;
        }
    } else {
        INDEPENDENT
        for (int64_t i = 0; i < count; i++) {
            const int64_t r = i;
            const double y = Y[r];
            const double a0 = A0[r], s0 = S0[r], z0 = Z0[r];
            const double a1 = A1[r], s1 = S1[r], z1 = Z1[r];
            const double k0 = 1.0;
            const double m0 = moved_by((1.0 / a1), deviation(a0, s0, z0));
            const double t0 = edge_term(y, a0, s0, k0, 1.0, m0);
            const double k1 = 1.0;
            const double m1 = moved_by(((-y) / a1), deviation(a1, s1, z1));
            const double t1 = edge_term(y, a1, s1, k1, (-1.0), m1);
            const double s = 1.0 + t0 + t1, v = length_of(m0, m1);
            if (T0) T0[r] = t0;
            if (T1) T1[r] = t1;
            S[r] = s;
            V[r] = v;
            found[i] = found_at(y, (a1 == 0.0), (a0 == 0.0), (fabs(a0) <= DBL_MAX) & (fabs(a1) <= DBL_MAX), 0, s);
            TELL;
        }
    }
    TOLD;
}

CLONES static int64_t rows_neg(ROWS)
{
    UNPACK;
    int64_t bad = 0;
    INDEPENDENT
    for (int64_t r = 0; r < n; r++) {
        const double y = Y[r];
        const double a0 = A0[r], s0 = S0[r];
        const double t0 = plain_term(1.0, s0);
        const double s = 1.0 + t0;
        S[r] = s;
        bad += !(s <= RECHECK_S2) | !(fabs(y) >= DBL_MIN) | !(fabs(y) <= DBL_MAX);
    }
    return bad;
}
CLONES static int64_t rows_neg_edges(ROWS)
{
    UNPACK;
    int64_t bad = 0;
    INDEPENDENT
    for (int64_t r = 0; r < n; r++) {
        const double y = Y[r];
        const double a0 = A0[r], s0 = S0[r];
        const double t0 = plain_term(1.0, s0);
        const double s = 1.0 + t0;
        S[r] = s; T0[r] = t0;
        bad += !(s <= RECHECK_S2) | !(fabs(y) >= DBL_MIN) | !(fabs(y) <= DBL_MAX);
    }
    return bad;
}
CLONES static int64_t mark_neg(ROWS)
{
    UNPACK_MARK;
    INDEPENDENT
    for (int64_t r = 0; r < n; r++) {
        const double y = Y[r], s = S[r];
        const double a0 = A0[r], s0 = S0[r];
        (void)a0, (void)s0;
        MARK(!(fabs(y) >= DBL_MIN) | !(fabs(y) <= DBL_MAX), (y == 0) & ((a0 == 0)));
    }
    MARKED;
}

CLONES static int64_t mend_neg(MEND)
{
    UNPACK_MEND;
    if (count < n) {
        INDEPENDENT
        for (int64_t i = 0; i < count; i++) {
            const int64_t r = list[i];
            const double y = Y[r];
            const double a0 = A0[r], s0 = S0[r], z0 = Z0[r];
            const double k0 = 1.0;
            const double m0 = moved_by((-1.0), deviation(a0, s0, z0));
            const double t0 = edge_term(y, a0, s0, k0, 1.0, m0);
            const double s = 1.0 + t0, v = m0;
            if (T0) T0[r] = t0;
            S[r] = s;
            V[r] = v;
            found[i] = found_at(y, 0, 1, (fabs(a0) <= DBL_MAX), 0, s);
            TELL;
        }
    } else {
        INDEPENDENT
        for (int64_t i = 0; i < count; i++) {
            const int64_t r = i;
            const double y = Y[r];
            const double a0 = A0[r], s0 = S0[r], z0 = Z0[r];
            const double k0 = 1.0;
            const double m0 = moved_by((-1.0), deviation(a0, s0, z0));
            const double t0 = edge_term(y, a0, s0, k0, 1.0, m0);
            const double s = 1.0 + t0, v = m0;
            if (T0) T0[r] = t0;
            S[r] = s;
            V[r] = v;
            found[i] = found_at(y, 0, 1, (fabs(a0) <= DBL_MAX), 0, s);
            TELL;
        }
    }
    TOLD;
}

CLONES static int64_t rows_abs(ROWS)
{
    UNPACK;
    int64_t bad = 0;
    INDEPENDENT
    for (int64_t r = 0; r < n; r++) {
        const double y = Y[r];
        const double a0 = A0[r], s0 = S0[r];
        const double t0 = plain_term(1.0, s0);
        const double s = 1.0 + t0;
        S[r] = s;
        bad += !(s <= RECHECK_S2) | !(fabs(y) >= DBL_MIN) | !(fabs(y) <= DBL_MAX);
    }
    return bad;
}
CLONES static int64_t rows_abs_edges(ROWS)
{
    UNPACK;
    int64_t bad = 0;
    INDEPENDENT
    for (int64_t r = 0; r < n; r++) {
        const double y = Y[r];
        const double a0 = A0[r], s0 = S0[r];
        const double t0 = plain_term(1.0, s0);
        const double s = 1.0 + t0;
        S[r] = s; T0[r] = t0;
        bad += !(s <= RECHECK_S2) | !(fabs(y) >= DBL_MIN) | !(fabs(y) <= DBL_MAX);
    }
    return bad;
}
CLONES static int64_t mark_abs(ROWS)
{
    UNPACK_MARK;
    INDEPENDENT
    for (int64_t r = 0; r < n; r++) {
        const double y = Y[r], s = S[r];
        const double a0 = A0[r], s0 = S0[r];
        (void)a0, (void)s0;
        MARK(!(fabs(y) >= DBL_MIN) | !(fabs(y) <= DBL_MAX), (y == 0) & ((a0 == 0)));
    }
    MARKED;
}

CLONES static int64_t mend_abs(MEND)
{
    UNPACK_MEND;
    if (count < n) {
        INDEPENDENT
        for (int64_t i = 0; i < count; i++) {
            const int64_t r = list[i];
            const double y = Y[r];
            const double a0 = A0[r], s0 = S0[r], z0 = Z0[r];
            const double k0 = 1.0;
            const double m0 = moved_by(choose((a0 < 0.0), (-1.0), 1.0), deviation(a0, s0, z0));
            const double t0 = edge_term(y, a0, s0, k0, 1.0, m0);
            const double s = 1.0 + t0, v = m0;
            if (T0) T0[r] = t0;
            S[r] = s;
            V[r] = v;
            found[i] = found_at(y, 0, 1, (fabs(a0) <= DBL_MAX), 0, s);
            TELL;
        }
    } else {
        INDEPENDENT
        for (int64_t i = 0; i < count; i++) {
            const int64_t r = i;
            const double y = Y[r];
            const double a0 = A0[r], s0 = S0[r], z0 = Z0[r];
            const double k0 = 1.0;
            const double m0 = moved_by(choose((a0 < 0.0), (-1.0), 1.0), deviation(a0, s0, z0));
            const double t0 = edge_term(y, a0, s0, k0, 1.0, m0);
            const double s = 1.0 + t0, v = m0;
            if (T0) T0[r] = t0;
            S[r] = s;
            V[r] = v;
            found[i] = found_at(y, 0, 1, (fabs(a0) <= DBL_MAX), 0, s);
            TELL;
        }
    }
    TOLD;
}

CLONES static int64_t rows_power(ROWS)
{
    UNPACK;
    int64_t bad = 0;
    INDEPENDENT
    for (int64_t r = 0; r < n; r++) {
        const double y = Y[r];
        const double a0 = A0[r], s0 = S0[r];
        const double t0 = plain_term((p * p), s0);
        const double s = 1.0 + t0;
        S[r] = s;
        bad += !(s <= RECHECK_S2) | !(fabs(y) >= DBL_MIN) | !(fabs(y) <= DBL_MAX);
    }
    return bad;
}
CLONES static int64_t rows_power_edges(ROWS)
{
    UNPACK;
    int64_t bad = 0;
    INDEPENDENT
    for (int64_t r = 0; r < n; r++) {
        const double y = Y[r];
        const double a0 = A0[r], s0 = S0[r];
        const double t0 = plain_term((p * p), s0);
        const double s = 1.0 + t0;
        S[r] = s; T0[r] = t0;
        bad += !(s <= RECHECK_S2) | !(fabs(y) >= DBL_MIN) | !(fabs(y) <= DBL_MAX);
    }
    return bad;
}
CLONES static int64_t mark_power(ROWS)
{
    UNPACK_MARK;
    INDEPENDENT
    for (int64_t r = 0; r < n; r++) {
        const double y = Y[r], s = S[r];
        const double a0 = A0[r], s0 = S0[r];
        (void)a0, (void)s0;
        MARK(!(fabs(y) >= DBL_MIN) | !(fabs(y) <= DBL_MAX), (y == 0) & ((a0 == 0)));
    }
    MARKED;
}

CLONES static int64_t mend_power(MEND)
{
    UNPACK_MEND;
    if (count < n) {
        INDEPENDENT
        for (int64_t i = 0; i < count; i++) {
            const int64_t r = list[i];
            const double y = Y[r];
            const double a0 = A0[r], s0 = S0[r], z0 = Z0[r];
            const double k0 = (p * p);
            const double m0 = moved_by(choose((a0 == 0.0), choose((p == 1.0), 1.0, choose(((p == 0.0) | (p > 1.0)), 0.0, INFINITY)), (p * (y / a0))), deviation(a0, s0, z0));
            const double t0 = edge_term(y, a0, s0, k0, choose((p == 0.0), NAN, p), m0);
            const double s = 1.0 + t0, v = m0;
            if (T0) T0[r] = t0;
            S[r] = s;
            V[r] = v;
            found[i] = found_at(y, ((a0 == 0.0) & (p < 0.0)), ((a0 == 0.0) & (p > 0.0)), (fabs(a0) <= DBL_MAX), 0, s);
            TELL;
        }
    } else {
        INDEPENDENT
        for (int64_t i = 0; i < count; i++) {
            const int64_t r = i;
            const double y = Y[r];
            const double a0 = A0[r], s0 = S0[r], z0 = Z0[r];
            const double k0 = (p * p);
            const double m0 = moved_by(choose((a0 == 0.0), choose((p == 1.0), 1.0, choose(((p == 0.0) | (p > 1.0)), 0.0, INFINITY)), (p * (y / a0))), deviation(a0, s0, z0));
            const double t0 = edge_term(y, a0, s0, k0, choose((p == 0.0), NAN, p), m0);
            const double s = 1.0 + t0, v = m0;
            if (T0) T0[r] = t0;
            S[r] = s;
            V[r] = v;
            found[i] = found_at(y, ((a0 == 0.0) & (p < 0.0)), ((a0 == 0.0) & (p > 0.0)), (fabs(a0) <= DBL_MAX), 0, s);
            TELL;
        }
    }
    TOLD;
}

CLONES static int64_t outside_power(int64_t n, const double *const *A, double p, int64_t *restrict found)
{
    int64_t count = 0;
    (void)p;
    INDEPENDENT
    for (int64_t r = 0; r < n; r++) {
        const double a0 = A[0][r];
        found[r] = -(int64_t)(((a0 < 0.0) & (p != floor(p))));
        count -= found[r];
    }
    return count;
}

CLONES static int64_t rows_sqrt(ROWS)
{
    UNPACK;
    int64_t bad = 0;
    INDEPENDENT
    for (int64_t r = 0; r < n; r++) {
        const double y = Y[r];
        const double a0 = A0[r], s0 = S0[r];
        const double t0 = plain_term(0.25, s0);
        const double s = 1.0 + t0;
        S[r] = s;
        bad += !(s <= RECHECK_S2) | !(fabs(y) >= DBL_MIN) | !(fabs(y) <= DBL_MAX);
    }
    return bad;
}
CLONES static int64_t rows_sqrt_edges(ROWS)
{
    UNPACK;
    int64_t bad = 0;
    INDEPENDENT
    for (int64_t r = 0; r < n; r++) {
        const double y = Y[r];
        const double a0 = A0[r], s0 = S0[r];
        const double t0 = plain_term(0.25, s0);
        const double s = 1.0 + t0;
        S[r] = s; T0[r] = t0;
        bad += !(s <= RECHECK_S2) | !(fabs(y) >= DBL_MIN) | !(fabs(y) <= DBL_MAX);
    }
    return bad;
}
CLONES static int64_t mark_sqrt(ROWS)
{
    UNPACK_MARK;
    INDEPENDENT
    for (int64_t r = 0; r < n; r++) {
        const double y = Y[r], s = S[r];
        const double a0 = A0[r], s0 = S0[r];
        (void)a0, (void)s0;
        MARK(!(fabs(y) >= DBL_MIN) | !(fabs(y) <= DBL_MAX), (y == 0) & ((a0 == 0)));
    }
    MARKED;
}

CLONES static int64_t mend_sqrt(MEND)
{
    UNPACK_MEND;
    if (count < n) {
        INDEPENDENT
        for (int64_t i = 0; i < count; i++) {
            const int64_t r = list[i];
            const double y = Y[r];
            const double a0 = A0[r], s0 = S0[r], z0 = Z0[r];
            const double k0 = 0.25;
            const double m0 = moved_by((0.5 / y), deviation(a0, s0, z0));
            const double t0 = edge_term(y, a0, s0, k0, 0.5, m0);
            const double s = 1.0 + t0, v = m0;
            if (T0) T0[r] = t0;
            S[r] = s;
            V[r] = v;
            found[i] = found_at(y, 0, 1, (fabs(a0) <= DBL_MAX), 0, s);
            TELL;
        }
    } else {
        INDEPENDENT
        for (int64_t i = 0; i < count; i++) {
            const int64_t r = i;
            const double y = Y[r];
            const double a0 = A0[r], s0 = S0[r], z0 = Z0[r];
            const double k0 = 0.25;
            const double m0 = moved_by((0.5 / y), deviation(a0, s0, z0));
            const double t0 = edge_term(y, a0, s0, k0, 0.5, m0);
            const double s = 1.0 + t0, v = m0;
            if (T0) T0[r] = t0;
            S[r] = s;
            V[r] = v;
            found[i] = found_at(y, 0, 1, (fabs(a0) <= DBL_MAX), 0, s);
            TELL;
        }
    }
    TOLD;
}

CLONES static int64_t rows_cbrt(ROWS)
{
    UNPACK;
    int64_t bad = 0;
    INDEPENDENT
    for (int64_t r = 0; r < n; r++) {
        const double y = Y[r];
        const double a0 = A0[r], s0 = S0[r];
        const double t0 = plain_term(0.1111111111111111, s0);
        const double s = 1.0 + t0;
        S[r] = s;
        bad += !(s <= RECHECK_S2) | !(fabs(y) >= DBL_MIN) | !(fabs(y) <= DBL_MAX);
    }
    return bad;
}
CLONES static int64_t rows_cbrt_edges(ROWS)
{
    UNPACK;
    int64_t bad = 0;
    INDEPENDENT
    for (int64_t r = 0; r < n; r++) {
        const double y = Y[r];
        const double a0 = A0[r], s0 = S0[r];
        const double t0 = plain_term(0.1111111111111111, s0);
        const double s = 1.0 + t0;
        S[r] = s; T0[r] = t0;
        bad += !(s <= RECHECK_S2) | !(fabs(y) >= DBL_MIN) | !(fabs(y) <= DBL_MAX);
    }
    return bad;
}
CLONES static int64_t mark_cbrt(ROWS)
{
    UNPACK_MARK;
    INDEPENDENT
    for (int64_t r = 0; r < n; r++) {
        const double y = Y[r], s = S[r];
        const double a0 = A0[r], s0 = S0[r];
        (void)a0, (void)s0;
        MARK(!(fabs(y) >= DBL_MIN) | !(fabs(y) <= DBL_MAX), (y == 0) & ((a0 == 0)));
    }
    MARKED;
}

CLONES static int64_t mend_cbrt(MEND)
{
    UNPACK_MEND;
    if (count < n) {
        INDEPENDENT
        for (int64_t i = 0; i < count; i++) {
            const int64_t r = list[i];
            const double y = Y[r];
            const double a0 = A0[r], s0 = S0[r], z0 = Z0[r];
            const double k0 = 0.1111111111111111;
            const double m0 = moved_by(choose((a0 == 0.0), INFINITY, (y / (3.0 * a0))), deviation(a0, s0, z0));
            const double t0 = edge_term(y, a0, s0, k0, 0.3333333333333333, m0);
            const double s = 1.0 + t0, v = m0;
            if (T0) T0[r] = t0;
            S[r] = s;
            V[r] = v;
            found[i] = found_at(y, 0, 1, (fabs(a0) <= DBL_MAX), 0, s);
            TELL;
        }
    } else {
        INDEPENDENT
        for (int64_t i = 0; i < count; i++) {
            const int64_t r = i;
            const double y = Y[r];
            const double a0 = A0[r], s0 = S0[r], z0 = Z0[r];
            const double k0 = 0.1111111111111111;
            const double m0 = moved_by(choose((a0 == 0.0), INFINITY, (y / (3.0 * a0))), deviation(a0, s0, z0));
            const double t0 = edge_term(y, a0, s0, k0, 0.3333333333333333, m0);
            const double s = 1.0 + t0, v = m0;
            if (T0) T0[r] = t0;
            S[r] = s;
            V[r] = v;
            found[i] = found_at(y, 0, 1, (fabs(a0) <= DBL_MAX), 0, s);
            TELL;
        }
    }
    TOLD;
}

CLONES static int64_t rows_root(ROWS)
{
    UNPACK;
    int64_t bad = 0;
    INDEPENDENT
    for (int64_t r = 0; r < n; r++) {
        const double y = Y[r];
        const double a0 = A0[r], s0 = S0[r];
        const double t0 = plain_term((1.0 / (p * p)), s0);
        const double s = 1.0 + t0;
        S[r] = s;
        bad += !(s <= RECHECK_S2) | !(fabs(y) >= DBL_MIN) | !(fabs(y) <= DBL_MAX);
    }
    return bad;
}
CLONES static int64_t rows_root_edges(ROWS)
{
    UNPACK;
    int64_t bad = 0;
    INDEPENDENT
    for (int64_t r = 0; r < n; r++) {
        const double y = Y[r];
        const double a0 = A0[r], s0 = S0[r];
        const double t0 = plain_term((1.0 / (p * p)), s0);
        const double s = 1.0 + t0;
        S[r] = s; T0[r] = t0;
        bad += !(s <= RECHECK_S2) | !(fabs(y) >= DBL_MIN) | !(fabs(y) <= DBL_MAX);
    }
    return bad;
}
CLONES static int64_t mark_root(ROWS)
{
    UNPACK_MARK;
    INDEPENDENT
    for (int64_t r = 0; r < n; r++) {
        const double y = Y[r], s = S[r];
        const double a0 = A0[r], s0 = S0[r];
        (void)a0, (void)s0;
        MARK(!(fabs(y) >= DBL_MIN) | !(fabs(y) <= DBL_MAX), (y == 0) & ((a0 == 0)));
    }
    MARKED;
}

CLONES static int64_t mend_root(MEND)
{
    UNPACK_MEND;
    if (count < n) {
        INDEPENDENT
        for (int64_t i = 0; i < count; i++) {
            const int64_t r = list[i];
            const double y = Y[r];
            const double a0 = A0[r], s0 = S0[r], z0 = Z0[r];
            const double k0 = (1.0 / (p * p));
            const double m0 = moved_by(choose((a0 == 0.0), INFINITY, (y / (p * a0))), deviation(a0, s0, z0));
            const double t0 = edge_term(y, a0, s0, k0, (1.0 / p), m0);
            const double s = 1.0 + t0, v = m0;
            if (T0) T0[r] = t0;
            S[r] = s;
            V[r] = v;
            found[i] = found_at(y, 0, 1, (fabs(a0) <= DBL_MAX), 0, s);
            TELL;
        }
    } else {
        INDEPENDENT
        for (int64_t i = 0; i < count; i++) {
            const int64_t r = i;
            const double y = Y[r];
            const double a0 = A0[r], s0 = S0[r], z0 = Z0[r];
            const double k0 = (1.0 / (p * p));
            const double m0 = moved_by(choose((a0 == 0.0), INFINITY, (y / (p * a0))), deviation(a0, s0, z0));
            const double t0 = edge_term(y, a0, s0, k0, (1.0 / p), m0);
            const double s = 1.0 + t0, v = m0;
            if (T0) T0[r] = t0;
            S[r] = s;
            V[r] = v;
            found[i] = found_at(y, 0, 1, (fabs(a0) <= DBL_MAX), 0, s);
            TELL;
        }
    }
    TOLD;
}

CLONES static int64_t rows_pow(ROWS)
{
    UNPACK;
    int64_t bad = 0;
    INDEPENDENT
    for (int64_t r = 0; r < n; r++) {
        const double y = Y[r];
        const double a0 = A0[r], s0 = S0[r];
        const double a1 = A1[r], s1 = S1[r];
        const double h = H[r];
        const double t0 = plain_term((a1 * a1), s0);
        const double t1 = plain_term(((a1 * h) * (a1 * h)), s1);
        const double s = 1.0 + t0 + t1;
        S[r] = s;
        bad += !(s <= RECHECK_S2) | !(fabs(y) >= DBL_MIN) | !(fabs(y) <= DBL_MAX);
    }
    return bad;
}
CLONES static int64_t rows_pow_edges(ROWS)
{
    UNPACK;
    int64_t bad = 0;
    INDEPENDENT
    for (int64_t r = 0; r < n; r++) {
        const double y = Y[r];
        const double a0 = A0[r], s0 = S0[r];
        const double a1 = A1[r], s1 = S1[r];
        const double h = H[r];
        const double t0 = plain_term((a1 * a1), s0);
        const double t1 = plain_term(((a1 * h) * (a1 * h)), s1);
        const double s = 1.0 + t0 + t1;
        S[r] = s; T0[r] = t0; T1[r] = t1;
        bad += !(s <= RECHECK_S2) | !(fabs(y) >= DBL_MIN) | !(fabs(y) <= DBL_MAX);
    }
    return bad;
}
CLONES static int64_t mark_pow(ROWS)
{
    UNPACK_MARK;
    INDEPENDENT
    for (int64_t r = 0; r < n; r++) {
        const double y = Y[r], s = S[r];
        const double a0 = A0[r], s0 = S0[r];
        (void)a0, (void)s0;
        const double a1 = A1[r], s1 = S1[r];
        (void)a1, (void)s1;
        MARK(!(fabs(y) >= DBL_MIN) | !(fabs(y) <= DBL_MAX) | (a0 == w0) | (a1 == w1), 0);
    }
    MARKED;
}

CLONES static int64_t mend_pow(MEND)
{
    UNPACK_MEND;
    if (count < n) {
        INDEPENDENT
        for (int64_t i = 0; i < count; i++) {
            const int64_t r = list[i];
            const double y = Y[r];
            const double a0 = A0[r], s0 = S0[r], z0 = Z0[r];
            const double a1 = A1[r], s1 = S1[r], z1 = Z1[r];
            const double h = H[r];
            const double k0 = (a1 * a1);
            const double m0 = moved_by(choose((a0 == 0.0), choose((a1 == 1.0), 1.0, choose(((a1 == 0.0) | (a1 > 1.0)), 0.0, INFINITY)), (a1 * (y / a0))), deviation(a0, s0, z0));
            const double t0 = edge_term(y, a0, s0, k0, a1, m0);
            const double k1 = ((a1 * h) * (a1 * h));
            const double m1 = moved_by(choose((a0 == 0.0), 0.0, (y * h)), deviation(a1, s1, z1));
            const double t1 = edge_term(y, a1, s1, k1, NAN, m1);
            const double s = 1.0 + t0 + t1, v = length_of(m0, m1);
            if (T0) T0[r] = t0;
            if (T1) T1[r] = t1;
            S[r] = s;
            V[r] = v;
            found[i] = found_at(y, 0, (a0 == 0.0), (fabs(a0) <= DBL_MAX) & (fabs(a1) <= DBL_MAX), 0, s);
            TELL;
        }
    } else {
        INDEPENDENT
        for (int64_t i = 0; i < count; i++) {
            const int64_t r = i;
            const double y = Y[r];
            const double a0 = A0[r], s0 = S0[r], z0 = Z0[r];
            const double a1 = A1[r], s1 = S1[r], z1 = Z1[r];
            const double h = H[r];
            const double k0 = (a1 * a1);
            const double m0 = moved_by(choose((a0 == 0.0), choose((a1 == 1.0), 1.0, choose(((a1 == 0.0) | (a1 > 1.0)), 0.0, INFINITY)), (a1 * (y / a0))), deviation(a0, s0, z0));
            const double t0 = edge_term(y, a0, s0, k0, a1, m0);
            const double k1 = ((a1 * h) * (a1 * h));
            const double m1 = moved_by(choose((a0 == 0.0), 0.0, (y * h)), deviation(a1, s1, z1));
            const double t1 = edge_term(y, a1, s1, k1, NAN, m1);
            const double s = 1.0 + t0 + t1, v = length_of(m0, m1);
            if (T0) T0[r] = t0;
            if (T1) T1[r] = t1;
            S[r] = s;
            V[r] = v;
            found[i] = found_at(y, 0, (a0 == 0.0), (fabs(a0) <= DBL_MAX) & (fabs(a1) <= DBL_MAX), 0, s);
            TELL;
        }
    }
    TOLD;
}

CLONES static int64_t outside_pow(int64_t n, const double *const *A, double p, int64_t *restrict found)
{
    int64_t count = 0;
    (void)p;
    INDEPENDENT
    for (int64_t r = 0; r < n; r++) {
        const double a0 = A[0][r]; const double a1 = A[1][r];
        found[r] = -(int64_t)(((a0 < 0.0) | ((a0 == 0.0) & (a1 <= 0.0))));
        count -= found[r];
    }
    return count;
}

CLONES static int64_t rows_hypot(ROWS)
{
    UNPACK;
    int64_t bad = 0;
    INDEPENDENT
    for (int64_t r = 0; r < n; r++) {
        const double y = Y[r];
        const double a0 = A0[r], s0 = S0[r];
        const double a1 = A1[r], s1 = S1[r];
        const double t0 = plain_term((((a0 / y) * (a0 / y)) * ((a0 / y) * (a0 / y))), s0);
        const double t1 = plain_term((((a1 / y) * (a1 / y)) * ((a1 / y) * (a1 / y))), s1);
        const double s = 1.0 + t0 + t1;
        S[r] = s;
        bad += !(s <= RECHECK_S2) | !(fabs(y) >= DBL_MIN) | !(fabs(y) <= DBL_MAX);
    }
    return bad;
}
CLONES static int64_t rows_hypot_edges(ROWS)
{
    UNPACK;
    int64_t bad = 0;
    INDEPENDENT
    for (int64_t r = 0; r < n; r++) {
        const double y = Y[r];
        const double a0 = A0[r], s0 = S0[r];
        const double a1 = A1[r], s1 = S1[r];
        const double t0 = plain_term((((a0 / y) * (a0 / y)) * ((a0 / y) * (a0 / y))), s0);
        const double t1 = plain_term((((a1 / y) * (a1 / y)) * ((a1 / y) * (a1 / y))), s1);
        const double s = 1.0 + t0 + t1;
        S[r] = s; T0[r] = t0; T1[r] = t1;
        bad += !(s <= RECHECK_S2) | !(fabs(y) >= DBL_MIN) | !(fabs(y) <= DBL_MAX);
    }
    return bad;
}
CLONES static int64_t mark_hypot(ROWS)
{
    UNPACK_MARK;
    INDEPENDENT
    for (int64_t r = 0; r < n; r++) {
        const double y = Y[r], s = S[r];
        const double a0 = A0[r], s0 = S0[r];
        (void)a0, (void)s0;
        const double a1 = A1[r], s1 = S1[r];
        (void)a1, (void)s1;
        MARK(!(fabs(y) >= DBL_MIN) | !(fabs(y) <= DBL_MAX) | (a0 == w0) | (a1 == w1), 0);
    }
    MARKED;
}

CLONES static int64_t mend_hypot(MEND)
{
    UNPACK_MEND;
    if (count < n) {
        INDEPENDENT
        for (int64_t i = 0; i < count; i++) {
            const int64_t r = list[i];
            const double y = Y[r];
            const double a0 = A0[r], s0 = S0[r], z0 = Z0[r];
            const double a1 = A1[r], s1 = S1[r], z1 = Z1[r];
            const double k0 = (((a0 / y) * (a0 / y)) * ((a0 / y) * (a0 / y)));
            const double m0 = moved_by(choose((y == 0.0), 1.0, (a0 / y)), deviation(a0, s0, z0));
            const double t0 = edge_term(y, a0, s0, k0, NAN, m0);
            const double k1 = (((a1 / y) * (a1 / y)) * ((a1 / y) * (a1 / y)));
            const double m1 = moved_by(choose((y == 0.0), 1.0, (a1 / y)), deviation(a1, s1, z1));
            const double t1 = edge_term(y, a1, s1, k1, NAN, m1);
            const double s = 1.0 + t0 + t1, v = length_of(m0, m1);
            if (T0) T0[r] = t0;
            if (T1) T1[r] = t1;
            S[r] = s;
            V[r] = v;
            found[i] = found_at(y, 0, 1, (fabs(a0) <= DBL_MAX) & (fabs(a1) <= DBL_MAX), 0, s);
            TELL;
        }
    } else {
        INDEPENDENT
        for (int64_t i = 0; i < count; i++) {
            const int64_t r = i;
            const double y = Y[r];
            const double a0 = A0[r], s0 = S0[r], z0 = Z0[r];
            const double a1 = A1[r], s1 = S1[r], z1 = Z1[r];
            const double k0 = (((a0 / y) * (a0 / y)) * ((a0 / y) * (a0 / y)));
            const double m0 = moved_by(choose((y == 0.0), 1.0, (a0 / y)), deviation(a0, s0, z0));
            const double t0 = edge_term(y, a0, s0, k0, NAN, m0);
            const double k1 = (((a1 / y) * (a1 / y)) * ((a1 / y) * (a1 / y)));
            const double m1 = moved_by(choose((y == 0.0), 1.0, (a1 / y)), deviation(a1, s1, z1));
            const double t1 = edge_term(y, a1, s1, k1, NAN, m1);
            const double s = 1.0 + t0 + t1, v = length_of(m0, m1);
            if (T0) T0[r] = t0;
            if (T1) T1[r] = t1;
            S[r] = s;
            V[r] = v;
            found[i] = found_at(y, 0, 1, (fabs(a0) <= DBL_MAX) & (fabs(a1) <= DBL_MAX), 0, s);
            TELL;
        }
    }
    TOLD;
}

CLONES static int64_t rows_exp(ROWS)
{
    UNPACK;
    int64_t bad = 0;
    INDEPENDENT
    for (int64_t r = 0; r < n; r++) {
        const double y = Y[r];
        const double a0 = A0[r], s0 = S0[r];
        const double t0 = plain_term((a0 * a0), s0);
        const double s = 1.0 + t0;
        S[r] = s;
        bad += !(s <= RECHECK_S2) | !(fabs(y) >= DBL_MIN) | !(fabs(y) <= DBL_MAX);
    }
    return bad;
}
CLONES static int64_t rows_exp_edges(ROWS)
{
    UNPACK;
    int64_t bad = 0;
    INDEPENDENT
    for (int64_t r = 0; r < n; r++) {
        const double y = Y[r];
        const double a0 = A0[r], s0 = S0[r];
        const double t0 = plain_term((a0 * a0), s0);
        const double s = 1.0 + t0;
        S[r] = s; T0[r] = t0;
        bad += !(s <= RECHECK_S2) | !(fabs(y) >= DBL_MIN) | !(fabs(y) <= DBL_MAX);
    }
    return bad;
}
CLONES static int64_t mark_exp(ROWS)
{
    UNPACK_MARK;
    INDEPENDENT
    for (int64_t r = 0; r < n; r++) {
        const double y = Y[r], s = S[r];
        const double a0 = A0[r], s0 = S0[r];
        (void)a0, (void)s0;
        MARK(!(fabs(y) >= DBL_MIN) | !(fabs(y) <= DBL_MAX) | (a0 == w0), 0);
    }
    MARKED;
}

CLONES static int64_t mend_exp(MEND)
{
    UNPACK_MEND;
    if (count < n) {
        INDEPENDENT
        for (int64_t i = 0; i < count; i++) {
            const int64_t r = list[i];
            const double y = Y[r];
            const double a0 = A0[r], s0 = S0[r], z0 = Z0[r];
            const double k0 = (a0 * a0);
            const double m0 = moved_by(y, deviation(a0, s0, z0));
            const double t0 = edge_term(y, a0, s0, k0, NAN, m0);
            const double s = 1.0 + t0, v = m0;
            if (T0) T0[r] = t0;
            S[r] = s;
            V[r] = v;
            found[i] = found_at(y, 0, (a0 != a0), (fabs(a0) <= DBL_MAX), 0, s);
            TELL;
        }
    } else {
        INDEPENDENT
        for (int64_t i = 0; i < count; i++) {
            const int64_t r = i;
            const double y = Y[r];
            const double a0 = A0[r], s0 = S0[r], z0 = Z0[r];
            const double k0 = (a0 * a0);
            const double m0 = moved_by(y, deviation(a0, s0, z0));
            const double t0 = edge_term(y, a0, s0, k0, NAN, m0);
            const double s = 1.0 + t0, v = m0;
            if (T0) T0[r] = t0;
            S[r] = s;
            V[r] = v;
            found[i] = found_at(y, 0, (a0 != a0), (fabs(a0) <= DBL_MAX), 0, s);
            TELL;
        }
    }
    TOLD;
}

CLONES static int64_t rows_expm1(ROWS)
{
    UNPACK;
    int64_t bad = 0;
    INDEPENDENT
    for (int64_t r = 0; r < n; r++) {
        const double y = Y[r];
        const double a0 = A0[r], s0 = S0[r];
        const double t0 = plain_term((((a0 / y) + a0) * ((a0 / y) + a0)), s0);
        const double s = 1.0 + t0;
        S[r] = s;
        bad += !(s <= RECHECK_S2) | !(fabs(y) >= DBL_MIN) | !(fabs(y) <= DBL_MAX);
    }
    return bad;
}
CLONES static int64_t rows_expm1_edges(ROWS)
{
    UNPACK;
    int64_t bad = 0;
    INDEPENDENT
    for (int64_t r = 0; r < n; r++) {
        const double y = Y[r];
        const double a0 = A0[r], s0 = S0[r];
        const double t0 = plain_term((((a0 / y) + a0) * ((a0 / y) + a0)), s0);
        const double s = 1.0 + t0;
        S[r] = s; T0[r] = t0;
        bad += !(s <= RECHECK_S2) | !(fabs(y) >= DBL_MIN) | !(fabs(y) <= DBL_MAX);
    }
    return bad;
}
CLONES static int64_t mark_expm1(ROWS)
{
    UNPACK_MARK;
    INDEPENDENT
    for (int64_t r = 0; r < n; r++) {
        const double y = Y[r], s = S[r];
        const double a0 = A0[r], s0 = S0[r];
        (void)a0, (void)s0;
        MARK(!(fabs(y) >= DBL_MIN) | !(fabs(y) <= DBL_MAX) | (a0 == w0), 0);
    }
    MARKED;
}

CLONES static int64_t mend_expm1(MEND)
{
    UNPACK_MEND;
    if (count < n) {
        INDEPENDENT
        for (int64_t i = 0; i < count; i++) {
            const int64_t r = list[i];
            const double y = Y[r];
            const double a0 = A0[r], s0 = S0[r], z0 = Z0[r];
            const double k0 = (((a0 / y) + a0) * ((a0 / y) + a0));
            const double m0 = moved_by((y + 1.0), deviation(a0, s0, z0));
            const double t0 = edge_term(y, a0, s0, k0, choose((a0 == 0.0), 1.0, NAN), m0);
            const double s = 1.0 + t0, v = m0;
            if (T0) T0[r] = t0;
            S[r] = s;
            V[r] = v;
            found[i] = found_at(y, 0, 1, (fabs(a0) <= DBL_MAX), 0, s);
            TELL;
        }
    } else {
        INDEPENDENT
        for (int64_t i = 0; i < count; i++) {
            const int64_t r = i;
            const double y = Y[r];
            const double a0 = A0[r], s0 = S0[r], z0 = Z0[r];
            const double k0 = (((a0 / y) + a0) * ((a0 / y) + a0));
            const double m0 = moved_by((y + 1.0), deviation(a0, s0, z0));
            const double t0 = edge_term(y, a0, s0, k0, choose((a0 == 0.0), 1.0, NAN), m0);
            const double s = 1.0 + t0, v = m0;
            if (T0) T0[r] = t0;
            S[r] = s;
            V[r] = v;
            found[i] = found_at(y, 0, 1, (fabs(a0) <= DBL_MAX), 0, s);
            TELL;
        }
    }
    TOLD;
}

CLONES static int64_t rows_log(ROWS)
{
    UNPACK;
    int64_t bad = 0;
    INDEPENDENT
    for (int64_t r = 0; r < n; r++) {
        const double y = Y[r];
        const double a0 = A0[r], s0 = S0[r];
        const double t0 = plain_term(((1.0 / (y * p)) * (1.0 / (y * p))), s0);
        const double s = 1.0 + t0;
        S[r] = s;
        bad += !(s <= RECHECK_S2) | !(fabs(y) >= DBL_MIN) | !(fabs(y) <= DBL_MAX);
    }
    return bad;
}
CLONES static int64_t rows_log_edges(ROWS)
{
    UNPACK;
    int64_t bad = 0;
    INDEPENDENT
    for (int64_t r = 0; r < n; r++) {
        const double y = Y[r];
        const double a0 = A0[r], s0 = S0[r];
        const double t0 = plain_term(((1.0 / (y * p)) * (1.0 / (y * p))), s0);
        const double s = 1.0 + t0;
        S[r] = s; T0[r] = t0;
        bad += !(s <= RECHECK_S2) | !(fabs(y) >= DBL_MIN) | !(fabs(y) <= DBL_MAX);
    }
    return bad;
}
CLONES static int64_t mark_log(ROWS)
{
    UNPACK_MARK;
    INDEPENDENT
    for (int64_t r = 0; r < n; r++) {
        const double y = Y[r], s = S[r];
        const double a0 = A0[r], s0 = S0[r];
        (void)a0, (void)s0;
        MARK(!(fabs(y) >= DBL_MIN) | !(fabs(y) <= DBL_MAX) | (a0 == w0), 0);
    }
    MARKED;
}

CLONES static int64_t mend_log(MEND)
{
    UNPACK_MEND;
    if (count < n) {
        INDEPENDENT
        for (int64_t i = 0; i < count; i++) {
            const int64_t r = list[i];
            const double y = Y[r];
            const double a0 = A0[r], s0 = S0[r], z0 = Z0[r];
            const double k0 = ((1.0 / (y * p)) * (1.0 / (y * p)));
            const double m0 = moved_by((1.0 / (a0 * p)), deviation(a0, s0, z0));
            const double t0 = edge_term(y, a0, s0, k0, NAN, m0);
            const double s = 1.0 + t0, v = m0;
            if (T0) T0[r] = t0;
            S[r] = s;
            V[r] = v;
            found[i] = found_at(y, (a0 == 0.0), 1, (fabs(a0) <= DBL_MAX), 0, s);
            TELL;
        }
    } else {
        INDEPENDENT
        for (int64_t i = 0; i < count; i++) {
            const int64_t r = i;
            const double y = Y[r];
            const double a0 = A0[r], s0 = S0[r], z0 = Z0[r];
            const double k0 = ((1.0 / (y * p)) * (1.0 / (y * p)));
            const double m0 = moved_by((1.0 / (a0 * p)), deviation(a0, s0, z0));
            const double t0 = edge_term(y, a0, s0, k0, NAN, m0);
            const double s = 1.0 + t0, v = m0;
            if (T0) T0[r] = t0;
            S[r] = s;
            V[r] = v;
            found[i] = found_at(y, (a0 == 0.0), 1, (fabs(a0) <= DBL_MAX), 0, s);
            TELL;
        }
    }
    TOLD;
}

CLONES static int64_t outside_log(int64_t n, const double *const *A, double p, int64_t *restrict found)
{
    int64_t count = 0;
    (void)p;
    INDEPENDENT
    for (int64_t r = 0; r < n; r++) {
        const double a0 = A[0][r];
        found[r] = -(int64_t)((a0 < 0.0));
        count -= found[r];
    }
    return count;
}

CLONES static int64_t rows_log1p(ROWS)
{
    UNPACK;
    int64_t bad = 0;
    INDEPENDENT
    for (int64_t r = 0; r < n; r++) {
        const double y = Y[r];
        const double a0 = A0[r], s0 = S0[r];
        const double t0 = plain_term(((((1.0 / (1.0 + a0)) * a0) / y) * (((1.0 / (1.0 + a0)) * a0) / y)), s0);
        const double s = 1.0 + t0;
        S[r] = s;
        bad += !(s <= RECHECK_S2) | !(fabs(y) >= DBL_MIN) | !(fabs(y) <= DBL_MAX) | ((fabs((a0 + 1.0)) <= (1.1102230246251565e-07 * (fabs(a0) * sqrt(s0)))) & ((leaf0 && (fabs((a0 + 1.0)) != 0.0)) | (!leaf0 && 1)));
    }
    return bad;
}
CLONES static int64_t rows_log1p_edges(ROWS)
{
    UNPACK;
    int64_t bad = 0;
    INDEPENDENT
    for (int64_t r = 0; r < n; r++) {
        const double y = Y[r];
        const double a0 = A0[r], s0 = S0[r];
        const double t0 = plain_term(((((1.0 / (1.0 + a0)) * a0) / y) * (((1.0 / (1.0 + a0)) * a0) / y)), s0);
        const double s = 1.0 + t0;
        S[r] = s; T0[r] = t0;
        bad += !(s <= RECHECK_S2) | !(fabs(y) >= DBL_MIN) | !(fabs(y) <= DBL_MAX) | ((fabs((a0 + 1.0)) <= (1.1102230246251565e-07 * (fabs(a0) * sqrt(s0)))) & ((leaf0 && (fabs((a0 + 1.0)) != 0.0)) | (!leaf0 && 1)));
    }
    return bad;
}
CLONES static int64_t mark_log1p(ROWS)
{
    UNPACK_MARK;
    INDEPENDENT
    for (int64_t r = 0; r < n; r++) {
        const double y = Y[r], s = S[r];
        const double a0 = A0[r], s0 = S0[r];
        (void)a0, (void)s0;
        MARK(!(fabs(y) >= DBL_MIN) | !(fabs(y) <= DBL_MAX) | ((fabs((a0 + 1.0)) <= (1.1102230246251565e-07 * (fabs(a0) * sqrt(s0)))) & ((leaf0 && (fabs((a0 + 1.0)) != 0.0)) | (!leaf0 && 1))) | (a0 == w0), 0);
    }
    MARKED;
}

CLONES static int64_t mend_log1p(MEND)
{
    UNPACK_MEND;
    if (count < n) {
        INDEPENDENT
        for (int64_t i = 0; i < count; i++) {
            const int64_t r = list[i];
            const double y = Y[r];
            const double a0 = A0[r], s0 = S0[r], z0 = Z0[r];
            const double k0 = ((((1.0 / (1.0 + a0)) * a0) / y) * (((1.0 / (1.0 + a0)) * a0) / y));
            const double m0 = moved_by((1.0 / (1.0 + a0)), deviation(a0, s0, z0));
            const double t0 = edge_term(y, a0, s0, k0, choose((a0 == 0.0), 1.0, NAN), m0);
            const double s = 1.0 + t0, v = m0;
            if (T0) T0[r] = t0;
            S[r] = s;
            V[r] = v;
            found[i] = found_at(y, (a0 == (-1.0)), 1, (fabs(a0) <= DBL_MAX), ((fabs((a0 + 1.0)) <= (1.1102230246251565e-07 * (fabs(a0) * sqrt(s0)))) & ((leaf0 && (fabs((a0 + 1.0)) != 0.0)) | (!leaf0 && 1))), s);
            TELL;
        }
    } else {
        INDEPENDENT
        for (int64_t i = 0; i < count; i++) {
            const int64_t r = i;
            const double y = Y[r];
            const double a0 = A0[r], s0 = S0[r], z0 = Z0[r];
            const double k0 = ((((1.0 / (1.0 + a0)) * a0) / y) * (((1.0 / (1.0 + a0)) * a0) / y));
            const double m0 = moved_by((1.0 / (1.0 + a0)), deviation(a0, s0, z0));
            const double t0 = edge_term(y, a0, s0, k0, choose((a0 == 0.0), 1.0, NAN), m0);
            const double s = 1.0 + t0, v = m0;
            if (T0) T0[r] = t0;
            S[r] = s;
            V[r] = v;
            found[i] = found_at(y, (a0 == (-1.0)), 1, (fabs(a0) <= DBL_MAX), ((fabs((a0 + 1.0)) <= (1.1102230246251565e-07 * (fabs(a0) * sqrt(s0)))) & ((leaf0 && (fabs((a0 + 1.0)) != 0.0)) | (!leaf0 && 1))), s);
            TELL;
        }
    }
    TOLD;
}

CLONES static int64_t rows_sin(ROWS)
{
    UNPACK;
    int64_t bad = 0;
    INDEPENDENT
    for (int64_t r = 0; r < n; r++) {
        const double y = Y[r];
        const double a0 = A0[r], s0 = S0[r];
        const double t0 = plain_term((((a0 / y) * (a0 / y)) * (1.0 - (y * y))), s0);
        const double s = 1.0 + t0;
        S[r] = s;
        bad += !(s <= RECHECK_S2) | !(fabs(y) >= DBL_MIN) | !(fabs(y) <= DBL_MAX) | (a0 * a0 * s0 > 10000000000.0);
    }
    return bad;
}
CLONES static int64_t rows_sin_edges(ROWS)
{
    UNPACK;
    int64_t bad = 0;
    INDEPENDENT
    for (int64_t r = 0; r < n; r++) {
        const double y = Y[r];
        const double a0 = A0[r], s0 = S0[r];
        const double t0 = plain_term((((a0 / y) * (a0 / y)) * (1.0 - (y * y))), s0);
        const double s = 1.0 + t0;
        S[r] = s; T0[r] = t0;
        bad += !(s <= RECHECK_S2) | !(fabs(y) >= DBL_MIN) | !(fabs(y) <= DBL_MAX) | (a0 * a0 * s0 > 10000000000.0);
    }
    return bad;
}
CLONES static int64_t mark_sin(ROWS)
{
    UNPACK_MARK;
    INDEPENDENT
    for (int64_t r = 0; r < n; r++) {
        const double y = Y[r], s = S[r];
        const double a0 = A0[r], s0 = S0[r];
        (void)a0, (void)s0;
        MARK(!(fabs(y) >= DBL_MIN) | !(fabs(y) <= DBL_MAX) | (a0 * a0 * s0 > 10000000000.0) | (a0 == w0), 0);
    }
    MARKED;
}

CLONES static int64_t mend_sin(MEND)
{
    UNPACK_MEND;
    if (count < n) {
        INDEPENDENT
        for (int64_t i = 0; i < count; i++) {
            const int64_t r = list[i];
            const double y = Y[r];
            const double a0 = A0[r], s0 = S0[r], z0 = Z0[r];
            const double k0 = (((a0 / y) * (a0 / y)) * (1.0 - (y * y)));
            const double m0 = moved_by(cos(a0), deviation(a0, s0, z0));
            const double t0 = edge_term(y, a0, s0, k0, choose((a0 == 0.0), 1.0, NAN), m0);
            const double s = 1.0 + t0, v = m0;
            if (T0) T0[r] = t0;
            S[r] = s;
            V[r] = v;
            found[i] = found_at(y, 0, 1, (fabs(a0) <= DBL_MAX), (lost_phase(a0, s0, k0) != 0), s);
            TELL;
        }
    } else {
        INDEPENDENT
        for (int64_t i = 0; i < count; i++) {
            const int64_t r = i;
            const double y = Y[r];
            const double a0 = A0[r], s0 = S0[r], z0 = Z0[r];
            const double k0 = (((a0 / y) * (a0 / y)) * (1.0 - (y * y)));
            const double m0 = moved_by(cos(a0), deviation(a0, s0, z0));
            const double t0 = edge_term(y, a0, s0, k0, choose((a0 == 0.0), 1.0, NAN), m0);
            const double s = 1.0 + t0, v = m0;
            if (T0) T0[r] = t0;
            S[r] = s;
            V[r] = v;
            found[i] = found_at(y, 0, 1, (fabs(a0) <= DBL_MAX), (lost_phase(a0, s0, k0) != 0), s);
            TELL;
        }
    }
    TOLD;
}

CLONES static int64_t rows_cos(ROWS)
{
    UNPACK;
    int64_t bad = 0;
    INDEPENDENT
    for (int64_t r = 0; r < n; r++) {
        const double y = Y[r];
        const double a0 = A0[r], s0 = S0[r];
        const double t0 = plain_term((((a0 / y) * (a0 / y)) * (1.0 - (y * y))), s0);
        const double s = 1.0 + t0;
        S[r] = s;
        bad += !(s <= RECHECK_S2) | !(fabs(y) >= DBL_MIN) | !(fabs(y) <= DBL_MAX) | (a0 * a0 * s0 > 10000000000.0);
    }
    return bad;
}
CLONES static int64_t rows_cos_edges(ROWS)
{
    UNPACK;
    int64_t bad = 0;
    INDEPENDENT
    for (int64_t r = 0; r < n; r++) {
        const double y = Y[r];
        const double a0 = A0[r], s0 = S0[r];
        const double t0 = plain_term((((a0 / y) * (a0 / y)) * (1.0 - (y * y))), s0);
        const double s = 1.0 + t0;
        S[r] = s; T0[r] = t0;
        bad += !(s <= RECHECK_S2) | !(fabs(y) >= DBL_MIN) | !(fabs(y) <= DBL_MAX) | (a0 * a0 * s0 > 10000000000.0);
    }
    return bad;
}
CLONES static int64_t mark_cos(ROWS)
{
    UNPACK_MARK;
    INDEPENDENT
    for (int64_t r = 0; r < n; r++) {
        const double y = Y[r], s = S[r];
        const double a0 = A0[r], s0 = S0[r];
        (void)a0, (void)s0;
        MARK(!(fabs(y) >= DBL_MIN) | !(fabs(y) <= DBL_MAX) | (a0 * a0 * s0 > 10000000000.0) | (a0 == w0), 0);
    }
    MARKED;
}

CLONES static int64_t mend_cos(MEND)
{
    UNPACK_MEND;
    if (count < n) {
        INDEPENDENT
        for (int64_t i = 0; i < count; i++) {
            const int64_t r = list[i];
            const double y = Y[r];
            const double a0 = A0[r], s0 = S0[r], z0 = Z0[r];
            const double k0 = (((a0 / y) * (a0 / y)) * (1.0 - (y * y)));
            const double m0 = moved_by((-sin(a0)), deviation(a0, s0, z0));
            const double t0 = edge_term(y, a0, s0, k0, NAN, m0);
            const double s = 1.0 + t0, v = m0;
            if (T0) T0[r] = t0;
            S[r] = s;
            V[r] = v;
            found[i] = found_at(y, 0, 1, (fabs(a0) <= DBL_MAX), (lost_phase(a0, s0, k0) != 0), s);
            TELL;
        }
    } else {
        INDEPENDENT
        for (int64_t i = 0; i < count; i++) {
            const int64_t r = i;
            const double y = Y[r];
            const double a0 = A0[r], s0 = S0[r], z0 = Z0[r];
            const double k0 = (((a0 / y) * (a0 / y)) * (1.0 - (y * y)));
            const double m0 = moved_by((-sin(a0)), deviation(a0, s0, z0));
            const double t0 = edge_term(y, a0, s0, k0, NAN, m0);
            const double s = 1.0 + t0, v = m0;
            if (T0) T0[r] = t0;
            S[r] = s;
            V[r] = v;
            found[i] = found_at(y, 0, 1, (fabs(a0) <= DBL_MAX), (lost_phase(a0, s0, k0) != 0), s);
            TELL;
        }
    }
    TOLD;
}

CLONES static int64_t rows_tan(ROWS)
{
    UNPACK;
    int64_t bad = 0;
    INDEPENDENT
    for (int64_t r = 0; r < n; r++) {
        const double y = Y[r];
        const double a0 = A0[r], s0 = S0[r];
        const double t0 = plain_term((((a0 / y) + (a0 * y)) * ((a0 / y) + (a0 * y))), s0);
        const double s = 1.0 + t0;
        S[r] = s;
        bad += !(s <= RECHECK_S2) | !(fabs(y) >= DBL_MIN) | !(fabs(y) <= DBL_MAX);
    }
    return bad;
}
CLONES static int64_t rows_tan_edges(ROWS)
{
    UNPACK;
    int64_t bad = 0;
    INDEPENDENT
    for (int64_t r = 0; r < n; r++) {
        const double y = Y[r];
        const double a0 = A0[r], s0 = S0[r];
        const double t0 = plain_term((((a0 / y) + (a0 * y)) * ((a0 / y) + (a0 * y))), s0);
        const double s = 1.0 + t0;
        S[r] = s; T0[r] = t0;
        bad += !(s <= RECHECK_S2) | !(fabs(y) >= DBL_MIN) | !(fabs(y) <= DBL_MAX);
    }
    return bad;
}
CLONES static int64_t mark_tan(ROWS)
{
    UNPACK_MARK;
    INDEPENDENT
    for (int64_t r = 0; r < n; r++) {
        const double y = Y[r], s = S[r];
        const double a0 = A0[r], s0 = S0[r];
        (void)a0, (void)s0;
        MARK(!(fabs(y) >= DBL_MIN) | !(fabs(y) <= DBL_MAX) | (a0 == w0), 0);
    }
    MARKED;
}

CLONES static int64_t mend_tan(MEND)
{
    UNPACK_MEND;
    if (count < n) {
        INDEPENDENT
        for (int64_t i = 0; i < count; i++) {
            const int64_t r = list[i];
            const double y = Y[r];
            const double a0 = A0[r], s0 = S0[r], z0 = Z0[r];
            const double k0 = (((a0 / y) + (a0 * y)) * ((a0 / y) + (a0 * y)));
            const double m0 = moved_by((1.0 + (y * y)), deviation(a0, s0, z0));
            const double t0 = edge_term(y, a0, s0, k0, choose((a0 == 0.0), 1.0, NAN), m0);
            const double s = 1.0 + t0, v = m0;
            if (T0) T0[r] = t0;
            S[r] = s;
            V[r] = v;
            found[i] = found_at(y, 0, 1, (fabs(a0) <= DBL_MAX), 0, s);
            TELL;
        }
    } else {
        INDEPENDENT
        for (int64_t i = 0; i < count; i++) {
            const int64_t r = i;
            const double y = Y[r];
            const double a0 = A0[r], s0 = S0[r], z0 = Z0[r];
            const double k0 = (((a0 / y) + (a0 * y)) * ((a0 / y) + (a0 * y)));
            const double m0 = moved_by((1.0 + (y * y)), deviation(a0, s0, z0));
            const double t0 = edge_term(y, a0, s0, k0, choose((a0 == 0.0), 1.0, NAN), m0);
            const double s = 1.0 + t0, v = m0;
            if (T0) T0[r] = t0;
            S[r] = s;
            V[r] = v;
            found[i] = found_at(y, 0, 1, (fabs(a0) <= DBL_MAX), 0, s);
            TELL;
        }
    }
    TOLD;
}

CLONES static int64_t rows_cot(ROWS)
{
    UNPACK;
    int64_t bad = 0;
    INDEPENDENT
    for (int64_t r = 0; r < n; r++) {
        const double y = Y[r];
        const double a0 = A0[r], s0 = S0[r];
        const double t0 = plain_term((((a0 / y) + (a0 * y)) * ((a0 / y) + (a0 * y))), s0);
        const double s = 1.0 + t0;
        S[r] = s;
        bad += !(s <= RECHECK_S2) | !(fabs(y) >= DBL_MIN) | !(fabs(y) <= DBL_MAX);
    }
    return bad;
}
CLONES static int64_t rows_cot_edges(ROWS)
{
    UNPACK;
    int64_t bad = 0;
    INDEPENDENT
    for (int64_t r = 0; r < n; r++) {
        const double y = Y[r];
        const double a0 = A0[r], s0 = S0[r];
        const double t0 = plain_term((((a0 / y) + (a0 * y)) * ((a0 / y) + (a0 * y))), s0);
        const double s = 1.0 + t0;
        S[r] = s; T0[r] = t0;
        bad += !(s <= RECHECK_S2) | !(fabs(y) >= DBL_MIN) | !(fabs(y) <= DBL_MAX);
    }
    return bad;
}
CLONES static int64_t mark_cot(ROWS)
{
    UNPACK_MARK;
    INDEPENDENT
    for (int64_t r = 0; r < n; r++) {
        const double y = Y[r], s = S[r];
        const double a0 = A0[r], s0 = S0[r];
        (void)a0, (void)s0;
        MARK(!(fabs(y) >= DBL_MIN) | !(fabs(y) <= DBL_MAX) | (a0 == w0), 0);
    }
    MARKED;
}

CLONES static int64_t mend_cot(MEND)
{
    UNPACK_MEND;
    if (count < n) {
        INDEPENDENT
        for (int64_t i = 0; i < count; i++) {
            const int64_t r = list[i];
            const double y = Y[r];
            const double a0 = A0[r], s0 = S0[r], z0 = Z0[r];
            const double k0 = (((a0 / y) + (a0 * y)) * ((a0 / y) + (a0 * y)));
            const double m0 = moved_by(((-1.0) - (y * y)), deviation(a0, s0, z0));
            const double t0 = edge_term(y, a0, s0, k0, NAN, m0);
            const double s = 1.0 + t0, v = m0;
            if (T0) T0[r] = t0;
            S[r] = s;
            V[r] = v;
            found[i] = found_at(y, (a0 == 0.0), 1, (fabs(a0) <= DBL_MAX), 0, s);
            TELL;
        }
    } else {
        INDEPENDENT
        for (int64_t i = 0; i < count; i++) {
            const int64_t r = i;
            const double y = Y[r];
            const double a0 = A0[r], s0 = S0[r], z0 = Z0[r];
            const double k0 = (((a0 / y) + (a0 * y)) * ((a0 / y) + (a0 * y)));
            const double m0 = moved_by(((-1.0) - (y * y)), deviation(a0, s0, z0));
            const double t0 = edge_term(y, a0, s0, k0, NAN, m0);
            const double s = 1.0 + t0, v = m0;
            if (T0) T0[r] = t0;
            S[r] = s;
            V[r] = v;
            found[i] = found_at(y, (a0 == 0.0), 1, (fabs(a0) <= DBL_MAX), 0, s);
            TELL;
        }
    }
    TOLD;
}

CLONES static int64_t rows_sec(ROWS)
{
    UNPACK;
    int64_t bad = 0;
    INDEPENDENT
    for (int64_t r = 0; r < n; r++) {
        const double y = Y[r];
        const double a0 = A0[r], s0 = S0[r];
        const double t0 = plain_term((((y - 1.0) * a0) * ((y + 1.0) * a0)), s0);
        const double s = 1.0 + t0;
        S[r] = s;
        bad += !(s <= RECHECK_S2) | !(fabs(y) >= DBL_MIN) | !(fabs(y) <= DBL_MAX) | (a0 * a0 * s0 > 10000000000.0);
    }
    return bad;
}
CLONES static int64_t rows_sec_edges(ROWS)
{
    UNPACK;
    int64_t bad = 0;
    INDEPENDENT
    for (int64_t r = 0; r < n; r++) {
        const double y = Y[r];
        const double a0 = A0[r], s0 = S0[r];
        const double t0 = plain_term((((y - 1.0) * a0) * ((y + 1.0) * a0)), s0);
        const double s = 1.0 + t0;
        S[r] = s; T0[r] = t0;
        bad += !(s <= RECHECK_S2) | !(fabs(y) >= DBL_MIN) | !(fabs(y) <= DBL_MAX) | (a0 * a0 * s0 > 10000000000.0);
    }
    return bad;
}
CLONES static int64_t mark_sec(ROWS)
{
    UNPACK_MARK;
    INDEPENDENT
    for (int64_t r = 0; r < n; r++) {
        const double y = Y[r], s = S[r];
        const double a0 = A0[r], s0 = S0[r];
        (void)a0, (void)s0;
        MARK(!(fabs(y) >= DBL_MIN) | !(fabs(y) <= DBL_MAX) | (a0 * a0 * s0 > 10000000000.0) | (a0 == w0), 0);
    }
    MARKED;
}

CLONES static int64_t mend_sec(MEND)
{
    UNPACK_MEND;
    if (count < n) {
        INDEPENDENT
        for (int64_t i = 0; i < count; i++) {
            const int64_t r = list[i];
            const double y = Y[r];
            const double a0 = A0[r], s0 = S0[r], z0 = Z0[r];
            const double k0 = (((y - 1.0) * a0) * ((y + 1.0) * a0));
            const double m0 = moved_by((y * tan(a0)), deviation(a0, s0, z0));
            const double t0 = edge_term(y, a0, s0, k0, NAN, m0);
            const double s = 1.0 + t0, v = m0;
            if (T0) T0[r] = t0;
            S[r] = s;
            V[r] = v;
            found[i] = found_at(y, 0, 1, (fabs(a0) <= DBL_MAX), (lost_phase(a0, s0, k0) != 0), s);
            TELL;
        }
    } else {
        INDEPENDENT
        for (int64_t i = 0; i < count; i++) {
            const int64_t r = i;
            const double y = Y[r];
            const double a0 = A0[r], s0 = S0[r], z0 = Z0[r];
            const double k0 = (((y - 1.0) * a0) * ((y + 1.0) * a0));
            const double m0 = moved_by((y * tan(a0)), deviation(a0, s0, z0));
            const double t0 = edge_term(y, a0, s0, k0, NAN, m0);
            const double s = 1.0 + t0, v = m0;
            if (T0) T0[r] = t0;
            S[r] = s;
            V[r] = v;
            found[i] = found_at(y, 0, 1, (fabs(a0) <= DBL_MAX), (lost_phase(a0, s0, k0) != 0), s);
            TELL;
        }
    }
    TOLD;
}

CLONES static int64_t rows_csc(ROWS)
{
    UNPACK;
    int64_t bad = 0;
    INDEPENDENT
    for (int64_t r = 0; r < n; r++) {
        const double y = Y[r];
        const double a0 = A0[r], s0 = S0[r];
        const double t0 = plain_term((((y - 1.0) * a0) * ((y + 1.0) * a0)), s0);
        const double s = 1.0 + t0;
        S[r] = s;
        bad += !(s <= RECHECK_S2) | !(fabs(y) >= DBL_MIN) | !(fabs(y) <= DBL_MAX) | (a0 * a0 * s0 > 10000000000.0);
    }
    return bad;
}
CLONES static int64_t rows_csc_edges(ROWS)
{
    UNPACK;
    int64_t bad = 0;
    INDEPENDENT
    for (int64_t r = 0; r < n; r++) {
        const double y = Y[r];
        const double a0 = A0[r], s0 = S0[r];
        const double t0 = plain_term((((y - 1.0) * a0) * ((y + 1.0) * a0)), s0);
        const double s = 1.0 + t0;
        S[r] = s; T0[r] = t0;
        bad += !(s <= RECHECK_S2) | !(fabs(y) >= DBL_MIN) | !(fabs(y) <= DBL_MAX) | (a0 * a0 * s0 > 10000000000.0);
    }
    return bad;
}
CLONES static int64_t mark_csc(ROWS)
{
    UNPACK_MARK;
    INDEPENDENT
    for (int64_t r = 0; r < n; r++) {
        const double y = Y[r], s = S[r];
        const double a0 = A0[r], s0 = S0[r];
        (void)a0, (void)s0;
        MARK(!(fabs(y) >= DBL_MIN) | !(fabs(y) <= DBL_MAX) | (a0 * a0 * s0 > 10000000000.0) | (a0 == w0), 0);
    }
    MARKED;
}

CLONES static int64_t mend_csc(MEND)
{
    UNPACK_MEND;
    if (count < n) {
        INDEPENDENT
        for (int64_t i = 0; i < count; i++) {
            const int64_t r = list[i];
            const double y = Y[r];
            const double a0 = A0[r], s0 = S0[r], z0 = Z0[r];
            const double k0 = (((y - 1.0) * a0) * ((y + 1.0) * a0));
            const double m0 = moved_by(((-y) / tan(a0)), deviation(a0, s0, z0));
            const double t0 = edge_term(y, a0, s0, k0, NAN, m0);
            const double s = 1.0 + t0, v = m0;
            if (T0) T0[r] = t0;
            S[r] = s;
            V[r] = v;
            found[i] = found_at(y, (a0 == 0.0), 1, (fabs(a0) <= DBL_MAX), (lost_phase(a0, s0, k0) != 0), s);
            TELL;
        }
    } else {
        INDEPENDENT
        for (int64_t i = 0; i < count; i++) {
            const int64_t r = i;
            const double y = Y[r];
            const double a0 = A0[r], s0 = S0[r], z0 = Z0[r];
            const double k0 = (((y - 1.0) * a0) * ((y + 1.0) * a0));
            const double m0 = moved_by(((-y) / tan(a0)), deviation(a0, s0, z0));
            const double t0 = edge_term(y, a0, s0, k0, NAN, m0);
            const double s = 1.0 + t0, v = m0;
            if (T0) T0[r] = t0;
            S[r] = s;
            V[r] = v;
            found[i] = found_at(y, (a0 == 0.0), 1, (fabs(a0) <= DBL_MAX), (lost_phase(a0, s0, k0) != 0), s);
            TELL;
        }
    }
    TOLD;
}

CLONES static int64_t rows_asin(ROWS)
{
    UNPACK;
    int64_t bad = 0;
    INDEPENDENT
    for (int64_t r = 0; r < n; r++) {
        const double y = Y[r];
        const double a0 = A0[r], s0 = S0[r];
        const double t0 = plain_term(((((1.0 / sqrt(((1.0 - a0) * (1.0 + a0)))) * a0) / y) * (((1.0 / sqrt(((1.0 - a0) * (1.0 + a0)))) * a0) / y)), s0);
        const double s = 1.0 + t0;
        S[r] = s;
        bad += !(s <= RECHECK_S2) | !(fabs(y) >= DBL_MIN) | !(fabs(y) <= DBL_MAX) | ((fabs((fabs(a0) - 1.0)) <= (1.1102230246251565e-07 * (fabs(a0) * sqrt(s0)))) & ((leaf0 && (fabs((fabs(a0) - 1.0)) != 0.0)) | (!leaf0 && 1)));
    }
    return bad;
}
CLONES static int64_t rows_asin_edges(ROWS)
{
    UNPACK;
    int64_t bad = 0;
    INDEPENDENT
    for (int64_t r = 0; r < n; r++) {
        const double y = Y[r];
        const double a0 = A0[r], s0 = S0[r];
        const double t0 = plain_term(((((1.0 / sqrt(((1.0 - a0) * (1.0 + a0)))) * a0) / y) * (((1.0 / sqrt(((1.0 - a0) * (1.0 + a0)))) * a0) / y)), s0);
        const double s = 1.0 + t0;
        S[r] = s; T0[r] = t0;
        bad += !(s <= RECHECK_S2) | !(fabs(y) >= DBL_MIN) | !(fabs(y) <= DBL_MAX) | ((fabs((fabs(a0) - 1.0)) <= (1.1102230246251565e-07 * (fabs(a0) * sqrt(s0)))) & ((leaf0 && (fabs((fabs(a0) - 1.0)) != 0.0)) | (!leaf0 && 1)));
    }
    return bad;
}
CLONES static int64_t mark_asin(ROWS)
{
    UNPACK_MARK;
    INDEPENDENT
    for (int64_t r = 0; r < n; r++) {
        const double y = Y[r], s = S[r];
        const double a0 = A0[r], s0 = S0[r];
        (void)a0, (void)s0;
        MARK(!(fabs(y) >= DBL_MIN) | !(fabs(y) <= DBL_MAX) | ((fabs((fabs(a0) - 1.0)) <= (1.1102230246251565e-07 * (fabs(a0) * sqrt(s0)))) & ((leaf0 && (fabs((fabs(a0) - 1.0)) != 0.0)) | (!leaf0 && 1))) | (a0 == w0), 0);
    }
    MARKED;
}

CLONES static int64_t mend_asin(MEND)
{
    UNPACK_MEND;
    if (count < n) {
        INDEPENDENT
        for (int64_t i = 0; i < count; i++) {
            const int64_t r = list[i];
            const double y = Y[r];
            const double a0 = A0[r], s0 = S0[r], z0 = Z0[r];
            const double k0 = ((((1.0 / sqrt(((1.0 - a0) * (1.0 + a0)))) * a0) / y) * (((1.0 / sqrt(((1.0 - a0) * (1.0 + a0)))) * a0) / y));
            const double m0 = moved_by((1.0 / sqrt(((1.0 - a0) * (1.0 + a0)))), deviation(a0, s0, z0));
            const double t0 = edge_term(y, a0, s0, k0, choose((a0 == 0.0), 1.0, NAN), m0);
            const double s = 1.0 + t0, v = m0;
            if (T0) T0[r] = t0;
            S[r] = s;
            V[r] = v;
            found[i] = found_at(y, 0, 1, (fabs(a0) <= DBL_MAX), ((fabs((fabs(a0) - 1.0)) <= (1.1102230246251565e-07 * (fabs(a0) * sqrt(s0)))) & ((leaf0 && (fabs((fabs(a0) - 1.0)) != 0.0)) | (!leaf0 && 1))), s);
            TELL;
        }
    } else {
        INDEPENDENT
        for (int64_t i = 0; i < count; i++) {
            const int64_t r = i;
            const double y = Y[r];
            const double a0 = A0[r], s0 = S0[r], z0 = Z0[r];
            const double k0 = ((((1.0 / sqrt(((1.0 - a0) * (1.0 + a0)))) * a0) / y) * (((1.0 / sqrt(((1.0 - a0) * (1.0 + a0)))) * a0) / y));
            const double m0 = moved_by((1.0 / sqrt(((1.0 - a0) * (1.0 + a0)))), deviation(a0, s0, z0));
            const double t0 = edge_term(y, a0, s0, k0, choose((a0 == 0.0), 1.0, NAN), m0);
            const double s = 1.0 + t0, v = m0;
            if (T0) T0[r] = t0;
            S[r] = s;
            V[r] = v;
            found[i] = found_at(y, 0, 1, (fabs(a0) <= DBL_MAX), ((fabs((fabs(a0) - 1.0)) <= (1.1102230246251565e-07 * (fabs(a0) * sqrt(s0)))) & ((leaf0 && (fabs((fabs(a0) - 1.0)) != 0.0)) | (!leaf0 && 1))), s);
            TELL;
        }
    }
    TOLD;
}

CLONES static int64_t rows_acos(ROWS)
{
    UNPACK;
    int64_t bad = 0;
    INDEPENDENT
    for (int64_t r = 0; r < n; r++) {
        const double y = Y[r];
        const double a0 = A0[r], s0 = S0[r];
        const double t0 = plain_term((((((-1.0) / sqrt(((1.0 - a0) * (1.0 + a0)))) * a0) / y) * ((((-1.0) / sqrt(((1.0 - a0) * (1.0 + a0)))) * a0) / y)), s0);
        const double s = 1.0 + t0;
        S[r] = s;
        bad += !(s <= RECHECK_S2) | !(fabs(y) >= DBL_MIN) | !(fabs(y) <= DBL_MAX) | ((fabs((fabs(a0) - 1.0)) <= (1.1102230246251565e-07 * (fabs(a0) * sqrt(s0)))) & ((leaf0 && (fabs((fabs(a0) - 1.0)) != 0.0)) | (!leaf0 && 1)));
    }
    return bad;
}
CLONES static int64_t rows_acos_edges(ROWS)
{
    UNPACK;
    int64_t bad = 0;
    INDEPENDENT
    for (int64_t r = 0; r < n; r++) {
        const double y = Y[r];
        const double a0 = A0[r], s0 = S0[r];
        const double t0 = plain_term((((((-1.0) / sqrt(((1.0 - a0) * (1.0 + a0)))) * a0) / y) * ((((-1.0) / sqrt(((1.0 - a0) * (1.0 + a0)))) * a0) / y)), s0);
        const double s = 1.0 + t0;
        S[r] = s; T0[r] = t0;
        bad += !(s <= RECHECK_S2) | !(fabs(y) >= DBL_MIN) | !(fabs(y) <= DBL_MAX) | ((fabs((fabs(a0) - 1.0)) <= (1.1102230246251565e-07 * (fabs(a0) * sqrt(s0)))) & ((leaf0 && (fabs((fabs(a0) - 1.0)) != 0.0)) | (!leaf0 && 1)));
    }
    return bad;
}
CLONES static int64_t mark_acos(ROWS)
{
    UNPACK_MARK;
    INDEPENDENT
    for (int64_t r = 0; r < n; r++) {
        const double y = Y[r], s = S[r];
        const double a0 = A0[r], s0 = S0[r];
        (void)a0, (void)s0;
        MARK(!(fabs(y) >= DBL_MIN) | !(fabs(y) <= DBL_MAX) | ((fabs((fabs(a0) - 1.0)) <= (1.1102230246251565e-07 * (fabs(a0) * sqrt(s0)))) & ((leaf0 && (fabs((fabs(a0) - 1.0)) != 0.0)) | (!leaf0 && 1))) | (a0 == w0), 0);
    }
    MARKED;
}

CLONES static int64_t mend_acos(MEND)
{
    UNPACK_MEND;
    if (count < n) {
        INDEPENDENT
        for (int64_t i = 0; i < count; i++) {
            const int64_t r = list[i];
            const double y = Y[r];
            const double a0 = A0[r], s0 = S0[r], z0 = Z0[r];
            const double k0 = (((((-1.0) / sqrt(((1.0 - a0) * (1.0 + a0)))) * a0) / y) * ((((-1.0) / sqrt(((1.0 - a0) * (1.0 + a0)))) * a0) / y));
            const double m0 = moved_by(((-1.0) / sqrt(((1.0 - a0) * (1.0 + a0)))), deviation(a0, s0, z0));
            const double t0 = edge_term(y, a0, s0, k0, NAN, m0);
            const double s = 1.0 + t0, v = m0;
            if (T0) T0[r] = t0;
            S[r] = s;
            V[r] = v;
            found[i] = found_at(y, 0, 1, (fabs(a0) <= DBL_MAX), ((fabs((fabs(a0) - 1.0)) <= (1.1102230246251565e-07 * (fabs(a0) * sqrt(s0)))) & ((leaf0 && (fabs((fabs(a0) - 1.0)) != 0.0)) | (!leaf0 && 1))), s);
            TELL;
        }
    } else {
        INDEPENDENT
        for (int64_t i = 0; i < count; i++) {
            const int64_t r = i;
            const double y = Y[r];
            const double a0 = A0[r], s0 = S0[r], z0 = Z0[r];
            const double k0 = (((((-1.0) / sqrt(((1.0 - a0) * (1.0 + a0)))) * a0) / y) * ((((-1.0) / sqrt(((1.0 - a0) * (1.0 + a0)))) * a0) / y));
            const double m0 = moved_by(((-1.0) / sqrt(((1.0 - a0) * (1.0 + a0)))), deviation(a0, s0, z0));
            const double t0 = edge_term(y, a0, s0, k0, NAN, m0);
            const double s = 1.0 + t0, v = m0;
            if (T0) T0[r] = t0;
            S[r] = s;
            V[r] = v;
            found[i] = found_at(y, 0, 1, (fabs(a0) <= DBL_MAX), ((fabs((fabs(a0) - 1.0)) <= (1.1102230246251565e-07 * (fabs(a0) * sqrt(s0)))) & ((leaf0 && (fabs((fabs(a0) - 1.0)) != 0.0)) | (!leaf0 && 1))), s);
            TELL;
        }
    }
    TOLD;
}

CLONES static int64_t rows_atan(ROWS)
{
    UNPACK;
    int64_t bad = 0;
    INDEPENDENT
    for (int64_t r = 0; r < n; r++) {
        const double y = Y[r];
        const double a0 = A0[r], s0 = S0[r];
        const double t0 = plain_term(((((1.0 / (1.0 + (a0 * a0))) * a0) / y) * (((1.0 / (1.0 + (a0 * a0))) * a0) / y)), s0);
        const double s = 1.0 + t0;
        S[r] = s;
        bad += !(s <= RECHECK_S2) | !(fabs(y) >= DBL_MIN) | !(fabs(y) <= DBL_MAX);
    }
    return bad;
}
CLONES static int64_t rows_atan_edges(ROWS)
{
    UNPACK;
    int64_t bad = 0;
    INDEPENDENT
    for (int64_t r = 0; r < n; r++) {
        const double y = Y[r];
        const double a0 = A0[r], s0 = S0[r];
        const double t0 = plain_term(((((1.0 / (1.0 + (a0 * a0))) * a0) / y) * (((1.0 / (1.0 + (a0 * a0))) * a0) / y)), s0);
        const double s = 1.0 + t0;
        S[r] = s; T0[r] = t0;
        bad += !(s <= RECHECK_S2) | !(fabs(y) >= DBL_MIN) | !(fabs(y) <= DBL_MAX);
    }
    return bad;
}
CLONES static int64_t mark_atan(ROWS)
{
    UNPACK_MARK;
    INDEPENDENT
    for (int64_t r = 0; r < n; r++) {
        const double y = Y[r], s = S[r];
        const double a0 = A0[r], s0 = S0[r];
        (void)a0, (void)s0;
        MARK(!(fabs(y) >= DBL_MIN) | !(fabs(y) <= DBL_MAX) | (a0 == w0), 0);
    }
    MARKED;
}

CLONES static int64_t mend_atan(MEND)
{
    UNPACK_MEND;
    if (count < n) {
        INDEPENDENT
        for (int64_t i = 0; i < count; i++) {
            const int64_t r = list[i];
            const double y = Y[r];
            const double a0 = A0[r], s0 = S0[r], z0 = Z0[r];
            const double k0 = ((((1.0 / (1.0 + (a0 * a0))) * a0) / y) * (((1.0 / (1.0 + (a0 * a0))) * a0) / y));
            const double m0 = moved_by((1.0 / (1.0 + (a0 * a0))), deviation(a0, s0, z0));
            const double t0 = edge_term(y, a0, s0, k0, choose((a0 == 0.0), 1.0, NAN), m0);
            const double s = 1.0 + t0, v = m0;
            if (T0) T0[r] = t0;
            S[r] = s;
            V[r] = v;
            found[i] = found_at(y, 0, 1, (fabs(a0) <= DBL_MAX), 0, s);
            TELL;
        }
    } else {
        INDEPENDENT
        for (int64_t i = 0; i < count; i++) {
            const int64_t r = i;
            const double y = Y[r];
            const double a0 = A0[r], s0 = S0[r], z0 = Z0[r];
            const double k0 = ((((1.0 / (1.0 + (a0 * a0))) * a0) / y) * (((1.0 / (1.0 + (a0 * a0))) * a0) / y));
            const double m0 = moved_by((1.0 / (1.0 + (a0 * a0))), deviation(a0, s0, z0));
            const double t0 = edge_term(y, a0, s0, k0, choose((a0 == 0.0), 1.0, NAN), m0);
            const double s = 1.0 + t0, v = m0;
            if (T0) T0[r] = t0;
            S[r] = s;
            V[r] = v;
            found[i] = found_at(y, 0, 1, (fabs(a0) <= DBL_MAX), 0, s);
            TELL;
        }
    }
    TOLD;
}

CLONES static int64_t rows_atan2(ROWS)
{
    UNPACK;
    int64_t bad = 0;
    INDEPENDENT
    for (int64_t r = 0; r < n; r++) {
        const double y = Y[r];
        const double a0 = A0[r], s0 = S0[r];
        const double a1 = A1[r], s1 = S1[r];
        const double t0 = plain_term(((((a0 / hypot(a0, a1)) * (a1 / hypot(a0, a1))) / y) * (((a0 / hypot(a0, a1)) * (a1 / hypot(a0, a1))) / y)), s0);
        const double t1 = plain_term(((((a0 / hypot(a0, a1)) * (a1 / hypot(a0, a1))) / y) * (((a0 / hypot(a0, a1)) * (a1 / hypot(a0, a1))) / y)), s1);
        const double s = 1.0 + t0 + t1;
        S[r] = s;
        bad += !(s <= RECHECK_S2) | !(fabs(y) >= DBL_MIN) | !(fabs(y) <= DBL_MAX);
    }
    return bad;
}
CLONES static int64_t rows_atan2_edges(ROWS)
{
    UNPACK;
    int64_t bad = 0;
    INDEPENDENT
    for (int64_t r = 0; r < n; r++) {
        const double y = Y[r];
        const double a0 = A0[r], s0 = S0[r];
        const double a1 = A1[r], s1 = S1[r];
        const double t0 = plain_term(((((a0 / hypot(a0, a1)) * (a1 / hypot(a0, a1))) / y) * (((a0 / hypot(a0, a1)) * (a1 / hypot(a0, a1))) / y)), s0);
        const double t1 = plain_term(((((a0 / hypot(a0, a1)) * (a1 / hypot(a0, a1))) / y) * (((a0 / hypot(a0, a1)) * (a1 / hypot(a0, a1))) / y)), s1);
        const double s = 1.0 + t0 + t1;
        S[r] = s; T0[r] = t0; T1[r] = t1;
        bad += !(s <= RECHECK_S2) | !(fabs(y) >= DBL_MIN) | !(fabs(y) <= DBL_MAX);
    }
    return bad;
}
CLONES static int64_t mark_atan2(ROWS)
{
    UNPACK_MARK;
    INDEPENDENT
    for (int64_t r = 0; r < n; r++) {
        const double y = Y[r], s = S[r];
        const double a0 = A0[r], s0 = S0[r];
        (void)a0, (void)s0;
        const double a1 = A1[r], s1 = S1[r];
        (void)a1, (void)s1;
        MARK(!(fabs(y) >= DBL_MIN) | !(fabs(y) <= DBL_MAX) | (a0 == w0) | (a1 == w1), 0);
    }
    MARKED;
}

CLONES static int64_t mend_atan2(MEND)
{
    UNPACK_MEND;
    if (count < n) {
        INDEPENDENT
        for (int64_t i = 0; i < count; i++) {
            const int64_t r = list[i];
            const double y = Y[r];
            const double a0 = A0[r], s0 = S0[r], z0 = Z0[r];
            const double a1 = A1[r], s1 = S1[r], z1 = Z1[r];
            const double k0 = ((((a0 / hypot(a0, a1)) * (a1 / hypot(a0, a1))) / y) * (((a0 / hypot(a0, a1)) * (a1 / hypot(a0, a1))) / y));
            const double m0 = moved_by(choose(((a0 == 0.0) & (a1 < 0.0)), INFINITY, ((a1 / hypot(a0, a1)) / hypot(a0, a1))), deviation(a0, s0, z0));
            const double t0 = edge_term(y, a0, s0, k0, 1.0, m0);
            const double k1 = ((((a0 / hypot(a0, a1)) * (a1 / hypot(a0, a1))) / y) * (((a0 / hypot(a0, a1)) * (a1 / hypot(a0, a1))) / y));
            const double m1 = moved_by((((-a0) / hypot(a0, a1)) / hypot(a0, a1)), deviation(a1, s1, z1));
            const double t1 = edge_term(y, a1, s1, k1, (-1.0), m1);
            const double s = 1.0 + t0 + t1, v = length_of(m0, m1);
            if (T0) T0[r] = t0;
            if (T1) T1[r] = t1;
            S[r] = s;
            V[r] = v;
            found[i] = found_at(y, 0, (a0 == 0.0), (fabs(a0) <= DBL_MAX) & (fabs(a1) <= DBL_MAX), 0, s);
            TELL;
        }
    } else {
        INDEPENDENT
        for (int64_t i = 0; i < count; i++) {
            const int64_t r = i;
            const double y = Y[r];
            const double a0 = A0[r], s0 = S0[r], z0 = Z0[r];
            const double a1 = A1[r], s1 = S1[r], z1 = Z1[r];
            const double k0 = ((((a0 / hypot(a0, a1)) * (a1 / hypot(a0, a1))) / y) * (((a0 / hypot(a0, a1)) * (a1 / hypot(a0, a1))) / y));
            const double m0 = moved_by(choose(((a0 == 0.0) & (a1 < 0.0)), INFINITY, ((a1 / hypot(a0, a1)) / hypot(a0, a1))), deviation(a0, s0, z0));
            const double t0 = edge_term(y, a0, s0, k0, 1.0, m0);
            const double k1 = ((((a0 / hypot(a0, a1)) * (a1 / hypot(a0, a1))) / y) * (((a0 / hypot(a0, a1)) * (a1 / hypot(a0, a1))) / y));
            const double m1 = moved_by((((-a0) / hypot(a0, a1)) / hypot(a0, a1)), deviation(a1, s1, z1));
            const double t1 = edge_term(y, a1, s1, k1, (-1.0), m1);
            const double s = 1.0 + t0 + t1, v = length_of(m0, m1);
            if (T0) T0[r] = t0;
            if (T1) T1[r] = t1;
            S[r] = s;
            V[r] = v;
            found[i] = found_at(y, 0, (a0 == 0.0), (fabs(a0) <= DBL_MAX) & (fabs(a1) <= DBL_MAX), 0, s);
            TELL;
        }
    }
    TOLD;
}

CLONES static int64_t outside_atan2(int64_t n, const double *const *A, double p, int64_t *restrict found)
{
    int64_t count = 0;
    (void)p;
    INDEPENDENT
    for (int64_t r = 0; r < n; r++) {
        const double a0 = A[0][r]; const double a1 = A[1][r];
        found[r] = -(int64_t)(((a0 == 0.0) & (a1 == 0.0)));
        count -= found[r];
    }
    return count;
}

CLONES static int64_t rows_sinh(ROWS)
{
    UNPACK;
    int64_t bad = 0;
    INDEPENDENT
    for (int64_t r = 0; r < n; r++) {
        const double y = Y[r];
        const double a0 = A0[r], s0 = S0[r];
        const double t0 = plain_term((((a0 / y) * (a0 / y)) + (a0 * a0)), s0);
        const double s = 1.0 + t0;
        S[r] = s;
        bad += !(s <= RECHECK_S2) | !(fabs(y) >= DBL_MIN) | !(fabs(y) <= DBL_MAX);
    }
    return bad;
}
CLONES static int64_t rows_sinh_edges(ROWS)
{
    UNPACK;
    int64_t bad = 0;
    INDEPENDENT
    for (int64_t r = 0; r < n; r++) {
        const double y = Y[r];
        const double a0 = A0[r], s0 = S0[r];
        const double t0 = plain_term((((a0 / y) * (a0 / y)) + (a0 * a0)), s0);
        const double s = 1.0 + t0;
        S[r] = s; T0[r] = t0;
        bad += !(s <= RECHECK_S2) | !(fabs(y) >= DBL_MIN) | !(fabs(y) <= DBL_MAX);
    }
    return bad;
}
CLONES static int64_t mark_sinh(ROWS)
{
    UNPACK_MARK;
    INDEPENDENT
    for (int64_t r = 0; r < n; r++) {
        const double y = Y[r], s = S[r];
        const double a0 = A0[r], s0 = S0[r];
        (void)a0, (void)s0;
        MARK(!(fabs(y) >= DBL_MIN) | !(fabs(y) <= DBL_MAX) | (a0 == w0), 0);
    }
    MARKED;
}

CLONES static int64_t mend_sinh(MEND)
{
    UNPACK_MEND;
    if (count < n) {
        INDEPENDENT
        for (int64_t i = 0; i < count; i++) {
            const int64_t r = list[i];
            const double y = Y[r];
            const double a0 = A0[r], s0 = S0[r], z0 = Z0[r];
            const double k0 = (((a0 / y) * (a0 / y)) + (a0 * a0));
            const double m0 = moved_by(cosh(a0), deviation(a0, s0, z0));
            const double t0 = edge_term(y, a0, s0, k0, choose((a0 == 0.0), 1.0, NAN), m0);
            const double s = 1.0 + t0, v = m0;
            if (T0) T0[r] = t0;
            S[r] = s;
            V[r] = v;
            found[i] = found_at(y, 0, 1, (fabs(a0) <= DBL_MAX), 0, s);
            TELL;
        }
    } else {
        INDEPENDENT
        for (int64_t i = 0; i < count; i++) {
            const int64_t r = i;
            const double y = Y[r];
            const double a0 = A0[r], s0 = S0[r], z0 = Z0[r];
            const double k0 = (((a0 / y) * (a0 / y)) + (a0 * a0));
            const double m0 = moved_by(cosh(a0), deviation(a0, s0, z0));
            const double t0 = edge_term(y, a0, s0, k0, choose((a0 == 0.0), 1.0, NAN), m0);
            const double s = 1.0 + t0, v = m0;
            if (T0) T0[r] = t0;
            S[r] = s;
            V[r] = v;
            found[i] = found_at(y, 0, 1, (fabs(a0) <= DBL_MAX), 0, s);
            TELL;
        }
    }
    TOLD;
}

CLONES static int64_t rows_cosh(ROWS)
{
    UNPACK;
    int64_t bad = 0;
    INDEPENDENT
    for (int64_t r = 0; r < n; r++) {
        const double y = Y[r];
        const double a0 = A0[r], s0 = S0[r];
        const double t0 = plain_term(((((1.0 - (1.0 / y)) * (1.0 + (1.0 / y))) * a0) * a0), s0);
        const double s = 1.0 + t0;
        S[r] = s;
        bad += !(s <= RECHECK_S2) | !(fabs(y) >= DBL_MIN) | !(fabs(y) <= DBL_MAX);
    }
    return bad;
}
CLONES static int64_t rows_cosh_edges(ROWS)
{
    UNPACK;
    int64_t bad = 0;
    INDEPENDENT
    for (int64_t r = 0; r < n; r++) {
        const double y = Y[r];
        const double a0 = A0[r], s0 = S0[r];
        const double t0 = plain_term(((((1.0 - (1.0 / y)) * (1.0 + (1.0 / y))) * a0) * a0), s0);
        const double s = 1.0 + t0;
        S[r] = s; T0[r] = t0;
        bad += !(s <= RECHECK_S2) | !(fabs(y) >= DBL_MIN) | !(fabs(y) <= DBL_MAX);
    }
    return bad;
}
CLONES static int64_t mark_cosh(ROWS)
{
    UNPACK_MARK;
    INDEPENDENT
    for (int64_t r = 0; r < n; r++) {
        const double y = Y[r], s = S[r];
        const double a0 = A0[r], s0 = S0[r];
        (void)a0, (void)s0;
        MARK(!(fabs(y) >= DBL_MIN) | !(fabs(y) <= DBL_MAX) | (a0 == w0), 0);
    }
    MARKED;
}

CLONES static int64_t mend_cosh(MEND)
{
    UNPACK_MEND;
    if (count < n) {
        INDEPENDENT
        for (int64_t i = 0; i < count; i++) {
            const int64_t r = list[i];
            const double y = Y[r];
            const double a0 = A0[r], s0 = S0[r], z0 = Z0[r];
            const double k0 = ((((1.0 - (1.0 / y)) * (1.0 + (1.0 / y))) * a0) * a0);
            const double m0 = moved_by(sinh(a0), deviation(a0, s0, z0));
            const double t0 = edge_term(y, a0, s0, k0, NAN, m0);
            const double s = 1.0 + t0, v = m0;
            if (T0) T0[r] = t0;
            S[r] = s;
            V[r] = v;
            found[i] = found_at(y, 0, 1, (fabs(a0) <= DBL_MAX), 0, s);
            TELL;
        }
    } else {
        INDEPENDENT
        for (int64_t i = 0; i < count; i++) {
            const int64_t r = i;
            const double y = Y[r];
            const double a0 = A0[r], s0 = S0[r], z0 = Z0[r];
            const double k0 = ((((1.0 - (1.0 / y)) * (1.0 + (1.0 / y))) * a0) * a0);
            const double m0 = moved_by(sinh(a0), deviation(a0, s0, z0));
            const double t0 = edge_term(y, a0, s0, k0, NAN, m0);
            const double s = 1.0 + t0, v = m0;
            if (T0) T0[r] = t0;
            S[r] = s;
            V[r] = v;
            found[i] = found_at(y, 0, 1, (fabs(a0) <= DBL_MAX), 0, s);
            TELL;
        }
    }
    TOLD;
}

CLONES static int64_t rows_tanh(ROWS)
{
    UNPACK;
    int64_t bad = 0;
    INDEPENDENT
    for (int64_t r = 0; r < n; r++) {
        const double y = Y[r];
        const double a0 = A0[r], s0 = S0[r];
        const double t0 = plain_term((((a0 / y) - (a0 * y)) * ((a0 / y) - (a0 * y))), s0);
        const double s = 1.0 + t0;
        S[r] = s;
        bad += !(s <= RECHECK_S2) | !(fabs(y) >= DBL_MIN) | !(fabs(y) <= DBL_MAX);
    }
    return bad;
}
CLONES static int64_t rows_tanh_edges(ROWS)
{
    UNPACK;
    int64_t bad = 0;
    INDEPENDENT
    for (int64_t r = 0; r < n; r++) {
        const double y = Y[r];
        const double a0 = A0[r], s0 = S0[r];
        const double t0 = plain_term((((a0 / y) - (a0 * y)) * ((a0 / y) - (a0 * y))), s0);
        const double s = 1.0 + t0;
        S[r] = s; T0[r] = t0;
        bad += !(s <= RECHECK_S2) | !(fabs(y) >= DBL_MIN) | !(fabs(y) <= DBL_MAX);
    }
    return bad;
}
CLONES static int64_t mark_tanh(ROWS)
{
    UNPACK_MARK;
    INDEPENDENT
    for (int64_t r = 0; r < n; r++) {
        const double y = Y[r], s = S[r];
        const double a0 = A0[r], s0 = S0[r];
        (void)a0, (void)s0;
        MARK(!(fabs(y) >= DBL_MIN) | !(fabs(y) <= DBL_MAX) | (a0 == w0), 0);
    }
    MARKED;
}

CLONES static int64_t mend_tanh(MEND)
{
    UNPACK_MEND;
    if (count < n) {
        INDEPENDENT
        for (int64_t i = 0; i < count; i++) {
            const int64_t r = list[i];
            const double y = Y[r];
            const double a0 = A0[r], s0 = S0[r], z0 = Z0[r];
            const double k0 = (((a0 / y) - (a0 * y)) * ((a0 / y) - (a0 * y)));
            const double m0 = moved_by(((1.0 - y) * (1.0 + y)), deviation(a0, s0, z0));
            const double t0 = edge_term(y, a0, s0, k0, choose((a0 == 0.0), 1.0, NAN), m0);
            const double s = 1.0 + t0, v = m0;
            if (T0) T0[r] = t0;
            S[r] = s;
            V[r] = v;
            found[i] = found_at(y, 0, 1, (fabs(a0) <= DBL_MAX), 0, s);
            TELL;
        }
    } else {
        INDEPENDENT
        for (int64_t i = 0; i < count; i++) {
            const int64_t r = i;
            const double y = Y[r];
            const double a0 = A0[r], s0 = S0[r], z0 = Z0[r];
            const double k0 = (((a0 / y) - (a0 * y)) * ((a0 / y) - (a0 * y)));
            const double m0 = moved_by(((1.0 - y) * (1.0 + y)), deviation(a0, s0, z0));
            const double t0 = edge_term(y, a0, s0, k0, choose((a0 == 0.0), 1.0, NAN), m0);
            const double s = 1.0 + t0, v = m0;
            if (T0) T0[r] = t0;
            S[r] = s;
            V[r] = v;
            found[i] = found_at(y, 0, 1, (fabs(a0) <= DBL_MAX), 0, s);
            TELL;
        }
    }
    TOLD;
}

CLONES static int64_t rows_asinh(ROWS)
{
    UNPACK;
    int64_t bad = 0;
    INDEPENDENT
    for (int64_t r = 0; r < n; r++) {
        const double y = Y[r];
        const double a0 = A0[r], s0 = S0[r];
        const double t0 = plain_term(((((1.0 / hypot(1.0, a0)) * a0) / y) * (((1.0 / hypot(1.0, a0)) * a0) / y)), s0);
        const double s = 1.0 + t0;
        S[r] = s;
        bad += !(s <= RECHECK_S2) | !(fabs(y) >= DBL_MIN) | !(fabs(y) <= DBL_MAX);
    }
    return bad;
}
CLONES static int64_t rows_asinh_edges(ROWS)
{
    UNPACK;
    int64_t bad = 0;
    INDEPENDENT
    for (int64_t r = 0; r < n; r++) {
        const double y = Y[r];
        const double a0 = A0[r], s0 = S0[r];
        const double t0 = plain_term(((((1.0 / hypot(1.0, a0)) * a0) / y) * (((1.0 / hypot(1.0, a0)) * a0) / y)), s0);
        const double s = 1.0 + t0;
        S[r] = s; T0[r] = t0;
        bad += !(s <= RECHECK_S2) | !(fabs(y) >= DBL_MIN) | !(fabs(y) <= DBL_MAX);
    }
    return bad;
}
CLONES static int64_t mark_asinh(ROWS)
{
    UNPACK_MARK;
    INDEPENDENT
    for (int64_t r = 0; r < n; r++) {
        const double y = Y[r], s = S[r];
        const double a0 = A0[r], s0 = S0[r];
        (void)a0, (void)s0;
        MARK(!(fabs(y) >= DBL_MIN) | !(fabs(y) <= DBL_MAX) | (a0 == w0), 0);
    }
    MARKED;
}

CLONES static int64_t mend_asinh(MEND)
{
    UNPACK_MEND;
    if (count < n) {
        INDEPENDENT
        for (int64_t i = 0; i < count; i++) {
            const int64_t r = list[i];
            const double y = Y[r];
            const double a0 = A0[r], s0 = S0[r], z0 = Z0[r];
            const double k0 = ((((1.0 / hypot(1.0, a0)) * a0) / y) * (((1.0 / hypot(1.0, a0)) * a0) / y));
            const double m0 = moved_by((1.0 / hypot(1.0, a0)), deviation(a0, s0, z0));
            const double t0 = edge_term(y, a0, s0, k0, choose((a0 == 0.0), 1.0, NAN), m0);
            const double s = 1.0 + t0, v = m0;
            if (T0) T0[r] = t0;
            S[r] = s;
            V[r] = v;
            found[i] = found_at(y, 0, 1, (fabs(a0) <= DBL_MAX), 0, s);
            TELL;
        }
    } else {
        INDEPENDENT
        for (int64_t i = 0; i < count; i++) {
            const int64_t r = i;
            const double y = Y[r];
            const double a0 = A0[r], s0 = S0[r], z0 = Z0[r];
            const double k0 = ((((1.0 / hypot(1.0, a0)) * a0) / y) * (((1.0 / hypot(1.0, a0)) * a0) / y));
            const double m0 = moved_by((1.0 / hypot(1.0, a0)), deviation(a0, s0, z0));
            const double t0 = edge_term(y, a0, s0, k0, choose((a0 == 0.0), 1.0, NAN), m0);
            const double s = 1.0 + t0, v = m0;
            if (T0) T0[r] = t0;
            S[r] = s;
            V[r] = v;
            found[i] = found_at(y, 0, 1, (fabs(a0) <= DBL_MAX), 0, s);
            TELL;
        }
    }
    TOLD;
}

CLONES static int64_t rows_acosh(ROWS)
{
    UNPACK;
    int64_t bad = 0;
    INDEPENDENT
    for (int64_t r = 0; r < n; r++) {
        const double y = Y[r];
        const double a0 = A0[r], s0 = S0[r];
        const double t0 = plain_term(((((1.0 / (sqrt((a0 - 1.0)) * sqrt((a0 + 1.0)))) * a0) / y) * (((1.0 / (sqrt((a0 - 1.0)) * sqrt((a0 + 1.0)))) * a0) / y)), s0);
        const double s = 1.0 + t0;
        S[r] = s;
        bad += !(s <= RECHECK_S2) | !(fabs(y) >= DBL_MIN) | !(fabs(y) <= DBL_MAX) | ((fabs((a0 - 1.0)) <= (1.7763568394002505e-15 * (fabs(a0) * sqrt(s0)))) & ((leaf0 && (fabs((a0 - 1.0)) != 0.0)) | (!leaf0 && 1)));
    }
    return bad;
}
CLONES static int64_t rows_acosh_edges(ROWS)
{
    UNPACK;
    int64_t bad = 0;
    INDEPENDENT
    for (int64_t r = 0; r < n; r++) {
        const double y = Y[r];
        const double a0 = A0[r], s0 = S0[r];
        const double t0 = plain_term(((((1.0 / (sqrt((a0 - 1.0)) * sqrt((a0 + 1.0)))) * a0) / y) * (((1.0 / (sqrt((a0 - 1.0)) * sqrt((a0 + 1.0)))) * a0) / y)), s0);
        const double s = 1.0 + t0;
        S[r] = s; T0[r] = t0;
        bad += !(s <= RECHECK_S2) | !(fabs(y) >= DBL_MIN) | !(fabs(y) <= DBL_MAX) | ((fabs((a0 - 1.0)) <= (1.7763568394002505e-15 * (fabs(a0) * sqrt(s0)))) & ((leaf0 && (fabs((a0 - 1.0)) != 0.0)) | (!leaf0 && 1)));
    }
    return bad;
}
CLONES static int64_t mark_acosh(ROWS)
{
    UNPACK_MARK;
    INDEPENDENT
    for (int64_t r = 0; r < n; r++) {
        const double y = Y[r], s = S[r];
        const double a0 = A0[r], s0 = S0[r];
        (void)a0, (void)s0;
        MARK(!(fabs(y) >= DBL_MIN) | !(fabs(y) <= DBL_MAX) | ((fabs((a0 - 1.0)) <= (1.7763568394002505e-15 * (fabs(a0) * sqrt(s0)))) & ((leaf0 && (fabs((a0 - 1.0)) != 0.0)) | (!leaf0 && 1))) | (a0 == w0), 0);
    }
    MARKED;
}

CLONES static int64_t mend_acosh(MEND)
{
    UNPACK_MEND;
    if (count < n) {
        INDEPENDENT
        for (int64_t i = 0; i < count; i++) {
            const int64_t r = list[i];
            const double y = Y[r];
            const double a0 = A0[r], s0 = S0[r], z0 = Z0[r];
            const double k0 = ((((1.0 / (sqrt((a0 - 1.0)) * sqrt((a0 + 1.0)))) * a0) / y) * (((1.0 / (sqrt((a0 - 1.0)) * sqrt((a0 + 1.0)))) * a0) / y));
            const double m0 = moved_by((1.0 / (sqrt((a0 - 1.0)) * sqrt((a0 + 1.0)))), deviation(a0, s0, z0));
            const double t0 = edge_term(y, a0, s0, k0, NAN, m0);
            const double s = 1.0 + t0, v = m0;
            if (T0) T0[r] = t0;
            S[r] = s;
            V[r] = v;
            found[i] = found_at(y, 0, 1, (fabs(a0) <= DBL_MAX), ((fabs((a0 - 1.0)) <= (1.7763568394002505e-15 * (fabs(a0) * sqrt(s0)))) & ((leaf0 && (fabs((a0 - 1.0)) != 0.0)) | (!leaf0 && 1))), s);
            TELL;
        }
    } else {
        INDEPENDENT
        for (int64_t i = 0; i < count; i++) {
            const int64_t r = i;
            const double y = Y[r];
            const double a0 = A0[r], s0 = S0[r], z0 = Z0[r];
            const double k0 = ((((1.0 / (sqrt((a0 - 1.0)) * sqrt((a0 + 1.0)))) * a0) / y) * (((1.0 / (sqrt((a0 - 1.0)) * sqrt((a0 + 1.0)))) * a0) / y));
            const double m0 = moved_by((1.0 / (sqrt((a0 - 1.0)) * sqrt((a0 + 1.0)))), deviation(a0, s0, z0));
            const double t0 = edge_term(y, a0, s0, k0, NAN, m0);
            const double s = 1.0 + t0, v = m0;
            if (T0) T0[r] = t0;
            S[r] = s;
            V[r] = v;
            found[i] = found_at(y, 0, 1, (fabs(a0) <= DBL_MAX), ((fabs((a0 - 1.0)) <= (1.7763568394002505e-15 * (fabs(a0) * sqrt(s0)))) & ((leaf0 && (fabs((a0 - 1.0)) != 0.0)) | (!leaf0 && 1))), s);
            TELL;
        }
    }
    TOLD;
}

CLONES static int64_t rows_atanh(ROWS)
{
    UNPACK;
    int64_t bad = 0;
    INDEPENDENT
    for (int64_t r = 0; r < n; r++) {
        const double y = Y[r];
        const double a0 = A0[r], s0 = S0[r];
        const double t0 = plain_term(((((1.0 / ((1.0 - a0) * (1.0 + a0))) * a0) / y) * (((1.0 / ((1.0 - a0) * (1.0 + a0))) * a0) / y)), s0);
        const double s = 1.0 + t0;
        S[r] = s;
        bad += !(s <= RECHECK_S2) | !(fabs(y) >= DBL_MIN) | !(fabs(y) <= DBL_MAX) | ((fabs((fabs(a0) - 1.0)) <= (1.1102230246251565e-07 * (fabs(a0) * sqrt(s0)))) & ((leaf0 && (fabs((fabs(a0) - 1.0)) != 0.0)) | (!leaf0 && 1)));
    }
    return bad;
}
CLONES static int64_t rows_atanh_edges(ROWS)
{
    UNPACK;
    int64_t bad = 0;
    INDEPENDENT
    for (int64_t r = 0; r < n; r++) {
        const double y = Y[r];
        const double a0 = A0[r], s0 = S0[r];
        const double t0 = plain_term(((((1.0 / ((1.0 - a0) * (1.0 + a0))) * a0) / y) * (((1.0 / ((1.0 - a0) * (1.0 + a0))) * a0) / y)), s0);
        const double s = 1.0 + t0;
        S[r] = s; T0[r] = t0;
        bad += !(s <= RECHECK_S2) | !(fabs(y) >= DBL_MIN) | !(fabs(y) <= DBL_MAX) | ((fabs((fabs(a0) - 1.0)) <= (1.1102230246251565e-07 * (fabs(a0) * sqrt(s0)))) & ((leaf0 && (fabs((fabs(a0) - 1.0)) != 0.0)) | (!leaf0 && 1)));
    }
    return bad;
}
CLONES static int64_t mark_atanh(ROWS)
{
    UNPACK_MARK;
    INDEPENDENT
    for (int64_t r = 0; r < n; r++) {
        const double y = Y[r], s = S[r];
        const double a0 = A0[r], s0 = S0[r];
        (void)a0, (void)s0;
        MARK(!(fabs(y) >= DBL_MIN) | !(fabs(y) <= DBL_MAX) | ((fabs((fabs(a0) - 1.0)) <= (1.1102230246251565e-07 * (fabs(a0) * sqrt(s0)))) & ((leaf0 && (fabs((fabs(a0) - 1.0)) != 0.0)) | (!leaf0 && 1))) | (a0 == w0), 0);
    }
    MARKED;
}

CLONES static int64_t mend_atanh(MEND)
{
    UNPACK_MEND;
    if (count < n) {
        INDEPENDENT
        for (int64_t i = 0; i < count; i++) {
            const int64_t r = list[i];
            const double y = Y[r];
            const double a0 = A0[r], s0 = S0[r], z0 = Z0[r];
            const double k0 = ((((1.0 / ((1.0 - a0) * (1.0 + a0))) * a0) / y) * (((1.0 / ((1.0 - a0) * (1.0 + a0))) * a0) / y));
            const double m0 = moved_by((1.0 / ((1.0 - a0) * (1.0 + a0))), deviation(a0, s0, z0));
            const double t0 = edge_term(y, a0, s0, k0, choose((a0 == 0.0), 1.0, NAN), m0);
            const double s = 1.0 + t0, v = m0;
            if (T0) T0[r] = t0;
            S[r] = s;
            V[r] = v;
            found[i] = found_at(y, (fabs(a0) == 1.0), 1, (fabs(a0) <= DBL_MAX), ((fabs((fabs(a0) - 1.0)) <= (1.1102230246251565e-07 * (fabs(a0) * sqrt(s0)))) & ((leaf0 && (fabs((fabs(a0) - 1.0)) != 0.0)) | (!leaf0 && 1))), s);
            TELL;
        }
    } else {
        INDEPENDENT
        for (int64_t i = 0; i < count; i++) {
            const int64_t r = i;
            const double y = Y[r];
            const double a0 = A0[r], s0 = S0[r], z0 = Z0[r];
            const double k0 = ((((1.0 / ((1.0 - a0) * (1.0 + a0))) * a0) / y) * (((1.0 / ((1.0 - a0) * (1.0 + a0))) * a0) / y));
            const double m0 = moved_by((1.0 / ((1.0 - a0) * (1.0 + a0))), deviation(a0, s0, z0));
            const double t0 = edge_term(y, a0, s0, k0, choose((a0 == 0.0), 1.0, NAN), m0);
            const double s = 1.0 + t0, v = m0;
            if (T0) T0[r] = t0;
            S[r] = s;
            V[r] = v;
            found[i] = found_at(y, (fabs(a0) == 1.0), 1, (fabs(a0) <= DBL_MAX), ((fabs((fabs(a0) - 1.0)) <= (1.1102230246251565e-07 * (fabs(a0) * sqrt(s0)))) & ((leaf0 && (fabs((fabs(a0) - 1.0)) != 0.0)) | (!leaf0 && 1))), s);
            TELL;
        }
    }
    TOLD;
}

CLONES static int64_t rows_erf(ROWS)
{
    UNPACK;
    int64_t bad = 0;
    INDEPENDENT
    for (int64_t r = 0; r < n; r++) {
        const double y = Y[r];
        const double a0 = A0[r], s0 = S0[r];
        const double t0 = plain_term((((choose((fabs(a0) < 1600.0), ((2.0 / sqrt(3.141592653589793)) * exp((-(choose((fabs(a0) < 1600.0), a0, 0.0) * choose((fabs(a0) < 1600.0), a0, 0.0))))), 0.0) * a0) / y) * ((choose((fabs(a0) < 1600.0), ((2.0 / sqrt(3.141592653589793)) * exp((-(choose((fabs(a0) < 1600.0), a0, 0.0) * choose((fabs(a0) < 1600.0), a0, 0.0))))), 0.0) * a0) / y)), s0);
        const double s = 1.0 + t0;
        S[r] = s;
        bad += !(s <= RECHECK_S2) | !(fabs(y) >= DBL_MIN) | !(fabs(y) <= DBL_MAX);
    }
    return bad;
}
CLONES static int64_t rows_erf_edges(ROWS)
{
    UNPACK;
    int64_t bad = 0;
    INDEPENDENT
    for (int64_t r = 0; r < n; r++) {
        const double y = Y[r];
        const double a0 = A0[r], s0 = S0[r];
        const double t0 = plain_term((((choose((fabs(a0) < 1600.0), ((2.0 / sqrt(3.141592653589793)) * exp((-(choose((fabs(a0) < 1600.0), a0, 0.0) * choose((fabs(a0) < 1600.0), a0, 0.0))))), 0.0) * a0) / y) * ((choose((fabs(a0) < 1600.0), ((2.0 / sqrt(3.141592653589793)) * exp((-(choose((fabs(a0) < 1600.0), a0, 0.0) * choose((fabs(a0) < 1600.0), a0, 0.0))))), 0.0) * a0) / y)), s0);
        const double s = 1.0 + t0;
        S[r] = s; T0[r] = t0;
        bad += !(s <= RECHECK_S2) | !(fabs(y) >= DBL_MIN) | !(fabs(y) <= DBL_MAX);
    }
    return bad;
}
CLONES static int64_t mark_erf(ROWS)
{
    UNPACK_MARK;
    INDEPENDENT
    for (int64_t r = 0; r < n; r++) {
        const double y = Y[r], s = S[r];
        const double a0 = A0[r], s0 = S0[r];
        (void)a0, (void)s0;
        MARK(!(fabs(y) >= DBL_MIN) | !(fabs(y) <= DBL_MAX) | (a0 == w0), 0);
    }
    MARKED;
}

CLONES static int64_t mend_erf(MEND)
{
    UNPACK_MEND;
    if (count < n) {
        INDEPENDENT
        for (int64_t i = 0; i < count; i++) {
            const int64_t r = list[i];
            const double y = Y[r];
            const double a0 = A0[r], s0 = S0[r], z0 = Z0[r];
            const double k0 = (((choose((fabs(a0) < 1600.0), ((2.0 / sqrt(3.141592653589793)) * exp((-(choose((fabs(a0) < 1600.0), a0, 0.0) * choose((fabs(a0) < 1600.0), a0, 0.0))))), 0.0) * a0) / y) * ((choose((fabs(a0) < 1600.0), ((2.0 / sqrt(3.141592653589793)) * exp((-(choose((fabs(a0) < 1600.0), a0, 0.0) * choose((fabs(a0) < 1600.0), a0, 0.0))))), 0.0) * a0) / y));
            const double m0 = moved_by(choose((fabs(a0) < 1600.0), ((2.0 / sqrt(3.141592653589793)) * exp((-(choose((fabs(a0) < 1600.0), a0, 0.0) * choose((fabs(a0) < 1600.0), a0, 0.0))))), 0.0), deviation(a0, s0, z0));
            const double t0 = edge_term(y, a0, s0, k0, choose((a0 == 0.0), 1.0, NAN), m0);
            const double s = 1.0 + t0, v = m0;
            if (T0) T0[r] = t0;
            S[r] = s;
            V[r] = v;
            found[i] = found_at(y, 0, 1, (fabs(a0) <= DBL_MAX), 0, s);
            TELL;
        }
    } else {
        INDEPENDENT
        for (int64_t i = 0; i < count; i++) {
            const int64_t r = i;
            const double y = Y[r];
            const double a0 = A0[r], s0 = S0[r], z0 = Z0[r];
            const double k0 = (((choose((fabs(a0) < 1600.0), ((2.0 / sqrt(3.141592653589793)) * exp((-(choose((fabs(a0) < 1600.0), a0, 0.0) * choose((fabs(a0) < 1600.0), a0, 0.0))))), 0.0) * a0) / y) * ((choose((fabs(a0) < 1600.0), ((2.0 / sqrt(3.141592653589793)) * exp((-(choose((fabs(a0) < 1600.0), a0, 0.0) * choose((fabs(a0) < 1600.0), a0, 0.0))))), 0.0) * a0) / y));
            const double m0 = moved_by(choose((fabs(a0) < 1600.0), ((2.0 / sqrt(3.141592653589793)) * exp((-(choose((fabs(a0) < 1600.0), a0, 0.0) * choose((fabs(a0) < 1600.0), a0, 0.0))))), 0.0), deviation(a0, s0, z0));
            const double t0 = edge_term(y, a0, s0, k0, choose((a0 == 0.0), 1.0, NAN), m0);
            const double s = 1.0 + t0, v = m0;
            if (T0) T0[r] = t0;
            S[r] = s;
            V[r] = v;
            found[i] = found_at(y, 0, 1, (fabs(a0) <= DBL_MAX), 0, s);
            TELL;
        }
    }
    TOLD;
}

CLONES static int64_t rows_gamma(ROWS)
{
    UNPACK;
    int64_t bad = 0;
    INDEPENDENT
    for (int64_t r = 0; r < n; r++) {
        const double y = Y[r];
        const double a0 = A0[r], s0 = S0[r];
        const double h = H[r];
        const double t0 = plain_term(((a0 * h) * (a0 * h)), s0);
        const double s = 1.0 + t0;
        S[r] = s;
        bad += !(s <= RECHECK_S2) | !(fabs(y) >= DBL_MIN) | !(fabs(y) <= DBL_MAX) | ((choose((a0 < 0.5), fabs((a0 - rint(a0))), fabs(a0)) <= (1.7763568394002505e-15 * (fabs(a0) * sqrt(s0)))) & ((leaf0 && (choose((a0 < 0.5), fabs((a0 - rint(a0))), fabs(a0)) != 0.0)) | (!leaf0 && 1)));
    }
    return bad;
}
CLONES static int64_t rows_gamma_edges(ROWS)
{
    UNPACK;
    int64_t bad = 0;
    INDEPENDENT
    for (int64_t r = 0; r < n; r++) {
        const double y = Y[r];
        const double a0 = A0[r], s0 = S0[r];
        const double h = H[r];
        const double t0 = plain_term(((a0 * h) * (a0 * h)), s0);
        const double s = 1.0 + t0;
        S[r] = s; T0[r] = t0;
        bad += !(s <= RECHECK_S2) | !(fabs(y) >= DBL_MIN) | !(fabs(y) <= DBL_MAX) | ((choose((a0 < 0.5), fabs((a0 - rint(a0))), fabs(a0)) <= (1.7763568394002505e-15 * (fabs(a0) * sqrt(s0)))) & ((leaf0 && (choose((a0 < 0.5), fabs((a0 - rint(a0))), fabs(a0)) != 0.0)) | (!leaf0 && 1)));
    }
    return bad;
}
CLONES static int64_t mark_gamma(ROWS)
{
    UNPACK_MARK;
    INDEPENDENT
    for (int64_t r = 0; r < n; r++) {
        const double y = Y[r], s = S[r];
        const double a0 = A0[r], s0 = S0[r];
        (void)a0, (void)s0;
        MARK(!(fabs(y) >= DBL_MIN) | !(fabs(y) <= DBL_MAX) | ((choose((a0 < 0.5), fabs((a0 - rint(a0))), fabs(a0)) <= (1.7763568394002505e-15 * (fabs(a0) * sqrt(s0)))) & ((leaf0 && (choose((a0 < 0.5), fabs((a0 - rint(a0))), fabs(a0)) != 0.0)) | (!leaf0 && 1))) | (a0 == w0), 0);
    }
    MARKED;
}

CLONES static int64_t mend_gamma(MEND)
{
    UNPACK_MEND;
    if (count < n) {
        INDEPENDENT
        for (int64_t i = 0; i < count; i++) {
            const int64_t r = list[i];
            const double y = Y[r];
            const double a0 = A0[r], s0 = S0[r], z0 = Z0[r];
            const double h = H[r];
            const double k0 = ((a0 * h) * (a0 * h));
            const double m0 = moved_by((y * h), deviation(a0, s0, z0));
            const double t0 = edge_term(y, a0, s0, k0, NAN, m0);
            const double s = 1.0 + t0, v = m0;
            if (T0) T0[r] = t0;
            S[r] = s;
            V[r] = v;
            found[i] = found_at(y, ((a0 <= 0.0) & (a0 == floor(a0))), (a0 != a0), (fabs(a0) <= DBL_MAX), ((choose((a0 < 0.5), fabs((a0 - rint(a0))), fabs(a0)) <= (1.7763568394002505e-15 * (fabs(a0) * sqrt(s0)))) & ((leaf0 && (choose((a0 < 0.5), fabs((a0 - rint(a0))), fabs(a0)) != 0.0)) | (!leaf0 && 1))), s);
            TELL;
        }
    } else {
        INDEPENDENT
        for (int64_t i = 0; i < count; i++) {
            const int64_t r = i;
            const double y = Y[r];
            const double a0 = A0[r], s0 = S0[r], z0 = Z0[r];
            const double h = H[r];
            const double k0 = ((a0 * h) * (a0 * h));
            const double m0 = moved_by((y * h), deviation(a0, s0, z0));
            const double t0 = edge_term(y, a0, s0, k0, NAN, m0);
            const double s = 1.0 + t0, v = m0;
            if (T0) T0[r] = t0;
            S[r] = s;
            V[r] = v;
            found[i] = found_at(y, ((a0 <= 0.0) & (a0 == floor(a0))), (a0 != a0), (fabs(a0) <= DBL_MAX), ((choose((a0 < 0.5), fabs((a0 - rint(a0))), fabs(a0)) <= (1.7763568394002505e-15 * (fabs(a0) * sqrt(s0)))) & ((leaf0 && (choose((a0 < 0.5), fabs((a0 - rint(a0))), fabs(a0)) != 0.0)) | (!leaf0 && 1))), s);
            TELL;
        }
    }
    TOLD;
}

CLONES static int64_t rows_lgamma(ROWS)
{
    UNPACK;
    int64_t bad = 0;
    INDEPENDENT
    for (int64_t r = 0; r < n; r++) {
        const double y = Y[r];
        const double a0 = A0[r], s0 = S0[r];
        const double h = H[r];
        const double t0 = plain_term((((a0 * h) / y) * ((a0 * h) / y)), s0);
        const double s = 1.0 + t0;
        S[r] = s;
        bad += !(s <= RECHECK_S2) | !(fabs(y) >= DBL_MIN) | !(fabs(y) <= DBL_MAX) | ((choose((a0 < 0.5), fabs((a0 - rint(a0))), fabs(a0)) <= (1.1102230246251565e-07 * (fabs(a0) * sqrt(s0)))) & ((leaf0 && (choose((a0 < 0.5), fabs((a0 - rint(a0))), fabs(a0)) != 0.0)) | (!leaf0 && 1)));
    }
    return bad;
}
CLONES static int64_t rows_lgamma_edges(ROWS)
{
    UNPACK;
    int64_t bad = 0;
    INDEPENDENT
    for (int64_t r = 0; r < n; r++) {
        const double y = Y[r];
        const double a0 = A0[r], s0 = S0[r];
        const double h = H[r];
        const double t0 = plain_term((((a0 * h) / y) * ((a0 * h) / y)), s0);
        const double s = 1.0 + t0;
        S[r] = s; T0[r] = t0;
        bad += !(s <= RECHECK_S2) | !(fabs(y) >= DBL_MIN) | !(fabs(y) <= DBL_MAX) | ((choose((a0 < 0.5), fabs((a0 - rint(a0))), fabs(a0)) <= (1.1102230246251565e-07 * (fabs(a0) * sqrt(s0)))) & ((leaf0 && (choose((a0 < 0.5), fabs((a0 - rint(a0))), fabs(a0)) != 0.0)) | (!leaf0 && 1)));
    }
    return bad;
}
CLONES static int64_t mark_lgamma(ROWS)
{
    UNPACK_MARK;
    INDEPENDENT
    for (int64_t r = 0; r < n; r++) {
        const double y = Y[r], s = S[r];
        const double a0 = A0[r], s0 = S0[r];
        (void)a0, (void)s0;
        MARK(!(fabs(y) >= DBL_MIN) | !(fabs(y) <= DBL_MAX) | ((choose((a0 < 0.5), fabs((a0 - rint(a0))), fabs(a0)) <= (1.1102230246251565e-07 * (fabs(a0) * sqrt(s0)))) & ((leaf0 && (choose((a0 < 0.5), fabs((a0 - rint(a0))), fabs(a0)) != 0.0)) | (!leaf0 && 1))) | (a0 == w0), 0);
    }
    MARKED;
}

CLONES static int64_t mend_lgamma(MEND)
{
    UNPACK_MEND;
    if (count < n) {
        INDEPENDENT
        for (int64_t i = 0; i < count; i++) {
            const int64_t r = list[i];
            const double y = Y[r];
            const double a0 = A0[r], s0 = S0[r], z0 = Z0[r];
            const double h = H[r];
            const double k0 = (((a0 * h) / y) * ((a0 * h) / y));
            const double m0 = moved_by(h, deviation(a0, s0, z0));
            const double t0 = edge_term(y, a0, s0, k0, NAN, m0);
            const double s = 1.0 + t0, v = m0;
            if (T0) T0[r] = t0;
            S[r] = s;
            V[r] = v;
            found[i] = found_at(y, ((a0 <= 0.0) & (a0 == floor(a0))), 1, (fabs(a0) <= DBL_MAX), ((choose((a0 < 0.5), fabs((a0 - rint(a0))), fabs(a0)) <= (1.1102230246251565e-07 * (fabs(a0) * sqrt(s0)))) & ((leaf0 && (choose((a0 < 0.5), fabs((a0 - rint(a0))), fabs(a0)) != 0.0)) | (!leaf0 && 1))), s);
            TELL;
        }
    } else {
        INDEPENDENT
        for (int64_t i = 0; i < count; i++) {
            const int64_t r = i;
            const double y = Y[r];
            const double a0 = A0[r], s0 = S0[r], z0 = Z0[r];
            const double h = H[r];
            const double k0 = (((a0 * h) / y) * ((a0 * h) / y));
            const double m0 = moved_by(h, deviation(a0, s0, z0));
            const double t0 = edge_term(y, a0, s0, k0, NAN, m0);
            const double s = 1.0 + t0, v = m0;
            if (T0) T0[r] = t0;
            S[r] = s;
            V[r] = v;
            found[i] = found_at(y, ((a0 <= 0.0) & (a0 == floor(a0))), 1, (fabs(a0) <= DBL_MAX), ((choose((a0 < 0.5), fabs((a0 - rint(a0))), fabs(a0)) <= (1.1102230246251565e-07 * (fabs(a0) * sqrt(s0)))) & ((leaf0 && (choose((a0 < 0.5), fabs((a0 - rint(a0))), fabs(a0)) != 0.0)) | (!leaf0 && 1))), s);
            TELL;
        }
    }
    TOLD;
}

CLONES static int64_t rows_erfc(ROWS)
{
    UNPACK;
    int64_t bad = 0;
    INDEPENDENT
    for (int64_t r = 0; r < n; r++) {
        const double y = Y[r];
        const double a0 = A0[r], s0 = S0[r];
        const double h = H[r];
        const double t0 = plain_term(((((2.0 / sqrt(3.141592653589793)) * a0) / h) * (((2.0 / sqrt(3.141592653589793)) * a0) / h)), s0);
        const double s = 1.0 + t0;
        S[r] = s;
        bad += !(s <= RECHECK_S2) | !(fabs(y) >= DBL_MIN) | !(fabs(y) <= DBL_MAX);
    }
    return bad;
}
CLONES static int64_t rows_erfc_edges(ROWS)
{
    UNPACK;
    int64_t bad = 0;
    INDEPENDENT
    for (int64_t r = 0; r < n; r++) {
        const double y = Y[r];
        const double a0 = A0[r], s0 = S0[r];
        const double h = H[r];
        const double t0 = plain_term(((((2.0 / sqrt(3.141592653589793)) * a0) / h) * (((2.0 / sqrt(3.141592653589793)) * a0) / h)), s0);
        const double s = 1.0 + t0;
        S[r] = s; T0[r] = t0;
        bad += !(s <= RECHECK_S2) | !(fabs(y) >= DBL_MIN) | !(fabs(y) <= DBL_MAX);
    }
    return bad;
}
CLONES static int64_t mark_erfc(ROWS)
{
    UNPACK_MARK;
    INDEPENDENT
    for (int64_t r = 0; r < n; r++) {
        const double y = Y[r], s = S[r];
        const double a0 = A0[r], s0 = S0[r];
        (void)a0, (void)s0;
        MARK(!(fabs(y) >= DBL_MIN) | !(fabs(y) <= DBL_MAX) | (a0 == w0), 0);
    }
    MARKED;
}

CLONES static int64_t mend_erfc(MEND)
{
    UNPACK_MEND;
    if (count < n) {
        INDEPENDENT
        for (int64_t i = 0; i < count; i++) {
            const int64_t r = list[i];
            const double y = Y[r];
            const double a0 = A0[r], s0 = S0[r], z0 = Z0[r];
            const double h = H[r];
            const double k0 = ((((2.0 / sqrt(3.141592653589793)) * a0) / h) * (((2.0 / sqrt(3.141592653589793)) * a0) / h));
            const double m0 = moved_by((((-2.0) / sqrt(3.141592653589793)) * exp((-(a0 * a0)))), deviation(a0, s0, z0));
            const double t0 = edge_term(y, a0, s0, k0, NAN, m0);
            const double s = 1.0 + t0, v = m0;
            if (T0) T0[r] = t0;
            S[r] = s;
            V[r] = v;
            found[i] = found_at(y, 0, (a0 != a0), (fabs(a0) <= DBL_MAX), 0, s);
            TELL;
        }
    } else {
        INDEPENDENT
        for (int64_t i = 0; i < count; i++) {
            const int64_t r = i;
            const double y = Y[r];
            const double a0 = A0[r], s0 = S0[r], z0 = Z0[r];
            const double h = H[r];
            const double k0 = ((((2.0 / sqrt(3.141592653589793)) * a0) / h) * (((2.0 / sqrt(3.141592653589793)) * a0) / h));
            const double m0 = moved_by((((-2.0) / sqrt(3.141592653589793)) * exp((-(a0 * a0)))), deviation(a0, s0, z0));
            const double t0 = edge_term(y, a0, s0, k0, NAN, m0);
            const double s = 1.0 + t0, v = m0;
            if (T0) T0[r] = t0;
            S[r] = s;
            V[r] = v;
            found[i] = found_at(y, 0, (a0 != a0), (fabs(a0) <= DBL_MAX), 0, s);
            TELL;
        }
    }
    TOLD;
}

CLONES static int64_t rows_sign(ROWS)
{
    UNPACK;
    int64_t bad = 0;
    INDEPENDENT
    for (int64_t r = 0; r < n; r++) {
        const double y = Y[r];
        const double a0 = A0[r], s0 = S0[r];
        const double t0 = plain_term(choose((a0 == 0.0), INFINITY, 0.0), s0);
        const double s = 1.0 + t0;
        S[r] = s;
        bad += !(s <= RECHECK_S2) | !(fabs(y) >= DBL_MIN) | !(fabs(y) <= DBL_MAX);
    }
    return bad;
}
CLONES static int64_t rows_sign_edges(ROWS)
{
    UNPACK;
    int64_t bad = 0;
    INDEPENDENT
    for (int64_t r = 0; r < n; r++) {
        const double y = Y[r];
        const double a0 = A0[r], s0 = S0[r];
        const double t0 = plain_term(choose((a0 == 0.0), INFINITY, 0.0), s0);
        const double s = 1.0 + t0;
        S[r] = s; T0[r] = t0;
        bad += !(s <= RECHECK_S2) | !(fabs(y) >= DBL_MIN) | !(fabs(y) <= DBL_MAX);
    }
    return bad;
}
CLONES static int64_t mark_sign(ROWS)
{
    UNPACK_MARK;
    INDEPENDENT
    for (int64_t r = 0; r < n; r++) {
        const double y = Y[r], s = S[r];
        const double a0 = A0[r], s0 = S0[r];
        (void)a0, (void)s0;
        MARK(!(fabs(y) >= DBL_MIN) | !(fabs(y) <= DBL_MAX) | (a0 == w0), 0);
    }
    MARKED;
}

CLONES static int64_t mend_sign(MEND)
{
    UNPACK_MEND;
    if (count < n) {
        INDEPENDENT
        for (int64_t i = 0; i < count; i++) {
            const int64_t r = list[i];
            const double y = Y[r];
            const double a0 = A0[r], s0 = S0[r], z0 = Z0[r];
            const double k0 = choose((a0 == 0.0), INFINITY, 0.0);
            const double m0 = moved_by(choose((a0 == 0.0), INFINITY, 0.0), deviation(a0, s0, z0));
            const double t0 = edge_term(y, a0, s0, k0, NAN, m0);
            const double s = 1.0 + t0, v = m0;
            if (T0) T0[r] = t0;
            S[r] = s;
            V[r] = v;
            found[i] = found_at(y, 0, 1, (fabs(a0) <= DBL_MAX), 0, s);
            TELL;
        }
    } else {
        INDEPENDENT
        for (int64_t i = 0; i < count; i++) {
            const int64_t r = i;
            const double y = Y[r];
            const double a0 = A0[r], s0 = S0[r], z0 = Z0[r];
            const double k0 = choose((a0 == 0.0), INFINITY, 0.0);
            const double m0 = moved_by(choose((a0 == 0.0), INFINITY, 0.0), deviation(a0, s0, z0));
            const double t0 = edge_term(y, a0, s0, k0, NAN, m0);
            const double s = 1.0 + t0, v = m0;
            if (T0) T0[r] = t0;
            S[r] = s;
            V[r] = v;
            found[i] = found_at(y, 0, 1, (fabs(a0) <= DBL_MAX), 0, s);
            TELL;
        }
    }
    TOLD;
}

CLONES static int64_t rows_floor(ROWS)
{
    UNPACK;
    int64_t bad = 0;
    INDEPENDENT
    for (int64_t r = 0; r < n; r++) {
        const double y = Y[r];
        const double a0 = A0[r], s0 = S0[r];
        const double t0 = plain_term(choose(((a0 - floor(a0)) == 0.0), INFINITY, 0.0), s0);
        const double s = 1.0 + t0;
        S[r] = s;
        bad += !(s <= RECHECK_S2) | !(fabs(y) >= DBL_MIN) | !(fabs(y) <= DBL_MAX) | ((fabs((a0 - rint(a0))) <= (1.7763568394002505e-15 * (fabs(a0) * sqrt(s0)))) & ((leaf0 && (fabs((a0 - rint(a0))) != 0.0)) | (!leaf0 && 1)));
    }
    return bad;
}
CLONES static int64_t rows_floor_edges(ROWS)
{
    UNPACK;
    int64_t bad = 0;
    INDEPENDENT
    for (int64_t r = 0; r < n; r++) {
        const double y = Y[r];
        const double a0 = A0[r], s0 = S0[r];
        const double t0 = plain_term(choose(((a0 - floor(a0)) == 0.0), INFINITY, 0.0), s0);
        const double s = 1.0 + t0;
        S[r] = s; T0[r] = t0;
        bad += !(s <= RECHECK_S2) | !(fabs(y) >= DBL_MIN) | !(fabs(y) <= DBL_MAX) | ((fabs((a0 - rint(a0))) <= (1.7763568394002505e-15 * (fabs(a0) * sqrt(s0)))) & ((leaf0 && (fabs((a0 - rint(a0))) != 0.0)) | (!leaf0 && 1)));
    }
    return bad;
}
CLONES static int64_t mark_floor(ROWS)
{
    UNPACK_MARK;
    INDEPENDENT
    for (int64_t r = 0; r < n; r++) {
        const double y = Y[r], s = S[r];
        const double a0 = A0[r], s0 = S0[r];
        (void)a0, (void)s0;
        MARK(!(fabs(y) >= DBL_MIN) | !(fabs(y) <= DBL_MAX) | ((fabs((a0 - rint(a0))) <= (1.7763568394002505e-15 * (fabs(a0) * sqrt(s0)))) & ((leaf0 && (fabs((a0 - rint(a0))) != 0.0)) | (!leaf0 && 1))) | (a0 == w0), 0);
    }
    MARKED;
}

CLONES static int64_t mend_floor(MEND)
{
    UNPACK_MEND;
    if (count < n) {
        INDEPENDENT
        for (int64_t i = 0; i < count; i++) {
            const int64_t r = list[i];
            const double y = Y[r];
            const double a0 = A0[r], s0 = S0[r], z0 = Z0[r];
            const double k0 = choose(((a0 - floor(a0)) == 0.0), INFINITY, 0.0);
            const double m0 = moved_by(choose(((a0 - floor(a0)) == 0.0), INFINITY, 0.0), deviation(a0, s0, z0));
            const double t0 = edge_term(y, a0, s0, k0, NAN, m0);
            const double s = 1.0 + t0, v = m0;
            if (T0) T0[r] = t0;
            S[r] = s;
            V[r] = v;
            found[i] = found_at(y, 0, 1, (fabs(a0) <= DBL_MAX), ((fabs((a0 - rint(a0))) <= (1.7763568394002505e-15 * (fabs(a0) * sqrt(s0)))) & ((leaf0 && (fabs((a0 - rint(a0))) != 0.0)) | (!leaf0 && 1))), s);
            TELL;
        }
    } else {
        INDEPENDENT
        for (int64_t i = 0; i < count; i++) {
            const int64_t r = i;
            const double y = Y[r];
            const double a0 = A0[r], s0 = S0[r], z0 = Z0[r];
            const double k0 = choose(((a0 - floor(a0)) == 0.0), INFINITY, 0.0);
            const double m0 = moved_by(choose(((a0 - floor(a0)) == 0.0), INFINITY, 0.0), deviation(a0, s0, z0));
            const double t0 = edge_term(y, a0, s0, k0, NAN, m0);
            const double s = 1.0 + t0, v = m0;
            if (T0) T0[r] = t0;
            S[r] = s;
            V[r] = v;
            found[i] = found_at(y, 0, 1, (fabs(a0) <= DBL_MAX), ((fabs((a0 - rint(a0))) <= (1.7763568394002505e-15 * (fabs(a0) * sqrt(s0)))) & ((leaf0 && (fabs((a0 - rint(a0))) != 0.0)) | (!leaf0 && 1))), s);
            TELL;
        }
    }
    TOLD;
}

CLONES static int64_t rows_ceil(ROWS)
{
    UNPACK;
    int64_t bad = 0;
    INDEPENDENT
    for (int64_t r = 0; r < n; r++) {
        const double y = Y[r];
        const double a0 = A0[r], s0 = S0[r];
        const double t0 = plain_term(choose(((a0 - floor(a0)) == 0.0), INFINITY, 0.0), s0);
        const double s = 1.0 + t0;
        S[r] = s;
        bad += !(s <= RECHECK_S2) | !(fabs(y) >= DBL_MIN) | !(fabs(y) <= DBL_MAX) | ((fabs((a0 - rint(a0))) <= (1.7763568394002505e-15 * (fabs(a0) * sqrt(s0)))) & ((leaf0 && (fabs((a0 - rint(a0))) != 0.0)) | (!leaf0 && 1)));
    }
    return bad;
}
CLONES static int64_t rows_ceil_edges(ROWS)
{
    UNPACK;
    int64_t bad = 0;
    INDEPENDENT
    for (int64_t r = 0; r < n; r++) {
        const double y = Y[r];
        const double a0 = A0[r], s0 = S0[r];
        const double t0 = plain_term(choose(((a0 - floor(a0)) == 0.0), INFINITY, 0.0), s0);
        const double s = 1.0 + t0;
        S[r] = s; T0[r] = t0;
        bad += !(s <= RECHECK_S2) | !(fabs(y) >= DBL_MIN) | !(fabs(y) <= DBL_MAX) | ((fabs((a0 - rint(a0))) <= (1.7763568394002505e-15 * (fabs(a0) * sqrt(s0)))) & ((leaf0 && (fabs((a0 - rint(a0))) != 0.0)) | (!leaf0 && 1)));
    }
    return bad;
}
CLONES static int64_t mark_ceil(ROWS)
{
    UNPACK_MARK;
    INDEPENDENT
    for (int64_t r = 0; r < n; r++) {
        const double y = Y[r], s = S[r];
        const double a0 = A0[r], s0 = S0[r];
        (void)a0, (void)s0;
        MARK(!(fabs(y) >= DBL_MIN) | !(fabs(y) <= DBL_MAX) | ((fabs((a0 - rint(a0))) <= (1.7763568394002505e-15 * (fabs(a0) * sqrt(s0)))) & ((leaf0 && (fabs((a0 - rint(a0))) != 0.0)) | (!leaf0 && 1))) | (a0 == w0), 0);
    }
    MARKED;
}

CLONES static int64_t mend_ceil(MEND)
{
    UNPACK_MEND;
    if (count < n) {
        INDEPENDENT
        for (int64_t i = 0; i < count; i++) {
            const int64_t r = list[i];
            const double y = Y[r];
            const double a0 = A0[r], s0 = S0[r], z0 = Z0[r];
            const double k0 = choose(((a0 - floor(a0)) == 0.0), INFINITY, 0.0);
            const double m0 = moved_by(choose(((a0 - floor(a0)) == 0.0), INFINITY, 0.0), deviation(a0, s0, z0));
            const double t0 = edge_term(y, a0, s0, k0, NAN, m0);
            const double s = 1.0 + t0, v = m0;
            if (T0) T0[r] = t0;
            S[r] = s;
            V[r] = v;
            found[i] = found_at(y, 0, 1, (fabs(a0) <= DBL_MAX), ((fabs((a0 - rint(a0))) <= (1.7763568394002505e-15 * (fabs(a0) * sqrt(s0)))) & ((leaf0 && (fabs((a0 - rint(a0))) != 0.0)) | (!leaf0 && 1))), s);
            TELL;
        }
    } else {
        INDEPENDENT
        for (int64_t i = 0; i < count; i++) {
            const int64_t r = i;
            const double y = Y[r];
            const double a0 = A0[r], s0 = S0[r], z0 = Z0[r];
            const double k0 = choose(((a0 - floor(a0)) == 0.0), INFINITY, 0.0);
            const double m0 = moved_by(choose(((a0 - floor(a0)) == 0.0), INFINITY, 0.0), deviation(a0, s0, z0));
            const double t0 = edge_term(y, a0, s0, k0, NAN, m0);
            const double s = 1.0 + t0, v = m0;
            if (T0) T0[r] = t0;
            S[r] = s;
            V[r] = v;
            found[i] = found_at(y, 0, 1, (fabs(a0) <= DBL_MAX), ((fabs((a0 - rint(a0))) <= (1.7763568394002505e-15 * (fabs(a0) * sqrt(s0)))) & ((leaf0 && (fabs((a0 - rint(a0))) != 0.0)) | (!leaf0 && 1))), s);
            TELL;
        }
    }
    TOLD;
}

CLONES static int64_t rows_round(ROWS)
{
    UNPACK;
    int64_t bad = 0;
    INDEPENDENT
    for (int64_t r = 0; r < n; r++) {
        const double y = Y[r];
        const double a0 = A0[r], s0 = S0[r];
        const double t0 = plain_term(choose(((a0 - floor(a0)) == 0.5), INFINITY, 0.0), s0);
        const double s = 1.0 + t0;
        S[r] = s;
        bad += !(s <= RECHECK_S2) | !(fabs(y) >= DBL_MIN) | !(fabs(y) <= DBL_MAX) | ((fabs(((a0 - floor(a0)) - 0.5)) <= (1.7763568394002505e-15 * (fabs(a0) * sqrt(s0)))) & ((leaf0 && (fabs(((a0 - floor(a0)) - 0.5)) != 0.0)) | (!leaf0 && 1)));
    }
    return bad;
}
CLONES static int64_t rows_round_edges(ROWS)
{
    UNPACK;
    int64_t bad = 0;
    INDEPENDENT
    for (int64_t r = 0; r < n; r++) {
        const double y = Y[r];
        const double a0 = A0[r], s0 = S0[r];
        const double t0 = plain_term(choose(((a0 - floor(a0)) == 0.5), INFINITY, 0.0), s0);
        const double s = 1.0 + t0;
        S[r] = s; T0[r] = t0;
        bad += !(s <= RECHECK_S2) | !(fabs(y) >= DBL_MIN) | !(fabs(y) <= DBL_MAX) | ((fabs(((a0 - floor(a0)) - 0.5)) <= (1.7763568394002505e-15 * (fabs(a0) * sqrt(s0)))) & ((leaf0 && (fabs(((a0 - floor(a0)) - 0.5)) != 0.0)) | (!leaf0 && 1)));
    }
    return bad;
}
CLONES static int64_t mark_round(ROWS)
{
    UNPACK_MARK;
    INDEPENDENT
    for (int64_t r = 0; r < n; r++) {
        const double y = Y[r], s = S[r];
        const double a0 = A0[r], s0 = S0[r];
        (void)a0, (void)s0;
        MARK(!(fabs(y) >= DBL_MIN) | !(fabs(y) <= DBL_MAX) | ((fabs(((a0 - floor(a0)) - 0.5)) <= (1.7763568394002505e-15 * (fabs(a0) * sqrt(s0)))) & ((leaf0 && (fabs(((a0 - floor(a0)) - 0.5)) != 0.0)) | (!leaf0 && 1))) | (a0 == w0), 0);
    }
    MARKED;
}

CLONES static int64_t mend_round(MEND)
{
    UNPACK_MEND;
    if (count < n) {
        INDEPENDENT
        for (int64_t i = 0; i < count; i++) {
            const int64_t r = list[i];
            const double y = Y[r];
            const double a0 = A0[r], s0 = S0[r], z0 = Z0[r];
            const double k0 = choose(((a0 - floor(a0)) == 0.5), INFINITY, 0.0);
            const double m0 = moved_by(choose(((a0 - floor(a0)) == 0.5), INFINITY, 0.0), deviation(a0, s0, z0));
            const double t0 = edge_term(y, a0, s0, k0, NAN, m0);
            const double s = 1.0 + t0, v = m0;
            if (T0) T0[r] = t0;
            S[r] = s;
            V[r] = v;
            found[i] = found_at(y, 0, 1, (fabs(a0) <= DBL_MAX), ((fabs(((a0 - floor(a0)) - 0.5)) <= (1.7763568394002505e-15 * (fabs(a0) * sqrt(s0)))) & ((leaf0 && (fabs(((a0 - floor(a0)) - 0.5)) != 0.0)) | (!leaf0 && 1))), s);
            TELL;
        }
    } else {
        INDEPENDENT
        for (int64_t i = 0; i < count; i++) {
            const int64_t r = i;
            const double y = Y[r];
            const double a0 = A0[r], s0 = S0[r], z0 = Z0[r];
            const double k0 = choose(((a0 - floor(a0)) == 0.5), INFINITY, 0.0);
            const double m0 = moved_by(choose(((a0 - floor(a0)) == 0.5), INFINITY, 0.0), deviation(a0, s0, z0));
            const double t0 = edge_term(y, a0, s0, k0, NAN, m0);
            const double s = 1.0 + t0, v = m0;
            if (T0) T0[r] = t0;
            S[r] = s;
            V[r] = v;
            found[i] = found_at(y, 0, 1, (fabs(a0) <= DBL_MAX), ((fabs(((a0 - floor(a0)) - 0.5)) <= (1.7763568394002505e-15 * (fabs(a0) * sqrt(s0)))) & ((leaf0 && (fabs(((a0 - floor(a0)) - 0.5)) != 0.0)) | (!leaf0 && 1))), s);
            TELL;
        }
    }
    TOLD;
}

CLONES static int64_t rows_mod(ROWS)
{
    UNPACK;
    int64_t bad = 0;
    INDEPENDENT
    for (int64_t r = 0; r < n; r++) {
        const double y = Y[r];
        const double a0 = A0[r], s0 = S0[r];
        const double a1 = A1[r], s1 = S1[r];
        const double t0 = plain_term(((a0 / y) * (a0 / y)), s0);
        const double t1 = plain_term(((1.0 - (a0 / y)) * (1.0 - (a0 / y))), s1);
        const double s = 1.0 + t0 + t1;
        S[r] = s;
        bad += !(s <= RECHECK_S2) | !(fabs(y) >= DBL_MIN) | !(fabs(y) <= DBL_MAX) | (fabs((a0 - (a1 * rint((a0 / a1))))) <= (1.7763568394002505e-15 * (fabs(a0) * sqrt((s0 + s1)))));
    }
    return bad;
}
CLONES static int64_t rows_mod_edges(ROWS)
{
    UNPACK;
    int64_t bad = 0;
    INDEPENDENT
    for (int64_t r = 0; r < n; r++) {
        const double y = Y[r];
        const double a0 = A0[r], s0 = S0[r];
        const double a1 = A1[r], s1 = S1[r];
        const double t0 = plain_term(((a0 / y) * (a0 / y)), s0);
        const double t1 = plain_term(((1.0 - (a0 / y)) * (1.0 - (a0 / y))), s1);
        const double s = 1.0 + t0 + t1;
        S[r] = s; T0[r] = t0; T1[r] = t1;
        bad += !(s <= RECHECK_S2) | !(fabs(y) >= DBL_MIN) | !(fabs(y) <= DBL_MAX) | (fabs((a0 - (a1 * rint((a0 / a1))))) <= (1.7763568394002505e-15 * (fabs(a0) * sqrt((s0 + s1)))));
    }
    return bad;
}
CLONES static int64_t mark_mod(ROWS)
{
    UNPACK_MARK;
    INDEPENDENT
    for (int64_t r = 0; r < n; r++) {
        const double y = Y[r], s = S[r];
        const double a0 = A0[r], s0 = S0[r];
        (void)a0, (void)s0;
        const double a1 = A1[r], s1 = S1[r];
        (void)a1, (void)s1;
        MARK(!(fabs(y) >= DBL_MIN) | !(fabs(y) <= DBL_MAX) | (fabs((a0 - (a1 * rint((a0 / a1))))) <= (1.7763568394002505e-15 * (fabs(a0) * sqrt((s0 + s1))))) | (a0 == w0) | (a1 == w1), 0);
    }
    MARKED;
}

CLONES static int64_t mend_mod(MEND)
{
    UNPACK_MEND;
    if (count < n) {
        INDEPENDENT
        for (int64_t i = 0; i < count; i++) {
            const int64_t r = list[i];
            const double y = Y[r];
            const double a0 = A0[r], s0 = S0[r], z0 = Z0[r];
            const double a1 = A1[r], s1 = S1[r], z1 = Z1[r];
            const double k0 = ((a0 / y) * (a0 / y));
            const double m0 = moved_by(choose((y == 0.0), INFINITY, 1.0), deviation(a0, s0, z0));
            const double t0 = edge_term(y, a0, s0, k0, NAN, m0);
            const double k1 = ((1.0 - (a0 / y)) * (1.0 - (a0 / y)));
            const double m1 = moved_by(choose((a0 == 0.0), 0.0, choose((y == 0.0), INFINITY, (-rint(((a0 - y) / a1))))), deviation(a1, s1, z1));
            const double t1 = edge_term(y, a1, s1, k1, NAN, m1);
            const double s = 1.0 + t0 + t1, v = length_of(m0, m1);
            if (T0) T0[r] = t0;
            if (T1) T1[r] = t1;
            S[r] = s;
            V[r] = v;
            found[i] = found_at(y, 0, 1, (fabs(a0) <= DBL_MAX) & (fabs(a1) <= DBL_MAX), (fabs((a0 - (a1 * rint((a0 / a1))))) <= (1.7763568394002505e-15 * (fabs(a0) * sqrt((s0 + s1))))), s);
            TELL;
        }
    } else {
        INDEPENDENT
        for (int64_t i = 0; i < count; i++) {
            const int64_t r = i;
            const double y = Y[r];
            const double a0 = A0[r], s0 = S0[r], z0 = Z0[r];
            const double a1 = A1[r], s1 = S1[r], z1 = Z1[r];
            const double k0 = ((a0 / y) * (a0 / y));
            const double m0 = moved_by(choose((y == 0.0), INFINITY, 1.0), deviation(a0, s0, z0));
            const double t0 = edge_term(y, a0, s0, k0, NAN, m0);
            const double k1 = ((1.0 - (a0 / y)) * (1.0 - (a0 / y)));
            const double m1 = moved_by(choose((a0 == 0.0), 0.0, choose((y == 0.0), INFINITY, (-rint(((a0 - y) / a1))))), deviation(a1, s1, z1));
            const double t1 = edge_term(y, a1, s1, k1, NAN, m1);
            const double s = 1.0 + t0 + t1, v = length_of(m0, m1);
            if (T0) T0[r] = t0;
            if (T1) T1[r] = t1;
            S[r] = s;
            V[r] = v;
            found[i] = found_at(y, 0, 1, (fabs(a0) <= DBL_MAX) & (fabs(a1) <= DBL_MAX), (fabs((a0 - (a1 * rint((a0 / a1))))) <= (1.7763568394002505e-15 * (fabs(a0) * sqrt((s0 + s1))))), s);
            TELL;
        }
    }
    TOLD;
}

CLONES static int64_t rows_fmod(ROWS)
{
    UNPACK;
    int64_t bad = 0;
    INDEPENDENT
    for (int64_t r = 0; r < n; r++) {
        const double y = Y[r];
        const double a0 = A0[r], s0 = S0[r];
        const double a1 = A1[r], s1 = S1[r];
        const double t0 = plain_term(((a0 / y) * (a0 / y)), s0);
        const double t1 = plain_term(((1.0 - (a0 / y)) * (1.0 - (a0 / y))), s1);
        const double s = 1.0 + t0 + t1;
        S[r] = s;
        bad += !(s <= RECHECK_S2) | !(fabs(y) >= DBL_MIN) | !(fabs(y) <= DBL_MAX) | (choose(((fabs(a0) * 2.0) < fabs(a1)), (fabs(a1) - fabs(a0)), fabs((a0 - (a1 * rint((a0 / a1)))))) <= (1.7763568394002505e-15 * (fabs(a0) * sqrt((s0 + s1)))));
    }
    return bad;
}
CLONES static int64_t rows_fmod_edges(ROWS)
{
    UNPACK;
    int64_t bad = 0;
    INDEPENDENT
    for (int64_t r = 0; r < n; r++) {
        const double y = Y[r];
        const double a0 = A0[r], s0 = S0[r];
        const double a1 = A1[r], s1 = S1[r];
        const double t0 = plain_term(((a0 / y) * (a0 / y)), s0);
        const double t1 = plain_term(((1.0 - (a0 / y)) * (1.0 - (a0 / y))), s1);
        const double s = 1.0 + t0 + t1;
        S[r] = s; T0[r] = t0; T1[r] = t1;
        bad += !(s <= RECHECK_S2) | !(fabs(y) >= DBL_MIN) | !(fabs(y) <= DBL_MAX) | (choose(((fabs(a0) * 2.0) < fabs(a1)), (fabs(a1) - fabs(a0)), fabs((a0 - (a1 * rint((a0 / a1)))))) <= (1.7763568394002505e-15 * (fabs(a0) * sqrt((s0 + s1)))));
    }
    return bad;
}
CLONES static int64_t mark_fmod(ROWS)
{
    UNPACK_MARK;
    INDEPENDENT
    for (int64_t r = 0; r < n; r++) {
        const double y = Y[r], s = S[r];
        const double a0 = A0[r], s0 = S0[r];
        (void)a0, (void)s0;
        const double a1 = A1[r], s1 = S1[r];
        (void)a1, (void)s1;
        MARK(!(fabs(y) >= DBL_MIN) | !(fabs(y) <= DBL_MAX) | (choose(((fabs(a0) * 2.0) < fabs(a1)), (fabs(a1) - fabs(a0)), fabs((a0 - (a1 * rint((a0 / a1)))))) <= (1.7763568394002505e-15 * (fabs(a0) * sqrt((s0 + s1))))) | (a0 == w0) | (a1 == w1), 0);
    }
    MARKED;
}

CLONES static int64_t mend_fmod(MEND)
{
    UNPACK_MEND;
    if (count < n) {
        INDEPENDENT
        for (int64_t i = 0; i < count; i++) {
            const int64_t r = list[i];
            const double y = Y[r];
            const double a0 = A0[r], s0 = S0[r], z0 = Z0[r];
            const double a1 = A1[r], s1 = S1[r], z1 = Z1[r];
            const double k0 = ((a0 / y) * (a0 / y));
            const double m0 = moved_by(choose(((y == 0.0) & (a0 != 0.0)), INFINITY, 1.0), deviation(a0, s0, z0));
            const double t0 = edge_term(y, a0, s0, k0, choose((a0 == 0.0), 1.0, NAN), m0);
            const double k1 = ((1.0 - (a0 / y)) * (1.0 - (a0 / y)));
            const double m1 = moved_by(choose(((y == 0.0) & (a0 != 0.0)), INFINITY, (-rint(((a0 - y) / a1)))), deviation(a1, s1, z1));
            const double t1 = edge_term(y, a1, s1, k1, NAN, m1);
            const double s = 1.0 + t0 + t1, v = length_of(m0, m1);
            if (T0) T0[r] = t0;
            if (T1) T1[r] = t1;
            S[r] = s;
            V[r] = v;
            found[i] = found_at(y, 0, 1, (fabs(a0) <= DBL_MAX) & (fabs(a1) <= DBL_MAX), (choose(((fabs(a0) * 2.0) < fabs(a1)), (fabs(a1) - fabs(a0)), fabs((a0 - (a1 * rint((a0 / a1)))))) <= (1.7763568394002505e-15 * (fabs(a0) * sqrt((s0 + s1))))), s);
            TELL;
        }
    } else {
        INDEPENDENT
        for (int64_t i = 0; i < count; i++) {
            const int64_t r = i;
            const double y = Y[r];
            const double a0 = A0[r], s0 = S0[r], z0 = Z0[r];
            const double a1 = A1[r], s1 = S1[r], z1 = Z1[r];
            const double k0 = ((a0 / y) * (a0 / y));
            const double m0 = moved_by(choose(((y == 0.0) & (a0 != 0.0)), INFINITY, 1.0), deviation(a0, s0, z0));
            const double t0 = edge_term(y, a0, s0, k0, choose((a0 == 0.0), 1.0, NAN), m0);
            const double k1 = ((1.0 - (a0 / y)) * (1.0 - (a0 / y)));
            const double m1 = moved_by(choose(((y == 0.0) & (a0 != 0.0)), INFINITY, (-rint(((a0 - y) / a1)))), deviation(a1, s1, z1));
            const double t1 = edge_term(y, a1, s1, k1, NAN, m1);
            const double s = 1.0 + t0 + t1, v = length_of(m0, m1);
            if (T0) T0[r] = t0;
            if (T1) T1[r] = t1;
            S[r] = s;
            V[r] = v;
            found[i] = found_at(y, 0, 1, (fabs(a0) <= DBL_MAX) & (fabs(a1) <= DBL_MAX), (choose(((fabs(a0) * 2.0) < fabs(a1)), (fabs(a1) - fabs(a0)), fabs((a0 - (a1 * rint((a0 / a1)))))) <= (1.7763568394002505e-15 * (fabs(a0) * sqrt((s0 + s1))))), s);
            TELL;
        }
    }
    TOLD;
}

CLONES static int64_t rows_remainder(ROWS)
{
    UNPACK;
    int64_t bad = 0;
    INDEPENDENT
    for (int64_t r = 0; r < n; r++) {
        const double y = Y[r];
        const double a0 = A0[r], s0 = S0[r];
        const double a1 = A1[r], s1 = S1[r];
        const double t0 = plain_term(choose(((fabs(y) * 2.0) == fabs(a1)), INFINITY, ((a0 / y) * (a0 / y))), s0);
        const double t1 = plain_term(choose(((fabs(y) * 2.0) == fabs(a1)), INFINITY, ((1.0 - (a0 / y)) * (1.0 - (a0 / y)))), s1);
        const double s = 1.0 + t0 + t1;
        S[r] = s;
        bad += !(s <= RECHECK_S2) | !(fabs(y) >= DBL_MIN) | !(fabs(y) <= DBL_MAX) | (fabs((fabs((a0 - (a1 * rint((a0 / a1))))) - (fabs(a1) * 0.5))) <= (1.7763568394002505e-15 * (fabs(a0) * sqrt((s0 + s1)))));
    }
    return bad;
}
CLONES static int64_t rows_remainder_edges(ROWS)
{
    UNPACK;
    int64_t bad = 0;
    INDEPENDENT
    for (int64_t r = 0; r < n; r++) {
        const double y = Y[r];
        const double a0 = A0[r], s0 = S0[r];
        const double a1 = A1[r], s1 = S1[r];
        const double t0 = plain_term(choose(((fabs(y) * 2.0) == fabs(a1)), INFINITY, ((a0 / y) * (a0 / y))), s0);
        const double t1 = plain_term(choose(((fabs(y) * 2.0) == fabs(a1)), INFINITY, ((1.0 - (a0 / y)) * (1.0 - (a0 / y)))), s1);
        const double s = 1.0 + t0 + t1;
        S[r] = s; T0[r] = t0; T1[r] = t1;
        bad += !(s <= RECHECK_S2) | !(fabs(y) >= DBL_MIN) | !(fabs(y) <= DBL_MAX) | (fabs((fabs((a0 - (a1 * rint((a0 / a1))))) - (fabs(a1) * 0.5))) <= (1.7763568394002505e-15 * (fabs(a0) * sqrt((s0 + s1)))));
    }
    return bad;
}
CLONES static int64_t mark_remainder(ROWS)
{
    UNPACK_MARK;
    INDEPENDENT
    for (int64_t r = 0; r < n; r++) {
        const double y = Y[r], s = S[r];
        const double a0 = A0[r], s0 = S0[r];
        (void)a0, (void)s0;
        const double a1 = A1[r], s1 = S1[r];
        (void)a1, (void)s1;
        MARK(!(fabs(y) >= DBL_MIN) | !(fabs(y) <= DBL_MAX) | (fabs((fabs((a0 - (a1 * rint((a0 / a1))))) - (fabs(a1) * 0.5))) <= (1.7763568394002505e-15 * (fabs(a0) * sqrt((s0 + s1))))) | (a0 == w0) | (a1 == w1), 0);
    }
    MARKED;
}

CLONES static int64_t mend_remainder(MEND)
{
    UNPACK_MEND;
    if (count < n) {
        INDEPENDENT
        for (int64_t i = 0; i < count; i++) {
            const int64_t r = list[i];
            const double y = Y[r];
            const double a0 = A0[r], s0 = S0[r], z0 = Z0[r];
            const double a1 = A1[r], s1 = S1[r], z1 = Z1[r];
            const double k0 = choose(((fabs(y) * 2.0) == fabs(a1)), INFINITY, ((a0 / y) * (a0 / y)));
            const double m0 = moved_by(choose(((fabs(y) * 2.0) == fabs(a1)), INFINITY, 1.0), deviation(a0, s0, z0));
            const double t0 = edge_term(y, a0, s0, k0, choose((a0 == 0.0), 1.0, NAN), m0);
            const double k1 = choose(((fabs(y) * 2.0) == fabs(a1)), INFINITY, ((1.0 - (a0 / y)) * (1.0 - (a0 / y))));
            const double m1 = moved_by(choose(((fabs(y) * 2.0) == fabs(a1)), INFINITY, (-rint(((a0 - y) / a1)))), deviation(a1, s1, z1));
            const double t1 = edge_term(y, a1, s1, k1, NAN, m1);
            const double s = 1.0 + t0 + t1, v = length_of(m0, m1);
            if (T0) T0[r] = t0;
            if (T1) T1[r] = t1;
            S[r] = s;
            V[r] = v;
            found[i] = found_at(y, 0, 1, (fabs(a0) <= DBL_MAX) & (fabs(a1) <= DBL_MAX), (fabs((fabs((a0 - (a1 * rint((a0 / a1))))) - (fabs(a1) * 0.5))) <= (1.7763568394002505e-15 * (fabs(a0) * sqrt((s0 + s1))))), s);
            TELL;
        }
    } else {
        INDEPENDENT
        for (int64_t i = 0; i < count; i++) {
            const int64_t r = i;
            const double y = Y[r];
            const double a0 = A0[r], s0 = S0[r], z0 = Z0[r];
            const double a1 = A1[r], s1 = S1[r], z1 = Z1[r];
            const double k0 = choose(((fabs(y) * 2.0) == fabs(a1)), INFINITY, ((a0 / y) * (a0 / y)));
            const double m0 = moved_by(choose(((fabs(y) * 2.0) == fabs(a1)), INFINITY, 1.0), deviation(a0, s0, z0));
            const double t0 = edge_term(y, a0, s0, k0, choose((a0 == 0.0), 1.0, NAN), m0);
            const double k1 = choose(((fabs(y) * 2.0) == fabs(a1)), INFINITY, ((1.0 - (a0 / y)) * (1.0 - (a0 / y))));
            const double m1 = moved_by(choose(((fabs(y) * 2.0) == fabs(a1)), INFINITY, (-rint(((a0 - y) / a1)))), deviation(a1, s1, z1));
            const double t1 = edge_term(y, a1, s1, k1, NAN, m1);
            const double s = 1.0 + t0 + t1, v = length_of(m0, m1);
            if (T0) T0[r] = t0;
            if (T1) T1[r] = t1;
            S[r] = s;
            V[r] = v;
            found[i] = found_at(y, 0, 1, (fabs(a0) <= DBL_MAX) & (fabs(a1) <= DBL_MAX), (fabs((fabs((a0 - (a1 * rint((a0 / a1))))) - (fabs(a1) * 0.5))) <= (1.7763568394002505e-15 * (fabs(a0) * sqrt((s0 + s1))))), s);
            TELL;
        }
    }
    TOLD;
}

static const Row TABLE[] = {
    {"add", rows_add, rows_add_edges, mark_add, mend_add, 0, CROSSES},
    {"sub", rows_sub, rows_sub_edges, mark_sub, mend_sub, 0, CROSSES},
    {"mul", rows_mul, rows_mul_edges, mark_mul, mend_mul, 0, KAPPA_FIXED},
    {"div", rows_div, rows_div_edges, mark_div, mend_div, 0, KAPPA_FIXED},
    {"neg", rows_neg, rows_neg_edges, mark_neg, mend_neg, 0, KAPPA_FIXED},
    {"abs", rows_abs, rows_abs_edges, mark_abs, mend_abs, 0, KAPPA_FIXED},
    {"power", rows_power, rows_power_edges, mark_power, mend_power, outside_power, KAPPA_FIXED},
    {"sqrt", rows_sqrt, rows_sqrt_edges, mark_sqrt, mend_sqrt, 0, KAPPA_FIXED},
    {"cbrt", rows_cbrt, rows_cbrt_edges, mark_cbrt, mend_cbrt, 0, KAPPA_FIXED},
    {"root", rows_root, rows_root_edges, mark_root, mend_root, 0, KAPPA_FIXED},
    {"pow", rows_pow, rows_pow_edges, mark_pow, mend_pow, outside_pow, 0},
    {"hypot", rows_hypot, rows_hypot_edges, mark_hypot, mend_hypot, 0, 0},
    {"exp", rows_exp, rows_exp_edges, mark_exp, mend_exp, 0, 0},
    {"expm1", rows_expm1, rows_expm1_edges, mark_expm1, mend_expm1, 0, 0},
    {"log", rows_log, rows_log_edges, mark_log, mend_log, outside_log, CROSSES},
    {"log1p", rows_log1p, rows_log1p_edges, mark_log1p, mend_log1p, 0, 0},
    {"sin", rows_sin, rows_sin_edges, mark_sin, mend_sin, 0, CROSSES_ARGUMENT},
    {"cos", rows_cos, rows_cos_edges, mark_cos, mend_cos, 0, CROSSES},
    {"tan", rows_tan, rows_tan_edges, mark_tan, mend_tan, 0, CROSSES_ARGUMENT},
    {"cot", rows_cot, rows_cot_edges, mark_cot, mend_cot, 0, CROSSES_ARGUMENT},
    {"sec", rows_sec, rows_sec_edges, mark_sec, mend_sec, 0, CROSSES},
    {"csc", rows_csc, rows_csc_edges, mark_csc, mend_csc, 0, CROSSES_ARGUMENT},
    {"asin", rows_asin, rows_asin_edges, mark_asin, mend_asin, 0, 0},
    {"acos", rows_acos, rows_acos_edges, mark_acos, mend_acos, 0, 0},
    {"atan", rows_atan, rows_atan_edges, mark_atan, mend_atan, 0, 0},
    {"atan2", rows_atan2, rows_atan2_edges, mark_atan2, mend_atan2, outside_atan2, 0},
    {"sinh", rows_sinh, rows_sinh_edges, mark_sinh, mend_sinh, 0, 0},
    {"cosh", rows_cosh, rows_cosh_edges, mark_cosh, mend_cosh, 0, 0},
    {"tanh", rows_tanh, rows_tanh_edges, mark_tanh, mend_tanh, 0, 0},
    {"asinh", rows_asinh, rows_asinh_edges, mark_asinh, mend_asinh, 0, 0},
    {"acosh", rows_acosh, rows_acosh_edges, mark_acosh, mend_acosh, 0, 0},
    {"atanh", rows_atanh, rows_atanh_edges, mark_atanh, mend_atanh, 0, 0},
    {"erf", rows_erf, rows_erf_edges, mark_erf, mend_erf, 0, 0},
    {"gamma", rows_gamma, rows_gamma_edges, mark_gamma, mend_gamma, 0, CROSSES_ARGUMENT},
    {"lgamma", rows_lgamma, rows_lgamma_edges, mark_lgamma, mend_lgamma, 0, CROSSES},
    {"erfc", rows_erfc, rows_erfc_edges, mark_erfc, mend_erfc, 0, 0},
    {"min", rows_of_two, rows_of_two, mark_of_two, mend_two, 0, SELECTS},
    {"max", rows_of_two, rows_of_two, mark_of_two, mend_two, 0, SELECTS},
    {"sign", rows_sign, rows_sign_edges, mark_sign, mend_sign, 0, 0},
    {"floor", rows_floor, rows_floor_edges, mark_floor, mend_floor, 0, 0},
    {"ceil", rows_ceil, rows_ceil_edges, mark_ceil, mend_ceil, 0, 0},
    {"round", rows_round, rows_round_edges, mark_round, mend_round, 0, 0},
    {"mod", rows_mod, rows_mod_edges, mark_mod, mend_mod, 0, 0},
    {"fmod", rows_fmod, rows_fmod_edges, mark_fmod, mend_fmod, 0, 0},
    {"remainder", rows_remainder, rows_remainder_edges, mark_remainder, mend_remainder, 0, CROSSES},
};
