#!/usr/bin/env python3
"""Writes docs/conformance_passes.md from tests/conformance/xla_pass_tests.tsv and core/compiler/passes/xla_passes.def.

A test of XLA's whose property a row of tests/conformance/passes/rows/PASS.rows asserts bears its name there. The first
table has a line for each other one: pass, test, and one of "FILE:NAME" (what of ours asserts it: a word of a golden
file), "- REASON" (not asserted). The second has every pass of XLA's GPU pipeline with the number of its tests.

usage: conformance_passes.py [--check]
With --check nothing is written: it is an error when the page is old or when a named test is not in its file.
Exit status: 0 fine, 1 not, 2 wrong usage.
"""

import os
import re
import sys

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
TABLE = os.path.join(ROOT, "tests", "conformance", "xla_pass_tests.tsv")
ROWS = os.path.join(ROOT, "tests", "conformance", "passes", "rows")
PASSES = os.path.join(ROOT, "core", "compiler", "passes", "xla_passes.def")
PAGE = os.path.join(ROOT, "docs", "conformance_passes.md")

HEAD = """# Conformance with XLA's tests: passes of the GPU pipeline

Every pass of XLA's GPU pipeline (August 2026), by rank (A changes most real modules, C few): which of ours does what
it does, how many tests XLA has of it, how many of these were gone through test by test, and how many of them a row of
`tests/conformance/passes/rows` asserts on a module of Hilo's own: the pass changes it as XLA's test says, the verifier
takes the result, and the reference evaluator gives the same numbers before and after. Written by
`packaging/dev/conformance_passes.py`, which checks that what it names exists.
"""


def read_passes():
    with open(PASSES, encoding="utf-8") as table:
        found = re.findall(r"XLA_PASS\(\"([^\"]*)\", '(.)', \"([^\"]*)\", (\d+), \"([^\"]*)\"\)", table.read())
    return [(name, rank, file, int(tests), ours) for name, rank, file, tests, ours in found]


def read_rows():
    """(pass, test, where) of every test that was gone through; a row's name with a capital is that of a test of XLA's."""
    rows = []
    for name in sorted(os.listdir(ROWS)):
        with open(os.path.join(ROWS, name), encoding="utf-8") as file:
            tests = re.findall(r"^([A-Z]\w*):", file.read(), re.M)
        rows += [(name.removesuffix(".rows"), test, f"tests/conformance/passes/rows/{name}:{test}") for test in tests]
    with open(TABLE, encoding="utf-8") as table:
        rows += [tuple(line.rstrip("\n").split("\t")) for line in table if line.strip()]
    return rows


def own_rows():
    """How many rows assert what XLA has no test of."""
    count = 0
    for name in os.listdir(ROWS):
        with open(os.path.join(ROWS, name), encoding="utf-8") as file:
            count += len(re.findall(r"^(?!passes:)[a-z]\w*:", file.read(), re.M))
    return count


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


def sums(rows):
    asserted = sum(not where.startswith("- ") for _, _, where in rows)
    return (f"Gone through: {len(rows)} tests of {len({row[0] for row in rows})} passes; asserted: {asserted}. "
            f"{own_rows()} rows more assert what XLA has no test of.")


def pass_line(entry, rows):
    name, rank, _, tests, ours = entry
    of = [row for row in rows if row[0] == name]
    asserted = sum(not where.startswith("- ") for _, _, where in of)
    state = "not there yet" if not ours else f"`{ours}`" if ours != name else "same name"
    gone = f"{len(of)}" if of else "0" if ours else ""
    return f"| `{name}` | {rank} | {state} | {tests} | {gone} | {asserted if of else ''} |"


def page(passes, rows):
    out = [HEAD, *totals(passes), "", sums(rows), "", "| pass | rank | ours | XLA's tests | gone through | asserted |",
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
