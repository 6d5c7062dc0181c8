#!/usr/bin/env python3
"""Runs golden tests: each file of tests/golden/<area>/ holds a command, its input and its expected output.

    // RUN: hilo opt --passes=dce %s
    // EXIT: 1                            (only where the command before it should not end with 0)
    HloModule m
    ...
    // ----- expected
    the exact output, standard output and standard error together

`#` may stand for `//`. %s is the part before the `expected` line, given to the tool as a file of the same
name (so line numbers agree), and shown in the output by that name alone. Several RUN lines run in order
and their outputs follow one another. `hilo` is the only program a RUN line may start.

usage: run_golden.py --hilo PROGRAM [--update] [FILE|FOLDER]...     (default: all of tests/golden)
Exit status: 0 all agree (or were updated), 1 some differ, 2 wrong usage or a malformed golden file.
"""

import argparse
import concurrent.futures
import difflib
import os
import re
import shlex
import subprocess
import sys
import tempfile

GOLDEN_ROOT = os.path.dirname(os.path.abspath(__file__))
REPOSITORY_ROOT = os.path.dirname(os.path.dirname(GOLDEN_ROOT))
ENDINGS = (".hlo", ".txt", ".mlir")
TIMEOUT_SECONDS = 60

DIRECTIVE = re.compile(r"^(?://|#) ?(RUN|EXIT): *(.*?) *$")
EXPECTED_MARK = re.compile(r"^(?://|#) ?-----+ expected *$")


class Malformed(Exception):
    """The golden file itself is wrong."""


class Golden:
    """One golden file: its commands as [arguments, exit code], its input text and its expected text."""

    def __init__(self, path):
        self.path = path
        with open(path, encoding="utf-8", newline="") as file:
            lines = file.read().splitlines(keepends=True)
        marks = [i for i, line in enumerate(lines) if EXPECTED_MARK.match(line.rstrip("\n"))]
        if len(marks) > 1:
            raise Malformed("more than one `----- expected` line")
        split = marks[0] if marks else len(lines)
        self.input = "".join(lines[:split])
        self.expected = "".join(lines[split + 1 :]) if marks else None
        self.commands = self._read_commands(lines[:split])

    @staticmethod
    def _read_commands(lines):
        commands = []
        for line in lines:
            match = DIRECTIVE.match(line.rstrip("\n"))
            if not match:
                continue
            if match[1] == "RUN":
                arguments = shlex.split(match[2])
                if arguments[:1] != ["hilo"]:
                    raise Malformed(f"RUN line does not start `hilo`: {match[2]}")
                commands.append([arguments, 0])
            elif not commands:
                raise Malformed("EXIT line before any RUN line")
            elif not match[2].isdigit():
                raise Malformed(f"EXIT line without a number: {match[2]}")
            else:
                commands[-1][1] = int(match[2])
        if not commands:
            raise Malformed("no RUN line")
        return commands

    def run(self, hilo):
        """The merged output of all commands, and the complaints about their exit codes."""
        output, complaints = "", []
        name = os.path.basename(self.path)
        with tempfile.TemporaryDirectory(prefix="golden.") as folder:
            input_path = os.path.join(folder, name)
            with open(input_path, "w", encoding="utf-8", newline="") as file:
                file.write(self.input)
            for arguments, expected_exit in self.commands:
                command = [hilo] + [a.replace("%s", input_path) for a in arguments[1:]]
                try:
                    done = subprocess.run(
                        command, cwd=REPOSITORY_ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                        stderr=subprocess.STDOUT, timeout=TIMEOUT_SECONDS)
                except subprocess.TimeoutExpired:
                    complaints.append(f"{shlex.join(arguments)}: still running after {TIMEOUT_SECONDS} s")
                    continue
                output += done.stdout.decode("utf-8", errors="backslashreplace").replace(input_path, name)
                if done.returncode != expected_exit:
                    complaints.append(f"{shlex.join(arguments)}: exit {done.returncode}, expected {expected_exit}")
        return output, complaints

    def rewrite(self, output):
        """Writes the file again with `output` as the expected text."""
        marker = "#" if self.input.startswith("#") else "//"
        separator = "" if self.input.endswith("\n") else "\n"
        with open(self.path, "w", encoding="utf-8", newline="") as file:
            file.write(f"{self.input}{separator}{marker} ----- expected\n{output}")


def check(path, hilo, update):
    """Runs one golden file; returns (status, report) with status one of ok, updated, differs, malformed."""
    shown = os.path.relpath(path, REPOSITORY_ROOT)
    try:
        golden = Golden(path)
    except (Malformed, UnicodeDecodeError, ValueError) as error:
        return "malformed", f"{shown}: {error}\n"
    output, complaints = golden.run(hilo)
    report = "".join(f"{shown}: {complaint}\n" for complaint in complaints)
    if complaints:
        return "differs", report + output
    if output == golden.expected:
        return "ok", ""
    if update:
        golden.rewrite(output)
        return "updated", f"updated {shown}\n"
    before = (golden.expected or "").splitlines(keepends=True)
    diff = difflib.unified_diff(before, output.splitlines(keepends=True), f"{shown} (expected)", "output")
    return "differs", "".join(line if line.endswith("\n") else line + "\n" for line in diff)


def golden_files(places):
    for place in places:
        if os.path.isfile(place):
            yield os.path.abspath(place)
            continue
        for folder, folders, names in os.walk(place):
            folders.sort()
            for name in sorted(names):
                if name.endswith(ENDINGS) and name != "CMakeLists.txt":
                    yield os.path.abspath(os.path.join(folder, name))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hilo", required=True, help="the built `hilo`")
    parser.add_argument("--update", action="store_true", help="rewrite the expected part where it differs")
    parser.add_argument("places", nargs="*", default=[GOLDEN_ROOT], help="golden files or folders of them")
    options = parser.parse_args()
    hilo = os.path.abspath(options.hilo)
    if not os.access(hilo, os.X_OK):
        parser.error(f"no program {options.hilo}")
    for place in options.places:
        if not os.path.exists(place):
            parser.error(f"no such file or folder: {place}")
    paths = list(golden_files(options.places))
    if not paths:
        parser.error("no golden files found")

    counts = dict.fromkeys(["ok", "updated", "differs", "malformed"], 0)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for status, report in pool.map(lambda path: check(path, hilo, options.update), paths):
            counts[status] += 1
            sys.stdout.write(report)
    print(f"{len(paths)} golden files: " + ", ".join(f"{n} {s}" for s, n in counts.items() if n))
    if counts["malformed"]:
        return 2
    return 1 if counts["differs"] else 0


if __name__ == "__main__":
    sys.exit(main())
