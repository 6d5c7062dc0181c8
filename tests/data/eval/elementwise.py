#!/usr/bin/env python3
"""Writes elementwise.txt: for every elementwise opcode and every element type XLA lets it have, operands and the
result computed by exact.py. With --check it says whether the file is up to date.

One case a line, fields parted by "|":
  opcode and attributes | operand types | result type | tolerance | operand values ... | expected values
Values are the elements' bits in hexadecimal (a complex number is re:im), "n" a NaN, "?" any zero (what a NaN becomes in
a type without one). The tolerance is in units in the last place; of complex numbers, of their modulus.

Which types: XLA's service/shape_inference.cc (InferUnaryOpShape, InferBinaryOpShape, InferTernaryOpShape), less what its
HloEvaluator refuses. Meaning: hlo/evaluator/hlo_evaluator_typed_visitor.h; on integers narrower than a byte, where
the evaluator computes in more bits than there are, by the type's own width.
"""

import itertools

from exact import *

LINES = []


def bits_of(value, type):
    if type == "pred":
        return "1" if value else "0"
    if type in INTS:
        return format(value & ((1 << INTS[type]) - 1), "x")
    if type in COMPLEX:
        return ":".join(bits_of(part, COMPLEX[type]) for part in value)
    format_ = FLOATS[type]
    bits = format_.encode(value)
    if bits is None:
        return "?" if format_.nan == "none" else "n"
    if value == NAN:
        return "?"
    return format(bits, "x")


def operand_bits(value, type):
    """As bits_of, but NaNs as a pattern."""
    text = bits_of(value, type)
    if "n" not in text:
        return text
    if type in COMPLEX:
        return ":".join(operand_bits(part, COMPLEX[type]) for part in value)
    format_ = FLOATS[type]
    if format_.nan == "minus0":
        return format(format_.sign, "x")
    if format_.nan == "ones":
        return format(format_.magnitudes, "x")
    return format((((1 << format_.e) - 1) << format_.m) | (1 << (format_.m - 1)), "x")


def case(op, types, result, columns, expected, tolerance=0):
    """columns: one list of values an operand."""
    fields = [op, ",".join(types), result, str(tolerance)]
    fields += [" ".join(operand_bits(v, t) for v in column) for column, t in zip(columns, types)]
    fields.append(" ".join(bits_of(v, result) for v in expected))
    LINES.append("|".join(fields))


# Values that are at the edges of a type.

