#!/usr/bin/env python3
"""What scripts rely on: exit codes of every `hilo` command, which stream carries what, standard input, JSON.

usage: cli_test.py HILO [unittest options]
"""

import fcntl
import gzip
import json
import os
import pty
import re
import shlex
import struct
import subprocess
import termios
import unittest

from cli_case import CUSTOM, GOOD, ON_TWO_DEVICES, CliTest, main

SAME = GOOD.replace("multiply(a, a)", "power(a, two)").replace(
    "  b =", "  one = f32[] constant(2)\n  two = f32[4] broadcast(one), dimensions={}\n  b =")
OTHER = GOOD.replace("multiply(a, a)", "add(a, a)")
BROKEN = GOOD.replace("ROOT c = f32[4]", "ROOT c = f32[5]")
SYNTAX = GOOD.replace("multiply(a, a)", "multiply(a, nothing")


class Usage(CliTest):
    def test_wrong_usage_is_2(self):
        for arguments in ([], ["nonsense"], ["verify"], ["query", "dot"], ["info", "--nonsense", "x"],
                          ["compare", "x"], ["run"], ["opt", self.file(GOOD)]):
            self.hilo(*arguments, code=2)

    def test_help_has_examples(self):
        for command in ("info", "verify", "convert", "query", "opt", "bisect", "reduce", "run", "compare"):
            out, _ = self.hilo(command, "--help")
            self.assertIn("Examples:", out)
            self.assertIn("Exit status:", out)
        self.assertIn("query", self.hilo("--help")[0])


class Flags(CliTest):
    """Every flag that a help text or the guide cites is one of the command it is cited for."""

    FLAG = r"(?<![\w-])--[a-z][a-z-]*[a-z](?![\w-])"

    def setUp(self):
        super().setUp()
        listed = self.hilo("--help")[0].split("SUBCOMMANDS:")[-1]
        commands = re.findall(r"^  (\w+) ", listed, re.M)
        self.assertIn("run", commands)
        self.help = {command: self.hilo(command, "--help")[0] for command in commands}
        self.flags = {command: self.defined(text) for command, text in self.help.items()}
        self.assertIn("--engine", self.flags["run"])

    def defined(self, text):
        # The left column of the table of options.
        left = [re.split(r"\s{2,}", line.strip())[0] for line in text.splitlines() if re.match(r"\s+-", line)]
        return {flag for part in left for flag in re.findall(r"--[a-z][a-z-]*[a-z]", part)}

    def cited(self, text):
        """(command, flag) of each `hilo COMMAND ... --flag`, to the end of the command or of the line."""
        for command, rest in re.findall(r"hilo (\w+)([^|;#`\n)]*)", text):
            if command in self.flags:
                yield from ((command, flag) for flag in re.findall(self.FLAG, rest))

    def check_cited(self, text, where):
        for command, flag in self.cited(text):
            self.assertIn(flag, self.flags[command], f"{where} cites hilo {command} {flag}")

    def test_of_help_texts(self):
        for command, text in self.help.items():
            self.check_cited(text, f"hilo {command} --help")
            elsewhere = {flag for _, flag in self.cited(text)}
            for flag in set(re.findall(self.FLAG, text)) - elsewhere:
                self.assertIn(flag, self.flags[command], f"hilo {command} --help cites {flag}")

    def test_of_the_guide(self):
        with open(os.path.join("docs", "cli.md"), encoding="utf-8") as file:
            guide = file.read()
        self.check_cited(guide, "docs/cli.md")
        known = set().union(*self.flags.values())
        for flag in re.findall(r"`(--[a-z][a-z-]*[a-z])(?![\w-])", guide):
            self.assertIn(flag, known, "docs/cli.md")


class Verify(CliTest):
    def test_fine_is_0_and_silent(self):
        self.assertEqual(self.hilo("verify", self.file(GOOD)), ("", ""))

    def test_errors_are_1_with_their_place(self):
        path = self.file(BROKEN)
        out, _ = self.hilo("verify", self.file(GOOD, "good.hlo"), path, code=1)
        self.assertRegex(out, rf"^{path}:6:\d+: [a-z-]+: ")

    def test_syntax_errors_are_1(self):
        path = self.file(SYNTAX)
        self.assertRegex(self.hilo("verify", path, code=1)[0], rf"^{path}:5:\d+: ")

    def test_a_missing_file_is_1(self):
        self.assertIn("file-not-found", self.hilo("verify", "/nowhere/x.hlo", code=1)[0])

    def test_json(self):
        findings = json.loads(self.hilo("verify", "--json", self.file(BROKEN), code=1)[0])
        self.assertEqual(findings[0]["line"], 6)
        self.assertEqual(findings[0]["severity"], "error")

    def test_standard_input(self):
        self.assertTrue(self.hilo("verify", "-", stdin=BROKEN.encode(), code=1)[0].startswith("<stdin>:6:"))


