#!/usr/bin/env python3
"""Writes docs/conformance_passes.md from tests/conformance/xla_pass_tests.tsv and core/compiler/passes/table/xla_passes.def.

A test of XLA's whose property a row of tests/conformance/passes/rows/PASS.rows asserts bears its name there. The first
table has a line for each other one: pass, test, and one of "FILE:NAME" (what of ours asserts it: a word of a golden
file), "- REASON" (not asserted). The second has every pass of XLA's GPU pipeline with the number of its tests.

usage: conformance_passes.py [--check]
With --check nothing is written: it is an error when the page is old or when a named test is not in its file.
Exit status: 0 fine, 1 not, 2 wrong usage.
"""

import collections
import os
import re
import sys

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
TABLE = os.path.join(ROOT, "tests", "conformance", "xla_pass_tests.tsv")
ROWS = os.path.join(ROOT, "tests", "conformance", "passes", "rows")
PASSES = os.path.join(ROOT, "core", "compiler", "passes", "table", "xla_passes.def")
SPMD = os.path.join(ROOT, "tests", "conformance", "spmd")
PAGE = os.path.join(ROOT, "docs", "conformance_passes.md")
# Of these a matcher says most by layouts, which the patterns of xla_cases.tsv leave out.
BY_LAYOUTS = ("layout-assignment", "layout_normalization")
# What is asserted of XLA's own module, which is no part of this repository, says so.
THEIRS = "XLA's module: "

HEAD = """# Conformance with XLA's tests: passes of the GPU pipeline

Every pass of XLA's GPU pipeline (August 2026), by rank (A changes most real modules, C few): which of ours does what
it does, how many tests XLA has of it, how many of these were gone through test by test, and how many of them a row of
`tests/conformance/passes/rows` asserts on a module of Hilo's own: the pass changes it as XLA's test says, the verifier
takes the result, and the reference evaluator gives the same numbers before and after. Tests of copies, schedules and
the partitioner are gone through in pages of their own, and count here as they say. *Of its module*: asserted of XLA's
own module, which is no part of this repository, where `HILO_XLA_SOURCE` names XLA's sources: it stays as it is, or has
the root that the test's matcher names, or what the tables of the partitioner say. All modules that XLA's tests of passes
have as text (`xla_cases.tsv`) are run there, also those that count for nothing here. Where the evaluator can run one, its results
before and after are compared; `xla_case_gaps.tsv` names each that differs, fails or is otherwise than XLA's test says. Written by
`packaging/dev/conformance_passes.py`, which checks that what it names exists; it counts rows, and the tests run them.
"""


def read_passes():
    with open(PASSES, encoding="utf-8") as table:
        found = re.findall(r"XLA_PASS\(\"([^\"]*)\", '(.)', \"([^\"]*)\", (\d+), \"([^\"]*)\"\)", table.read())
    return [(name, rank, file, int(tests), ours) for name, rank, file, tests, ours in found]


def read_rows():
    """(pass, test, where) of every test that was gone through; a row's name with a capital is that of a test of XLA's.
    What the table says of a test that has a row is old."""
    rows = []
    for name in sorted(os.listdir(ROWS)):
        with open(os.path.join(ROWS, name), encoding="utf-8") as file:
            tests = re.findall(r"^([A-Z]\w*):", file.read(), re.M)
        rows += [(name.removesuffix(".rows"), test, f"tests/conformance/passes/rows/{name}:{test}") for test in tests]
    named = {row[:2] for row in rows}
    with open(TABLE, encoding="utf-8") as table:
        lines = [tuple(line.rstrip("\n").split("\t")) for line in table if line.strip()]
    return rows + [line for line in lines if line[:2] not in named]


def table_of(path):
    with open(path, encoding="utf-8") as table:
        return [line.rstrip("\n").split("\t") for line in table if line.strip()]


def copy_rows():
    """Of copy-insertion: xla_memory_tests.tsv."""
    for of, test, where in table_of(os.path.join(ROOT, "tests", "conformance", "xla_memory_tests.tsv")):
        if of == "copy_insertion_test":
            yield "copy-insertion", test, where


def schedule_rows():
    """Of the scheduler, its annotations and pipelined collectives: docs/conformance_schedules.md."""
    passes = {"latency_hiding_scheduler_test.cc": "latency-hiding-scheduler",
              "legalize_scheduling_annotations_test.cc": "legalize-scheduling-annotations",
              "collective_pipeliner_test.cc": "collective-pipeliner-forward"}
    with open(os.path.join(ROOT, "docs", "conformance_schedules.md"), encoding="utf-8") as page:
        sections = re.split(r"^## ", page.read(), flags=re.M)[1:]
    for section in sections:
        name = section.split("\n", 1)[0]
        for test, state in re.findall(r"^\| (\w+) \| (.*) \|$", section, flags=re.M)[1:]:
            if name in passes:
                held = state.startswith(("holds", "own test"))
                yield passes[name], test, f"docs/conformance_schedules.md:{test}" if held else f"- {state}"


def spmd_tests(name, heading):
    """XLA's tests that a module of ours in tests/conformance/spmd/NAME is for."""
    with open(os.path.join(SPMD, name), encoding="utf-8") as cases:
        heads = re.findall(heading, cases.read(), flags=re.M)
    return {test for head in heads for test in head.split()}


