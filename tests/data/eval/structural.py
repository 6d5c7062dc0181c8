#!/usr/bin/env python3
"""Writes structural.txt: operations that move, reduce, multiply, sort or loop over arrays, with operands and results
computed from the definitions in XLA's docs/operation_semantics.md, element by element. With --check it says
whether the file is up to date.

A case is
  == NAME | tolerance
  HLO text: the instructions of an entry computation, or a whole module without its first line
  < SHAPE | elements      one for each parameter
  > SHAPE | elements      one for each array of the result
with elements and tolerance as in elementwise.txt, and "*" an element that may be anything.
"""

from arrays import *
from elementwise import bits_of, operand_bits, values_of
from exact import *

OUT = []
R = Random(2026)


def shape_text(type, shape):
    return f"{type}[{','.join(map(str, shape))}]"


def case(name, text, ins, outs, tolerance=0):
    """ins and outs: (type, Array). Integers stand for floats of that value too."""
    def real(v, type):
        if type in FLOATS and not isinstance(v, (str, Fraction)):
            return Fraction(v)
        if type in COMPLEX and not isinstance(v, tuple):
            return Fraction(v), Fraction(0)
        return v
    OUT.append(f"== {name} | {tolerance}\n{text.strip()}")
    for type, array in ins:
        OUT.append(f"< {shape_text(type, array.shape)} | " + " ".join(operand_bits(real(v, type), type) for v in array.values))
    for type, array in outs:
        OUT.append(f"> {shape_text(type, array.shape)} | " +
                   " ".join("*" if v == "*" else bits_of(real(v, type), type) for v in array.values))


def braces(items):
    return "{" + ",".join(map(str, items)) + "}"


def parameters(ins):
    return "".join(f"p{i} = {shape_text(t, a.shape)} parameter({i})\n" for i, (t, a) in enumerate(ins))


def one(op, ins, out, attributes="", tolerance=0, name=None):
    """A single operation on parameters."""
    names = ", ".join(f"p{i}" for i in range(len(ins)))
    case(name or op, f"{parameters(ins)}ROOT r = {shape_text(out[0], out[1].shape)} {op}({names}){attributes}", ins, [out],
         tolerance)


# A computation on two scalars, by its opcode.
def reducer(type, op, name="f"):
    return f"{name} {{\n a = {type}[] parameter(0)\n b = {type}[] parameter(1)\n ROOT r = {type}[] {op}(a, b)\n}}\n"


COMBINE = {"add": lambda a, b: a + b, "multiply": lambda a, b: a * b, "maximum": max, "minimum": min,
           "subtract": lambda a, b: a - b}
# Types in which small sums and products are exact.
WIDE = ["s16", "s32", "s64", "f32", "f64", "bf16", "f16", "c64", "c128"]


# Moving elements, of every type.

def some(type, shape):
    values = values_of(type)
    if type in FLOATS:
        values = [v for v in values if v != NAN]
    return make(shape, lambda i: values[flat(shape, i) % len(values)])


def movement(type):
    a = some(type, (2, 3, 4))
    fill = some(type, ()).values[0]
    scalar = Array((), [fill])
    one("transpose", [(type, a)], (type, make((4, 2, 3), lambda i: a[i[1], i[2], i[0]])), ", dimensions={2,0,1}")
    one("reshape", [(type, a)], (type, Array((6, 4), a.values)))
    one("copy", [(type, a)], (type, a))
    one("bitcast", [(type, a)], (type, Array((24,), a.values)))
    one("broadcast", [(type, Array((4,), a.values[:4]))], (type, make((2, 4, 2), lambda i: a.values[i[1]])), ", dimensions={1}")
    one("reverse", [(type, a)], (type, make((2, 3, 4), lambda i: a[1 - i[0], i[1], 3 - i[2]])), ", dimensions={0,2}")
    one("slice", [(type, a)], (type, make((1, 2, 2), lambda i: a[1, 1 + i[1], 2 * i[2]])), ", slice={[1:2], [1:3], [0:3:2]}")
    b = some(type, (2, 1, 4))
    one("concatenate", [(type, a), (type, b), (type, a)],
        (type, make((2, 7, 4), lambda i: a[i] if i[1] < 3 else b[i[0], 0, i[2]] if i[1] == 3 else a[i[0], i[1] - 4, i[2]])),
        ", dimensions={1}")
    # Low -1, high 2, one between: of a line of 4 that is 0 1 2 3 -> . 1 . 2 . 3 -> and two more, less the first.
    line = some(type, (4,))
    spread = {}
    for n in range(4):
        spread[2 * n - 1] = line[n,]
    one("pad", [(type, line), (type, scalar)], (type, make((8,), lambda i: spread.get(i[0], fill))), ", padding=-1_2_1")
    starts = [("s32", Array((), [1])), ("s32", Array((), [-5])), ("s32", Array((), [9]))]
    one("dynamic-slice", [(type, a), *starts], (type, make((1, 2, 3), lambda i: a[1, i[1], 1 + i[2]])),
        ", dynamic_slice_sizes={1,2,3}")
    update = some(type, (1, 2, 3)).map(lambda v: v)
    update.values.reverse()
    one("dynamic-update-slice", [(type, a), (type, update), *starts],
        (type, make((2, 3, 4), lambda i: update[0, i[1], i[2] - 1] if i[0] == 1 and i[1] < 2 and i[2] > 0 else a[i])))
    one("gather", [(type, a), ("s32", Array((3,), [1, 0, 7]))],
        (type, make((3, 3, 4), lambda i: a[(1, 0, 1)[i[0]], i[1], i[2]])),
        ", offset_dims={1,2}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,3,4}")
    case("while", f"""cond {{
 s = (s32[], {type}[4]) parameter(0)
 i = s32[] get-tuple-element(s), index=0
 n = s32[] constant(3)
 ROOT c = pred[] compare(i, n), direction=LT }}
body {{
 s = (s32[], {type}[4]) parameter(0)
 i = s32[] get-tuple-element(s), index=0
 x = {type}[4] get-tuple-element(s), index=1
 one = s32[] constant(1)
 next = s32[] add(i, one)
 y = {type}[4] reverse(x), dimensions={{0}}
 ROOT t = (s32[], {type}[4]) tuple(next, y) }}
ENTRY e {{
 p0 = {type}[4] parameter(0)
 zero = s32[] constant(0)
 t = (s32[], {type}[4]) tuple(zero, p0)
 ROOT w = (s32[], {type}[4]) while(t), condition=cond, body=body }}""",
         [(type, line)], [("s32", Array((), [3])), (type, Array((4,), line.values[::-1]))])