class Convert(CliTest):
    def test_forms_chain_back_to_the_same_text(self):
        path, texts = self.file(GOOD, "0.hlo"), set()
        for name in ["a.pb", "b.pbtxt", "c.hlo.pb.gz", "d.hlo.pbtxt", "e.snapshot.pb", "f.hlo"]:
            next_path = os.path.join(self.folder.name, name)
            self.hilo("convert", path, "-o", next_path)
            texts.add(self.hilo("convert", next_path, "--to", "canonical"))
            path = next_path
        self.assertEqual(len(texts), 1)

    def test_gzip_in_and_out(self):
        path = self.file(gzip.compress(GOOD.encode()), "m.bin")
        done = subprocess.run([self.HILO, "convert", path, "--gzip"], capture_output=True, check=True)
        self.assertIn(b"HloModule good", gzip.decompress(done.stdout))

    def test_unknown_input_is_refused_by_name(self):
        for content, name in ((b"\x7fELF\x02\x01\x01" + bytes(60), "ELF"), (b"hello there\n", ""), (b"", "")):
            _, err = self.hilo("convert", self.file(content), code=1)
            self.assertIn("unknown-file-kind", err)
            self.assertIn(name, err)

    def test_unknown_output_is_usage(self):
        self.hilo("convert", self.file(GOOD), "-o", "x.nonsense", code=2)
        self.hilo("convert", self.file(GOOD), "--to", "nonsense", code=2)

    def test_a_failed_write_is_1(self):
        self.hilo("convert", self.file(GOOD), "-o", "/nowhere/x.hlo", code=1)

    def result_on_own_arguments(self, path):
        out = os.path.join(self.folder.name, "result.npy")
        self.hilo("run", path, "--out", out)
        with open(out, "rb") as file:
            return struct.unpack("<4f", file.read()[-16:])

    def test_arguments_go_into_snapshots_and_documents(self):
        module, ones, twos = self.file(GOOD), self.npy((1,) * 4, "1.npy"), self.npy((2,) * 4, "2.npy")
        for name in ("a.snapshot.pb", "a.snapshot.pbtxt", "a.unoptimized_snapshot.pb", "a.hilo"):
            path = os.path.join(self.folder.name, name)
            self.hilo("convert", module, "--args", ones, "-o", path)
            self.assertEqual(self.result_on_own_arguments(path), (2,) * 4, name)
            self.hilo("convert", path, "--args", twos, "-o", path)  # in place of those it has
            self.assertEqual(self.result_on_own_arguments(path), (6,) * 4, name)

    def test_arguments_of_a_document_go_into_a_snapshot(self):
        document, snapshot = (os.path.join(self.folder.name, name) for name in ("a.hilo", "b.snapshot.pb"))
        self.hilo("convert", self.file(GOOD), "--args", self.npy((3,) * 4, "3.npy"), "-o", document)
        self.hilo("convert", document, "-o", snapshot)
        self.assertEqual(self.result_on_own_arguments(snapshot), (12,) * 4)

    def test_what_a_form_cannot_hold_is_refused(self):
        module, ones = self.file(GOOD), self.npy((1,) * 4, "1.npy")
        for options in (["--args", ones, "--to", "pb"], ["--args", ones], ["--note", "n", "--to", "snapshot"]):
            self.assertIn("not-convertible", self.hilo("convert", module, *options, code=1)[1])


class Query(CliTest):
    def test_codes(self):
        path = self.file(GOOD)
        self.assertIn("multiply", self.hilo("query", "opcode:multiply", path)[0])
        self.assertEqual(self.hilo("query", "opcode:dot", path, code=1)[0], "")
        _, err = self.hilo("query", "opcode:dot (bytes>1", path, code=2)
        self.assertIn("query:12:", err)
        self.hilo("query", "dot", "/nowhere/x.hlo", code=2)

    def test_json_csv_and_count(self):
        path = self.file(GOOD)
        rows = json.loads(self.hilo("query", "users=2", path, "--json")[0])
        self.assertEqual([row["name"] for row in rows], ["a"])
        self.assertEqual(rows[0]["line"], 4)
        csv = self.hilo("query", "is:root", path, "--csv")[0].splitlines()
        self.assertEqual(csv[0].split(",")[:2], ["name", "opcode"])
        self.assertTrue(csv[1].startswith("c,add,"))
        self.assertEqual(self.hilo("query", "", path, "--count")[0], "3\n")


