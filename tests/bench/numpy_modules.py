#!/usr/bin/env python3
"""XLA's CPU benchmark modules by the cpu engine and the same by numpy: the shortest of several runs of each, in turn.

    tests/bench/numpy_modules.py HILO FOLDER        FOLDER: xla/backends/cpu/benchmarks/hlo

numpy has no bf16, so that it works on f32, twice the bytes. Run by hand; needs numpy. Each round starts hilo anew, which
times the run and not its own start.
"""

import json
import os
import subprocess
import sys
import time

os.environ.setdefault("OPENBLAS_CORETYPE", "SkylakeX")
import numpy as np  # noqa: E402

ROUNDS, RUNS = 5, 10
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


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    hilo, folder = sys.argv[1:]
    print("| module | cpu engine, us | numpy, us | times as fast |\n|---|---|---|---|")
    for name, work in MODULES.items():
        rounds = [(by_hilo(hilo, os.path.join(folder, name + ".hlo")), by_numpy(work)) for _ in range(ROUNDS)]
        ours, theirs = (min(side) for side in zip(*rounds))
        print(f"| {name} | {ours:.0f} | {theirs:.0f} | {theirs / ours:.1f} |")


if __name__ == "__main__":
    main()
