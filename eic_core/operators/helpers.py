"""Functions and imports that stand before a formula in languages which lack an operator.

Each keeps the operator's digits over its whole domain: near 0 a form without the difference of like
numbers, beyond it the definition; roots get one step of Newton's method, since 1/n is rounded.
"""

from __future__ import annotations

NUMPY_ROOT = """\
def root(x, n):
    size = np.abs(x) if n % 2 else x
    y = np.power(size, 1/n)
    half = np.where(y > 0, np.power(y, (n - 1)/2), 1)
    return np.copysign(y - (y - size/half/half)/n, x)"""

NUMPY_REMAINDER = """\
def remainder(x, y):
    size = np.abs(y)
    rest = np.fmod(np.abs(x), size + size)
    above = rest - size
    above = np.where(above < size - above, above, above - size)
    return np.copysign(1.0, x)*np.where(rest <= size - rest, rest, above)"""

# Dekker's product, in halves of 26 bits, and Knuth's sum
NUMPY_FMA = """\
def fma(x, y, z):
    def halves(m):
        high = 134217729.0*m - (134217729.0*m - m)
        return high, m - high
    (m, e), (n, f) = np.frexp(x), np.frexp(y)
    (a, b), (c, d) = halves(m), halves(n)
    rest = np.ldexp(((a*c - m*n) + a*d + b*c) + b*d, e + f)
    product = np.ldexp(m*n, e + f)
    total = product + z
    moved = total - product
    whole = total + ((product - (total - moved)) + (z - moved) + rest)
    return np.where(np.isfinite(whole), whole, x*y + z)"""

C_MOD = """\
double mod(double x, double y) {
    double r = fmod(x, y);
    return r != 0 && (r < 0) != (y < 0) ? r + y : r;
}"""

C_SIGN = "double sign(double x) { return x > 0 ? 1 : x < 0 ? -1 : x; }"

C_ROOT = """\
double root(double x, double n) {
    double size = fmod(n, 2) ? fabs(x) : x, y = pow(size, 1/n), half = pow(y, (n - 1)/2);
    return x == 0 ? x : copysign(y - (y - size/half/half)/n, x);
}"""

JULIA_ROOT = """\
refined(y, x, n) = y - (y - x/y^((n - 1)/2)/y^((n - 1)/2))/n
odd_root(x, n) = copysign(refined(abs(x)^(1/n), abs(x), n), x)
root(x, n) = x == 0 ? x : isodd(n) ? odd_root(x, n) : refined(x^(1/n), x, n)"""
JULIA_REMAINDER = "remainder(x, y) = rem(x, y, RoundNearest)"
JULIA_LGAMMA = """\
using SpecialFunctions: logabsgamma
lgamma(x) = first(logabsgamma(x))"""

MATLAB_FMOD = """\
function r = fmod(x, y)
  % subtracts y times powers of 2, each time exactly
  x = x + zeros(size(y)); y = abs(y + zeros(size(x))); r = abs(x);
  r(y == 0 | isinf(r)) = NaN;
  left = r >= y;
  while any(left(:))
    [f, e] = log2(r); [g, ~] = log2(y);
    s = max(2*g.*2.^(e - 1 - (f < g)), y);
    r(left) = r(left) - s(left);
    left = r >= y;
  end
  r = sign(x).*r;
end"""
MATLAB_FLOORMOD = (
    MATLAB_FMOD,
    """\
function r = floormod(x, y)
  r = fmod(x, y);
  r = r + y.*(r ~= 0 & (r < 0) ~= (y < 0));
end""",
)
MATLAB_REMAINDER = (
    MATLAB_FMOD,
    """\
function r = remainder(x, y)
  r = fmod(abs(x), 2*abs(y)); size_y = abs(y) + zeros(size(r));
  above = r - size_y; m = r > size_y - r;
  above = above - size_y.*(above >= size_y - above);
  r(m) = above(m);
  r = sign(x).*r;
end""",
)
MATLAB_RINT = """\
function r = rint(x)
  r = x; m = abs(x) < 2^52;
  r(m) = sign(x(m)).*((abs(x(m)) + 2^52) - 2^52);
end"""
MATLAB_IFELSE = """\
function r = ifelse(c, a, b)
  % element by element the one that is chosen, whatever the other is
  c = c & true(size(a)) & true(size(b));
  r = repmat(a, size(c)./size(a)); b = repmat(b, size(c)./size(b));
  r(~c) = b(~c);
end"""
MATLAB_LGAMMA = """\
function y = lgamma(x)
  y = gammaln(abs(x));
  m = x < 0; z = abs(x(m));
  y(m) = log(pi./z) - log(abs(sin(pi*(z - round(z))))) - y(m);
end"""

FORTRAN_SIGNUM = """\
elemental double precision function signum(x)
  double precision, intent(in) :: x
  signum = merge(sign(1.0d0, x), x, abs(x) > 0.0d0)
end function"""
FORTRAN_CBRT = """\
elemental double precision function cbrt(x)
  double precision, intent(in) :: x
  cbrt = sign(abs(x)**(1.0d0/3.0d0), x)
  if (x /= 0.0d0) cbrt = cbrt - (cbrt - x/cbrt/cbrt)/3.0d0
end function cbrt"""
FORTRAN_ROOT = """\
elemental double precision function root(x, n)
  double precision, intent(in) :: x
  integer, intent(in) :: n
  double precision :: half
  root = merge(abs(x), x, mod(n, 2) == 1)**(1.0d0/n)
  half = abs(root)**((n - 1)/2.0d0)
  if (x /= 0.0d0) root = sign(root - (root - abs(x)/half/half)/n, x)
end function root"""

FORTRAN_FMA = """\
elemental double precision function fma(x, y, z)
  double precision, intent(in) :: x, y, z
  double precision :: a, b, c, d, m, n, rest, product, total, moved
  m = fraction(x)
  n = fraction(y)
  a = 134217729.0d0*m - (134217729.0d0*m - m)
  b = m - a
  c = 134217729.0d0*n - (134217729.0d0*n - n)
  d = n - c
  rest = scale(((a*c - m*n) + a*d + b*c) + b*d, exponent(x) + exponent(y))
  product = scale(m*n, exponent(x) + exponent(y))
  total = product + z
  moved = total - product
  fma = total + ((product - (total - moved)) + (z - moved) + rest)
  if (.not. abs(fma) <= huge(fma)) fma = x*y + z
end function fma"""

MATHEMATICA_HYPOT = """\
scaled[x_, y_] := If[x == 0, 0, x*Sqrt[1 + (y/x)^2]]
hypot[x_, y_] := scaled[Max[Abs[x], Abs[y]], Min[Abs[x], Abs[y]]]"""
MATHEMATICA_REMAINDER = """\
nearest[r_, y_] := If[2*r <= y, r, If[r - y < 2*y - r, r - y, r - 2*y]]
remainder[x_, y_] := Sign[x]*nearest[Mod[Abs[x], 2*Abs[y]], Abs[y]]"""
MATHEMATICA_LGAMMA = "lgamma[x_] := Re[LogGamma[x]]"

# SymPy's own log1p and expm1 turn into log and exp on the way, and lose digits then
SYMPY_LOG1P = """\
class log1p(Function):
    def fdiff(self, argindex=1):
        return 1/(1 + self.args[0])"""
SYMPY_EXPM1 = """\
class expm1(Function):
    def fdiff(self, argindex=1):
        return exp(self.args[0])"""
SYMPY_HYPOT = "from sympy.codegen.cfunctions import hypot"
SYMPY_LGAMMA = """\
def lgamma(x):
    return re(loggamma(x))"""
