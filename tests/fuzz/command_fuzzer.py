#!/usr/bin/env python3
"""Gives changed modules to every command of `hilo` and to every view of `hilo-studio`, and names what ends badly.

    command_fuzzer.py --hilo PROGRAM [--server PROGRAM] [--studio PROGRAM] [--inputs 200] [--seed 1] [--only N] [--out DIR]

The modules are the repository's own samples and goldens. Input N of a seed is always the same text and meets the
same command lines, so that `--only N` repeats one. With --server (tests/fuzz/command_server) each command is a fork
of a process that has started already: several times as many in the same time. Bad is: a signal, a failed CHECK, an exception nobody caught, a
sanitizer's report, no answer within --timeout seconds. What ended badly is kept in --out with its command line.
Exit status: 0 nothing bad, 1 something, 2 wrong usage, or a command of `hilo --help` that the table below lacks.
"""

import argparse
import concurrent.futures
import os
import random
import re
import subprocess
import sys
import tempfile
import threading

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
INPUT_FOLDERS = ("tests/golden", "tests/fuzz/seeds/fuzz_text", "resources/samples")
# Every command line below makes something of it.
SOUND_MODULE = """HloModule sound, num_partitions=2

ENTRY main {
  p = f32[8,16] parameter(0), sharding={devices=[2,1]<=[2]}
  w = f32[16,4] parameter(1), sharding={replicated}
  x = f32[8,4] dot(p, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  ROOT y = f32[8,4] exponential(x), sharding={devices=[2,1]<=[2]}
}
"""
MOST_BYTES = 8000
WRONG_USAGE = 2  # the exit status
COMMANDS_PER_INPUT = 3

PASSES = ("async-collective-creator,collective-pipeliner,copy-insertion,double-buffer-loop-unrolling,dynamic-padder,"
          "layout-assignment,rematerialization,while-loop-unroller")
