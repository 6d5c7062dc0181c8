#!/usr/bin/env python3
"""Counts the instructions that get the sharding that XLA gave them.

    shardings_table.py HILO FOLDER

Below FOLDER lie dumps with a stage before and one behind sharding-propagation. Hilo spreads the shardings of the first;
each instruction that has the same name in both results has to have the same sharding: the same tile on each device,
however it is written. Prints each that differs, and the sums.
"""

import itertools
import math
import os
import re
import subprocess
import sys

BEFORE, AFTER = "before_sharding-propagation", "after_sharding-propagation"


def devices_in_order(text):
    """Of "[2,2]<=[4]" or "[2,2]0,2,1,3" the devices, tile by tile."""
    iota = re.match(r"<=\[([\d,]+)\](?:T\(([\d,]+)\))?", text)
    if not iota:
        return [int(device) for device in re.match(r"[\d,]+", text)[0].strip(",").split(",")]
    sizes = [int(size) for size in iota[1].split(",")]
    order = [int(i) for i in iota[2].split(",")] if iota[2] else list(range(len(sizes)))
    strides = [math.prod(sizes[i + 1:]) for i in range(len(sizes))]
    places = itertools.product(*[range(sizes[i]) for i in order])
    return [sum(place * strides[i] for place, i in zip(at, order)) for at in places]


def tiles(text):
    """What each device has, of one sharding without its metadata."""
    found = re.match(r"\{devices=\[([\d,]+)\](.*)\}$", text)
    if not found:
        return text
    sizes = [int(size) for size in found[1].split(",")]
    groups = re.search(r"last_tile_dims=\{([^}]*)\}", text)
    kinds = groups[1].replace(" ", "").split(",") if groups else ["replicated"] * ("last_tile_dim_replicate" in text)
    rank = len(sizes) - len(kinds)
    if all(size == 1 for size in sizes[:rank]) and all(kind == "replicated" for kind in kinds):
        return "{replicated}"
    places = itertools.product(*[range(size) for size in sizes])
    kept = [i for i in range(len(sizes)) if i < rank or kinds[i - rank] != "replicated"]
    return tuple(sorted((device, tuple(at[i] for i in kept))
                        for device, at in zip(devices_in_order(found[2]), places)))


def shardings(text):
    """By name, of the instructions that have one."""
    result = {}
    for line in text.splitlines():
        name = re.match(r"\s*(?:ROOT )?%?([\w.\-]+) = ", line)
        at = line.find(", sharding={")
        if not name or at < 0:
            continue
        start, depth = at + len(", sharding="), 0
        for end in range(start, len(line)):
            depth += {"{": 1, "}": -1}.get(line[end], 0)
            if depth == 0:
                break
        plain = re.sub(r" ?metadata=\{(\{[^{}]*\}|[^{}])*\}", "", line[start:end + 1])
        parts = re.findall(r"\{[^{}]*(?:\{[^{}]*\})?[^{}]*\}", plain[1:-1]) if plain.startswith("{{") else [plain]
        result[name[1]] = [tiles(part) for part in parts]
    return result


def pairs(folder):
    for place, _, files in sorted(os.walk(folder)):
        before = [name for name in files if name.endswith(BEFORE + ".txt")]
        after = [name for name in files if AFTER in name]
        if before and after:
            yield os.path.join(place, before[0]), os.path.join(place, after[0])


def main():
    if len(sys.argv) != 3:
        print(__doc__, file=sys.stderr)
        sys.exit(2)
    same = every = modules = 0
    for before, after in pairs(sys.argv[2]):
        run = subprocess.run([sys.argv[1], "opt", "--passes=sharding-propagation", before], capture_output=True, text=True)
        if run.returncode:
            print(f"{before}: {run.stderr.splitlines()[0]}")
            continue
        with open(after, encoding="utf-8") as file:
            theirs = shardings(file.read())
        ours = shardings(run.stdout)
        modules += 1
        for name in theirs:
            if name not in ours:
                continue
            every += 1
            same += ours[name] == theirs[name]
            if ours[name] != theirs[name]:
                print(f"{before}: {name}")
    print(f"{same} of {every} instructions of {modules} modules have XLA's sharding ({100 * same / max(every, 1):.1f}%)")


if __name__ == "__main__":
    main()