class Info(CliTest):
    def test_module(self):
        out, _ = self.hilo("info", self.file(GOOD))
        self.assertIn("module good", out)
        facts = json.loads(self.hilo("info", "--json", self.file(GOOD))[0])
        self.assertEqual(facts["instructions"], 3)
        self.assertEqual(facts["flops"], 8)

    def test_unreadable_is_1(self):
        self.hilo("info", "/nowhere", code=1)


class Dumps(CliTest):
    def test_a_dump_stands_for_its_module(self):
        dump = os.path.join("resources", "samples", "dump")
        for command in ("schedule", "cost", "tiles", "indexing"):
            error = self.hilo(command, dump)[1]
            self.assertIn(f"{dump}: note: cpu_after_optimizations of jit_step", error, command)

    def test_of_several_modules_the_files_are_named(self):
        folder = self.folder.name
        for n in (1, 2):
            self.file(GOOD, f"module_000{n}.good{n}.before_optimizations.txt")
        error = self.hilo("cost", folder, code=1)[1]
        self.assertIn("several-modules", error)
        self.assertIn(os.path.join(folder, "module_0002.good2.before_optimizations.txt"), error)


class Opt(CliTest):
    def test_lists(self):
        listed = json.loads(self.hilo("opt", "--list-passes", "--json")[0])
        self.assertTrue(listed["passes"])
        self.assertTrue(all(p["summary"] for p in listed["passes"]))

    def test_unknown_pass_is_2(self):
        self.assertIn("unknown-pass", self.hilo("opt", "--passes=nonsense", self.file(GOOD), code=2)[1])
        self.assertIn("unknown-pipeline", self.hilo("opt", "--pipeline=nonsense", self.file(GOOD), code=2)[1])

    def test_runs_and_dumps_a_folder_that_opens(self):
        dead = self.file(GOOD.replace("  ROOT", "  unused = f32[4] negate(b)\n  ROOT"))
        steps = os.path.join(self.folder.name, "steps")
        name = next(p["name"] for p in json.loads(self.hilo("opt", "--list-passes", "--json")[0])["passes"]
                    if "dead" in p["name"] or p["name"] == "dce")
        out, err = self.hilo("opt", f"--passes={name}", "--time-passes", "--dump-after=all", steps, dead)
        self.assertNotIn("negate", out)
        self.assertIn(name, err)
        dump = json.loads(self.hilo("info", steps, "--json")[0])
        self.assertEqual(len(dump["modules"]), 1)
        self.assertEqual(len(dump["modules"][0]["stages"]), 3)


class Surroundings(CliTest):
    """What a machine may lack: room, a home, a folder for kernels."""

    def run_in(self, changes, *arguments, code, stdout=subprocess.PIPE):
        environment = {k: v for k, v in os.environ.items() if not k.startswith(("XDG_", "HILO_")) and k != "HOME"}
        environment.update(changes)
        done = subprocess.run([self.HILO, *arguments], stdout=stdout, stderr=subprocess.PIPE, timeout=60, env=environment,
                              cwd=self.folder.name)
        err = done.stderr.decode(errors="replace")
        self.assertEqual(done.returncode, code, f"{arguments}\nstderr: {err}")
        return (done.stdout or b"").decode(), err

    def test_a_kernel_cache_that_cannot_be_used_is_named(self):
        module, file = self.file(GOOD), self.file("no folder", "file")
        for changes, reason in (({"HILO_KERNEL_CACHE": file}, "Not a directory"), ({}, "HOME")):
            out, _ = self.run_in(changes, "run", "--engine", "cpu", module, code=0)
            self.assertRegex(out, f"note: compiled kernels cannot be kept: .*{reason}")
            self.assertIn(reason, self.run_in(changes, "compile", module, code=0)[1])
        cache = os.path.join(self.folder.name, "cache")
        self.assertNotIn("note:", self.run_in({"HILO_KERNEL_CACHE": cache}, "run", "--engine", "cpu", module, code=0)[0])

    def test_without_a_home_a_store_is_asked_for(self):
        _, err = self.run_in({}, "run", self.file(GOOD), "--keep", code=1)
        self.assertRegex(err, "no-home(.|\n)*--store")
        self.assertEqual(os.listdir(self.folder.name), ["m.hlo"])

    @unittest.skipUnless(os.path.exists("/dev/full"), "there is no /dev/full")
    def test_a_full_disk_is_told(self):
        module = self.file(GOOD)
        with open("/dev/full", "wb") as full:
            for arguments in (["run", module], ["compile", module], ["info", "--json", module], ["convert", module]):
                _, err = self.run_in({}, *arguments, code=1, stdout=full)
                self.assertIn("not-writable: standard output: No space left", err)
                self.assertEqual(err.count("not-writable"), 1)
        _, err = self.run_in({}, "compile", module, "--save", "/dev/full", code=1)
        self.assertIn("not-writable: /dev/full: No space left", err)