def iotas():
    for type in [*INTS, *FLOATS, *COMPLEX]:
        if type in ("f8e8m0fnu", "s1", "u1", "s2", "u2"):
            continue
        n = 5
        for d in (0, 1):
            shape = (2, n) if d else (n, 2)
            values = make(shape, lambda i: wrap(i[d], type) if type in INTS else i[d])
            one("iota", [], (type, values), f", iota_dimension={d}")


# Products.

def dot(lhs, rhs, lb, rb, lc, rc):
    lf = [d for d in range(len(lhs.shape)) if d not in lb + lc]
    rf = [d for d in range(len(rhs.shape)) if d not in rb + rc]
    shape = [lhs.shape[d] for d in lb + lf] + [rhs.shape[d] for d in rf]

    def element(out):
        total = 0
        for k in indices([lhs.shape[d] for d in lc]):
            at = dict(zip(lb + lf, out)) | dict(zip(lc, k))
            bt = dict(zip(rb, out)) | dict(zip(rf, out[len(lb) + len(lf):])) | dict(zip(rc, k))
            total += lhs[[at[d] for d in range(len(at))]] * rhs[[bt[d] for d in range(len(bt))]]
        return total
    return make(shape, element)


def fit(type):
    """How a result is held: integers wrap."""
    return lambda v: wrap(v, type) if type in INTS else v


def dots():
    for n in range(60):
        batch, contract = R.below(3), R.below(3)
        sizes = {("b", i): R.between(1, 3) for i in range(batch)} | {("c", i): R.between(1, 4) for i in range(contract)}
        names = [list(sizes), list(sizes)]
        for side in (0, 1):
            names[side] = R.shuffled(names[side] + [("f", side, i) for i in range(R.below(3))])
        full = {k: sizes.get(k) or R.between(1, 3) for side in names for k in side}
        type = R.choice(WIDE)
        small = 3 if type in ("bf16", "f16") else 9
        lhs, rhs = (R.array([full[k] for k in side], -small, small) for side in names)
        lb, rb = ([side.index(("b", i)) for i in range(batch)] for side in names)
        lc, rc = ([side.index(("c", i)) for i in range(contract)] for side in names)
        attributes = ""
        if batch:
            attributes += f", lhs_batch_dims={braces(lb)}"
        if contract:
            attributes += f", lhs_contracting_dims={braces(lc)}"
        if batch:
            attributes += f", rhs_batch_dims={braces(rb)}"
        if contract:
            attributes += f", rhs_contracting_dims={braces(rc)}"
        one("dot", [(type, lhs), (type, rhs)], (type, dot(lhs, rhs, lb, rb, lc, rc).map(fit(type))), attributes)


def dilated(n, d):
    return 0 if n == 0 else (n - 1) * d + 1


def windowed(n, w):
    """How many places a window has along a line of n."""
    room = dilated(n, w["base"]) + w["low"] + w["high"] - dilated(w["size"], w["dilate"])
    return 0 if room < 0 else room // w["stride"] + 1


def random_window(size, reversal=False, zero_stride=False):
    return {"size": size, "stride": R.between(1, 2), "low": R.between(-1, 2), "high": R.between(-1, 2),
            "base": R.between(1, 2), "dilate": R.between(1, 2), "reversal": R.below(2) if reversal else 0}


def window_text(windows):
    def each(key):
        return "x".join(str(w[key]) for w in windows)
    pad = "x".join(f"{w['low']}_{w['high']}" for w in windows)
    text = f"size={each('size')} stride={each('stride')} pad={pad} lhs_dilate={each('base')} rhs_dilate={each('dilate')}"
    return f", window={{{text}" + (f" rhs_reversal={each('reversal')}" if any(w["reversal"] for w in windows) else "") + "}"


def place(out, k, w, n):
    """Where element k of a window at place `out` falls on a line of n, or None: a hole or beyond the ends."""
    at = out * w["stride"] + k * w["dilate"] - w["low"]
    return at // w["base"] if at % w["base"] == 0 and 0 <= at // w["base"] < n else None


