#!/usr/bin/env python3
"""Brings docs/conformance_schedules.md up to date: whether each test of XLA's about schedules holds.

    HILO_CONFORMANCE_TABLE=rows.md test_conformance_schedules
    write_table.py rows.md

The rows come from the tests. Which tests there are the page itself says; the state of one that wrote no row, as those
do whose modules are not at hand, stays as it is.
"""

import os
import re
import sys

# What the rows do not say.
STATES = {
    "GetLatencyFromMetadata": "own test: `latency_metadata_test`",
    "AsyncTrackerTestForTargetDefinedResources": "not covered: resources are a fixed list, a target's are in it",
    "AddDeleteOccupierForSharedResource": "not covered: operations that share a link's bandwidth are not modelled",
    "MemoryPressureTrackingWithAsyncCollective":
        "not covered: the peak is counted 8 bytes lower, an asynchronous pair's table of pointers",
    "D2DTargetRuleDetectsOpenWindowInBothDirections":
        "not covered alone: the rule is the scheduler's own; the two tests of its windows hold",
    "ForwardSinkWithClonedInvariantParameters":
        "not covered, on purpose: the loop stores slices 5 to 14 of 10, and sunk as XLA does the results are others",
}
FAILS = ("not covered", "does not hold")


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    rows = {}
    with open(sys.argv[1], encoding="utf-8") as file:
        for line in file:
            name, state = [cell.strip() for cell in line.strip().strip("|").split("|")]
            if rows.get(name) != "does not hold":
                rows[name] = state
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
    page = os.path.join(root, "docs", "conformance_schedules.md")
    with open(page, encoding="utf-8") as file:
        head, *old = re.split(r"^## ", file.read(), flags=re.M)
    sections, summary = [], []
    for section in old:
        name = section.split("\n", 1)[0]
        tests = re.findall(r"^\| (\w+) \| (.*) \|$", section, flags=re.M)[1:]
        states = [(test, STATES.get(test) or rows.get(test) or state) for test, state in tests]
        failed = sum(state.startswith(FAILS) for _, state in states)
        own = sum(state.startswith("own") for _, state in states)
        summary.append(f"| {name} | {len(tests)} | {len(tests) - failed - own} | {own} | {failed} |\n")
        table = "".join(f"| {test} | {state} |\n" for test, state in states)
        sections.append(f"\n## {name}\n\n| test | state |\n|---|---|\n{table}")
    with open(page, "w", encoding="utf-8") as file:
        file.write(head.split("| tests |")[0] + "| tests | of them | hold | own test instead | not covered |\n|---|---|---|---|---|\n")
        file.write("".join(summary) + "".join(sections))


main()