class Compare(CliTest):
    def test_agreeing_on_nans_alone_says_nothing(self):
        roots = "HloModule m\nENTRY e {\n  n = f32[2] constant({-1, -2})\n  ROOT r = f32[2] sqrt(n)\n}\n"
        arguments = ["compare", "--engines", "reference,cpu", self.file(roots)]
        self.assertIn("says nothing", self.hilo(*arguments)[0])
        self.assertTrue(json.loads(self.hilo(*arguments, "--json")[0])["nan_alone"])

    def test_codes(self):
        good, same = self.file(GOOD), self.file(SAME, "same.hlo")
        other, custom = self.file(OTHER, "other.hlo"), self.file(CUSTOM, "custom.hlo")
        self.assertIn("match", self.hilo("compare", "--modules", f"{good},{same}")[0])
        self.assertIn("differ", self.hilo("compare", "--modules", f"{good},{other}", code=1)[0])
        self.assertIn("mystery", self.hilo("compare", "--modules", f"{good},{custom}", code=3)[1])
        self.hilo("compare", "--modules", f"{good},/nowhere", code=2)
        self.hilo("compare", "--modules", good, code=2)

    def test_stages_of_a_dump(self):
        dump = os.path.join("resources", "samples", "dump")
        out, _ = self.hilo("compare", "--modules", "before_optimizations,after_dce", dump)
        self.assertIn("match", out)
        error = self.hilo("compare", "--modules", "before_optimizations,nonsense", dump, code=2)[1]
        self.assertIn("no-such-stage", error)
        self.assertRegex(error, r"jit_\w+: 0 before_optimizations, 1 \w+")

    def test_long_sums_differ_by_rounding(self):
        dot = ("HloModule m\n\nENTRY main {\n  x = f32[32,4096] parameter(0)\n  b = f32[4096,32] parameter(1)\n"
               "  c = f32[] constant(1000)\n  k = f32[32,4096] broadcast(c), dimensions={}\n"
               "  a = f32[32,4096] multiply(x, k)\n"
               "  ROOT d = f32[32,32] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n}\n")
        arguments = ["--engines", "reference,cpu", self.file(dot)]
        out, _ = self.hilo("compare", *arguments)
        self.assertIn("differ by rounding: up to 4,096 terms are added up on the way", out)
        compared = json.loads(self.hilo("compare", *arguments, "--json")[0])
        self.assertEqual(compared["verdict"], "differ by rounding")
        self.assertEqual(compared["leaves"][0]["beyond_rounding"], 0)

    def test_a_difference_is_held_against_what_moves_the_results(self):
        def module(steps, name):
            return self.file("HloModule m\n\nENTRY main {\n  a = f32[64] parameter(0)\n  b = f32[64] parameter(1)\n"
                             "  c = f32[] constant(10000)\n  k = f32[64] broadcast(c), dimensions={}\n" + steps + "}\n",
                             name)

        apart = module("  x = f32[64] multiply(a, k)\n  y = f32[64] multiply(b, k)\n"
                       "  ROOT r = f32[64] subtract(x, y)\n", "apart.hlo")
        together = module("  d = f32[64] subtract(a, b)\n  ROOT r = f32[64] multiply(d, k)\n", "together.hlo")
        wrong = module("  d = f32[64] subtract(a, b)\n  x = f32[64] multiply(d, k)\n"
                       "  ROOT r = f32[64] add(x, x)\n", "wrong.hlo")
        values = [1 + i * 0.0123 for i in range(64)]
        arguments = ["--arg", "a=" + self.npy(values, "a.npy"),
                     "--arg", "b=" + self.npy([v + 0.003 + v / 777 for v in values], "b.npy")]
        self.assertIn("differ\n", self.hilo("compare", "--modules", f"{apart},{together}", *arguments, code=1)[0])
        out, _ = self.hilo("compare", "--modules", f"{apart},{together}", *arguments, "--condition", "2")
        self.assertRegex(out, r"differ\n(.|\n)*differ by rounding: [0-9.]+x of 1-ULP input sensitivity")
        out, _ = self.hilo("compare", "--modules", f"{apart},{wrong}", *arguments, "--condition", "2", "--json", code=1)
        condition = json.loads(out)["condition"]
        self.assertFalse(condition["is_rounding"])
        self.assertEqual(condition["times"], condition["leaves"][0]["times"])
        out, _ = self.hilo("compare", "--modules", f"{apart},{apart}", *arguments, "--condition", "2", "--json")
        self.assertNotIn("condition", json.loads(out))

    def test_progress_is_a_line_of_a_terminal_and_of_nothing_else(self):
        arguments = ["compare", "--engines", "reference,reference", self.file(GOOD), "--first-divergence"]
        self.assertEqual(self.hilo(*arguments)[1], "")
        terminal, its_end = pty.openpty()
        done = subprocess.run([self.HILO, *arguments], stdout=subprocess.PIPE, stderr=its_end, timeout=60)
        os.close(its_end)
        shown = os.read(terminal, 1 << 16).decode()
        os.close(terminal)
        self.assertEqual(done.returncode, 0)
        self.assertIn("%  values of main by reference", shown)
        self.assertTrue(shown.endswith("\r\x1b[K"), "it is gone at the end")
        self.assertNotIn("\n", shown)

    def test_engines(self):
        report = json.loads(self.hilo("compare", "--engines", "reference,reference", self.file(GOOD), "--json")[0])
        self.assertTrue(report["bitwise_equal"])
        self.hilo("compare", "--engines", "reference,nonsense", self.file(GOOD), code=3)


