#!/usr/bin/env python3
"""Modules by the cpu engine and the same by numpy: the shortest of several runs of each, in turn.

    tests/bench/numpy_modules.py HILO [FOLDER] [NAME...]      FOLDER: xla/backends/cpu/benchmarks/hlo

Without a folder the modules below, one operation each; with it XLA's CPU benchmark modules. NAMEs pick some. numpy has
no bf16, so that for XLA's it works on f32, twice the bytes. Run by hand; needs numpy. Each round starts hilo anew,
which times the run and not its own start.
"""

import ctypes
import ctypes.util
import json
import os
import subprocess
import sys
import tempfile
import time

os.environ.setdefault("OPENBLAS_CORETYPE", "SkylakeX")
import numpy as np  # noqa: E402

ROUNDS, RUNS = 5, 10
OPENBLAS = ctypes.CDLL(ctypes.util.find_library("openblas"))
random = np.random.default_rng(0)


def array(*sizes):
    return random.standard_normal(sizes, dtype=np.float32)


def layer_norm(x):
    centred = x - x.mean(-1, keepdims=True)
    return centred / np.sqrt((centred * centred).mean(-1, keepdims=True) + np.float32(1e-5))


def depthwise(x):
    padded = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)))
    result = np.zeros_like(x)
    for i in range(3):
        for j in range(3):
            result += np.float32(0.01) * padded[:, :, i : i + 56, j : j + 56]
    return result


def top_k(x):
    places = np.argpartition(-x, 10)[:, :10]
    return -np.sort(-np.take_along_axis(x, places, 1))


def slices(x, starts):
    return np.stack([x[:, s : s + 32] for s in starts])


ROWS, WIDE = array(1, 4096, 1024), array(1, 4096, 768)
SQUARE, LOGITS, IMAGE, LONG = array(1024, 4096), array(1, 50000), array(1, 256, 56, 56), array(1, 2048, 768)
STARTS = random.integers(0, 2016, 64)
MODULES = {
    "sum_axis_1x4096x1024_bf16": lambda: ROWS.sum(2),
    "mean_axis_1x4096x1024_bf16": lambda: ROWS.mean(2),
    "layer_norm_1x4096x768_bf16": lambda: layer_norm(WIDE),
    "sort_full_1024x4096_bf16": lambda: np.sort(SQUARE, 1, kind="stable"),
    "topk_logits_k10_1x50000_bf16": lambda: top_k(LOGITS),
    "depthwise_conv_3x3_1x256x56x56_bf16": lambda: depthwise(IMAGE),
    "dynamic_slice_loop_1x2048x768_bf16": lambda: slices(LONG, STARTS),
}



# Computations that operations apply, and of each operation its entry's text and the same by numpy.
APPLIED = """HloModule one
add { a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT r = f32[] add(a, b) }
max { a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT r = f32[] maximum(a, b) }
less { a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT r = pred[] compare(a, b), direction=LT }
greater { a = f32[] parameter(0)
  b = f32[] parameter(1)
  i = s32[] parameter(2)
  j = s32[] parameter(3)
  ROOT r = pred[] compare(a, b), direction=GT }
greatest_place { a = f32[] parameter(0)
  i = s32[] parameter(1)
  b = f32[] parameter(2)
  j = s32[] parameter(3)
  greater = pred[] compare(a, b), direction=GT
  nan = pred[] compare(a, a), direction=NE
  keeps = pred[] or(greater, nan)
  equal = pred[] compare(a, b), direction=EQ
  before = pred[] compare(i, j), direction=LT
  tie = pred[] and(equal, before)
  keepsPlace = pred[] or(keeps, tie)
  value = f32[] select(keeps, a, b)
  place = s32[] select(keepsPlace, i, j)
  ROOT r = (f32[], s32[]) tuple(value, place) }
ENTRY e {
  zero = f32[] constant(0)
  first = s32[] constant(0)
  low = f32[] constant(-inf)
"""
MATRIX, LINE, TABLE = array(4096, 1024), array(1 << 20), array(50000, 768)
PLACES, FLAGS, UPDATES = random.integers(0, 50000, 4096), MATRIX > 0, array(4096, 768)
SIGNAL = SQUARE[:, :1024] + 1j * SQUARE[:, 1024:2048]
SQUARES = SQUARE[:, :1024].copy()
DEFINITE = np.where(np.eye(1024) == 1, np.float32(4096), SQUARES)
DEFINITES = np.where(np.eye(16) == 1, np.float32(4096), array(4096, 16, 16))


def largest(x):
    places = np.argpartition(-x, 10)[:, :10]
    values = np.take_along_axis(x, places, 1)
    order = np.argsort(-values, 1)
    return np.take_along_axis(values, order, 1), np.take_along_axis(places, order, 1)


def added(x, places, updates):
    result = x.copy()
    np.add.at(result, places, updates)
    return result


