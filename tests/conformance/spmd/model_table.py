#!/usr/bin/env python3
"""Prints a table of what partitioning makes of models, one row a module for several devices.

    model_table.py HILO FOLDER [--device h200]

Every file *before_optimizations.txt below FOLDER whose header has num_partitions is partitioned by the pipeline spmd
and scheduled. Columns: devices; bytes of the peak on one device and time of collectives that no work hides, once
scheduled; the collectives by kind; involuntary full rematerializations; operations that run whole on each device;
seconds that partitioning took. A module that is not partitioned or scheduled has the error's kind instead.
"""

import argparse
import collections
import json
import os
import re
import subprocess
import sys
import tempfile
import time

KINDS = ["all-gather", "all-reduce", "all-to-all", "collective-permute"]


def modules(folder):
    """(name, file) of each module for several devices."""
    for place, _, files in sorted(os.walk(folder)):
        for name in sorted(files):
            path = os.path.join(place, name)
            if not name.endswith("before_optimizations.txt"):
                continue
            with open(path, encoding="utf-8") as file:
                if re.search(r"num_partitions=\d", file.readline()):
                    program = re.sub(r"^module_\d+\.|\.before_optimizations\.txt$", "", name)
                    yield f"{os.path.relpath(place, folder)} {program}", path


def error_of(run):
    found = re.search(r"error: ([\w-]+):", run.stderr)
    return found.group(1) if found else f"exit {run.returncode}"


def row_of(hilo, path, device, work):
    with open(path, encoding="utf-8") as file:
        devices = re.search(r"num_partitions=(\d+)", file.readline()).group(1)
    output = os.path.join(work, "one_device.hlo")
    begin = time.monotonic()
    made = subprocess.run([hilo, "opt", "--pipeline", "spmd", "--remarks", path, "-o", output],
                          capture_output=True, text=True)
    seconds = time.monotonic() - begin
    if made.returncode != 0:
        return [devices, error_of(made)]
    remarks = collections.Counter(re.findall(r"^spmd-partitioning: [^:]*: ([\w-]+):", made.stderr, re.M))
    ordered = subprocess.run([hilo, "schedule", "--json", "--device", device, output], capture_output=True, text=True)
    if ordered.returncode != 0:
        return [devices, error_of(ordered)]
    scheduled = json.loads(ordered.stdout)["scheduled"]
    return [devices, f"{scheduled['peakBytes'] / 2**30:.2f} GiB", f"{scheduled['exposedNs'] / 1e6:.2f} ms",
            *(str(remarks[kind]) for kind in KINDS), str(remarks["full-rematerialization"]),
            str(remarks["replicated"]), f"{seconds:.1f}"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("hilo")
    parser.add_argument("folder")
    parser.add_argument("--device", default="h200")
    options = parser.parse_args()
    titles = ["model", "devices", "a device", "exposed", *KINDS, "full rematerializations", "whole", "seconds"]
    print("| " + " | ".join(titles) + " |")
    print("|" + "---|" * len(titles))
    with tempfile.TemporaryDirectory() as work:
        for name, path in modules(options.folder):
            print("| " + " | ".join([name, *row_of(options.hilo, path, options.device, work)]) + " |")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
