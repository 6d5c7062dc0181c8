#!/usr/bin/env python3
"""time_by_xla.py [RESULTS]: times the modules of this folder by XLA, where JAX with a GPU is installed, in turns with
Hilo's programs (bin/hilo-loader), and writes both as JSON to RESULTS (default: by_xla.json here).

Each module is compiled by XLA from the same HLO text. A turn is one run of each; the median of 50 turns counts. Arguments
are random and the same in shape, not in value: only the times are compared.

Exit status: 0, or 3 where there is no JAX or no GPU.
"""

import json
import os
import pathlib
import statistics
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
TURNS = 50


def client():
    """JAX's client of the GPU, or an exit with the reason."""
    try:
        import jax
    except ImportError as error:
        print(f"time_by_xla.py: no JAX: {error}", file=sys.stderr)
        sys.exit(3)
    try:
        return jax.devices("gpu")[0].client
    except RuntimeError as error:
        print(f"time_by_xla.py: no GPU: {error}", file=sys.stderr)
        sys.exit(3)


def compiled(backend, text):
    """The module as XLA compiles it, with the shapes of its arguments."""
    from jax._src.lib import xla_client

    module = xla_client._xla.hlo_module_from_text(text)
    computation = xla_client.XlaComputation(module.as_serialized_hlo_module_proto())
    mlir = xla_client._xla.mlir.xla_computation_to_mlir_module(computation)
    devices = xla_client.DeviceList(tuple(backend.local_devices()[:1]))
    return backend.compile_and_load(mlir, devices), computation.program_shape().parameter_shapes()


def arguments(backend, shapes):
    import numpy as np

    random = np.random.default_rng(7)
    made = []
    for shape in shapes:
        kind = shape.numpy_dtype()
        values = random.standard_normal(shape.dimensions()) if np.issubdtype(kind, np.floating) else np.zeros(
            shape.dimensions())
        made.append(backend.buffer_from_pyval(values.astype(kind)))
    return made


def by_xla(executable, given):
    start = time.perf_counter_ns()
    for result in executable.execute(given):
        result.block_until_ready()
    return time.perf_counter_ns() - start


def by_hilo(program):
    """The median of a few runs in one process: starting it is not counted."""
    environment = dict(os.environ, LD_LIBRARY_PATH=str(HERE / "lib"))
    ran = subprocess.run(
        [HERE / "bin/hilo-loader", program, "--device", "cuda", "--graphs", "5", "--repeat", "20", "--json"],
        env=environment, capture_output=True, text=True, check=False)
    if ran.returncode != 0:
        return None, ran.stderr.strip()
    return json.loads(ran.stdout)["median_ns"], ""


def main():
    backend = client()
    rows = []
    for program in sorted((HERE / "modules").glob("*.program")):
        executable, shapes = compiled(backend, program.with_suffix(".hlo").read_text())
        given = arguments(backend, shapes)
        by_xla(executable, given)
        xla, hilo, error = [], [], ""
        for _ in range(TURNS // 10):
            xla += [by_xla(executable, given) for _ in range(10)]
            ours, error = by_hilo(program)
            if ours is not None:
                hilo.append(ours)
        row = {"module": program.stem, "xla_ns": statistics.median(xla), "hilo_ns": None, "error": error}
        if hilo:
            row["hilo_ns"] = statistics.median(hilo)
            row["xla_over_hilo"] = row["xla_ns"] / row["hilo_ns"]
        rows.append(row)
    results = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else HERE / "by_xla.json"
    results.write_text(json.dumps(rows, indent=2) + "\n")
    ratios = [row["xla_over_hilo"] for row in rows if row["hilo_ns"]]
    mean = statistics.geometric_mean(ratios) if ratios else float("nan")
    print(f"{len(ratios)} modules, geometric mean of XLA's time over Hilo's {mean:.2f}; {results}")


if __name__ == "__main__":
    main()
