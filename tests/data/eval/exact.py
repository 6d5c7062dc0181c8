"""Numbers for the evaluator's expected values, by other means than the evaluator's: exact fractions, rounded once to
the element type's bits, and 60 digit decimals for the transcendental functions. Standard library alone.

A real value is a Fraction, or one of the strings "nan", "inf", "-inf", "-0" (0 is Fraction(0)).
"""

import sys
from decimal import Decimal, getcontext
from fractions import Fraction
from pathlib import Path

getcontext().prec = 60
getcontext().Emax = 10**9
getcontext().Emin = -(10**9)

NAN, INF, NINF, NZERO = "nan", "inf", "-inf", "-0"


class FloatType:
    """nan: how it is written. ieee: exponent all ones; ones: all bits but the sign; minus0: the pattern of -0; none."""

    def __init__(self, exponent_bits, mantissa_bits, bias, nan, signed=True, zero=True):
        self.e, self.m, self.bias, self.nan, self.signed, self.zero = exponent_bits, mantissa_bits, bias, nan, signed, zero
        self.width = exponent_bits + mantissa_bits + (1 if signed else 0)
        self.sign = 1 << (exponent_bits + mantissa_bits) if signed else 0
        self.magnitudes = (1 << (exponent_bits + mantissa_bits)) - 1

    def decode(self, bits):
        negative = bool(bits & self.sign)
        magnitude = bits & self.magnitudes
        field, fraction = magnitude >> self.m, magnitude & ((1 << self.m) - 1)
        if self.nan == "ieee" and field == (1 << self.e) - 1:
            return NAN if fraction else (NINF if negative else INF)
        if self.nan == "ones" and magnitude == self.magnitudes:
            return NAN
        if self.nan == "minus0" and bits == self.sign:
            return NAN
        if field == 0 and self.zero:
            value = Fraction(fraction, 1 << self.m) * two_to(1 - self.bias)
        else:
            value = (1 + Fraction(fraction, 1 << self.m)) * two_to(field - self.bias)
        if value == 0 and negative:
            return NZERO
        return -value if negative else value

    def highest(self):
        """The largest finite magnitude, as bits."""
        if self.nan == "ieee":
            return (((1 << self.e) - 1) << self.m) - 1
        return self.magnitudes - (1 if self.nan == "ones" else 0)

    def encode(self, value):
        """Bits, rounded to the nearest, ties to even; None for NaN."""
        if value == NAN or (not self.signed and value in (NINF,)):
            return None
        if value in (INF, NINF):
            return self.overflow(value == NINF)
        if value == NZERO or value == 0:
            if not self.zero:
                return None
            return self.sign if value == NZERO and self.nan != "minus0" else 0
        negative = value < 0
        if negative and not self.signed:
            return None
        magnitude = abs(value)
        exponent = floor_log2(magnitude)
        exponent = max(exponent, 1 - self.bias if self.zero else -self.bias)
        units = round_half_even(magnitude / two_to(exponent - self.m))  # of the last place
        if units >= 2 << self.m:
            exponent, units = exponent + 1, units >> 1
        if units < 1 << self.m and self.zero:
            bits = units
        else:
            bits = ((exponent + self.bias) << self.m) + units - (1 << self.m)
        if bits > self.highest():
            return self.overflow(negative)
        return bits | (self.sign if negative and not (bits == 0 and self.nan == "minus0") else 0)

    def overflow(self, negative):
        if self.nan == "ieee":
            return (((1 << self.e) - 1) << self.m) | (self.sign if negative else 0)
        if self.nan == "none":
            return self.highest() | (self.sign if negative else 0)
        return None

    def rounded(self, value):
        bits = self.encode(value)
        return NAN if bits is None else self.decode(bits)


FLOATS = {
    "f4e2m1fn": FloatType(2, 1, 1, "none"),
    "f6e2m3fn": FloatType(2, 3, 1, "none"),
    "f6e3m2fn": FloatType(3, 2, 3, "none"),
    "f8e3m4": FloatType(3, 4, 3, "ieee"),
    "f8e4m3": FloatType(4, 3, 7, "ieee"),
    "f8e4m3fn": FloatType(4, 3, 7, "ones"),
    "f8e4m3b11fnuz": FloatType(4, 3, 11, "minus0"),
    "f8e4m3fnuz": FloatType(4, 3, 8, "minus0"),
    "f8e5m2": FloatType(5, 2, 15, "ieee"),
    "f8e5m2fnuz": FloatType(5, 2, 16, "minus0"),
    "f8e8m0fnu": FloatType(8, 0, 127, "ones", signed=False, zero=False),
    "f16": FloatType(5, 10, 15, "ieee"),
    "bf16": FloatType(8, 7, 127, "ieee"),
    "f32": FloatType(8, 23, 127, "ieee"),
    "f64": FloatType(11, 52, 1023, "ieee"),
}
COMPLEX = {"c64": "f32", "c128": "f64"}
SIGNED = {f"s{n}": n for n in (1, 2, 4, 8, 16, 32, 64)}
UNSIGNED = {f"u{n}": n for n in (1, 2, 4, 8, 16, 32, 64)}
INTS = {**SIGNED, **UNSIGNED}
ALL = ["pred", *INTS, *FLOATS, *COMPLEX]