XLA_FLAGS = "--xla_gpu_enable_pipelined_collectives=true --xla_disable_hlo_passes=algsimp,fusion"
LIMITS = ["--time-limit", "5", "--memory-limit", "2"]
# {} is the input, {other} a second one, {out} a file that may be written.
COMMANDS = {
    "info": [["{}"], ["{}", "--json"]],
    "verify": [["{}"], ["--lint", "{}"]],
    "convert": [["{}", "-o", "{out}.pb"], ["{}", "--to", "short"], ["{}", "--to", "pbtxt", "-o", "{out}"],
                ["{}", "-o", "{out}.hilo"]],
    "query": [["opcode:dot bytes>1", "{}"], ["class:collective or users=0", "{}", "--csv"]],
    "memory": [["{}"], ["{}", "--plan", "hilo", "--text"], ["{}", "--copies"], ["{}", "--json"],
               ["{}", "--try", "--values", "2", "--json"]],
    "diff": [["{}", "{other}"], ["{}", "{other}", "--text"], ["{}", "{other}", "--lineage", "--json"],
             ["{}", "{other}", "--kernels"], ["{}", "{other}", "--unified", "--semantic"]],
    "opt": [["--pipeline=cpu", "{}", "-o", "{out}.hlo"], ["--pipeline=simplify", "--remarks", "{}", "-o", "{out}.hlo"],
            ["--passes=" + PASSES, "{}", "-o", "{out}.hlo"], ["--pipeline=spmd", "--remarks", "{}", "-o", "{out}.hlo"],
            ["--pipeline=gpu", "--remarks", "{}", "-o", "{out}.hlo"],
            ["--pipeline=gpu", "--target=a100", "--xla-flags=" + XLA_FLAGS, "{}", "-o", "{out}.hlo"],
            ["--passes=" + PASSES, "--fuel=layout-assignment=1", "{}", "-o", "{out}.hlo"]],
    "partition": [["{}"], ["{}", "--json"], ["{}", "-o", "{out}.hlo"], ["{}", "--devices", "8", "--why", "x"],
                  ["{}", "--against", "{}", "--json"], ["{}", "--other-devices", "2"], ["{}", "--fewest-bytes", "--json"],
                  ["{}", "--constrain", "p={replicated}"]],
    "layouts": [["{}"], ["{}", "--json"], ["{}", "--name", "p", "--address", "4"], ["{}", "--try", "result={0,1}"],
                ["{}", "--try", "p={0,1}"]],
    "bisect": [["{}", "--pipeline", "gpu", "--watch", "verifier", *LIMITS],
               ["{}", "--pipeline", "cpu", "--watch", "kernels:1.1x"], ["{}", "--pipeline", "simplify", "--json", *LIMITS],
               ["{}", "--pipelines", "cleanup,simplify", "--watch", "kernels:1.1x"]],
    "reduce": [["{}", "--while", "kernels:1", "--seconds", "2", "-o", "{out}.hlo"],
               ["{}", "--while", "verifier", "--seconds", "2", "-o", "{out}.hlo"]],
    "run": [["{}", "--engine", "cpu", *LIMITS], ["{}", "--engine", "reference", "--time-limit", "5"],
            ["{}", "--engine", "plain", *LIMITS],
            ["{}", "--engine", "cuda-sim", "--check", "--order-seed", "1", *LIMITS],
            ["{}", "--engine", "cpu", "--thunk-times", *LIMITS], ["{}", "--nan-origin", *LIMITS]],
    "compile": [["{}"], ["{}", "--steps"], ["{}", "--save", "{out}"], ["{}", "--target", "sm_90a"]],
    "thunks": [["{}", "--no-run"], ["{}", "--target", "sm_90a"], ["{}", "--no-run", "--against", "{other}"],
               ["{}", "--no-run", "--dot"], ["{}", "--profile"], ["{}", "--no-run", "--json"]],
    "tune": [["{}", "-o", "{out}.hlo", "--time-limit", "2"]],
    "compare": [["--engines", "reference,cpu", "{}", *LIMITS], ["--engines", "reference,plain", "{}", *LIMITS],
                ["--engines", "reference,cuda-sim", "--check", "{}", *LIMITS], ["--modules", "{},{other}", *LIMITS],
                ["--partition", "{}", *LIMITS], ["--partition", "--other-devices", "2", "{}", *LIMITS],
                ["--partition", "--first-divergence", "{}", *LIMITS]],
    "schedule": [["--compare-original", "{}"], ["--preset", "gpu", "{}", "-o", "{out}.hlo"], ["--json", "--log", "{}"],
                 ["--preset", "best", "{}"], ["--preset", "gpu", "--export", "annotations", "{}", "-o", "{out}.hlo"]],
    "cost": [["{}", "--device", "h100"], ["{}", "--json"]],
    "indexing": [["{}"], ["{}", "--json"]],
    "kernels": [["{}"], ["{}", "--verify"], ["{}", "--text"], ["{}", "--json"]],
    "tiles": [["{}", "--legal", "5"], ["{}", "--json"], ["{}", "--program"], ["{}", "--run"], ["{}", "--rank"],
              ["{}", "--ptx", "sm_90a"]],
    "kernel-layouts": [["{}", "--steps"], ["{}", "--fuel", "20", "--json"], ["{}", "--ptx", "sm_90a"], ["{}", "--run", "--json"]],
    "check": [["{}"]],
    "plugins": [[]],
    "toolchain": [[], ["--json"]],
}

BAD_WORDS = re.compile(r"check failed|terminate called|AddressSanitizer|LeakSanitizer|ThreadSanitizer|runtime error: "
                       r"|ended by a signal|ended by SIG")


# --- Changes: each gives another text, or the same where there is nothing to change.

def pick(rnd, pattern, text):
    found = list(re.finditer(pattern, text))
    return rnd.choice(found) if found else None


def put(match, new, group=0):
    return match.string[: match.start(group)] + new + match.string[match.end(group):]


def other_number(rnd, text):
    match = pick(rnd, r"(?<![\w.%])\d+(?![\w.])", text)
    near = str(int(match.group(0)) + rnd.choice((-1, 1))) if match else ""
    values = ["0", "1", "-1", "5", "2147483648", "9223372036854775807", "18446744073709551616", near]
    return put(match, rnd.choice(values)) if match else text


def other_of_kind(rnd, text, pattern, group=0):
    """One word becomes another word of its kind from the same text."""
    match, source = pick(rnd, pattern, text), pick(rnd, pattern, text)
    return put(match, source.group(group), group) if match else text


def other_opcode(rnd, text):
    return other_of_kind(rnd, text, r" ([a-z][a-z0-9-]+)\(", 1)


def other_shape(rnd, text):
    return other_of_kind(rnd, text, r"\b[a-z]+\d+(?:\w+)?\[[\d,<=]*\]")


