#!/usr/bin/env python3
"""Writes docs/conformance_passes.md from tests/conformance/xla_pass_tests.tsv and core/compiler/passes/xla_passes.def.

The first has a line for each of XLA's tests of a pass that was gone through: pass, test, and one of "FILE:NAME" (what
of ours asserts its property: a test, or a word of a golden file), "- REASON" (not asserted). The second has every pass
of XLA's GPU pipeline with the number of its tests.

usage: conformance_passes.py [--check]
With --check nothing is written: it is an error when the page is old or when a named test is not in its file.
Exit status: 0 fine, 1 not, 2 wrong usage.
"""

import os
import re
import sys

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
TABLE = os.path.join(ROOT, "tests", "conformance", "xla_pass_tests.tsv")
PASSES = os.path.join(ROOT, "core", "compiler", "passes", "xla_passes.def")
PAGE = os.path.join(ROOT, "docs", "conformance_passes.md")

HEAD = """# Conformance with XLA's tests: passes of the GPU pipeline

Every pass of XLA's GPU pipeline (August 2026), by rank (A changes most real modules, C few): which of ours does what
it does, how many tests XLA has of it, how many of these were gone through test by test, and how many of them a test of
Hilo asserts on a module of its own. Written by `packaging/dev/conformance_passes.py`, which checks that the tests it
names exist.
"""


def read_passes():
    with open(PASSES, encoding="utf-8") as table:
        found = re.findall(r"XLA_PASS\(\"([^\"]*)\", '(.)', \"([^\"]*)\", (\d+), \"([^\"]*)\"\)", table.read())
    return [(name, rank, file, int(tests), ours) for name, rank, file, tests, ours in found]


def read_rows():
    with open(TABLE, encoding="utf-8") as table:
        return [line.rstrip("\n").split("\t") for line in table if line.strip()]


def missing_tests(rows):
    missing = []
    for _, test, where in rows:
        if where.startswith("- "):
            continue
        path, name = where.rsplit(":", 1)
        full = os.path.join(ROOT, path)
        text = open(full, encoding="utf-8").read() if os.path.exists(full) else ""
        if name not in text:
            missing.append(f"{test}: {where} is not there")
    return missing


def totals(passes):
    lines = ["| rank | passes | there | tests of XLA's for those that are there |", "|---|---|---|---|"]
    for rank in "ABC":
        of = [p for p in passes if p[1] == rank]
        there = [p for p in of if p[4]]
        lines.append(f"| {rank} | {len(of)} | {len(there)} | {sum(p[3] for p in there)} |")
    return lines


def pass_line(entry, rows):
    name, rank, _, tests, ours = entry
    of = [row for row in rows if row[0] == name]
    asserted = sum(not where.startswith("- ") for _, _, where in of)
    state = "not there yet" if not ours else f"`{ours}`" if ours != name else "same name"
    gone = f"{len(of)}" if of else "0" if ours else ""
    return f"| `{name}` | {rank} | {state} | {tests} | {gone} | {asserted if of else ''} |"


def page(passes, rows):
    out = [HEAD, *totals(passes), "", "| pass | rank | ours | XLA's tests | gone through | asserted |",
           "|---|---|---|---|---|---|"]
    out += [pass_line(entry, rows) for entry in sorted(passes, key=lambda p: (p[1], p[0]))]
    out += ["", "## Test by test", ""]
    for name in sorted({row[0] for row in rows}):
        out += [f"### {name}", "", "| XLA's test | asserted by, or why not |", "|---|---|"]
        out += [f"| {test} | {where[2:] if where.startswith('- ') else '`' + where + '`'} |"
                for of, test, where in rows if of == name]
        out.append("")
    return "\n".join(out).rstrip("\n") + "\n"


def main(arguments):
    if arguments not in ([], ["--check"]):
        print(__doc__, file=sys.stderr)
        return 2
    passes, rows = read_passes(), read_rows()
    problems = missing_tests(rows)
    problems += [f"{row[0]}: no such pass" for row in rows if row[0] not in {p[0] for p in passes}]
    text = page(passes, rows)
    if not arguments:
        with open(PAGE, "w", encoding="utf-8") as file:
            file.write(text)
    elif not os.path.exists(PAGE) or open(PAGE, encoding="utf-8").read() != text:
        problems.append("docs/conformance_passes.md is old: run packaging/dev/conformance_passes.py")
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