def two_to(n):
    return Fraction(1 << n) if n >= 0 else Fraction(1, 1 << -n)


def floor_log2(x):
    n = x.numerator.bit_length() - x.denominator.bit_length()
    return n if two_to(n) <= x else n - 1


def round_half_even(x):
    whole, rest = divmod(x.numerator, x.denominator)
    twice = 2 * rest
    return whole + (1 if twice > x.denominator or (twice == x.denominator and whole & 1) else 0)


def wrap(value, type):
    """An integer as the type holds it: low bits, two's complement."""
    n = INTS[type]
    value &= (1 << n) - 1
    return value - (1 << n) if type in SIGNED and value >> (n - 1) else value


def limits(type):
    n = INTS[type]
    return (-(1 << (n - 1)), (1 << (n - 1)) - 1) if type in SIGNED else (0, (1 << n) - 1)


# Signs, zeros and comparisons of real values.

def is_zero(x):
    return x == NZERO or x == 0


def is_negative(x):
    """The sign bit; a NaN's is taken to be clear."""
    return x in (NINF, NZERO) or (isinstance(x, Fraction) and x < 0)


def is_finite(x):
    return x == NZERO or isinstance(x, Fraction)


def number(x):
    """-0 as 0, for arithmetic on finite values."""
    return Fraction(0) if x == NZERO else x


def signed_zero(negative):
    return NZERO if negative else Fraction(0)


def negated(x):
    return {NAN: NAN, INF: NINF, NINF: INF, NZERO: Fraction(0)}.get(x) if isinstance(x, str) else (NZERO if x == 0 else -x)


def less(a, b):
    """False when either is NaN."""
    if NAN in (a, b):
        return False
    order = lambda x: (-1, 0) if x == NINF else (1, 0) if x == INF else (0, number(x))
    return order(a) < order(b)


def equal(a, b):
    if NAN in (a, b):
        return False
    return a == b if not (is_finite(a) and is_finite(b)) else number(a) == number(b)


# Arithmetic of real values, before rounding.

def add(a, b):
    if NAN in (a, b) or (a, b) in ((INF, NINF), (NINF, INF)):
        return NAN
    if not is_finite(a):
        return a
    if not is_finite(b):
        return b
    if a == NZERO and b == NZERO:
        return NZERO
    return number(a) + number(b)


def subtract(a, b):
    return add(a, negated(b))


def multiply(a, b):
    if NAN in (a, b):
        return NAN
    negative = is_negative(a) != is_negative(b)
    if not (is_finite(a) and is_finite(b)):
        return NAN if is_zero(a) or is_zero(b) else (NINF if negative else INF)
    product = number(a) * number(b)
    return product if product else signed_zero(negative)


def divide(a, b):
    if NAN in (a, b):
        return NAN
    negative = is_negative(a) != is_negative(b)
    if not is_finite(a):
        return NAN if not is_finite(b) else (NINF if negative else INF)
    if not is_finite(b):
        return signed_zero(negative)
    if is_zero(b):
        return NAN if is_zero(a) else (NINF if negative else INF)
    quotient = number(a) / number(b)
    return quotient if quotient else signed_zero(negative)


def remainder(a, b):
    if NAN in (a, b) or not is_finite(a) or is_zero(b):
        return NAN
    if not is_finite(b):
        return a
    x, y = number(a), number(b)
    rest = x - y * int(x / y)  # int() truncates
    return rest if rest else signed_zero(is_negative(a))


def absolute(x):
    return negated(x) if is_negative(x) else x


def rounding(how):
    def apply(x):
        if not isinstance(x, Fraction):
            return x
        n, d = abs(x).numerator, abs(x).denominator
        whole, part = divmod(n, d)
        up = {"floor": part and x < 0, "ceil": part and x > 0, "afz": 2 * part >= d,
              "even": 2 * part > d or (2 * part == d and whole & 1)}[how]
        value = whole + (1 if up else 0)
        return Fraction(-value if x < 0 else value) if value else signed_zero(is_negative(x))
    return apply


# Transcendental functions of finite values, to about 50 digits.

def decimal(x):
    return Decimal(number(x).numerator) / Decimal(number(x).denominator)


def fraction(x):
    return Fraction(x)


TINY = Decimal(10) ** -62  # where a series ends, as a share of its first term


def _arctan_series(x):
    total, power, n, least = Decimal(0), x, 1, abs(x) * TINY
    while abs(power) > least:
        total += power / n if n % 4 == 1 else -power / n
        power, n = power * x * x, n + 2
    return total