def partitioner_rows():
    """Of the partitioner: own_cases.txt has modules of ours, partitioner_cases.tsv what holds of XLA's."""
    own = spmd_tests("own_cases.txt", r"^([A-Z][\w ]+): \d+: ")
    gaps = {row[0]: row[2] for row in table_of(os.path.join(SPMD, "partitioner_gaps.tsv"))}
    for test, _, kinds, _ in table_of(os.path.join(SPMD, "partitioner_cases.tsv")):
        if test in gaps:
            yield "spmd-partitioning", test, f"- {gaps[test]}"
        elif test in own:
            yield "spmd-partitioning", test, f"tests/conformance/spmd/own_cases.txt:{test}"
        elif kinds != "-":
            yield "spmd-partitioning", test, f"{THEIRS}tests/conformance/spmd/partitioner_cases.tsv:{test}"
        else:
            yield "spmd-partitioning", test, "- partitioned, but what it asserts besides collectives is not"


def sharding_rows():
    """Of sharding propagation and Shardy: modules of ours, and tables of XLA's: which instruction has which sharding."""
    for of, ours, others, names in (
            ("sharding-propagation", "own_propagation.txt", "propagation_gaps.tsv", ["propagation_cases.tsv"]),
            ("shardy-xla", "own_shardy.txt", "shardy_xla_gaps.tsv", ["shardy_xla_cases.tsv", "shardy_xla_programs.tsv"])):
        own = spmd_tests(ours, r"^([A-Z][\w ]+): \d+$")
        gaps = {row[0]: row[1] for row in table_of(os.path.join(SPMD, others)) if not row[1].startswith("holds")}
        seen = set()
        for name in names:
            for test in [row[0] for row in table_of(os.path.join(SPMD, name))]:
                if test not in seen:
                    seen.add(test)
                    where = f"{ours}:{test}" if test in own else f"{name}:{test}"
                    claim = f"{'' if test in own else THEIRS}tests/conformance/spmd/{where}"
                    yield of, test, f"- {gaps[test]}" if test in gaps else claim


def case_rows():
    """Of modules that XLA's tests have as text: xla_cases.tsv, but for the gaps. Where a test only asks for some change,
    or compares the text of the result, that there is one and that results are equal is too little to count."""
    folder = os.path.join(ROOT, "tests", "conformance", "passes")
    gaps = {tuple(row[:2]) for row in table_of(os.path.join(folder, "xla_case_gaps.tsv"))}
    for of, _, test, change, root, *_ in table_of(os.path.join(folder, "xla_cases.tsv")):
        if (of, test) not in gaps and (change == "no" or (root != "-" and of not in BY_LAYOUTS)):
            yield of, test, f"{THEIRS}tests/conformance/passes/xla_cases.tsv:{test}"


def with_other_tables(rows):
    """The rows, and those of other tables, which say more of their passes than a row without assertion."""
    others = [*case_rows(), *copy_rows(), *schedule_rows(), *partitioner_rows(), *sharding_rows()]
    asserted = {row[:2] for row in rows if not row[2].startswith("- ")}
    others = [row for row in others if row[:2] not in asserted]
    said = {row[:2] for row in others}
    return [row for row in rows if row[:2] not in said] + others


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
        path, name = where.removeprefix(THEIRS).rsplit(":", 1)
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


def counts(rows):
    """How many are asserted, of modules of our own and of XLA's."""
    theirs = sum(where.startswith(THEIRS) for _, _, where in rows)
    return sum(not where.startswith("- ") for _, _, where in rows) - theirs, theirs


def sums(passes, rows):
    """A pass may have tests of a pass that it extends gone through as well: these count."""
    ranked = {entry[0] for entry in passes if entry[1] in "AB"}
    own, theirs = counts([row for row in rows if row[0] in ranked])
    through = collections.Counter(row[0] for row in rows)
    tests = sum(max(entry[3], through[entry[0]]) for entry in passes if entry[1] in "AB" and entry[4])
    return (f"Gone through: {len(rows)} tests of {len({row[0] for row in rows})} passes. Of the {tests} tests of passes "
            f"ranked A and B, {own} are asserted of modules of our own ({100 * own / tests:.0f}%), {theirs} more of XLA's "
            f"({100 * (own + theirs) / tests:.0f}% together). {own_rows()} rows more assert what XLA has no test of.")


def pass_line(entry, rows):
    name, rank, _, tests, ours = entry
    of = [row for row in rows if row[0] == name]
    own, theirs = counts(of)
    state = "not there yet" if not ours else f"`{ours}`" if ours != name else "same name"
    gone = f"{len(of)}" if of else "0" if ours else ""
    return f"| `{name}` | {rank} | {state} | {tests} | {gone} | {own if of else ''} | {theirs or ''} |"


def page(passes, rows):
    out = [HEAD, *totals(passes), "", sums(passes, rows), "",
           "| pass | rank | ours | XLA's tests | gone through | asserted | of its module |", "|---|---|---|---|---|---|---|"]
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
    passes, rows = read_passes(), with_other_tables(read_rows())
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
