#!/usr/bin/env python3
"""Writes docs/conformance_schedules.md: every test of XLA's about schedules, and whether it holds.

    HILO_XLA_SOURCE=... HILO_CONFORMANCE_TABLE=rows.md test_conformance_schedules
    HILO_XLA_SOURCE=... write_table.py rows.md

The rows come from the tests, the lists of tests from XLA's sources, the rest from what stands below.
"""

import os
import re
import sys

FILES = [
    "xla/service/latency_hiding_scheduler_test.cc",
    "xla/service/gpu/gpu_latency_hiding_scheduler_test.cc",
    "xla/service/legalize_scheduling_annotations_test.cc",
    "xla/service/collective_pipeliner_test.cc",
    "xla/service/hlo_schedule_test.cc",
]
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
OWN = {
    "hlo_schedule_test.cc": "own test: `schedule_update_test`",
}
FAILS = ("not covered", "does not hold")


def main():
    if len(sys.argv) != 2 or "HILO_XLA_SOURCE" not in os.environ:
        sys.exit(__doc__)
    rows = {}
    with open(sys.argv[1], encoding="utf-8") as file:
        for line in file:
            name, state = [cell.strip() for cell in line.strip().strip("|").split("|")]
            if rows.get(name) != "does not hold":
                rows[name] = state
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
    page = os.path.join(root, "docs", "conformance_schedules.md")
    sections, summary = [], []
    for path in FILES:
        with open(os.path.join(os.environ["HILO_XLA_SOURCE"], path), encoding="utf-8") as file:
            tests = re.findall(r"^TEST(?:_[FP])?\(\s*\w+,\s*(\w+)\s*\)", file.read(), flags=re.M)
        name = os.path.basename(path)
        states = [STATES.get(t) or rows.get(t) or OWN.get(name, "not covered") for t in tests]
        failed = sum(state.startswith(FAILS) for state in states)
        own = sum(state.startswith("own") for state in states)
        summary.append(f"| {name} | {len(tests)} | {len(tests) - failed - own} | {own} | {failed} |\n")
        table = "".join(f"| {t} | {s} |\n" for t, s in zip(tests, states))
        sections.append(f"\n## {name}\n\n| test | state |\n|---|---|\n{table}")
    with open(page, encoding="utf-8") as file:
        head = file.read().split("| tests |")[0]
    with open(page, "w", encoding="utf-8") as file:
        file.write(head + "| tests | of them | hold | own test instead | not covered |\n|---|---|---|---|---|\n")
        file.write("".join(summary) + "".join(sections))


main()