def int_edges(type):
    low, high = limits(type)
    return sorted({low, min(low + 1, high), max(low, -2) if low else 0, max(low, -1) if low else 0, 0, min(1, high),
                   min(2, high), min(5, high), high // 2, high - 1 if high else 0, high})


def usable(values, type):
    """Distinct values of the type nearest to these; none that the type does not have."""
    format_ = FLOATS[type]
    out = []
    for value in values:
        if value == NZERO and (format_.encode(NZERO) is None or format_.nan == "minus0"):
            continue
        if value in (INF, NINF) and format_.nan != "ieee":
            continue
        if value == NAN and format_.nan == "none":
            continue
        value = value if value == NAN else format_.rounded(value)
        if value == NAN and NAN not in values:
            continue
        if value not in out:
            out.append(value)
    return out


def float_edges(type):
    format_ = FLOATS[type]
    tiny, highest = format_.decode(0 if not format_.zero else 1), format_.decode(format_.highest())
    return usable([Fraction(0), NZERO, tiny, -tiny, two_to(1 - format_.bias), Fraction(1), Fraction(-3, 2), highest, -highest,
                   INF, NINF, NAN], type)


FEW = [Fraction(n, 8) for n in (4, 8, 12, -4, -8, 20, -12, 1, 24, 3)]


def float_pairs(type):
    edges = float_edges(type)
    pairs = list(itertools.product(edges, edges)) if len(edges) < 9 else (
        list(itertools.product(edges[:2] + edges[5:], edges[:2] + edges[7:])))
    some = usable(FEW, type)
    return pairs + [(a, b) for a, b in zip(some, some[1:] + some[:1])] + [(a, some[-1]) for a in some]


def int_pairs(type):
    low, high = limits(type)
    edges = sorted({low, max(low, -1) if low else 0, 0, min(1, high), high})
    some = [wrap(v, type) for v in (7, -3, 2, 100, -100, 3, 12, -7)]
    return list(itertools.product(edges, edges)) + list(zip(some, some[1:] + some[:1]))


def finish_float(type):
    """Narrow floats are widened to f32 for an operation, and its result is rounded back."""
    if type in ("f32", "f64"):
        return lambda value: value
    return FLOATS["f32"].rounded


# Unary operations on real floats: what it is on finite numbers (None: not defined there), and at inf, -inf and -0
# where that is not plain.

def dec(f):
    return lambda x: fraction(f(decimal(x)))


def log_of(x):
    if is_zero(x):
        return NINF
    return NAN if x < 0 else fraction(decimal(x).ln())


def log1p_of(x):
    if x == NZERO:
        return NZERO
    if x <= -1:
        return NINF if x == -1 else NAN
    return fraction((1 + decimal(x)).ln())


def sqrt_of(x):
    if is_zero(x):
        return x
    return NAN if x < 0 else fraction(decimal(x).sqrt())


def rsqrt_of(x):
    if is_zero(x):
        return NINF if x == NZERO else INF
    return NAN if x < 0 else fraction(1 / decimal(x).sqrt())


def within(low, high, f):
    return lambda x: NAN if number(x) < low or number(x) > high else f(x)


def atanh_of(x):
    if abs(x) >= 1:
        return NAN if abs(x) > 1 else (INF if x > 0 else NINF)
    return fraction(((1 + decimal(x)) / (1 - decimal(x))).ln() / 2)


def tanh_of(x):
    d = decimal(x)
    return fraction(sinh(d) / ((d.exp() + (-d).exp()) / 2))


HALF_PI = fraction(PI / 2)
keeps_zero = lambda f: lambda x: x if is_zero(x) else f(x)
asin = lambda d: PI.copy_sign(d) / 2 if abs(d) == 1 else arctan(d / (1 - d * d).sqrt())

# name: (on finite values, at inf, at -inf)
REAL = {
    "acos": (within(-1, 1, dec(lambda d: PI / 2 - asin(d))), NAN, NAN),
    "acosh": (lambda x: NAN if number(x) < 1 else fraction((decimal(x) + (decimal(x) ** 2 - 1).sqrt()).ln()), INF, NAN),
    "asin": (keeps_zero(within(-1, 1, dec(asin))), NAN, NAN),
    "asinh": (keeps_zero(dec(lambda d: ((abs(d) + (d * d + 1).sqrt()).ln()).copy_sign(d))), INF, NINF),
    "atanh": (keeps_zero(atanh_of), NAN, NAN),
    "cbrt": (keeps_zero(dec(lambda d: root(d, 3))), INF, NINF),
    "cosine": (dec(cosine), NAN, NAN),
    "cosh": (dec(lambda d: (d.exp() + (-d).exp()) / 2), INF, INF),
    "erf": (keeps_zero(dec(erf)), Fraction(1), Fraction(-1)),
    "exponential": (dec(Decimal.exp), INF, Fraction(0)),
    "exponential-minus-one": (keeps_zero(dec(lambda d: 2 * sinh(d / 2) * (d / 2).exp())), INF, Fraction(-1)),
    "log": (log_of, INF, NAN),
    "log-plus-one": (log1p_of, INF, NAN),
    "logistic": (dec(lambda d: 1 / (1 + (-d).exp())), Fraction(1), Fraction(0)),
    "rsqrt": (rsqrt_of, Fraction(0), NAN),
    "sine": (keeps_zero(dec(sine)), NAN, NAN),
    "sinh": (keeps_zero(dec(sinh)), INF, NINF),
    "sqrt": (sqrt_of, INF, NAN),
    "tan": (keeps_zero(dec(lambda d: sine(d) / cosine(d))), NAN, NAN),
    "tanh": (keeps_zero(tanh_of), Fraction(1), Fraction(-1)),
}
# Exact on all values.
EXACT = {
    "abs": absolute,
    "ceil": rounding("ceil"),
    "floor": rounding("floor"),
    "negate": negated,
    "round-nearest-afz": rounding("afz"),
    "round-nearest-even": rounding("even"),
    "sign": lambda x: x if x == NAN or is_zero(x) else Fraction(-1 if is_negative(x) else 1),
    "real": lambda x: x,
    "imag": lambda x: Fraction(0),
}


def unary_floats(type):
    format_, narrow = FLOATS[type], finish_float(type)
    for op, (finite, at_inf, at_ninf) in REAL.items():
        values = usable([Fraction(0), NZERO, Fraction(1, 2), Fraction(-1, 2), Fraction(1), Fraction(-1), Fraction(2), Fraction(-2),
                         Fraction(1, 10), Fraction(-1, 1000), Fraction(3), Fraction(10), Fraction(-7, 10), INF, NINF, NAN], type)
        result = lambda x: {NAN: NAN, INF: at_inf, NINF: at_ninf}.get(x) if x in (NAN, INF, NINF) else finite(x)
        # Rounding twice, or a function that is off by one unit of f32, may end at the neighbour. A square root may not.
        tolerance = 0 if op == "sqrt" else {"f64": 4, "f32": 4}.get(type, 1)
        case(op, [type], type, [values], [narrow(result(x)) for x in values], tolerance)
    values = float_edges(type) + usable([Fraction(n, 2) for n in (1, 3, 5, -1, -5, 7)] + [Fraction(-3, 4)], type)
    for op, f in EXACT.items():
        case(op, [type], type, [values], [f(x) for x in values])
    case("is-finite", [type], "pred", [values], [is_finite(x) for x in values])


def unary_ints(type):
    n, values = INTS[type], int_edges(type)
    ops = {"negate": lambda x: -x, "not": lambda x: ~x,
           "popcnt": lambda x: bin(x & ((1 << n) - 1)).count("1"),
           "count-leading-zeros": lambda x: n - (x & ((1 << n) - 1)).bit_length()}
    if type in SIGNED:
        ops |= {"abs": abs, "sign": lambda x: (x > 0) - (x < 0)}
    for op, f in ops.items():
        case(op, [type], type, [values], [wrap(f(x), type) for x in values])


CX_VALUES = [(1, 2), (-0.5, 0.25), (-2, -1), (3, -4), (0.125, -0.75), (0.5, 0.5), (-1, 3)]


def unary_complex(type):
    part = COMPLEX[type]
    values = [(Fraction(a), Fraction(b)) for a, b in CX_VALUES]
    for op, f in CX.items():
        results = [f(Cx(decimal(a), decimal(b))) for a, b in values]
        case(op, [type], type, [values], [(fraction(z.re), fraction(z.im)) for z in results], 16)
    edges = values + [(Fraction(0), NZERO), (NZERO, Fraction(0)), (INF, Fraction(1)), (Fraction(1), NAN)]
    case("negate", [type], type, [edges], [(negated(a), negated(b)) for a, b in edges])
    case("real", [type], part, [edges], [a for a, b in edges])
    case("imag", [type], part, [edges], [b for a, b in edges])
    moduli = [fraction(Cx(decimal(a), decimal(b)).abs()) for a, b in values]
    case("abs", [type], part, [values + [(INF, NAN), (Fraction(0), NZERO)]], moduli + [INF, Fraction(0)], 2)
    case("sign", [type], type, [values + [(Fraction(0), Fraction(0))]],
         [(a / m, b / m) for (a, b), m in zip(values, moduli)] + [(Fraction(0), Fraction(0))], 4)


# Binary operations.

def power(x, y):
    """C's pow."""
    if x == 1 or (y != NAN and is_zero(y)):
        return Fraction(1)
    if NAN in (x, y):
        return NAN
    whole = is_finite(y) and number(y).denominator == 1
    odd = whole and number(y).numerator % 2 == 1
    if not is_finite(y):
        if equal(absolute(x), Fraction(1)):
            return Fraction(1)
        grows = less(Fraction(1), absolute(x)) == (y == INF)
        return INF if grows else Fraction(0)
    if is_zero(x) or not is_finite(x):
        big = is_zero(x) == (y < 0)
        negative = is_negative(x) and odd
        return (NINF if negative else INF) if big else signed_zero(negative)
    if x < 0 and not whole:
        return NAN
    if whole and abs(y) < 2000:
        return x ** y.numerator
    size = decimal(y) * abs(decimal(x)).ln()
    if abs(size) > 5000:
        return (NINF if x < 0 and odd else INF) if size > 0 else signed_zero(x < 0 and odd)
    value = fraction(size.exp())
    return -value if x < 0 and odd else value


def atan2(y, x):
    if NAN in (x, y):
        return NAN
    if not is_finite(x) or not is_finite(y):
        quarter = fraction(PI / 4)
        if is_finite(y):
            angle = Fraction(0) if x == INF else 4 * quarter
        elif is_finite(x):
            angle = 2 * quarter
        else:
            angle = quarter if x == INF else 3 * quarter
    elif is_zero(x) and is_zero(y):
        angle = fraction(PI) if is_negative(x) else Fraction(0)
    elif is_zero(x):
        angle = HALF_PI
    else:
        angle = fraction(arctan(abs(decimal(y)) / abs(decimal(x))))
        angle = fraction(PI) - angle if x < 0 else angle
    return negated(angle) if is_negative(y) else angle


def larger(a, b):
    return a if a == NAN else b if b == NAN else b if less(a, b) else a


def smaller(a, b):
    return a if a == NAN else b if b == NAN else b if less(b, a) else a


FLOAT_BINARY = {"add": (add, 0), "subtract": (subtract, 0), "multiply": (multiply, 0), "divide": (divide, 0),
                "remainder": (remainder, 0), "maximum": (larger, 0), "minimum": (smaller, 0), "power": (power, 1),
                "atan2": (atan2, 1)}
DIRECTIONS = {"EQ": lambda l, e: e, "NE": lambda l, e: not e, "LT": lambda l, e: l, "LE": lambda l, e: l or e}


def compare(types, pairs, is_less, is_equal, attributes=""):
    for direction, f in DIRECTIONS.items():
        case(f"compare, direction={direction}{attributes}", types, "pred", list(zip(*pairs)),
             [f(is_less(a, b), is_equal(a, b)) for a, b in pairs])
    for direction, mirrored in (("GT", "LT"), ("GE", "LE")):
        case(f"compare, direction={direction}{attributes}", types, "pred", list(zip(*pairs)),
             [DIRECTIONS[mirrored](is_less(b, a), is_equal(b, a)) for a, b in pairs])


def total(x):
    """A key of IEEE 754's total order; NaNs are positive here."""
    return (2, 0) if x == NAN else (1, 0) if x == INF else (-1, 0) if x == NINF else (0, number(x), 0 if x == NZERO else 1)


def binary_floats(type):
    pairs, narrow = float_pairs(type), finish_float(type)
    columns = list(zip(*pairs))
    for op, (f, tolerance) in FLOAT_BINARY.items():
        case(op, [type, type], type, columns, [narrow(f(a, b)) for a, b in pairs], tolerance * (2 if type == "f64" else 1))
    compare([type, type], pairs, less, equal)
    compare([type, type], pairs, lambda a, b: total(a) < total(b), lambda a, b: total(a) == total(b), ", type=TOTALORDER")
    if type in ("f32", "f64"):
        case("complex", [type, type], {"f32": "c64", "f64": "c128"}[type], columns, pairs)
    edges = float_edges(type)
    triples = list(itertools.product(usable([Fraction(1), Fraction(-2), NAN, NZERO], type), edges,
                                     usable([Fraction(2), INF, NAN, Fraction(0)], type)))
    clamped = lambda low, x, high: NAN if NAN in (low, x, high) else smaller(high, larger(x, low))
    case("clamp", [type] * 3, type, list(zip(*triples)), [clamped(*t) for t in triples])


def quotient(a, b):
    if b == 0:
        return -1
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def int_power(a, b):
    if b < 0:
        return 1 if a == 1 else 0
    return pow(a, b, 1 << 64)


def binary_ints(type):
    n, pairs = INTS[type], int_pairs(type)
    columns, mask = list(zip(*pairs)), (1 << n) - 1
    extended = lambda a: a - (1 << n) if a & mask & (1 << (n - 1)) and a >= 0 else a
    shift = lambda a, b, f, out: f(b & mask) if b & mask < n else out
    ops = {
        "add": lambda a, b: a + b, "subtract": lambda a, b: a - b, "multiply": lambda a, b: a * b,
        "divide": quotient, "remainder": lambda a, b: a - b * quotient(a, b) if b else a,
        "maximum": max, "minimum": min, "power": int_power, "mulhi": lambda a, b: (a * b) >> n,
        "and": lambda a, b: a & b, "or": lambda a, b: a | b, "xor": lambda a, b: a ^ b,
        "shift-left": lambda a, b: shift(a, b, lambda by: a << by, 0),
        "shift-right-logical": lambda a, b: shift(a, b, lambda by: (a & mask) >> by, 0),
        "shift-right-arithmetic": lambda a, b: shift(a, b, lambda by: extended(a) >> by, -1 if extended(a) < 0 else 0),
    }
    for op, f in ops.items():
        case(op, [type, type], type, columns, [wrap(f(a, b), type) for a, b in pairs])
    compare([type, type], pairs, lambda a, b: a < b, lambda a, b: a == b)
    edges = int_edges(type)
    triples = [(a, x, b) for a, b in ((edges[1], edges[-2]), (edges[-1], edges[0]), (0, 0)) for x in edges]
    case("clamp", [type] * 3, type, list(zip(*triples)), [min(b, max(x, a)) for a, x, b in triples])


def preds():
    pairs = list(itertools.product((0, 1), (0, 1)))
    columns = list(zip(*pairs))
    case("not", ["pred"], "pred", [(0, 1)], [1, 0])
    for op, f in {"and": lambda a, b: a & b, "or": lambda a, b: a | b, "xor": lambda a, b: a ^ b, "add": lambda a, b: a | b,
                  "multiply": lambda a, b: a & b, "maximum": max, "minimum": min}.items():
        case(op, ["pred", "pred"], "pred", columns, [f(a, b) for a, b in pairs])
    compare(["pred", "pred"], pairs, lambda a, b: a < b, lambda a, b: a == b)
    triples = list(itertools.product((0, 1), (0, 1), (0, 1)))
    case("clamp", ["pred"] * 3, "pred", list(zip(*triples)), [min(b, max(x, a)) for a, x, b in triples])


def complex_power(a, b):
    return (a.ln() * b).exp()


def binary_complex(type):
    values = [(Fraction(a), Fraction(b)) for a, b in CX_VALUES]
    pairs = list(zip(values, values[1:] + values[:1])) + list(zip(values, values[3:] + values[:3]))
    columns = list(zip(*pairs))
    exact = lambda f: [(f(a[0], b[0]), f(a[1], b[1])) for a, b in pairs]
    case("add", [type, type], type, columns, exact(add))
    case("subtract", [type, type], type, columns, exact(subtract))
    for op, f, tolerance in (("multiply", Cx.__mul__, 2), ("divide", Cx.__truediv__, 4), ("power", complex_power, 32),
                             ("atan2", lambda y, x: -I * ((x + I * y) / (x * x + y * y).sqrt()).ln(), 16)):
        results = [f(Cx(*map(decimal, a)), Cx(*map(decimal, b))) for a, b in pairs]
        case(op, [type, type], type, columns, [(fraction(z.re), fraction(z.im)) for z in results], tolerance)
    more = pairs + [(a, a) for a in values] + [((Fraction(1), NAN), (Fraction(1), NAN)), ((NZERO, INF), (Fraction(0), INF))]
    same = lambda a, b: equal(a[0], b[0]) and equal(a[1], b[1])
    for direction in ("EQ", "NE"):
        case(f"compare, direction={direction}", [type, type], "pred", list(zip(*more)),
             [same(a, b) == (direction == "EQ") for a, b in more])


def select(type, values):
    others = list(reversed(values))
    chooser = [i % 3 != 1 for i in range(len(values))]
    case("select", ["pred", type, type], type, [chooser, values, others],
         [a if p else b for p, a, b in zip(chooser, values, others)])


# Conversions between every two types.

def values_of(type):
    if type == "pred":
        return [0, 1]
    if type in INTS:
        return int_edges(type)
    if type in COMPLEX:
        return [(Fraction(3, 2), Fraction(-1)), (Fraction(0), Fraction(1)), (NZERO, Fraction(0)), (Fraction(-300), Fraction(7))]
    extra = [Fraction(n, 16) for n in (40, 41, 56, -41, 13, 4649, -2075)] + [Fraction(10)**12, -Fraction(10)**20]
    return float_edges(type) + [x for x in usable(extra, type) if x not in float_edges(type)]


def to_int(x, type):
    low, high = limits(type)
    if x == NAN:
        return 0
    if x in (INF, NINF):
        return high if x == INF else low
    return min(max(int(number(x)), low), high)


def converted(x, source, target):
    if source in COMPLEX:
        if target in COMPLEX:
            return x
        return not (is_zero(x[0]) and is_zero(x[1])) if target == "pred" else converted(x[0], COMPLEX[source], target)
    if target in COMPLEX:
        return converted(x, source, COMPLEX[target]), Fraction(0)
    if source in FLOATS:
        if target == "pred":
            return not is_zero(x)
        return to_int(x, target) if target in INTS else x
    if target == "pred":
        return x != 0
    return wrap(x, target) if target in INTS else Fraction(x)


def conversions():
    for source, target in itertools.product(ALL, ALL):
        values = values_of(source)
        if target == "f8e8m0fnu" and source != target:
            # Its smallest binade has rounding of its own, which no document states.
            values = [x for x in values if not isinstance(x, Fraction) or x == 0 or abs(x) > two_to(-120)]
        case("convert", [source], target, [values], [converted(x, source, target) for x in values])


def precision_of(x, exponent_bits, mantissa_bits):
    """reduce-precision: rounded to the mantissa, then what the exponent cannot say goes to infinity or, a denormal, to
    zero."""
    if not is_finite(x) or is_zero(x):
        return x if mantissa_bits or x != NAN else INF
    exponent = floor_log2(abs(x))
    units = round_half_even(abs(x) / two_to(exponent - mantissa_bits))
    value = units * two_to(exponent - mantissa_bits)
    bias = (1 << (exponent_bits - 1)) - 1
    if value >= two_to(bias + 1):
        return NINF if x < 0 else INF
    if value < two_to(1 - bias):
        return signed_zero(x < 0)
    return -value if x < 0 else value


def reduce_precision():
    for type in ("f16", "bf16", "f32", "f64"):
        format_ = FLOATS[type]
        values = float_edges(type) + usable([Fraction(n, 128) for n in (129, 131, 136, 152, -129, 200)] +
                                            [Fraction(70000), two_to(-15), two_to(-14)], type)
        # A type's own denormals: backends that flush them and such that do not are both right.
        values = [x for x in values if not isinstance(x, Fraction) or x == 0 or abs(x) >= two_to(1 - format_.bias)]
        for e, m in ((8, 7), (5, 10), (5, 2), (4, 3), (2, 1)):
            case(f"reduce-precision, exponent_bits={e}, mantissa_bits={m}", [type], type, [values],
                 [precision_of(x, min(e, format_.e), min(m, format_.m)) for x in values])


def stochastic():
    """The fraction that is cut off, as a share of the random number's range, is above the random number: away from 0."""
    for source in ("f16", "bf16", "f32", "f64"):
        n = FLOATS[source].width
        for target in ("s2", "s4", "s8", "s16", "s32"):
            rows = [(x, r) for x in (Fraction(1, 2), Fraction(-1, 2), Fraction(5, 4), Fraction(-3, 4), Fraction(3), Fraction(0), INF, NINF, NAN)
                    for r in (0, (1 << (n - 1)) - 1, 1 << (n - 1), (1 << n) - 1)]
            low, high = limits(target)
            def result(x, r):
                if not is_finite(x) or x >= high or x <= low:
                    return to_int(x, target)
                whole = int(x)
                if abs(x - whole) * (1 << n) > r:
                    whole += 1 if x > 0 else -1
                return wrap(whole, target)
            case("stochastic-convert", [source, f"u{n}"], target, list(zip(*rows)), [result(x, r) for x, r in rows])


def main():
    preds()
    select("pred", [0, 1, 1, 0])
    for type in INTS:
        unary_ints(type)
        binary_ints(type)
        select(type, int_edges(type))
    for type in FLOATS:
        unary_floats(type)
        binary_floats(type)
        select(type, float_edges(type))
    for type in COMPLEX:
        unary_complex(type)
        binary_complex(type)
        select(type, [(Fraction(a), Fraction(b)) for a, b in CX_VALUES])
    conversions()
    reduce_precision()
    stochastic()
    finish("elementwise.txt", ["# Written by elementwise.py, which says what the fields are.", *LINES])


if __name__ == "__main__":
    main()