class Written(CliTest):
    LARGE = "HloModule m\nENTRY e { x = s32[12] parameter(0)\n c = s32[12] constant({%s})\n ROOT r = s32[12] add(x, c) }\n" % (
        ", ".join(str(i) for i in range(12)))

    def on_terminal(self, *arguments):
        terminal, its_end = pty.openpty()
        done = subprocess.run([self.HILO, *arguments], stdout=its_end, stderr=subprocess.PIPE, timeout=60)
        os.close(its_end)
        shown = os.read(terminal, 1 << 16).decode()
        os.close(terminal)
        self.assertEqual(done.returncode, 0)
        return shown, done.stderr.decode()

    def test_large_constants_are_left_out_on_a_terminal_alone(self):
        module = self.file(self.LARGE)
        for arguments in (["opt", "--passes=dce", module, "-o", "-"], ["convert", module]):
            self.assertIn("constant({0, 1, 2", self.hilo(*arguments)[0])
            shown, told = self.on_terminal(*arguments)
            self.assertIn("constant({...})", shown)
            self.assertIn("large constants are shown as {...}", told)
        self.assertIn("constant({0, 1, 2", self.on_terminal("convert", "--to", "long", module)[0])

    def test_the_device_is_the_one_of_the_dump(self):
        module = self.file(GOOD, "module_0001.jit_f.sm_8.0_gpu_after_optimizations.txt")
        for command in ("cost", "schedule"):
            out, _ = self.hilo(command, module)
            self.assertIn("on a100, assumed: it was compiled for a GPU (module_0001.jit_f.sm_8.0", out)
            self.assertIn("on h200, assumed: nothing says what it was compiled for", self.hilo(command, self.file(GOOD))[0])
            self.assertIn("on h100\n", self.hilo(command, "--device", "h100", module)[0])


