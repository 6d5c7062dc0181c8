#!/usr/bin/env python3
"""Checks that every registered test carries exactly one of the labels fast, slow, gpu.

usage: check_labels.py BUILD_DIR
Exit status: 0 all do, 1 some do not, 2 wrong usage.
"""

import json
import subprocess
import sys

LABELS = {"fast", "slow", "gpu"}


def labels_of(test):
    for item in test.get("properties", []):
        if item["name"] == "LABELS":
            return set(item["value"])
    return set()


def main(arguments):
    if len(arguments) != 1:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    listing = subprocess.run(["ctest", "--test-dir", arguments[0], "--show-only=json-v1"],
                             capture_output=True, text=True, check=True)
    tests = json.loads(listing.stdout)["tests"]
    if not tests:
        print(f"no tests are registered in {arguments[0]}")
        return 1
    wrong = [test["name"] for test in tests if len(labels_of(test) & LABELS) != 1]
    for name in wrong:
        print(f"{name}: needs exactly one of the labels {', '.join(sorted(LABELS))}")
    print(f"{len(tests)} tests, {len(wrong)} without a proper label")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