def other_operand(rnd, text):
    return other_of_kind(rnd, text, r"%?\b[a-z_][\w.-]*\b(?=[,)])")


def other_attribute(rnd, text):
    return other_of_kind(rnd, text, r", ([a-z_]+=(?:\{[^{}\n]*\}|[\w.%-]+))", 1)


def without_attribute(rnd, text):
    match = pick(rnd, r", [a-z_]+=(?:\{[^{}\n]*\}|[\w.%-]+)", text)
    return put(match, "") if match else text


def without_operand(rnd, text):
    match = pick(rnd, r"\((%?[\w.-]+, )", text)
    return put(match, "", 1) if match else text


def odd_element_type(rnd, text):
    match = pick(rnd, r"\b(f32|f16|bf16|f64|s32|u32|s8|pred)\[", text)
    return put(match, rnd.choice(("c64", "c128", "s4", "u2", "f8e4m3fn", "token", "pred", "s64")), 1) if match else text


def odd_dimensions(rnd, text):
    match = pick(rnd, r"\[([\d,]*)\]", text)
    return put(match, rnd.choice(("", "0", "<=3", "1,1,1,1", "3,<=5", "1048576,1048576")), 1) if match else text


def moved_line(rnd, text):
    lines = text.split("\n")
    line = lines.pop(rnd.randrange(len(lines)))
    at = rnd.randrange(len(lines) + 1)
    return "\n".join([*lines[:at], *[line] * rnd.choice((0, 1, 2)), *lines[at:]])


def other_byte(rnd, text):
    at = rnd.randrange(len(text))
    return text[:at] + chr(rnd.randrange(1, 256)) + text[at + rnd.choice((0, 1)):]


CHANGES = (other_number, other_number, other_opcode, other_shape, other_operand, other_operand, other_attribute,
           without_attribute, without_operand, odd_element_type, odd_dimensions, moved_line, other_byte)


def changed(rnd, text):
    for _ in range(rnd.randrange(1, 4)):
        text = rnd.choice(CHANGES)(rnd, text) or text
    return text


# --- What is run.

def modules():
    """The texts of the repository's modules, in order of their paths."""
    found = {}
    for top in INPUT_FOLDERS:
        for folder, _, names in os.walk(os.path.join(ROOT, top)):
            for name in names:
                path = os.path.join(folder, name)
                if name.endswith(".hlo") and os.path.getsize(path) <= MOST_BYTES:
                    with open(path, encoding="utf-8", errors="replace") as file:
                        # A golden's command and what it prints are comments.
                        found[path] = "".join(line for line in file if not line.startswith("//"))
    return [found[path] for path in sorted(found) if "HloModule" in found[path]]


def missing_commands(hilo):
    listing = subprocess.run([hilo, "--help"], capture_output=True, text=True, check=True).stdout
    said = re.findall(r"^  ([a-z][a-z-]*)\s", listing.split("Subcommands:")[1], flags=re.M)
    return [name for name in said if name not in COMMANDS]


def views_of(studio):
    if studio is None:
        return []
    done = subprocess.run([studio, "--list-views"], capture_output=True, text=True, check=True)
    return done.stdout.split()


def files_in(folder, text, other):
    """What the words in braces of a command line stand for."""
    names = {"{}": f"{folder}/input.hlo", "{other}": f"{folder}/other.hlo", "{out}": f"{folder}/out"}
    for name, content in (("{}", text), ("{other}", other)):
        with open(names[name], "w", encoding="utf-8", errors="replace") as file:
            file.write(content)
    return names


def with_names(line, names):
    return [re.sub(r"\{\w*\}", lambda m: names.get(m.group(0), m.group(0)), word) for word in line]


class Server:
    """One process of command_server, for one thread."""

    def __init__(self, program, environment):
        self.process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT, env=environment)

    def run(self, words, seconds):
        """The exit status, negative for a signal, None where the time was up; and what was said."""
        self.process.stdin.write("\t".join([str(seconds), *words]).encode() + b"\n")
        self.process.stdin.flush()
        status, size = self.process.stdout.readline().decode().split()
        said = self.process.stdout.read(int(size)).decode("latin1")
        return (None if status == "timeout" else int(status)), said