class Search(CliTest):
    def test_a_crash_is_looked_for_in_another_process(self):
        out, _ = self.hilo("bisect", self.file(GOOD), "--passes=cse,dce", "--watch", "crash", code=1)
        self.assertIn("good after the last pass", out)

    def test_a_script_says_what_is_good_and_what_is_bad(self):
        module = self.file(SAME)
        search = ("bisect", module, "--pipeline=simplify", "--json", "--watch")
        self.assertEqual(json.loads(self.hilo(*search, "script:! grep -q power", code=1)[0])["outcome"], "bad-at-start")
        found = json.loads(self.hilo(*search, "script:grep -q power")[0])
        self.assertEqual(found["pass"], "algebraic-simplifier")
        self.assertEqual(found["rewrite"]["instruction"], "b")
        self.assertEqual(self.hilo(*search, "script:exit 125;", code=1)[0].count("unknown-at-start"), 1)
        self.assertIn("script-failed", self.hilo(*search, "script:exit 7;", code=1)[1])

    def test_the_commands_of_a_bisection_make_both_modules(self):
        module = self.file(SAME)
        found = json.loads(self.hilo("bisect", module, "--pipeline=simplify", "--watch", "script:grep -q power",
                                     "--json")[0])
        texts = [self.hilo(*shlex.split(command)[1:-2])[0] for command in found["commands"]]
        self.assertIn("add(b, a)", texts[0])
        self.assertIn("add(multiply, a)", texts[1])

    def test_a_reduction_goes_on_from_its_document(self):
        script, small = "script:! grep -q multiply", os.path.join(self.folder.name, "small.hilo")
        self.hilo("reduce", self.file(GOOD), "--while", script, "--moves=leave-out", "-o", small)
        out, _ = self.hilo("reduce", small, "--while", script, "-o", "-")
        self.assertEqual(out.count("multiply("), 1)
        self.assertNotIn("add(", out)

    def test_a_text_has_its_arguments_beside_it(self):
        small = os.path.join(self.folder.name, "small.hlo")
        self.hilo("reduce", self.file(SAME), "--passes=algebraic-simplifier", "--while", "script:test -s {arguments} || exit 125; false",
                  "--moves=leave-out", "--seconds", "5", "-o", small)
        self.hilo("run", small, "--args", small + ".npz")


    def test_which_pass_broke_it_from_the_report_to_one_file(self):
        """Walk: the value of the report differs, a stage is named, then pass and rewrite; one file shows it again."""
        report = ["--args", self.npy([1, 2, 3, 4], "a.npy"), "--expect", "{2, 6, 12, 20}"]
        self.assertIn("match", self.hilo("compare", self.file(GOOD), *report)[0])
        wrong = self.file(OTHER, "other.hlo")
        self.assertIn("[0]: ", self.hilo("compare", wrong, *report, code=1)[0])
        # The dump of that compile: the second stage has the sum in the place of the product.
        dump = os.path.join(self.folder.name, "dump")
        os.mkdir(dump)
        for stage, text in [("before_optimizations", GOOD), ("0001.simplify.after_dce.before_cse", GOOD),
                            ("0002.simplify.after_cse.before_fusion", OTHER), ("cpu_after_optimizations", OTHER)]:
            self.file(text, f"dump/module_0001.good.{stage}.txt")
        found = json.loads(self.hilo("bisect", dump, *report, "--json")[0])
        self.assertEqual(found["pass"], "cse")
        self.assertEqual([c["name"] for c in found["changes"]], ["b"])
        # Over passes, to the rewrite; then small, and in one file.
        watch = ["script:! grep -q multiply"]
        passes = ["--passes=dce,algebraic-simplifier,cse"]
        found = json.loads(self.hilo("bisect", self.file(SAME), *passes, "--watch", *watch, "--json")[0])
        self.assertEqual((found["pass"], found["rewrite"]["instruction"]), ("algebraic-simplifier", "b"))
        small = os.path.join(self.folder.name, "small.hilo")
        self.hilo("reduce", self.file(SAME), *passes, "--while", *watch, *report[:2], "-o", small)
        again = json.loads(self.hilo("bisect", small, "--json")[0])
        self.assertEqual(again["pass"], "algebraic-simplifier")
        self.assertLessEqual(len(self.hilo("convert", small, "--to", "text")[0].splitlines()), 12)


