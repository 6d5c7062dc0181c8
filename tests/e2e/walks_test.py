#!/usr/bin/env python3
"""The first three questions that Hilo is for, each asked from its beginning to its answer, as a person does it with
`hilo`; walks_of_kernels_test.py asks the others.

docs/walks.md has the same commands with what they say. Modules lie in walks/, small ones of our own.

usage: walks_test.py HILO [unittest options]
"""

import json
import os

from walk_case import HERE, Walk, main


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

    DUMP = os.path.join(HERE, "walks", "report_dump")
    ARGUMENTS = ("--arg", "x={1, 2, 3, 4}", "--arg", "y={2, 2, 2, 2}")
    EXPECTED = "{-3, -6, -9, -12}"

    def test_from_the_report_to_the_stage(self):
        # As it was pasted: words around a fenced module.
        with open(os.path.join(self.DUMP, "module_0001.report.cpu_after_optimizations.txt"), encoding="utf-8") as file:
            bad = file.read()
        report = self.write("report.md", f"I get a wrong answer since yesterday:\n\n```\n{bad}```\n\nAny idea?\n")
        self.hilo("compare", report, *self.ARGUMENTS, "--expect", self.EXPECTED, "--engine", "reference", status=1)

        found = self.json("bisect", self.DUMP, *self.ARGUMENTS, "--expect", self.EXPECTED)
        self.assertEqual(found["pass"], "reassociate")
        self.assertIn("product", json.dumps(found))

        # The other side opens one file and sees the same.
        sent = self.path("report.hilo")
        self.hilo("convert", self.DUMP, "-o", sent)
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

    def test_what_lowers_the_peak(self):
        tried = self.json("memory", os.path.join(HERE, "walks", "saved_activation.hlo"), "--try", "--target", "h100")
        best = tried["trials"][0]
        self.assertEqual(best["kind"], "recompute")
        self.assertIn("model.py:12", best["how"])
        self.assertEqual(tried["figures"]["peak_bytes"] - best["figures"]["peak_bytes"], 128 << 20)
        self.assertGreater(best["figures"]["step_ns"], tried["figures"]["step_ns"])
        donated = next(trial for trial in tried["trials"] if trial["kind"] == "donate")
        self.assertEqual(tried["figures"]["total_bytes"] - donated["figures"]["total_bytes"], 64 << 20)
        smaller = self.path("smaller.hlo")
        self.hilo("memory", os.path.join(HERE, "walks", "saved_activation.hlo"), "--try", "--target", "h100",
                  "--change", "1", "-o", smaller)
        plan = self.json("memory", smaller, "--plan", "hilo")["plans"]["hilo"]
        self.assertEqual(plan["total_bytes"], best["figures"]["total_bytes"])

    def test_another_step_than_the_peak(self):
        peak, logits = (self.json("memory", self.MODULE, "--plan", "hilo", *options)["plans"]["hilo"]["at"]
                        for options in ((), ("--at", "logits")))
        self.assertLess(logits["step"], peak["step"])
        self.assertLess(logits["bytes"], peak["bytes"])
        self.assertIn("model.py:70", [line["name"] for line in logits["by_source"]])

    def test_the_layout_that_made_a_copy_necessary(self):
        module = self.write("wanted.hlo", """HloModule m, entry_computation_layout={(f32[64,32]{1,0})->f32[64,32]{0,1}}

less {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT c = pred[] compare(a, b), direction=LT
}

ENTRY main {
  x = f32[64,32]{1,0} parameter(0)
  ROOT sorted = f32[64,32]{0,1} sort(x), dimensions={1}, to_apply=less
}
""")
        [move] = self.json("layouts", module)["moves"]
        self.assertIn("the entry layout states the order of the result", move["cause"])
        constraint = move["advice"][0]["constraint"]
        self.assertEqual(self.json("layouts", module, "--try", constraint)["moves"], [])


if __name__ == "__main__":
    main()