OPERATIONS = {
    "sort rows": (
        """x = f32[1024,4096] parameter(0)
  ROOT r = f32[1024,4096] sort(x), dimensions={1}, to_apply=less""",
        lambda: np.sort(SQUARE, 1),
    ),
    "sort columns": (
        """x = f32[4096,1024] parameter(0)
  ROOT r = f32[4096,1024] sort(x), dimensions={0}, to_apply=less""",
        lambda: np.sort(MATRIX, 0),
    ),
    "sort a million": (
        """x = f32[1048576] parameter(0)
  ROOT r = f32[1048576] sort(x), dimensions={0}, to_apply=less""",
        lambda: np.sort(LINE),
    ),
    "places in order": (
        """x = f32[1024,4096] parameter(0)
  i = s32[1024,4096] iota(), iota_dimension=1
  s = (f32[1024,4096], s32[1024,4096]) sort(x, i), dimensions={1}, is_stable=true, to_apply=greater
  ROOT r = s32[1024,4096] get-tuple-element(s), index=1""",
        lambda: np.argsort(-SQUARE, 1, kind="stable"),
    ),
    "ten largest by a sort": (
        """x = f32[1024,4096] parameter(0)
  i = s32[1024,4096] iota(), iota_dimension=1
  s = (f32[1024,4096], s32[1024,4096]) sort(x, i), dimensions={1}, is_stable=true, to_apply=greater
  v = f32[1024,4096] get-tuple-element(s), index=0
  p = s32[1024,4096] get-tuple-element(s), index=1
  a = f32[1024,10] slice(v), slice={[0:1024], [0:10]}
  b = s32[1024,10] slice(p), slice={[0:1024], [0:10]}
  ROOT r = (f32[1024,10], s32[1024,10]) tuple(a, b)""",
        lambda: largest(SQUARE),
    ),
    "running sums of rows": (
        """x = f32[1024,4096] parameter(0)
  ROOT r = f32[1024,4096] reduce-window(x, zero), window={size=1x4096 pad=0_0x4095_0}, to_apply=add""",
        lambda: np.cumsum(SQUARE, 1),
    ),
    "running sums of columns": (
        """x = f32[4096,1024] parameter(0)
  ROOT r = f32[4096,1024] reduce-window(x, zero), window={size=4096x1 pad=4095_0x0_0}, to_apply=add""",
        lambda: np.cumsum(MATRIX, 0),
    ),
    "largest of 2x2": (
        """x = f32[256,56,56] parameter(0)
  ROOT r = f32[256,28,28] reduce-window(x, zero), window={size=1x2x2 stride=1x2x2}, to_apply=max""",
        lambda: IMAGE.reshape(256, 28, 2, 28, 2).max((2, 4)),
    ),
    "gather rows": (
        """x = f32[50000,768] parameter(0)
  i = s32[4096] parameter(1)
  ROOT r = f32[4096,768] gather(x, i), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0},
    index_vector_dim=1, slice_sizes={1,768}""",
        lambda: TABLE[PLACES],
    ),
    "scatter rows": (
        """x = f32[50000,768] parameter(0)
  i = s32[4096] parameter(1)
  u = f32[4096,768] parameter(2)
  ROOT r = f32[50000,768] scatter(x, i, u), update_window_dims={1}, inserted_window_dims={0},
    scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add""",
        lambda: added(TABLE, PLACES, UPDATES),
    ),
    "concatenate": (
        """x = f32[4096,512] parameter(0)
  y = f32[4096,512] parameter(1)
  ROOT r = f32[4096,1024] concatenate(x, y), dimensions={1}""",
        lambda: np.concatenate([MATRIX[:, :512], MATRIX[:, 512:]], 1),
    ),
    "pad": (
        """x = f32[256,56,56] parameter(0)
  ROOT r = f32[256,58,58] pad(x, zero), padding=0_0x1_1x1_1""",
        lambda: np.pad(IMAGE[0], ((0, 0), (1, 1), (1, 1))),
    ),
    "select": (
        """p = pred[4096,1024] parameter(0)
  x = f32[4096,1024] parameter(1)
  y = f32[4096,1024] parameter(2)
  ROOT r = f32[4096,1024] select(p, x, y)""",
        lambda: np.where(FLAGS, MATRIX, MATRIX),
    ),
    "reverse": (
        """x = f32[4096,1024] parameter(0)
  ROOT r = f32[4096,1024] reverse(x), dimensions={1}""",
        lambda: MATRIX[:, ::-1].copy(),
    ),
    "fft of rows": (
        """x = c64[1024,1024] parameter(0)
  ROOT r = c64[1024,1024] fft(x), fft_type=FFT, fft_length={1024}""",
        lambda: np.fft.fft(SIGNAL),
    ),
    "cholesky of 1024": (
        """x = f32[1024,1024] parameter(0)
  rows = s32[1024,1024] iota(), iota_dimension=0
  columns = s32[1024,1024] iota(), iota_dimension=1
  diagonal = pred[1024,1024] compare(rows, columns), direction=EQ
  large = f32[] constant(4096)
  larges = f32[1024,1024] broadcast(large), dimensions={}
  a = f32[1024,1024] select(diagonal, larges, x)
  ROOT r = f32[1024,1024] cholesky(a), lower=true""",
        lambda: np.linalg.cholesky(DEFINITE),
    ),
    "cholesky of 4096 16x16": (
        """x = f32[4096,16,16] parameter(0)
  rows = s32[4096,16,16] iota(), iota_dimension=1
  columns = s32[4096,16,16] iota(), iota_dimension=2
  diagonal = pred[4096,16,16] compare(rows, columns), direction=EQ
  large = f32[] constant(4096)
  larges = f32[4096,16,16] broadcast(large), dimensions={}
  a = f32[4096,16,16] select(diagonal, larges, x)
  ROOT r = f32[4096,16,16] cholesky(a), lower=true""",
        lambda: np.linalg.cholesky(DEFINITES),
    ),
    "triangular solve of 1024": (
        """a = f32[1024,1024] parameter(0)
  b = f32[1024,1024] parameter(1)
  ROOT r = f32[1024,1024] triangular-solve(a, b), left_side=true, lower=true, transpose_a=NO_TRANSPOSE""",
        lambda: solve_triangular(DEFINITE, SQUARES),
    ),
    "log": (
        """x = f32[1048576] parameter(0)
  ROOT r = f32[1048576] log(x)""",
        lambda: np.log(np.abs(LINE)),
    ),
    "greatest of rows": (
        """x = f32[1024,4096] parameter(0)
  i = s32[1024,4096] iota(), iota_dimension=1
  g = (f32[1024], s32[1024]) reduce(x, i, low, first), dimensions={1}, to_apply=greatest_place
  ROOT r = s32[1024] get-tuple-element(g), index=1""",
        lambda: np.argmax(SQUARE, 1),
    ),
    "greatest of columns": (
        """x = f32[4096,1024] parameter(0)
  i = s32[4096,1024] iota(), iota_dimension=0
  g = (f32[1024], s32[1024]) reduce(x, i, low, first), dimensions={0}, to_apply=greatest_place
  ROOT r = s32[1024] get-tuple-element(g), index=1""",
        lambda: np.argmax(MATRIX, 0),
    ),
    "power": (
        """x = f32[1048576] parameter(0)
  y = f32[1048576] parameter(1)
  a = f32[1048576] abs(x)
  ROOT r = f32[1048576] power(a, y)""",
        lambda: np.power(np.abs(LINE), LINE),
    ),
    "cosine": (
        """x = f32[1048576] parameter(0)
  ROOT r = f32[1048576] cosine(x)""",
        lambda: np.cos(LINE),
    ),
    "sine": (
        """x = f32[1048576] parameter(0)
  ROOT r = f32[1048576] sine(x)""",
        lambda: np.sin(LINE),
    ),
}