PI = 4 * (4 * _arctan_series(Decimal(1) / 5) - _arctan_series(Decimal(1) / 239))


def arctan(x):
    if abs(x) > 1:
        return (PI / 2).copy_sign(x) - arctan(1 / x)
    for _ in range(3):  # halve the angle three times
        x = x / (1 + (1 + x * x).sqrt())
    return 8 * _arctan_series(x)


def sine(x):
    x = x - 2 * PI * (x / (2 * PI)).to_integral_value()
    total, term, n, least = Decimal(0), x, 1, abs(x) * TINY
    while abs(term) > least:
        total += term
        term, n = -term * x * x / ((n + 1) * (n + 2)), n + 2
    return total


def cosine(x):
    return sine(x + PI / 2)


def erf(x):
    if abs(x) > 9:
        return Decimal(1).copy_sign(x) * (1 - (-x * x).exp() / (abs(x) * PI.sqrt()))
    total, term, n, least = Decimal(0), x, 0, abs(x) * TINY * TINY
    while abs(term) > least:
        total += term / (2 * n + 1)
        n += 1
        term = -term * x * x / n
    return 2 * total / PI.sqrt()


def root(x, n):
    return Decimal(0) if x == 0 else ((abs(x).ln() / n).exp()).copy_sign(x)


def sinh(x):
    # Not by the difference of exponentials where they cancel.
    if abs(x) > Decimal("0.1"):
        return (x.exp() - (-x).exp()) / 2
    total, term, n, least = Decimal(0), x, 1, abs(x) * TINY
    while abs(term) > least:
        total += term
        term, n = term * x * x / ((n + 1) * (n + 2)), n + 2
    return total


class Cx:
    """A complex decimal."""

    def __init__(self, re, im=0):
        self.re, self.im = Decimal(re), Decimal(im)

    def __add__(self, o): return Cx(self.re + o.re, self.im + o.im)
    def __sub__(self, o): return Cx(self.re - o.re, self.im - o.im)
    def __mul__(self, o): return Cx(self.re * o.re - self.im * o.im, self.re * o.im + self.im * o.re)
    def __neg__(self): return Cx(-self.re, -self.im)

    def __truediv__(self, o):
        d = o.re * o.re + o.im * o.im
        return Cx((self.re * o.re + self.im * o.im) / d, (self.im * o.re - self.re * o.im) / d)

    def abs(self): return (self.re * self.re + self.im * self.im).sqrt()

    def arg(self):
        if self.re == 0:
            return (PI / 2).copy_sign(self.im) if self.im else Decimal(0)
        angle = arctan(self.im / self.re)
        return angle if self.re > 0 else angle + PI.copy_sign(self.im)

    def exp(self): return Cx(self.re.exp() * cosine(self.im), self.re.exp() * sine(self.im))
    def ln(self): return Cx(self.abs().ln(), self.arg())
    def sqrt(self): return (self.ln() * Cx(Decimal(1) / 2)).exp()


I, ONE, TWO = Cx(0, 1), Cx(1), Cx(2)
CX = {
    "exponential": Cx.exp,
    "exponential-minus-one": lambda z: z.exp() - ONE,
    "log": Cx.ln,
    "log-plus-one": lambda z: (z + ONE).ln(),
    "logistic": lambda z: ONE / (ONE + (-z).exp()),
    "sqrt": Cx.sqrt,
    "rsqrt": lambda z: ONE / z.sqrt(),
    "sine": lambda z: ((I * z).exp() - (-(I * z)).exp()) / (TWO * I),
    "cosine": lambda z: ((I * z).exp() + (-(I * z)).exp()) / TWO,
    "sinh": lambda z: (z.exp() - (-z).exp()) / TWO,
    "cosh": lambda z: (z.exp() + (-z).exp()) / TWO,
    "asin": lambda z: -I * (I * z + (ONE - z * z).sqrt()).ln(),
    "asinh": lambda z: (z + (z * z + ONE).sqrt()).ln(),
    "acosh": lambda z: (z + (z + ONE).sqrt() * (z - ONE).sqrt()).ln(),
    "atanh": lambda z: ((ONE + z).ln() - (ONE - z).ln()) / TWO,
}
CX["acos"] = lambda z: Cx(PI / 2) - CX["asin"](z)
CX["tan"] = lambda z: CX["sine"](z) / CX["cosine"](z)
CX["tanh"] = lambda z: CX["sinh"](z) / CX["cosh"](z)


def finish(name, lines):
    """Writes the data file beside the scripts; with --check, says whether it is what is there."""
    path, text = Path(__file__).parent / name, "\n".join(lines) + "\n"
    if "--check" not in sys.argv:
        path.write_text(text, encoding="ascii")
    elif path.read_text(encoding="ascii") != text:
        sys.exit(f"{path} is not what its script writes: run the script again")
