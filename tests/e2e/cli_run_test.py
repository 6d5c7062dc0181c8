#!/usr/bin/env python3
"""What scripts rely on of `hilo run`: arrays in and out, exit codes, what it tells.

usage: cli_run_test.py HILO [unittest options]
"""

import json
import os
import struct
import zipfile

from cli_case import CUSTOM, GOOD, ON_TWO_DEVICES, CliTest, main

LONG = """HloModule long

body {
  t = (s32[], f32[256,256]) parameter(0)
  i = s32[] get-tuple-element(t), index=0
  one = s32[] constant(1)
  next = s32[] add(i, one)
  x = f32[256,256] get-tuple-element(t), index=1
  y = f32[256,256] dot(x, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  ROOT r = (s32[], f32[256,256]) tuple(next, y)
}

goes_on {
  t = (s32[], f32[256,256]) parameter(0)
  i = s32[] get-tuple-element(t), index=0
  end = s32[] constant(100000)
  ROOT less = pred[] compare(i, end), direction=LT
}

ENTRY main {
  x = f32[256,256] parameter(0)
  zero = s32[] constant(0)
  first = (s32[], f32[256,256]) tuple(zero, x)
  ROOT w = (s32[], f32[256,256]) while(first), condition=goes_on, body=body
}
"""
OF_ANY_SIZE = """HloModule of_any_size

less {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT r = pred[] compare(a, b), direction=LT
}

ENTRY main {
  x = f32[<=4] parameter(0)
  ROOT s = f32[<=4] sort(x), dimensions={0}, to_apply=less
}
"""
OF_A_HOST = """HloModule of_a_host

ENTRY main {
  t = token[] after-all()
  a = (f32[2], token[]) infeed(t)
  x = f32[2] get-tuple-element(a), index=0
  t2 = token[] get-tuple-element(a), index=1
  b = ((f32[2], f32[]), token[]) infeed(t2)
  v = (f32[2], f32[]) get-tuple-element(b), index=0
  y = f32[2] get-tuple-element(v), index=0
  t3 = token[] get-tuple-element(b), index=1
  ROOT sum = f32[2] add(x, y)
  o = token[] outfeed(sum, t3), outfeed_shape=f32[2]
}
"""
# What the cpu engine refuses: how many elements an outfeed gives is known only while it runs.
FOR_THE_EVALUATOR = """HloModule open_outfeed

ENTRY main {
  a = f32[<=8] parameter(0)
  before = token[] after-all()
  ROOT o = token[] outfeed(a, before), outfeed_shape=f32[<=8]
}
"""


