#!/usr/bin/env python3
"""The questions that Hilo is for, each asked from its beginning to its answer, as a person does it with `hilo`.

docs/walks.md has the same commands with what they say. Modules lie in walks/, small ones of our own.

usage: walks_test.py HILO [unittest options]
"""

import hashlib
import json
import os
import subprocess
import sys
import tempfile
import unittest

HILO = None
HERE = os.path.dirname(os.path.abspath(__file__))


class Walk(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.environment = dict(os.environ, HOME=self.folder, XDG_DATA_HOME=self.folder, XDG_CACHE_HOME=self.folder)

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        return self.path(name)

    def hilo(self, *arguments, status=0):
        """Standard output; what went to standard error is in self.told."""
        done = subprocess.run([HILO, *arguments], capture_output=True, text=True, env=self.environment, timeout=120,
                              check=False)
        self.told = done.stderr
        self.assertEqual(done.returncode, status, f"{' '.join(arguments)}\n{done.stdout}\n{done.stderr}")
        return done.stdout

    def json(self, *arguments, status=0):
        return json.loads(self.hilo(*arguments, "--json", status=status))


class WhyDoesItNotOverlap(Walk):
    """A training step as it was before partitioning: which sharding costs what, and what another would."""

    STEP = os.path.join(HERE, "walks", "train_step.hlo")

    def test_from_the_module_to_the_constraint(self):
        # The figures of the whole program would answer another question, and that is said.
        self.hilo("schedule", self.STEP)
        self.assertIn("not partitioned", self.told)

        partitioned = self.json("partition", self.STEP, "--target", "h100")
        worst = max(partitioned["collectives"], key=lambda collective: collective["exposedNs"])
        self.assertEqual(worst["kind"], "all-gather")
        self.assertGreater(worst["exposedNs"], 0)
        # Whose sharding meets whose, at their source lines.
        why = self.hilo("partition", self.STEP, "--target", "h100", "--why", worst["name"])
        for part in ("%up", "model.py:20", "%hidden", "model.py:88", "to try"):
            self.assertIn(part, why)

        constraint = "hidden={devices=[1,8]<=[8]}"
        tried = self.json("partition", self.STEP, "--target", "h100", "--constrain", constraint)
        kinds = sorted(collective["kind"] for collective in tried["collectives"])
        self.assertEqual(kinds, ["all-gather", "all-reduce"])
        self.assertLess(tried["metrics"]["peakBytes"], partitioned["metrics"]["peakBytes"])

        # The program of one device goes on through XLA's pipeline to a schedule and a plan of memory.
        one, scheduled = self.path("one_device.hlo"), self.path("scheduled.hlo")
        self.hilo("partition", self.STEP, "--target", "h100", "--constrain", constraint, "-o", one)
        self.hilo("opt", "--pipeline=gpu", "--target", "h100", one, "-o", scheduled)
        self.assertIn("exposed communication", self.hilo("schedule", scheduled))
        self.assertNotIn("not partitioned", self.told)
        self.hilo("verify", scheduled)

    def test_the_partitioned_program_gives_the_same_answer(self):
        with open(self.STEP, encoding="utf-8") as file:
            text = file.read()
        small = self.write("small.hlo", text.replace("8192", "16").replace("16384", "32").replace("4096", "8"))
        self.hilo("compare", "--partition", small)
        self.hilo("compare", "--partition", small, "--constrain", "hidden={devices=[1,8]<=[8]}")


class WhichPassBrokeIt(Walk):
    """A report with a value that XLA gave: the stage, the instruction, a small module, one file to send."""

    MODULE = """HloModule report

ENTRY main {{
  x = f32[4] parameter(0)
  y = f32[4] parameter(1)
  product = f32[4] {opcode}(x, y)
  shifted = f32[4] add(product, x)
  ROOT out = f32[4] negate(shifted)
}}
"""
    GOOD, BAD = MODULE.format(opcode="multiply"), MODULE.format(opcode="add")
    ARGUMENTS = ("--arg", "x={1, 2, 3, 4}", "--arg", "y={2, 2, 2, 2}")
    EXPECTED = "{-3, -6, -9, -12}"

    def dump(self):
        stages = {"0000.simplification.after_pipeline-start.before_dce": self.GOOD,
                  "0001.simplification.after_dce.before_reassociate": self.GOOD,
                  "0002.simplification.after_reassociate.before_cse": self.BAD,
                  "0003.simplification.after_cse.before_pipeline-end": self.BAD}
        for name, text in stages.items():
            self.write(f"dump/module_0001.report.{name}.txt", text)
        self.write("dump/module_0001.report.before_optimizations.txt", self.GOOD)
        self.write("dump/module_0001.report.cpu_after_optimizations.txt", self.BAD)
        return self.path("dump")

    def test_from_the_report_to_the_stage(self):
        # As it was pasted: words around a fenced module.
        report = self.write("report.md", f"I get a wrong answer since yesterday:\n\n```\n{self.BAD}```\n\nAny idea?\n")
        self.hilo("compare", report, *self.ARGUMENTS, "--expect", self.EXPECTED, "--engine", "reference", status=1)

        dump = self.dump()
        found = self.json("bisect", dump, *self.ARGUMENTS, "--expect", self.EXPECTED)
        self.assertEqual(found["pass"], "reassociate")
        self.assertIn("product", json.dumps(found))

        # The other side opens one file and sees the same.
        sent = self.path("report.hilo")
        self.hilo("convert", dump, "-o", sent)
        self.assertEqual(self.json("bisect", sent, *self.ARGUMENTS, "--expect", self.EXPECTED)["pass"], "reassociate")

    def test_from_a_module_to_ten_lines(self):
        lines = ["HloModule many", "", "ENTRY main {", "  v0 = f32[8] parameter(0)"]
        lines += [f"  v{i} = f32[8] add(v{i - 1}, v{max(0, i - 3)})" for i in range(1, 60)]
        lines += ["  zero = f32[8] subtract(v59, v59)", "  none = f32[8] divide(zero, zero)",
                  "  ROOT out = f32[8] multiply(none, v59)", "}", ""]
        module, small = self.write("many.hlo", "\n".join(lines)), self.path("small.hilo")
        self.hilo("reduce", module, "--while", "nan", "-o", small)
        opened = self.hilo("convert", small, "-o", "-")
        self.assertLessEqual(opened.count(" = "), 10)
        self.assertIn("divide", opened)


class WhyDoesItNotFit(Walk):
    """Memory at its peak by source line, what keeps it alive, and what fusing leaves of it."""

    MODULE = os.path.join(HERE, "walks", "large_intermediate.hlo")

    def test_from_the_peak_to_the_line(self):
        text = self.hilo("memory", self.MODULE)
        self.assertIn("by source line", text)
        self.assertIn("model.py:70", text)
        before = self.json("memory", self.MODULE, "--plan", "hilo")["plans"]["hilo"]
        fused = self.path("fused.hlo")
        self.hilo("opt", "--pipeline=gpu", "--target", "h100", self.MODULE, "-o", fused)
        after = self.json("memory", fused, "--plan", "hilo")["plans"]["hilo"]
        self.assertLess(after["total_bytes"], before["total_bytes"])


class WhichKernelIsSlow(Walk):
    """Measured thunk by thunk, beside the estimate; the device fitted to what was measured; the tiles of a fusion."""

    MODULE = """HloModule norms

add {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}

ENTRY main {
  x = f32[512,512] parameter(0)
  w = f32[512,512] parameter(1)
  y = f32[512,512] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  squared = f32[512,512] multiply(y, y)
  zero = f32[] constant(0)
  sums = f32[512] reduce(squared, zero), dimensions={1}, to_apply=add
  wide = f32[512,512] broadcast(sums), dimensions={0}
  ROOT normed = f32[512,512] divide(y, wide)
}
"""

    def test_from_the_times_to_the_tiles(self):
        module, optimized = self.write("norms.hlo", self.MODULE), self.path("optimized.hlo")
        self.hilo("opt", "--pipeline=cpu", module, "-o", optimized)
        times = self.hilo("thunks", optimized, "--profile")
        self.assertRegex(times, r"(?m)^\S+,\d+\.\d+$")
        measured, fitted = self.write("measured.csv", times), self.path("fitted.json")
        estimated = self.json("cost", optimized, "--device", "xeon_8480", "--profile", measured)
        self.assertIn("measured", {row["bound"] for row in estimated["instructions"]})
        told = self.hilo("cost", optimized, "--device", "xeon_8480", "--profile", measured, "--fit", fitted)
        self.assertIn("estimates are off by a factor of", told)
        self.assertGreater(self.json("cost", optimized, "--device", fitted)["totalNs"], 0)

        tiles = self.json("tiles", module, "--name", "normed")
        self.assertTrue(tiles)


class ItIsWrongNowAndThen(Walk):
    """A module compiled for a GPU runs on the simulated one, held against the reference and checked for races."""

    MODULE = """HloModule sums

add {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}

ENTRY main {
  x = f32[64,96] parameter(0)
  zero = f32[] constant(0)
  rows = f32[64] reduce(x, zero), dimensions={1}, to_apply=add
  columns = f32[96] reduce(x, zero), dimensions={0}, to_apply=add
  ROOT both = (f32[64], f32[96]) tuple(rows, columns)
}
"""

    def test_compiled_kernels_are_checked_without_a_gpu(self):
        module = self.write("sums.hlo", self.MODULE)
        told = self.hilo("compare", "--engines", "reference,cuda-sim", module, "--check")
        self.assertIn("nothing wrong was found", told)
        self.assertIn(".entry", self.hilo("compile", module, "--target", "sm_90a"))


class WhereDoesEachElementLie(Walk):
    """A kernel that Pallas wrote, in the payload of a custom call: its layouts, what set them, conflicts, barriers."""

    PAYLOADS = os.path.join(os.path.dirname(HERE), "data", "mosaic", "payloads")
    PRODUCT = os.path.join(PAYLOADS, "matmul_f16_64x64x64_f32.hlo")

    def layouts(self, path, *options):
        [kernel] = self.json("kernel-layouts", path, *options)
        return kernel

    def by_value(self, kernel):
        return {one["value"]: one["layout"] for one in kernel["layouts"]}

    def text_payload(self, name, text):
        """A call to mosaic_gpu with the kernel as text, as early versions wrote it: a hash, then the module."""
        data = text.encode()
        head = hashlib.sha256(data).digest()
        config = "".join(chr(b) if 0x20 <= b < 0x7F and chr(b) not in "\"'\\" else f"\\{b:03o}" for b in head + data)
        return self.write(name, f"""HloModule step

ENTRY main {{
  x = f32[64,64]{{1,0}} parameter(0)
  y = f32[64,64]{{1,0}} add(x, x)
  ROOT pallas = f32[64,64]{{1,0}} custom-call(y), custom_call_target="mosaic_gpu", backend_config="{config}"
}}
""")

    def test_from_the_payload_to_what_set_a_layout(self):
        [carried] = self.json("kernels", self.PRODUCT)
        self.assertTrue(carried["payload"]["hashFits"])
        self.assertEqual(carried["findings"], [])
        lines = self.hilo("kernels", self.PRODUCT, "--name", carried["name"], "--text").splitlines()

        kernel = self.layouts(self.PRODUCT, "--name", carried["name"], "--steps")
        [product] = [one for one in kernel["layouts"] if one["value"].endswith(" of mosaic_gpu.wgmma")]
        self.assertEqual(product["layout"], "WGMMA")
        self.assertIn("mosaic_gpu.wgmma", lines[product["line"] - 1])
        self.assertIn("tile(8, 64) swizzle(128)", {one["layout"] for one in kernel["layouts"]})
        [step] = [one for one in kernel["steps"] if one["step"] == "set" and one["value"] == product["value"]]
        self.assertEqual(step["constraints"][0]["rule"], "wgmma")
        self.assertEqual(step["constraints"][0]["line"], product["line"])
        self.assertIn("rule wgmma, line", self.hilo("kernel-layouts", self.PRODUCT, "--steps"))

    def test_text_and_bytecode_in_both_spellings_are_one_kernel(self):
        text = self.hilo("kernels", self.PRODUCT, "--name", "kernel", "--text")
        expected = self.by_value(self.layouts(self.PRODUCT))
        for path in (self.PRODUCT.replace(".hlo", "_old.hlo"), self.text_payload("as_text.hlo", text),
                     self.write("kernel.mlir", text)):
            self.assertEqual(self.by_value(self.layouts(path)), expected, path)

    def test_the_bank_conflicts_of_a_copy(self):
        kernel = self.layouts(os.path.join(self.PAYLOADS, "pointwise_f16.hlo"))
        self.assertEqual([copy["operation"] for copy in kernel["copies"]],
                         ["mosaic_gpu.vector_load", "mosaic_gpu.vector_store"])
        for copy in kernel["copies"]:
            self.assertGreaterEqual(copy["wavefronts"], copy["withoutConflicts"])

    def test_the_kernel_runs_on_the_simulated_gpu(self):
        kernel = self.layouts(self.PRODUCT, "--run", "--check", "--seed", "3")
        self.assertEqual(kernel["findings"], [])
        self.assertEqual([one["changed"] for one in kernel["arrays"]], [False, False, True])
        self.assertIn("wgmma.mma_async", self.hilo("kernel-layouts", self.PRODUCT, "--ptx", "sm_90a"))

    def test_a_conflict_names_its_constraints(self):
        kernel = self.write("kernel.txt", """kernel sm_90
%x = llvm.mlir.undef : vector<128x64xf32>
%a = mosaic_gpu.layout_cast %x {new_layout = WGMMA} : vector<128x64xf32>
%b = mosaic_gpu.layout_cast %x {new_layout = TCGEN05} : vector<128x64xf32>
%y = arith.addf %a, %b : vector<128x64xf32>
""")
        told = self.json("kernel-layouts", kernel, status=1)
        self.assertEqual(told["error"]["kind"], "kernel-layout-conflict")
        self.assertLessEqual({one["line"] for one in told["conflict"]}, {2, 3, 4, 5})
        self.assertIn("layoutCast", {one["rule"] for one in told["conflict"]})

    def test_a_barrier_that_nobody_arrives_at(self):
        text = self.hilo("kernels", self.PRODUCT, "--name", "kernel", "--text")
        [arrive] = [line for line in text.splitlines() if '"mosaic_gpu.arrive"(' in line]
        faulty = self.text_payload("faulty.hlo", text.replace(arrive + "\n", ""))
        [kernel] = self.json("kernels", faulty, status=1)
        self.assertEqual(kernel["findings"][0]["kind"], "deadlock")


if __name__ == "__main__":
    HILO = os.path.abspath(sys.argv.pop(1))
    unittest.main()