class Partitioning(CliTest):
    SHARDED = """HloModule sharded, num_partitions=4

ENTRY e {
  x = f32[16,8] parameter(0), sharding={mesh['data'=4], [{'data'}, {}]}
  w = f32[8,32] parameter(1), sharding={mesh['data'=4], [{'data'}, {}]}
  v = f32[8,32] negate(w), metadata={op_name="v" source_file="model.py" source_line=3}
  d = f32[16,32] dot(x, v), lhs_contracting_dims={1}, rhs_contracting_dims={0}, sharding={mesh['data'=4], [{'data'}, {}]}
  ROOT r = f32[16,32] exponential(d), sharding={mesh['data'=4], [{'data'}, {}]}
}
"""

    def test_from_the_module_to_the_cause_and_a_constraint(self):
        module = self.file(self.SHARDED)
        unpartitioned = self.hilo("schedule", module)
        self.assertIn("not partitioned yet", unpartitioned[0] + unpartitioned[1])
        found = json.loads(self.hilo("partition", module, "--json")[0])
        self.assertEqual([(c["kind"], c["bytes"], c["axes"]) for c in found["collectives"]],
                         [("all-gather", 1024, ["data"])])
        self.assertEqual(found["collectives"][0]["cause"]["producer"]["source"], "model.py:3")
        self.assertEqual([r["value"] for r in found["reshards"]], ["v"])
        self.assertEqual(found["fullRematerializations"], [])
        why = self.hilo("partition", module, "--why", "all-gather")[0]
        self.assertIn("%v is cut in dimension 0 along data, %d needs it whole", why)
        self.assertIn("%w parameter: {devices=[4,1]<=[4]}, stated by the module", why)
        advice = found["collectives"][0]["advice"][0]["constraint"]
        self.assertIn("with constraints", self.hilo("partition", module, "--constrain", advice)[0])

    def test_the_program_of_one_device_verifies_and_schedules(self):
        module, out = self.file(self.SHARDED), os.path.join(self.folder.name, "one.hlo")
        self.hilo("partition", module, "-o", out)
        self.hilo("verify", out)
        self.assertEqual(self.hilo("query", "reshard:all-gather", out, "--count")[0].strip(), "1")
        self.assertIn("all communication", self.hilo("schedule", out)[0])

    def test_whole_and_partitioned_give_the_same(self):
        module = self.file(self.SHARDED)
        for options in ([], ["--devices", "8"], ["--engine", "cpu"]):
            self.assertEqual(json.loads(self.hilo("compare", "--partition", module, "--json", *options)[0])["verdict"],
                             "match", options)

    def test_two_partitionings_and_the_first_divergence(self):
        module = self.file(self.SHARDED)
        for options in (["--other-devices", "2"], ["--constrain", "v={replicated}"],
                        ["--other-constrain", "v={replicated}", "--other-devices", "8"]):
            self.assertEqual(json.loads(self.hilo("compare", "--partition", module, "--json", *options)[0])["verdict"],
                             "match", options)
        divergence = json.loads(self.hilo("compare", "--partition", "--first-divergence", module, "--json")[0])
        self.assertFalse(divergence["found"])
        self.assertEqual([step["name"] for step in divergence["steps"]], ["v", "d", "r"])
        figures = self.hilo("partition", module, "--other-devices", "8")[0]
        self.assertIn("all-gather, other", figures)
        self.assertIn("other", json.loads(self.hilo("partition", module, "--other-devices", "8", "--json")[0]))
        self.hilo("compare", "--partition", "--first-divergence", "--other-devices", "2", module, code=2)

    def test_collectives_beside_xlas(self):
        module, after = self.file(self.SHARDED), os.path.join(self.folder.name, "after.hlo")
        self.hilo("opt", "--pipeline=gpu", module, "-o", after)
        same = json.loads(self.hilo("partition", module, "--against", after, "--json")[0])
        self.assertEqual(same["sum"]["bytes"], {"hilo": 1024, "xla": 1024})
        self.assertEqual((same["onlyHilo"], same["onlyXla"]), ([], []))
        self.assertIn("1.00", self.hilo("partition", module, "--against", after)[0])
        self.assertIn("other-devices", self.hilo("partition", module, "--against", after, "--devices", "2", code=1)[1])

    def test_what_cannot_be_is_told(self):
        module = self.file(self.SHARDED)
        self.assertIn("not-sharded", self.hilo("partition", self.file(GOOD, "good.hlo"), code=1)[1])
        self.assertIn("no-such-instruction", self.hilo("partition", module, "--why", "nobody", code=1)[1])
        self.assertIn("bad-constraint", self.hilo("partition", module, "--constrain", "v", code=2)[1])
        self.assertIn("bad-constraint", self.hilo("partition", module, "--constrain", "v={manual}", code=2)[1])
        self.assertIn("unknown-device", self.hilo("partition", module, "--target", "abacus", code=2)[1])
        self.assertIn("not-sharded", self.hilo("compare", "--partition", self.file(GOOD, "good.hlo"), code=2)[1])