class Fuzzer:
    def __init__(self, arguments):
        self.arguments = arguments
        self.texts = modules()
        kept = os.path.join(arguments.out, "kept")  # Runs, settings and kernels: not among the user's own.
        self.environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "XDG_DATA_HOME": kept, "XDG_CACHE_HOME": kept,
                            "XDG_CONFIG_HOME": kept}
        self.servers = threading.local()
        # Command lines in one row: input N takes the next few, so that each is met by as many inputs.
        self.lines = [[arguments.hilo, name, *words] for name, forms in COMMANDS.items() for words in forms]
        self.lines += [[arguments.studio, "--render", view, "-o", "{out}.png", "{}"] for view in views_of(arguments.studio)]

    def lines_of(self, number):
        first = number * COMMANDS_PER_INPUT
        return [self.lines[(first + i) % len(self.lines)] for i in range(COMMANDS_PER_INPUT)]

    def end_of(self, line):
        """How the command ended, as Server.run says it."""
        if self.arguments.server and line[0] == self.arguments.hilo:
            if not hasattr(self.servers, "own"):
                self.servers.own = Server(self.arguments.server, self.environment)
            return self.servers.own.run(line[1:], self.arguments.timeout)
        try:
            done = subprocess.run(line, capture_output=True, timeout=self.arguments.timeout, cwd=ROOT, env=self.environment,
                                  check=False)
        except subprocess.TimeoutExpired:
            return None, ""
        return done.returncode, done.stderr.decode("latin1")

    def refused(self):
        """The command lines that are wrong usage even of a sound module: with changed ones they would test nothing."""
        with tempfile.TemporaryDirectory() as folder:
            names = files_in(folder, SOUND_MODULE, SOUND_MODULE)
            return [line for line in self.lines
                    if line[0] == self.arguments.hilo and self.end_of(with_names(line, names))[0] == WRONG_USAGE]

    def bad_end(self, line):
        """How the command ended badly, or None."""
        status, said = self.end_of(line)
        if status is None:
            return f"no answer in {self.arguments.timeout} s"
        word = BAD_WORDS.search(said)
        if word:
            at = said.rfind("\n", 0, word.start()) + 1
            return said[at : at + 300].strip()
        return f"exit status {status}" if status < 0 or status >= 128 else None

    def run_input(self, number):
        """The bad ends of input `number`, each a text to print."""
        rnd = random.Random(f"{self.arguments.seed}/{number}")
        text, other = changed(rnd, rnd.choice(self.texts)), rnd.choice(self.texts)
        found = []
        with tempfile.TemporaryDirectory() as folder:
            names = files_in(folder, text, other)
            for line in self.lines_of(number):
                how = self.bad_end(with_names(line, names))
                if how:
                    found.append(self.keep(number, line, text, other, how))
        return found

    def keep(self, number, line, text, other, how):
        os.makedirs(self.arguments.out, exist_ok=True)
        kept = os.path.join(self.arguments.out, f"{self.arguments.seed}_{number}_{line[1].strip('-')}.hlo")
        for path, content in ((kept, text), (kept.removesuffix(".hlo") + ".other.hlo", other)):
            if path == kept or any("{other}" in word for word in line):
                with open(path, "w", encoding="utf-8", errors="replace") as file:
                    file.write(content)
        shown = " ".join(word.replace("{}", kept) for word in line[1:])
        return f"input {number}: {shown}\n  {how}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hilo", required=True)
    parser.add_argument("--server")
    parser.add_argument("--studio")
    parser.add_argument("--inputs", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", type=int, help="this input alone")
    parser.add_argument("--timeout", type=int, default=60)
    parser.add_argument("--out", default=os.path.join(ROOT, "build", "command_fuzzer"))
    arguments = parser.parse_args()
    missing = missing_commands(arguments.hilo)
    if missing:
        print(f"COMMANDS of {os.path.basename(__file__)} lacks {', '.join(missing)}", file=sys.stderr)
        return 2
    fuzzer = Fuzzer(arguments)
    refused = fuzzer.refused()
    if refused:
        print("\n".join(["wrong usage:", *(" ".join(line[1:]) for line in refused)]), file=sys.stderr)
        return 2
    numbers = [arguments.only] if arguments.only is not None else range(arguments.inputs)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        found = [text for texts in pool.map(fuzzer.run_input, numbers) for text in texts]
    print("\n".join(found))
    print(f"{len(numbers)} inputs of seed {arguments.seed}, {len(numbers) * COMMANDS_PER_INPUT} runs of "
          f"{len(fuzzer.lines)} command lines, {len(found)} ended badly")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
