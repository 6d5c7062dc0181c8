#!/usr/bin/env python3
"""Tables of our collectives against XLA's, for docs/partitioning.md: of every dump below a folder that has a stage
before spmd-partitioning, its module before optimization against its optimized one.

usage: against_table.py HILO FOLDER
"""
import collections
import glob
import json
import os
import subprocess
import sys

OWN = "CustomSPMDPartitioning"  # calls that bring their partitioner along, which a dump does not have


def dumps(folder):
    for stage in sorted(glob.glob(os.path.join(folder, "**", "*before_spmd-partitioning*"), recursive=True)):
        place = os.path.dirname(stage)
        before = glob.glob(os.path.join(place, "*before_optimizations.txt"))
        after = glob.glob(os.path.join(place, "*after_optimizations.txt"))
        if before and after:
            yield os.path.relpath(place, folder), before[0], after[0]


def brings_partitioner(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return OWN in file.read()


def against(hilo, before, after):
    done = subprocess.run([hilo, "partition", before, "--against", after, "--json"],
                          capture_output=True, text=True, timeout=300, check=False)
    return (json.loads(done.stdout), "") if done.returncode == 0 else (None, done.stderr.strip().split("\n")[0])


def mib(count):
    return f"{count / 2**20:,.1f} MiB"


def ratio(ours, xlas):
    return f"{ours / xlas:.2f}" if xlas else ("" if not ours else "only here")


def print_sums(title, results):
    sums = collections.defaultdict(lambda: [0, 0, 0, 0])
    for result in results:
        for row in result["kinds"] + [dict(result["sum"], kind="**all**")]:
            entry = sums[row["kind"]]
            for i, (what, side) in enumerate([("arrays", "hilo"), ("arrays", "xla"), ("bytes", "hilo"), ("bytes", "xla")]):
                entry[i] += row[what][side]
    print(f"\n{title}: {len(results)} modules\n\n| kind | arrays | XLA's | bytes | XLA's | ratio |\n|---|---|---|---|---|---|")
    for kind, (ours, xlas, our_bytes, xla_bytes) in sorted(sums.items(), key=lambda row: (row[0][0] == "*", row[0])):
        print(f"| {kind} | {ours} | {xlas} | {mib(our_bytes)} | {mib(xla_bytes)} | {ratio(our_bytes, xla_bytes)} |")


def print_differences(results):
    print("\n| module | bytes | XLA's | only here | only XLA's |\n|---|---|---|---|---|")
    for name, result in results:
        sides = []
        for side in ("onlyHilo", "onlyXla"):
            counts = collections.Counter((row["kind"], row["shape"]) for row in result[side])
            sides.append("; ".join(f"{kind} {shape}" + (f" x {n}" if n > 1 else "") for (kind, shape), n in counts.items()))
        if any(sides):
            total = result["sum"]["bytes"]
            print(f"| {name} | {mib(total['hilo'])} | {mib(total['xla'])} | {sides[0]} | {sides[1]} |")


def main():
    hilo, folder = sys.argv[1], sys.argv[2]
    known, own, refused = [], [], []
    for name, before, after in dumps(folder):
        result, why = against(hilo, before, after)
        if result is None:
            refused.append((name, why))
        else:
            (own if brings_partitioner(before) else known).append((name, result))
    print_sums("XLA's rules alone", [result for _, result in known])
    print_sums(f"with {OWN}", [result for _, result in own])
    print_differences(known)
    for name, why in refused:
        print(f"\nnot compared: {name}: {why}")


if __name__ == "__main__":
    main()