class Thunks(CliTest):
    def test_a_module_is_compiled_and_measured_in_a_worker(self):
        study = json.loads(self.hilo("thunks", self.file(GOOD), "--json")[0])
        self.assertEqual([thunk["name"] for thunk in study["thunks"]], ["b", "c"])
        self.assertTrue(all(thunk["measured_ns"] >= 0 for thunk in study["thunks"]))
        self.assertEqual([(edge["from"], edge["to"]) for edge in study["dependencies"]], [(0, 1)])
        self.assertEqual(sorted(span[0] for span in study["timeline"]), [0, 1])
        self.assertTrue(study["checked"])
        self.assertEqual(study["races"], [])
        self.assertIn("no data races", self.hilo("thunks", self.file(GOOD))[0])

    def test_each_line_of_a_kernel_says_what_it_came_of(self):
        lines = self.hilo("thunks", self.file(GOOD), "--kernel", "b")[0].splitlines()
        self.assertTrue(any(line.split()[:1] == ["b"] and "fmul" in line for line in lines), lines)
        self.hilo("thunks", self.file(GOOD), "--kernel", "nobody", code=1)

    def test_thunks_of_a_dump_are_read(self):
        self.file(GOOD, "module_0001.good.sm_8.0_gpu_after_optimizations.txt")
        self.file("kKernel\t, kernel = b\nkKernel\t, kernel = c\n", "module_0001.good.thunk_sequence.txt")
        study = json.loads(self.hilo("thunks", self.folder.name, "--json")[0])
        self.assertEqual([thunk["instructions"] for thunk in study["thunks"]], [["b"], ["c"]])
        self.hilo("thunks", os.path.join("resources", "samples", "dump"), code=1)
        self.assertIn("mystery", self.hilo("thunks", self.file(CUSTOM), code=3)[1])

    def test_a_table_fits_the_terminal_and_is_whole_elsewhere(self):
        name = "a_fusion_whose_name_goes_on_for_longer_than_half_a_line_of_a_terminal"
        module = self.file(GOOD.replace("b", name))
        terminal, its_end = pty.openpty()
        fcntl.ioctl(its_end, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 100, 0, 0))
        subprocess.run([self.HILO, "thunks", module, "--no-run"], stdout=its_end, timeout=60, check=True)
        os.close(its_end)
        shown = os.read(terminal, 1 << 16).decode().splitlines()[1:]
        os.close(terminal)
        self.assertTrue(all(len(line) <= 100 for line in shown), shown)
        self.assertTrue(any("…" in line for line in shown), shown)
        whole = self.hilo("thunks", module, "--no-run")[0]
        self.assertNotIn("…", whole)
        self.assertRegex(whole.splitlines()[1], r"^thunk +kind +estimate +reads +writes$")

    def test_an_executable_that_cannot_be_read(self):
        text = 'hlo_module { hlo_module { name: "m" } }\nobject_files { name: "x" contents: 7 }\n' \
               'thunk_sequence { thunks { } }\nsymbols { name: "s" }\n'
        self.assertIn("text-proto-syntax", self.hilo("thunks", self.file(text, "executable.txtpb"), code=1)[1])

    def test_thunks_are_written_and_read_again(self):
        module = self.file(GOOD)
        text, binary = (os.path.join(self.folder.name, name) for name in ("thunks.textproto", "thunks.pb"))
        self.hilo("thunks", module, "--write", text)
        self.hilo("thunks", text, "--write", binary)
        self.assertIn("0 changes", self.hilo("thunks", module, "--no-run", "--against", binary)[0])
        self.hilo("thunks", self.folder.name, "--write", text, code=1)

    def test_fields_that_differ_are_named(self):
        module, other = self.file(ON_TWO_DEVICES), self.file(ON_TWO_DEVICES.replace("add(a, b)", "maximum(a, b)"), "o.hlo")
        self.assertEqual(self.hilo("thunks", module, "--no-run", "--against", module)[0], "0 changes of 1 thunk and 1\n")
        self.assertIn("collective.reduction: sum -> max",
                      self.hilo("thunks", other, "--no-run", "--against", module, code=1)[0])
        thunks = 'thunks { thunk_info { thunk_id: 1 } kernel_thunk { kernel_name: "k" launch_dimensions { ' \
                 'thread_counts_per_block { coordinates { x: 128 } } } } }\n'
        before = self.file(thunks, "before.textproto")
        after = self.file(thunks.replace("128", "256"), "after.textproto")
        self.assertIn("launch_dimensions.thread_counts_per_block.coordinates.x: 128 -> 256",
                      self.hilo("thunks", after, "--against", before, code=1)[0])

    def test_a_target_is_written_and_compiled_for(self):
        target = os.path.join(self.folder.name, "target.textproto")
        self.hilo("compile", self.file(GOOD), "--cpu", "haswell", "--write-target", target)
        self.assertIn("haswell", self.hilo("compile", self.file(GOOD), "--target", target)[0])
        gpu = self.file('triple: "nvptx64-nvidia-cuda"', "gpu.textproto")
        self.assertIn("unsupported-target", self.hilo("compile", self.file(GOOD), "--target", gpu, code=3)[1])

    def test_without_a_gpu_all_but_running_on_it_works(self):
        linked = subprocess.run(["ldd", self.HILO], capture_output=True, text=True, check=True).stdout
        self.assertNotRegex(linked, r"lib(cuda|cublas|cudnn|cufft|cusolver|nccl|nvrtc|nvJitLink|cupti)")
        module = self.file(GOOD)
        self.assertIn(".target sm_90a", self.hilo("compile", module, "--target", "sm_90a")[0])
        self.hilo("compare", "--engines", "reference,cuda-sim", module, "--check")
        self.assertIn("ptxas", self.hilo("toolchain")[0])
        ran = subprocess.run([self.HILO, "run", module, "--engine", "cuda"], capture_output=True, text=True)
        self.assertIn(ran.returncode, (0, 3), ran.stderr)
        if ran.returncode == 3:
            self.assertRegex(ran.stderr, "^hilo: (no-driver|old-driver|no-device)")


if __name__ == "__main__":
    main(__doc__)