class Run(CliTest):
    def test_runs(self):
        out = os.path.join(self.folder.name, "out.npy")
        report = json.loads(self.hilo("run", self.file(GOOD), "--seed", "7", "--repeat", "3", "--out", out, "--json")[0])
        self.assertEqual(len(report["samples_ns"]), 3)
        with open(out, "rb") as array:
            self.assertTrue(array.read().startswith(b"\x93NUMPY"))

    def test_one_cold_run_is_no_median(self):
        self.assertRegex(self.hilo("run", self.file(GOOD))[0], r"time +[0-9.]+ [nµm]?s, one cold run\n")
        self.assertRegex(self.hilo("run", self.file(GOOD), "--repeat", "3")[0], r"time +median .*, n 3\n")

    def test_arrays_that_do_not_fit_are_told_with_their_file_and_the_reason(self):
        module, five = self.file(GOOD), os.path.join(self.folder.name, "five.npy")
        iota = self.file("ENTRY e { ROOT i = f32[5] iota(), iota_dimension=0 }", "iota.hlo")
        self.hilo("run", iota, "--out", five)
        cases = ((["--args", five], "five.npy: the file holds f32[5], not f32[4]"),
                 (["--arg", "a=" + self.file("no array", "bad.npy")], "bad.npy: the file does not start as"),
                 (["--arg", "a=/nowhere.npy"], "file-not-found: /nowhere.npy: No such file"),
                 (["--arg", "a=" + self.folder.name], "is a directory, not a file"),
                 (["--out", "/nowhere/out.npy"], "not-writable: /nowhere/out.npy: No such file"))
        for arguments, reason in cases:
            self.assertIn(reason, self.hilo("run", module, *arguments, code=1)[1])
        self.assertRegex(self.hilo("run", self.folder.name, code=1)[1], "is a directory(.|\n)*hilo info")
        self.assertIn("is not an HLO or StableHLO file: it looks like an empty file", self.hilo("run", self.file("", "none.hlo"), code=1)[1])

    def test_a_long_run_is_told_before_it_begins(self):
        long = self.file(LONG, "long.hlo")
        said = self.hilo("run", long, "--engine", "reference", "--time-limit", "0.2", code=1)[1]
        self.assertRegex(said, r"^note: it is estimated to take about \d+ (s|min|h) .*ends it after 200 ms\n")
        self.assertNotIn("estimated", self.hilo("run", self.file(GOOD), "--engine", "reference")[1])

    def test_same_seed_same_output(self):
        digests = {json.loads(self.hilo("run", self.file(GOOD), "--seed", "7", "--json")[0])["output_digest"] for _ in range(2)}
        self.assertEqual(len(digests), 1)

    def test_run_on_several_devices(self):
        module = self.file(ON_TWO_DEVICES)
        out = os.path.join(self.folder.name, "devices.npz")
        report = json.loads(self.hilo("run", module, "--out", out, "--json")[0])
        self.assertEqual(report["devices"], 2)
        self.assertEqual(report["output_shape"], "(f32[2], f32[2])")
        with zipfile.ZipFile(out) as archive:
            self.assertEqual(sorted(archive.namelist()), ["out0.npy", "out1.npy"])
            one, other = (archive.read(name)[-8:] for name in sorted(archive.namelist()))
        # Both have the same sum; run again with each one's output as its argument, they give it twice.
        paths = []
        for n, values in enumerate((one, other)):
            paths.append(self.npy(struct.unpack("<2f", values), f"device{n}.npy"))
        self.hilo("run", module, "--args", ",".join(paths), "--out", out)
        with zipfile.ZipFile(out) as archive:
            twice = struct.unpack("<2f", archive.read("out1.npy")[-8:])
        self.assertEqual(twice, tuple(2 * x for x in struct.unpack("<2f", one)))
        self.hilo("run", module, "--args", ",".join(paths + paths), code=1)
        report = json.loads(self.hilo("compare", "--modules", f"{module},{module}", "--json")[0])
        self.assertEqual([leaf["path"] for leaf in report["leaves"]], ["device 0", "device 1"])

    def test_an_argument_of_fewer_elements_than_its_bound(self):
        module, program = self.file(OF_ANY_SIZE), os.path.join(self.folder.name, "m.program")
        arguments, out = self.npy((3, 1, 2), "x.npy"), os.path.join(self.folder.name, "out.npy")
        self.hilo("compile", module, "--save", program)
        for run in ((module,), (module, "--engine", "cpu"), (module, "--engine", "cpu:no-passes"), (program,)):
            self.hilo("run", *run, "--args", arguments, "--out", out)
            with open(out, "rb") as array:
                self.assertEqual(struct.unpack("<3f", array.read()[-12:]), (1, 2, 3), run)
        self.assertIn("wrong-argument", self.hilo("run", module, "--args", self.npy(range(5), "y.npy"), code=1)[1])

    def test_infeeds_take_files_and_outfeeds_are_a_result(self):
        module, program = self.file(OF_A_HOST), os.path.join(self.folder.name, "m.program")
        one, pair = self.npy((1, 2), "one.npy"), os.path.join(self.folder.name, "pair.npz")
        iota = self.file("ENTRY e { i = f32[2] iota(), iota_dimension=0\n z = f32[] constant(0)\n"
                         "ROOT t = (f32[2], f32[]) tuple(i, z) }", "iota.hlo")
        self.hilo("run", iota, "--out", pair)
        with zipfile.ZipFile(pair) as archive:
            parts = [archive.read(f"out{i}.npy") for i in range(2)]
        with zipfile.ZipFile(pair, "w") as archive:
            for i, part in enumerate(parts):
                archive.writestr(f"arg{i}.npy", part)
        out = os.path.join(self.folder.name, "out.npz")
        self.hilo("compile", module, "--save", program)
        for run in ((module,), (module, "--engine", "cpu"), (module, "--engine", "cpu", "--in-process"), (program,)):
            report = json.loads(self.hilo("run", *run, "--infeed", one, "--infeed", pair, "--out", out, "--json")[0])
            self.assertEqual(report["results"], ["sum", "outfeed"])
            self.assertEqual(report["output_shape"], "(f32[2], (f32[2]))")
            with zipfile.ZipFile(out) as archive:
                for name in ("out0.npy", "out1.0.npy"):
                    self.assertEqual(struct.unpack("<2f", archive.read(name)[-8:]), (1, 3), run)
            err = self.hilo("run", *run, "--infeed", one, code=1)[1]
            self.assertRegex(err, "infeed-empty: b: nothing is left(.|\n)*--infeed")
        self.assertIn("match, bit for bit", self.hilo("compare", "--engines", "reference,cpu", module)[0])
        self.assertIn("made up from seed 0", self.hilo("run", module)[0])
        self.assertIn("wrong-argument", self.hilo("run", self.file(GOOD), "--infeed", one, code=1)[1])

    def test_not_runnable_is_3_with_the_reason_by_name(self):
        self.assertIn("mystery", self.hilo("run", self.file(CUSTOM), code=3)[1])
        self.assertIn("unknown-engine", self.hilo("run", "--engine", "nonsense", self.file(GOOD), code=3)[1])

    def test_cpu_runs_it_and_where_it_cannot_the_evaluator(self):
        self.assertRegex(self.hilo("run", self.file(GOOD))[0], r"engine +cpu\n")
        report = json.loads(self.hilo("run", self.file(FOR_THE_EVALUATOR), "--json")[0])
        self.assertEqual(report["engine"], "reference")
        self.assertRegex("\n".join(report["notes"]), r"engine reference: cpu cannot run it: .+")
        self.assertEqual(json.loads(self.hilo("run", self.file(GOOD), "--engine", "reference", "--json")[0])["engine"], "reference")

    def test_kept_runs(self):
        self.assertIn("kept as run 1", self.hilo("run", self.file(GOOD), "--keep")[1])


if __name__ == "__main__":
    main(__doc__)