def convolutions():
    done = 0
    while done < 60:
        spatial = R.between(0, 2)
        windows = [random_window(R.between(1, 3), reversal=True) for _ in range(spatial)]
        kind = R.choice(["plain", "feature", "batch"])
        groups = R.between(2, 3) if kind != "plain" else 1
        feature_groups, batch_groups = (groups, 1) if kind == "feature" else (1, groups) if kind == "batch" else (1, 1)
        b = R.between(1, 2) * batch_groups
        i_per_group, o = R.between(1, 2), R.between(1, 2) * groups
        lines = [R.between(1, 4) for _ in range(spatial)]
        outs = [windowed(n, w) for n, w in zip(lines, windows)]
        if any(n == 0 for n in outs):
            continue
        done += 1
        digits = [str(s) for s in range(spatial)]
        orders = [R.shuffled(["b", "f", *digits]), R.shuffled(["i", "o", *digits]), R.shuffled(["b", "f", *digits])]
        lhs_sizes = {"b": b, "f": i_per_group * feature_groups} | dict(zip(digits, lines))
        rhs_sizes = {"i": i_per_group, "o": o} | dict(zip(digits, [w["size"] for w in windows]))
        out_sizes = {"b": b // batch_groups, "f": o} | dict(zip(digits, outs))
        type = R.choice(["f32", "f64", "bf16", "s32", "c64"])
        lhs = R.array([lhs_sizes[k] for k in orders[0]], -3, 3)
        rhs = R.array([rhs_sizes[k] for k in orders[1]], -3, 3)

        def element(index):
            at = dict(zip(orders[2], index))
            total = 0
            for k in indices([w["size"] for w in windows]):
                where = [place(at[d], kk, w, n) for d, kk, w, n in zip(digits, k, windows, lines)]
                if None in where:
                    continue
                kernel = [w["size"] - 1 - kk if w["reversal"] else kk for kk, w in zip(k, windows)]
                for i in range(i_per_group):
                    group = at["f"] // (o // groups)
                    l = {"b": at["b"] + (group * (b // batch_groups) if batch_groups > 1 else 0),
                         "f": i + (group * i_per_group if feature_groups > 1 else 0)} | dict(zip(digits, where))
                    r = {"i": i, "o": at["f"]} | dict(zip(digits, kernel))
                    total += lhs[[l[d] for d in orders[0]]] * rhs[[r[d] for d in orders[1]]]
            return total
        labels = "_".join("".join(order) for order in orders[:2]) + "->" + "".join(orders[2])
        attributes = (window_text(windows) if spatial else "") + f", dim_labels={labels}"
        if feature_groups > 1:
            attributes += f", feature_group_count={feature_groups}"
        if batch_groups > 1:
            attributes += f", batch_group_count={batch_groups}"
        one("convolution", [(type, lhs), (type, rhs)], (type, make([out_sizes[k] for k in orders[2]], element)), attributes)


# Gather and scatter, of every layout of dimensions.

def indexed_layout():
    """An operand's dimensions split into batching, collapsed and window ones, and how indices address them."""
    rank = R.between(1, 4)
    kinds = [R.choice(["batching", "collapsed", "window", "window"]) for _ in range(rank)]
    operand = [R.between(1, 4) for _ in range(rank)]
    batching = [d for d in range(rank) if kinds[d] == "batching"]
    collapsed = [d for d in range(rank) if kinds[d] == "collapsed"]
    window = [d for d in range(rank) if kinds[d] == "window"]
    mapped = R.shuffled([d for d in collapsed + window if R.below(4)])
    loose = [R.between(1, 3) for _ in range(R.below(3))]  # index dimensions that no operand dimension matches
    slots = R.shuffled([("batch", d) for d in batching] + [("loose", i) for i in range(len(loose))])
    index_sizes = [operand[d] if kind == "batch" else loose[d] for kind, d in slots]
    vector = R.between(0, len(slots))
    implicit = len(mapped) == 1 and R.below(2)
    if implicit:
        vector = len(slots)
    shape = index_sizes[:] if implicit else index_sizes[:vector] + [len(mapped)] + index_sizes[vector:]
    where = lambda b, k: list(b) if implicit else [*b[:vector], k, *b[vector:]]
    start = Array(shape, [R.between(-1, 3) for _ in range(size(shape))])
    sizes = [R.between(1, operand[d]) if kinds[d] == "window" else 1 for d in range(rank)]
    batch_in_start = [slots.index(("batch", d)) for d in batching]
    batch_dims = [d if implicit or d < vector else d + 1 for d in batch_in_start]
    return dict(operand=operand, batching=batching, collapsed=collapsed, window=window, mapped=mapped, start=start, sizes=sizes,
                index_sizes=index_sizes, where=where, vector=vector, batch_in_start=batch_in_start, batch_dims=batch_dims)


def gathers():
    for n in range(60):
        g = indexed_layout()
        rank = len(g["index_sizes"]) + len(g["window"])
        offset = sorted(R.shuffled(range(rank))[:len(g["window"])])
        batch = [d for d in range(rank) if d not in offset]
        shape = [0] * rank
        for d, w in zip(offset, g["window"]):
            shape[d] = g["sizes"][w]
        for d, s in zip(batch, g["index_sizes"]):
            shape[d] = s
        type = R.choice(["s32", "f32", "bf16", "s8"])
        operand = R.array(g["operand"])

        def element(index):
            b = [index[d] for d in batch]
            at = [0] * len(g["operand"])
            for k, d in enumerate(g["mapped"]):
                at[d] = min(max(g["start"][g["where"](b, k)], 0), g["operand"][d] - g["sizes"][d])
            for d, s in zip(g["batching"], g["batch_in_start"]):
                at[d] = b[s]
            for d, w in zip(offset, g["window"]):
                at[w] += index[d]
            return operand[at]
        attributes = (f", offset_dims={braces(offset)}, collapsed_slice_dims={braces(g['collapsed'])}, "
                      f"start_index_map={braces(g['mapped'])}, operand_batching_dims={braces(g['batching'])}, "
                      f"start_indices_batching_dims={braces(g['batch_dims'])}, index_vector_dim={g['vector']}, "
                      f"slice_sizes={braces(g['sizes'])}")
        one("gather", [(type, operand), (R.choice(["s32", "s64", "s16"]), g["start"])], (type, make(shape, element)), attributes)


def scatters():
    for n in range(60):
        g = indexed_layout()
        rank = len(g["index_sizes"]) + len(g["window"])
        window = sorted(R.shuffled(range(rank))[:len(g["window"])])
        scattered = [d for d in range(rank) if d not in window]
        shape = [0] * rank
        for d, w in zip(window, g["window"]):
            shape[d] = g["sizes"][w]
        for d, s in zip(scattered, g["index_sizes"]):
            shape[d] = s
        type, op = R.choice(["s32", "f32", "s64"]), R.choice(["add", "maximum", "minimum"])
        operand, updates = R.array(g["operand"]), R.array(shape)
        result = Array(operand.shape, operand.values)
        for index in indices(shape):
            b = [index[d] for d in scattered]
            start, at = [0] * len(g["operand"]), [0] * len(g["operand"])
            for k, d in enumerate(g["mapped"]):
                start[d] = g["start"][g["where"](b, k)]
            for d, s in zip(g["batching"], g["batch_in_start"]):
                start[d] = b[s]
            for d, w in zip(window, g["window"]):
                at[w] = index[d]
            # A window that reaches beyond the operand is left out as a whole.
            if all(0 <= start[d] <= g["operand"][d] - g["sizes"][d] for d in range(len(start))):
                at = [x + y for x, y in zip(start, at)]
                result[at] = COMBINE[op](result[at], updates[index])
        ins = [(type, operand), ("s32", g["start"]), (type, updates)]
        case("scatter", f"""{reducer(type, op)}ENTRY e {{
{parameters(ins)}ROOT r = {shape_text(type, operand.shape)} scatter(p0, p1, p2), update_window_dims={braces(window)}, \
inserted_window_dims={braces(g['collapsed'])}, scatter_dims_to_operand_dims={braces(g['mapped'])}, \
input_batching_dims={braces(g['batching'])}, scatter_indices_batching_dims={braces(g['batch_dims'])}, \
index_vector_dim={g['vector']}, to_apply=f }}""", ins, [(type, result)])


# Reductions.

def identity(op):
    return {"add": 0, "multiply": 1, "maximum": -100, "minimum": 100}[op]


def reduces():
    for n in range(30):
        shape = [R.between(0 if n % 7 == 0 else 1, 4) for _ in range(R.between(1, 4))]
        dims = sorted(R.shuffled(range(len(shape)))[:R.between(0, len(shape))])
        type, op = R.choice(["s32", "f32", "s64", "bf16", "f64", "s16"]), R.choice(["add", "maximum", "minimum"])
        if type == "bf16" and op == "add":
            op = "maximum"
        operand, init = R.array(shape), R.between(-3, 3)
        kept = [d for d in range(len(shape)) if d not in dims]

        def element(out):
            total = init
            for k in indices([shape[d] for d in dims]):
                at = dict(zip(kept, out)) | dict(zip(dims, k))
                total = COMBINE[op](total, operand[[at[d] for d in range(len(shape))]])
            return total
        ins = [(type, operand), (type, Array((), [init]))]
        out = make([shape[d] for d in kept], element)
        case("reduce", f"{reducer(type, op)}ENTRY e {{\n{parameters(ins)}ROOT r = {shape_text(type, out.shape)} reduce(p0, p1), "
             f"dimensions={braces(dims)}, to_apply=f }}", ins, [(type, out)])
    # Largest value and its place, the first of equals: two arrays at once.
    values, places = R.array((3, 5), 0, 4), make((3, 5), lambda i: i[1])
    best = [max(range(5), key=lambda j: (values[i, j], -j)) for i in range(3)]
    ins = [("f32", values), ("s32", places), ("f32", Array((), [-1])), ("s32", Array((), [0]))]
    case("reduce of two", f"""f {{
 a = f32[] parameter(0)
 i = s32[] parameter(1)
 b = f32[] parameter(2)
 j = s32[] parameter(3)
 ge = pred[] compare(a, b), direction=GE
 v = f32[] select(ge, a, b)
 w = s32[] select(ge, i, j)
 ROOT t = (f32[], s32[]) tuple(v, w) }}
ENTRY e {{
{parameters(ins)}ROOT r = (f32[3], s32[3]) reduce(p0, p1, p2, p3), dimensions={{1}}, to_apply=f }}""", ins,
         [("f32", Array((3,), [values[i, best[i]] for i in range(3)])), ("s32", Array((3,), best))])


def reduce_windows():
    done = 0
    while done < 50:
        rank = R.between(1, 3)
        shape = [R.between(1, 4) for _ in range(rank)]
        windows = [random_window(R.between(1, 3)) for _ in range(rank)]
        outs = [windowed(n, w) for n, w in zip(shape, windows)]
        if 0 in outs:
            continue
        done += 1
        type, op = R.choice(["s32", "f32", "f64", "bf16"]), R.choice(["add", "maximum", "minimum", "multiply"])
        operand = R.array(shape, -2, 2)
        if op == "multiply":  # products of integers know no -0
            operand = operand.map(lambda v: v or 1)
        init = identity(op)

        def element(out):
            total = init
            for k in indices([w["size"] for w in windows]):
                at = [place(o, kk, w, n) for o, kk, w, n in zip(out, k, windows, shape)]
                if None not in at:
                    total = COMBINE[op](total, operand[at])
            return total
        ins = [(type, operand), (type, Array((), [init]))]
        out = make(outs, element)
        case("reduce-window", f"{reducer(type, op)}ENTRY e {{\n{parameters(ins)}ROOT r = {shape_text(type, out.shape)} "
             f"reduce-window(p0, p1){window_text(windows)}, to_apply=f }}", ins, [(type, out)])


def select_and_scatters():
    for n in range(25):
        rank = R.between(1, 2)
        shape = [R.between(2, 5) for _ in range(rank)]
        windows = [{"size": R.between(1, 3), "stride": R.between(1, 2), "base": 1, "dilate": 1, "reversal": 0} for _ in range(rank)]
        for w in windows:  # no window lies in the padding alone
            w["low"], w["high"] = R.between(0, w["size"] - 1), R.between(0, w["size"] - 1)
        outs = [windowed(a, w) for a, w in zip(shape, windows)]
        type = R.choice(["s32", "f32"])
        operand, source, init = R.array(shape, 0, 3), R.array(outs), R.between(-2, 2)
        result = Array(shape, [init] * size(shape))
        for index in indices(outs):
            best = None
            for k in indices([w["size"] for w in windows]):
                at = [place(o, kk, w, a) for o, kk, w, a in zip(index, k, windows, shape)]
                if None not in at and (best is None or not operand[best] >= operand[at]):
                    best = at
            result[best] = result[best] + source[index]
        ins = [(type, operand), (type, source), (type, Array((), [init]))]
        pad = "x".join(f"{w['low']}_{w['high']}" for w in windows)
        case("select-and-scatter", f"""ge {{
 a = {type}[] parameter(0)
 b = {type}[] parameter(1)
 ROOT r = pred[] compare(a, b), direction=GE }}
{reducer(type, 'add')}ENTRY e {{
{parameters(ins)}ROOT r = {shape_text(type, shape)} select-and-scatter(p0, p1, p2), \
window={{size={"x".join(str(w["size"]) for w in windows)} stride={"x".join(str(w["stride"]) for w in windows)} pad={pad}}}, \
select=ge, scatter=f }}""", ins, [(type, result)])


def maps_and_scans():
    a, b = R.array((2, 3)), R.array((2, 3))
    case("map", f"""{reducer('s32', 'subtract')}ENTRY e {{
{parameters([('s32', a), ('s32', b)])}ROOT r = s32[2,3] map(p0, p1), dimensions={{0,1}}, to_apply=f }}""",
         [("s32", a), ("s32", b)], [("s32", Array((2, 3), [x - y for x, y in zip(a.values, b.values)]))])
    for reverse in (False, True):
        order = range(3) if not reverse else range(2, -1, -1)
        carry, out = [5, -5], Array((2, 3), [0] * 6)
        for k in order:
            for i in range(2):
                carry[i] += a[i, k]
                out[i, k] = carry[i]
        case("scan", f"""f {{
 x = s32[2] parameter(0)
 c = s32[2] parameter(1)
 s = s32[2] add(x, c)
 ROOT t = (s32[2], s32[2]) tuple(s, s) }}
ENTRY e {{
{parameters([('s32', a), ('s32', Array((2,), [5, -5]))])}ROOT r = (s32[2,3], s32[2]) scan(p0, p1), dimensions={{1}}, num_carries=1, \
is_reverse={str(reverse).lower()}, to_apply=f }}""", [("s32", a), ("s32", Array((2,), [5, -5]))],
             [("s32", out), ("s32", Array((2,), carry))])


# The same families on every element type, with values small enough to be exact in it.

def exact_in(type, shape):
    if type == "f8e8m0fnu":
        values = [1, 2, 1, 4]
    elif type == "pred" or type in UNSIGNED or type == "s1":
        values = [0, 1, 1, 0, 1]
    else:
        values = [0, 1, -1, 1, 0, -1, 1]
    if type == "s1":
        values = [-v for v in values]
    return make(shape, lambda i: values[flat(shape, i) % len(values)])


def reduce_ops(type):
    if type == "pred":
        return ["and", "or", "xor"]
    if type in INTS:
        return ["add", "multiply", "maximum", "minimum", "and", "or", "xor"]
    if type == "f8e8m0fnu":  # no 0 to start a sum from
        return ["multiply", "maximum", "minimum"]
    return ["add"] if type in COMPLEX else ["add", "multiply", "maximum", "minimum"]


EVERY = COMBINE | {"and": lambda a, b: a & b, "or": lambda a, b: a | b, "xor": lambda a, b: a ^ b}


def start_of(type, op):
    if op in ("maximum", "minimum"):
        return exact_in(type, (1,)).values[0]
    start = {"multiply": 1, "and": -1}.get(op, 0)
    return abs(start) if type == "pred" else wrap(start, type) if type in INTS else start


def reduced(type, op, values):
    total = start_of(type, op)
    for v in values:
        total = EVERY[op](total, v)
        if type in INTS:
            total = wrap(total, type)
    if type in FLOATS and total == 0 and op == "multiply":
        return "*"  # of either sign
    return total


def per_type(type):
    a = exact_in(type, (3, 4))
    for op in reduce_ops(type):
        ins = [(type, a), (type, Array((), [start_of(type, op)]))]
        head = f"{reducer(type, op)}ENTRY e {{\n{parameters(ins)}ROOT r = "
        case("reduce", f"{head}{type}[3] reduce(p0, p1), dimensions={{1}}, to_apply=f }}", ins,
             [(type, Array((3,), [reduced(type, op, [a[i, j] for j in range(4)]) for i in range(3)]))])
        case("reduce-window", f"{head}{type}[3,3] reduce-window(p0, p1), window={{size=1x2}}, to_apply=f }}", ins,
             [(type, make((3, 3), lambda i: reduced(type, op, [a[i], a[i[0], i[1] + 1]])))])
        if op == "multiply":
            continue
        updates = exact_in(type, (2, 4))
        where = Array((2,), [2, 0])
        after = make((3, 4), lambda i: fit(type)(EVERY[op](a[i], updates[[2, 0].index(i[0]), i[1]])) if i[0] != 1 else a[i])
        ins = [(type, a), ("s32", where), (type, updates)]
        case("scatter", f"{reducer(type, op)}ENTRY e {{\n{parameters(ins)}ROOT r = {type}[3,4] scatter(p0, p1, p2), "
             "update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=f }", ins,
             [(type, after)])
        if op == "add" and type not in COMPLEX:
            source = exact_in(type, (3, 2))
            after = Array((3, 4), [0] * 12)
            for i, j in indices((3, 2)):
                at = (i, 2 * j) if a[i, 2 * j] >= a[i, 2 * j + 1] else (i, 2 * j + 1)
                after[at] = fit(type)(after[at] + source[i, j])
            ins = [(type, a), (type, source), (type, Array((), [0]))]
            case("select-and-scatter", f"""ge {{
 a = {type}[] parameter(0)
 b = {type}[] parameter(1)
 ROOT r = pred[] compare(a, b), direction=GE }}
{reducer(type, op)}ENTRY e {{
{parameters(ins)}ROOT r = {type}[3,4] select-and-scatter(p0, p1, p2), window={{size=1x2 stride=1x2}}, select=ge, scatter=f }}""", ins,
                 [(type, after)])
    lhs, rhs = exact_in(type, (2, 3)), exact_in(type, (3, 2))
    product = dot(lhs, rhs, [], [], [1], [0])
    one("dot", [(type, lhs), (type, rhs)], (type, product.map(lambda v: v != 0 if type == "pred" else fit(type)(v))),
        ", lhs_contracting_dims={1}, rhs_contracting_dims={0}")
    if type != "pred":  # integers stop at their ends here
        clamped = product.map(lambda v: min(max(v, limits(type)[0]), limits(type)[1]) if type in INTS else v)
        one("convolution", [(type, lhs), (type, rhs)], (type, clamped), ", dim_labels=bf_io->bf")


def ragged_dots():
    """Rows in groups, each with a matrix of its own; rows beyond the groups give 0. Or groups of the contraction."""
    for groups in ([1, 2], [0, 3], [3, 0], [2, 2]):
        lhs, rhs, sizes = R.array((5, 3)), R.array((2, 3, 2)), Array((2,), groups)
        group = lambda row: 0 if row < groups[0] else 1 if row < sum(groups) else None
        out = make((5, 2), lambda i: 0 if group(i[0]) is None else sum(lhs[i[0], k] * rhs[group(i[0]), k, i[1]] for k in range(3)))
        one("ragged-dot", [("f32", lhs), ("f32", rhs), ("s32", sizes)], ("f32", out),
            ", lhs_contracting_dims={1}, rhs_contracting_dims={1}, lhs_ragged_dims={0}, rhs_group_dims={0}")
        lhs, rhs = R.array((2, 5)), R.array((5, 3))
        starts = [0, groups[0]]
        out = make((2, 2, 3), lambda i: sum(lhs[i[1], k] * rhs[k, i[2]] for k in range(starts[i[0]], starts[i[0]] + groups[i[0]])))
        one("ragged-dot", [("f32", lhs), ("f32", rhs), ("s32", sizes)], ("f32", out),
            ", lhs_contracting_dims={1}, rhs_contracting_dims={0}, lhs_ragged_dims={1}")


def scaled_dots():
    """Each block of two along the contraction has a scale."""
    for type in ("f8e4m3fn", "f8e5m2", "f4e2m1fn", "bf16"):
        lhs, rhs = exact_in(type, (2, 4)), exact_in(type, (4, 3))
        ls, rs = make((2, 2), lambda i: (1, 2, 4)[(i[0] + i[1]) % 3]), make((2, 3), lambda i: (2, 1)[(i[0] + i[1]) % 2])
        out = make((2, 3), lambda i: sum(lhs[i[0], k] * ls[i[0], k // 2] * rhs[k, i[1]] * rs[k // 2, i[1]] for k in range(4)))
        one("scaled-dot", [(type, lhs), (type, rhs), ("f8e8m0fnu", ls), ("f8e8m0fnu", rs)], ("f32", out),
            ", lhs_contracting_dims={1}, rhs_contracting_dims={0}")


# Orderings.

def sorts():
    for n, type in enumerate([t for t in ALL if t not in COMPLEX] * 2):
        stable = n % 2 == 0
        shape, d = ((7,), 0) if n % 3 else ((4, 3), n % 2)
        pool = [v for v in values_of(type) if v not in (NAN, NZERO)]
        key = make(shape, lambda i: R.choice(pool))
        order_of = (lambda x: x) if type in INTS else (lambda x: (-1, 0) if x == NINF else (1, 0) if x == INF else (0, x))
        carried = make(shape, lambda i: flat(shape, i))
        new_key, new_carried = Array(shape, key.values), Array(shape, carried.values)
        for line in indices([s for k, s in enumerate(shape) if k != d]):
            at = lambda i: line[:d] + (i,) + line[d:]
            ranked = sorted(range(shape[d]), key=lambda i: order_of(key[at(i)]))
            for i, j in enumerate(ranked):
                new_key[at(i)], new_carried[at(i)] = key[at(j)], carried[at(j)]
        if not stable:  # which of equal keys comes first is open
            counts = lambda i: sum(order_of(key[i[:d] + (k,) + i[d + 1:]]) == order_of(new_key[i]) for k in range(shape[d]))
            new_carried = make(shape, lambda i: new_carried.values[flat(shape, i)] if counts(i) == 1 else "*")
        ins = [(type, key), ("s32", carried)]
        case("sort", f"""lt {{
 a = {type}[] parameter(0)
 b = {type}[] parameter(1)
 c = s32[] parameter(2)
 d = s32[] parameter(3)
 ROOT r = pred[] compare(a, b), direction=LT }}
ENTRY e {{
{parameters(ins)}ROOT r = ({shape_text(type, shape)}, {shape_text('s32', shape)}) sort(p0, p1), dimensions={{{d}}}, \
is_stable={str(stable).lower()}, to_apply=lt }}""", ins, [(type, new_key), ("s32", new_carried)])


def top_ks():
    for largest in (True, False):
        for type in ("f32", "s32", "bf16", "u8"):
            a = R.array((3, 6), 0, 5)
            k = R.between(1, 6)
            ranked = [sorted(range(6), key=lambda j: ((-1 if largest else 1) * a[i, j], j))[:k] for i in range(3)]
            case("topk", f"p0 = {type}[3,6] parameter(0)\nROOT r = ({type}[3,{k}], s32[3,{k}]) topk(p0), k={k}, "
                 f"largest={str(largest).lower()}", [(type, a)],
                 [(type, make((3, k), lambda i: a[i[0], ranked[i[0]][i[1]]])), ("s32", make((3, k), lambda i: ranked[i[0]][i[1]]))])


# Bits.

def width(type):
    return 2 * FLOATS[COMPLEX[type]].width if type in COMPLEX else FLOATS[type].width if type in FLOATS else INTS[type]


def bitcast_converts():
    """Bits are least significant first, so the first narrow element is the low end of a wide one."""
    plain = [t for t in [*INTS, *FLOATS] if width(t) not in (1, 6)]
    wrote = 0
    for source in plain:
        for target in plain:
            a, b = width(source), width(target)
            if a == b and (wrote := wrote + 1) % 3:  # one in three of the many of equal width
                continue
            if a != b and not (source.startswith(("u", "f")) and target.startswith("s") or source in ("f32", "bf16", "u4", "u64")):
                continue
            bits = [(R.between(0, (1 << 30) - 1) << 40 ^ R.between(0, (1 << 30) - 1) << 15 ^ R.between(0, (1 << 30) - 1)) % (1 << max(a, b))
                    for _ in range(3)]
            n = max(a, b) // min(a, b)
            split = [x >> (min(a, b) * k) & ((1 << min(a, b)) - 1) for x in bits for k in range(n)]
            def raw(t, shape, values):
                return f"{shape_text(t, shape)} | " + " ".join(format(v, "x") for v in values)
            wide, narrow = (3,), (3, n)
            ins = raw(source, wide if a >= b else narrow, bits if a >= b else split)
            outs = raw(target, wide if b >= a else narrow, bits if b >= a else split)
            OUT.append(f"== bitcast-convert | 0\np0 = {ins.split(' ')[0]} parameter(0)\nROOT r = {outs.split(' ')[0]} "
                       f"bitcast-convert(p0)\n< {ins}\n> {outs}")


# Random bits: threefry-2x32-20 and philox-4x32-10 of Salmon et al., "Parallel random numbers: as easy as 1, 2, 3"
# (SC 2011), laid out as XLA's hlo/builder/lib/prng.cc does.

M32 = (1 << 32) - 1


def threefry(key, counter):
    k = [key & M32, key >> 32]
    k.append(k[0] ^ k[1] ^ 0x1BD11BDA)
    x0, x1 = (counter & M32) + k[0] & M32, (counter >> 32) + k[1] & M32
    for r, by in enumerate((13, 15, 26, 6, 17, 29, 16, 24) * 2 + (13, 15, 26, 6)):
        x0 = x0 + x1 & M32
        x1 = (x1 << by | x1 >> (32 - by)) & M32 ^ x0
        if r % 4 == 3:
            s = r // 4 + 1
            x0, x1 = x0 + k[s % 3] & M32, x1 + k[(s + 1) % 3] + s & M32
    return x0, x1


def philox(key, counter):
    k0, k1 = key & M32, key >> 32
    c = [counter >> (32 * i) & M32 for i in range(4)]
    for _ in range(10):
        a, b = c[0] * 0xD2511F53, c[2] * 0xCD9E8D57
        c = [b >> 32 ^ c[1] ^ k0, b & M32, a >> 32 ^ c[3] ^ k1, a & M32]
        k0, k1 = k0 + 0x9E3779B9 & M32, k1 + 0xBB67AE85 & M32
    return c


def random_bits():
    for type in ("u8", "u16", "u32", "s32", "u64", "s64"):
        n = width(type)
        for shape in ((), (5,), (6,), (3, 4), (3, 5), (2, 3, 3)):
            key, counter = R.below(1 << 31) << 33 | R.below(1 << 31), (1 << 64) - 2 if shape == (5,) else R.below(1 << 31)
            # threefry
            count = size(shape)
            if n == 64:
                words = [threefry(key, counter + i & (1 << 64) - 1) for i in range(count)]
                values, used = [a | b << 32 for a, b in words], count
            else:
                even = [d for d, s in enumerate(shape) if s % 2 == 0]
                split = even[0] if even else shape.index(max(shape)) if shape else None
                halves = [(s + 1) // 2 if d == split else s for d, s in enumerate(shape)]
                used = size(halves)
                def value(i):
                    half = [x // 2 if d == split else x for d, x in enumerate(i)]
                    words = threefry(key, counter + flat(halves, half) & (1 << 64) - 1)
                    return words[i[split] % 2 if shape else 0]
                values = [value(i) & (1 << n) - 1 for i in indices(shape)]
            write_random("rng_three_fry", type, shape, [key, counter], values, [key, counter + used & (1 << 64) - 1])
            # philox, with a counter of 128 bits
            wide = counter | R.below(1 << 31) << 64
            each = 2 if n == 64 else 4
            blocks = -(-count // each)
            words = [w for b in range(blocks) for w in philox(key, wide + b & (1 << 128) - 1)]
            if n == 64:
                words = [a | b << 32 for a, b in zip(words[::2], words[1::2])]
            after = wide + blocks & (1 << 128) - 1
            write_random("rng_philox", type, shape, [key, wide & (1 << 64) - 1, wide >> 64],
                         [w & (1 << n) - 1 for w in words[:count]], [key, after & (1 << 64) - 1, after >> 64])


def write_random(algorithm, type, shape, state, values, after):
    s = shape_text("u64", (len(state),))
    case(algorithm, f"p0 = {s} parameter(0)\nROOT r = ({s}, {shape_text(type, shape)}) rng-bit-generator(p0), algorithm={algorithm}",
         [("u64", Array((len(state),), state))], [("u64", Array((len(state),), after)), (type, Array(shape, values))])


# Linear algebra.

def ffts():
    def transform(values, sign, scale):
        n = len(values)
        return [(lambda z: Cx(z.re / scale, z.im / scale))(sum((values[j] * turn(sign * j * k, n) for j in range(n)), Cx(0))) for k in range(n)]

    def turn(k, n):
        return Cx(cosine(2 * PI * k / n), sine(2 * PI * k / n))

    def pair(z):
        return fraction(z.re), fraction(z.im)
    for type, tolerance in (("c64", "a1e-4"), ("c128", "a1e-12")):
        part = COMPLEX[type]
        for n in (1, 2, 5, 8):
            z = [(Fraction(R.between(-9, 9)), Fraction(R.between(-9, 9))) for _ in range(2 * n)]
            rows = [[Cx(decimal(a), decimal(b)) for a, b in z[r * n:(r + 1) * n]] for r in (0, 1)]
            for kind, sign, scale in (("FFT", -1, 1), ("IFFT", 1, n)):
                out = [pair(v) for row in rows for v in transform(row, sign, scale)]
                one("fft", [(type, Array((2, n), z))], (type, Array((2, n), out)), f", fft_type={kind}, fft_length={{{n}}}", tolerance)
            x = R.array((2, n))
            half = n // 2 + 1
            full = [transform([Cx(v) for v in x.values[r * n:(r + 1) * n]], -1, 1) for r in (0, 1)]
            out = [pair(v) for row in full for v in row[:half]]
            one("fft", [(part, x)], (type, Array((2, half), out)), f", fft_type=RFFT, fft_length={{{n}}}", tolerance)
            exact = [[(R.between(-9, 9), R.between(-9, 9)) for _ in range(half)] for _ in (0, 1)]
            back = []
            for row in exact:
                row[0] = (row[0][0], 0)
                if n % 2 == 0:
                    row[-1] = (row[-1][0], 0)
                whole = [Cx(*row[k]) if k < half else Cx(row[n - k][0], -row[n - k][1]) for k in range(n)]
                back += [fraction(v.re) for v in transform(whole, 1, n)]
            spectrum = Array((2, half), [(Fraction(a), Fraction(b)) for row in exact for a, b in row])
            one("fft", [(type, spectrum)], (part, Array((2, n), back)), f", fft_type=IRFFT, fft_length={{{n}}}", tolerance)
        # Two dimensions: along the rows, then along the columns.
        z = make((2, 3), lambda i: (Fraction(R.between(-9, 9)), Fraction(R.between(-9, 9))))
        rows = [transform([Cx(decimal(z[r, c][0]), decimal(z[r, c][1])) for c in range(3)], -1, 1) for r in range(2)]
        columns = [transform([rows[r][c] for r in range(2)], -1, 1) for c in range(3)]
        one("fft", [(type, z)], (type, make((2, 3), lambda i: pair(columns[i[1]][i[0]]))), ", fft_type=FFT, fft_length={2,3}", tolerance)


def triangular_solves():
    for type in ("f32", "f64", "c64"):
        for left in (True, False):
            for lower in (True, False):
                for unit in (True, False):
                    for transpose in ("NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"):
                        n, m = 3, 2
                        value = lambda low, high: (R.between(low, high), R.between(-2, 2)) if type == "c64" else (R.between(low, high), 0)
                        a = make((n, n), lambda i: Cx(*value(-3, 3)))
                        for d in range(n):
                            a[d, d] = Cx(R.choice([1, 2, -1]))
                        x = make((n, m) if left else (m, n), lambda i: Cx(*value(-4, 4)))
                        def effective(i, j):
                            if i == j:
                                return Cx(1) if unit else a[i, i]
                            return a[i, j] if (i > j) == lower else Cx(0)
                        def op(i, j):
                            if transpose == "NO_TRANSPOSE":
                                return effective(i, j)
                            z = effective(j, i)
                            return Cx(z.re, -z.im) if transpose == "ADJOINT" else z
                        if left:
                            b = make((n, m), lambda i: sum((op(i[0], k) * x[k, i[1]] for k in range(n)), Cx(0)))
                        else:
                            b = make((m, n), lambda i: sum((x[i[0], k] * op(k, i[1]) for k in range(n)), Cx(0)))
                        held = (lambda z: (fraction(z.re), fraction(z.im))) if type == "c64" else (lambda z: fraction(z.re))
                        one("triangular-solve", [(type, a.map(held)), (type, b.map(held))], (type, x.map(held)),
                            f", left_side={str(left).lower()}, lower={str(lower).lower()}, unit_diagonal={str(unit).lower()}, "
                            f"transpose_a={transpose}", "a1e-3" if type != "f64" else "a1e-9")


def choleskys():
    for type in ("f32", "f64", "c64"):
        for lower in (True, False):
            n = 3
            factor = make((n, n), lambda i: Cx(R.between(1, 3)) if i[0] == i[1] else
                          Cx(R.between(-2, 2), R.between(-2, 2) if type == "c64" else 0) if i[0] > i[1] else Cx(0))
            conjugate = lambda z: Cx(z.re, -z.im)
            full = make((n, n), lambda i: sum((factor[i[0], k] * conjugate(factor[i[1], k]) for k in range(n)), Cx(0)))
            held = (lambda z: (fraction(z.re), fraction(z.im))) if type == "c64" else (lambda z: fraction(z.re))
            # The other triangle is not read, and what stands there afterwards is open.
            given = make((n, n), lambda i: full[i] if (i[0] >= i[1]) == lower or i[0] == i[1] else Cx(99))
            wanted = make((n, n), lambda i: ("*" if i[0] != i[1] and (i[0] > i[1]) != lower else
                                             held(factor[i] if lower else conjugate(factor[i[1], i[0]]))))
            one("cholesky", [(type, given.map(held))], (type, wanted), f", lower={str(lower).lower()}", "a1e-4")


def batch_norms():
    epsilon = Fraction(1, 8)
    for type, tolerance in (("f32", "a1e-4"), ("f64", "a1e-9"), ("bf16", "a0.05")):
        shape, feature = (2, 3, 2), 1
        x = R.array(shape, -4, 4).map(Fraction)
        scale, offset, mean, variance = (R.array((3,), 1, 4).map(Fraction) for _ in range(4))
        grad = R.array(shape, -2, 2).map(Fraction)
        root = lambda v: fraction(1 / decimal(v + epsilon).sqrt())
        attributes = f", epsilon=0.125, feature_index={feature}"
        one("batch-norm-inference", [(type, a) for a in (x, scale, offset, mean, variance)],
            (type, make(shape, lambda i: scale[i[1],] * (x[i] - mean[i[1],]) * root(variance[i[1],]) + offset[i[1],])),
            attributes, tolerance)
        lanes = [[i for i in indices(shape) if i[1] == f] for f in range(3)]
        means = Array((3,), [sum(x[i] for i in lane) / len(lane) for lane in lanes])
        variances = Array((3,), [sum((x[i] - m) ** 2 for i in lane) / len(lane) for lane, m in zip(lanes, means.values)])
        ins = [(type, a) for a in (x, scale, offset)]
        s, f = shape_text(type, shape), shape_text(type, (3,))
        case("batch-norm-training", f"{parameters(ins)}ROOT r = ({s}, {f}, {f}) batch-norm-training(p0, p1, p2){attributes}", ins,
             [(type, make(shape, lambda i: scale[i[1],] * (x[i] - means[i[1],]) * root(variances[i[1],]) + offset[i[1],])),
              (type, means), (type, variances)], tolerance)
        # The gradient, for the mean and variance that are given.
        def centred(i):
            return x[i] - mean[i[1],]
        n = len(lanes[0])
        sums = [sum(grad[i] for i in lane) for lane in lanes]
        products = [sum(grad[i] * centred(i) for i in lane) for lane in lanes]
        def operand_grad(i):
            k = i[1]
            r2 = 1 / (variance[k,] + epsilon)
            return scale[k,] * root(variance[k,]) * (grad[i] - sums[k] / n - centred(i) * r2 * products[k] / n)
        ins = [(type, a) for a in (x, scale, mean, variance, grad)]
        case("batch-norm-grad", f"{parameters(ins)}ROOT r = ({s}, {f}, {f}) batch-norm-grad(p0, p1, p2, p3, p4){attributes}", ins,
             [(type, make(shape, operand_grad)), (type, Array((3,), [p * root(v) for p, v in zip(products, variance.values)])),
              (type, Array((3,), sums))], tolerance)


# Control flow and dynamic sizes.

def control():
    for n in (1, 6, 7, 27):
        steps, x = 0, n
        while x != 1:
            x, steps = (3 * x + 1 if x % 2 else x // 2), steps + 1
        case("collatz", """odd { x = s32[] parameter(0)
 three = s32[] constant(3)
 one = s32[] constant(1)
 y = s32[] multiply(x, three)
 ROOT r = s32[] add(y, one) }
even { x = s32[] parameter(0)
 one = s32[] constant(1)
 ROOT r = s32[] shift-right-arithmetic(x, one) }
cond { s = (s32[], s32[]) parameter(0)
 x = s32[] get-tuple-element(s), index=0
 one = s32[] constant(1)
 ROOT r = pred[] compare(x, one), direction=NE }
bump { a = s32[] parameter(0)
 one = s32[] constant(1)
 ROOT r = s32[] add(a, one) }
body { s = (s32[], s32[]) parameter(0)
 x = s32[] get-tuple-element(s), index=0
 n = s32[] get-tuple-element(s), index=1
 one = s32[] constant(1)
 low = s32[] and(x, one)
 is_odd = pred[] compare(low, one), direction=EQ
 y = s32[] conditional(is_odd, x, x), true_computation=odd, false_computation=even
 m = s32[] call(n), to_apply=bump
 ROOT t = (s32[], s32[]) tuple(y, m) }
ENTRY e { p0 = s32[] parameter(0)
 zero = s32[] constant(0)
 t = (s32[], s32[]) tuple(p0, zero)
 ROOT w = (s32[], s32[]) while(t), condition=cond, body=body }""", [("s32", Array((), [n]))],
             [("s32", Array((), [1])), ("s32", Array((), [steps]))])
    for chosen, expected in ((0, 11), (1, -1), (2, 100), (7, 100), (-1, 100)):
        case("conditional", """f0 { x = s32[] parameter(0)
 c = s32[] constant(1)
 ROOT r = s32[] add(x, c) }
f1 { x = s32[] parameter(0)
 ROOT r = s32[] negate(x) }
f2 { x = s32[] parameter(0)
 ROOT r = s32[] multiply(x, x) }
ENTRY e { p0 = s32[] parameter(0)
 ten = s32[] constant(10)
 one = s32[] constant(1)
 ROOT r = s32[] conditional(p0, ten, one, ten), branch_computations={f0, f1, f2} }""", [("s32", Array((), [chosen]))],
             [("s32", Array((), [expected]))])
    a = R.array((2, 3))
    case("fusion", """fused { x = s32[2,3] parameter(0)
 y = s32[3,2] transpose(x), dimensions={1,0}
 ROOT r = s32[3,2] negate(y) }
ENTRY e { p0 = s32[2,3] parameter(0)
 ROOT r = s32[3,2] fusion(p0), kind=kLoop, calls=fused }""", [("s32", a)], [("s32", make((3, 2), lambda i: -a[i[1], i[0]]))])
    for n in (0, 1, 3, 4):
        a = R.array((4, 2))
        case("set-dimension-size", f"""{reducer('s32', 'add')}ENTRY e {{
 p0 = s32[4,2] parameter(0)
 p1 = s32[] parameter(1)
 d = s32[<=4,2] set-dimension-size(p0, p1), dimensions={{0}}
 n = s32[] get-dimension-size(d), dimensions={{0}}
 zero = s32[] constant(0)
 sum = s32[2] reduce(d, zero), dimensions={{0}}, to_apply=f
 ROOT t = (s32[], s32[2]) tuple(n, sum) }}""", [("s32", a), ("s32", Array((), [n]))],
             [("s32", Array((), [n])), ("s32", Array((2,), [sum(a[i, j] for i in range(n)) for j in range(2)]))])


def main():
    for type in ALL:
        movement(type)
    iotas()
    dots()
    convolutions()
    gathers()
    scatters()
    reduces()
    reduce_windows()
    select_and_scatters()
    maps_and_scans()
    for type in ALL:
        per_type(type)
    ragged_dots()
    scaled_dots()
    sorts()
    top_ks()
    bitcast_converts()
    random_bits()
    ffts()
    triangular_solves()
    choleskys()
    batch_norms()
    control()
    finish("structural.txt", ["# Written by structural.py, which says what the parts are.", *OUT])


if __name__ == "__main__":
    main()