def solve_triangular(a, b):
    """By OpenBLAS itself: numpy has no such function. Row-major, left, lower, not transposed, not of ones."""
    x = b.copy()
    n, count = b.shape
    address = [array.ctypes.data_as(ctypes.c_void_p) for array in (a, x)]
    OPENBLAS.cblas_strsm(101, 141, 122, 111, 131, n, count, ctypes.c_float(1), address[0], n, address[1], count)
    return x


def by_hilo(hilo, path):
    command = [hilo, "run", "--engine", "cpu", "--in-process", "--repeat", str(RUNS), "--json", path]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return min(json.loads(done.stdout)["samples_ns"]) / 1e3


def by_numpy(work):
    least = float("inf")
    for _ in range(RUNS):
        start = time.perf_counter()
        work()
        least = min(least, time.perf_counter() - start)
    return least * 1e6


def compare(hilo, name, path, work):
    rounds = [(by_hilo(hilo, path), by_numpy(work)) for _ in range(ROUNDS)]
    ours, theirs = (min(side) for side in zip(*rounds))
    print(f"| {name} | {ours:.0f} | {theirs:.0f} | {theirs / ours:.2g} |", flush=True)


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    hilo, *names = sys.argv[1:]
    folder = names.pop(0) if names and os.path.isdir(names[0]) else None
    print("| module | cpu engine, us | numpy, us | times as fast |\n|---|---|---|---|")
    if folder:
        for name in names or MODULES:
            compare(hilo, name, os.path.join(folder, name + ".hlo"), MODULES[name])
        return
    with tempfile.NamedTemporaryFile("w", suffix=".hlo") as file:
        for name in names or OPERATIONS:
            text, work = OPERATIONS[name]
            file.seek(0)
            file.truncate()
            file.write(APPLIED + "  " + text + " }\n")
            file.flush()
            compare(hilo, name, file.name, work)


if __name__ == "__main__":
    main()
