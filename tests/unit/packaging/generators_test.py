"""new-pass and new-op, run on small copies of the tables they add to."""

import os
import subprocess
import sys
import tempfile
import unittest

REPOSITORY_ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..")
DEV = os.path.join(REPOSITORY_ROOT, "packaging", "dev")
PASSES = "core/compiler/passes"
TABLE = f"{PASSES}/table"

PASSES_DEF = ('PASS("cse", eliminate, "Merges",\n     {setting<&Limits::rounds>("max_rounds", "in all")})\n'
              'PASS("dce", remove, "Removes")\n#undef PASS\n')
ALL_PASSES = f'#include "{TABLE}/all_passes.h"\n\n#include "{PASSES}/simplify/cse.h"\n#include "{PASSES}/simplify/dce.h"\n'
CMAKE = "hilo_library(hilo_passes SUBDIRS simplify simplify/algebra DEPS hilo_pass)\n"
OPS_DEF = ('OP(Abs, "abs", 1, ElementwiseUnary)\nOP(Pad, "pad", 2, DataMovement, Padding)\n'
           'OP(Opaque, "", -1, CustomCall, OpaqueOpcode)\n#undef OP\n')
FACTS_DEF = "OP_FACTS(Abs, HeedsSizes)\nOP_FACTS(Pad)\nOP_FACTS(Opaque, SideEffect)\n#undef OP_FACTS\n"
ATTRIBUTES_DEF = 'ATTR(Dimensions, "dimensions", Int64List)\n'


class GeneratorsTest(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.root = holder.name
        for path, text in ((f"{TABLE}/passes.def", PASSES_DEF), (f"{TABLE}/all_passes.cpp", ALL_PASSES),
                           (f"{PASSES}/CMakeLists.txt", CMAKE), ("core/hlo/ir/ops.def", OPS_DEF),
                           ("core/hlo/ir/op_facts.def", FACTS_DEF), ("core/hlo/ir/attributes.def", ATTRIBUTES_DEF)):
            full = os.path.join(self.root, path)
            os.makedirs(os.path.dirname(full), exist_ok=True)
            with open(full, "w", encoding="utf-8") as file:
                file.write(text)

    def run_tool(self, tool, *arguments):
        return subprocess.run([sys.executable, os.path.join(DEV, tool), *arguments, "--root", self.root],
                              capture_output=True, text=True, check=False)

    def read(self, path):
        with open(os.path.join(self.root, path), encoding="utf-8") as file:
            return file.read()

    def test_new_pass_goes_into_the_table_in_order(self):
        done = self.run_tool("new-pass", "cycle-breaker", "loops", "--summary", "Breaks cycles")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.read(f"{TABLE}/passes.def").splitlines()[2],
                         'PASS("cycle-breaker", cycleBreaker, "Breaks cycles")')
        self.assertEqual(self.read(f"{TABLE}/all_passes.cpp").splitlines()[2:],
                         [f'#include "{PASSES}/loops/cycle_breaker.h"', f'#include "{PASSES}/simplify/cse.h"',
                          f'#include "{PASSES}/simplify/dce.h"'])
        self.assertIn("SUBDIRS simplify simplify/algebra loops DEPS", self.read(f"{PASSES}/CMakeLists.txt"))

    def test_new_pass_writes_files_that_fit_together(self):
        self.run_tool("new-pass", "cycle-breaker", "loops", "--function", "breakCycles")
        self.assertIn("Result<bool> breakCycles(Module& module", self.read(f"{PASSES}/loops/cycle_breaker.h"))
        source = self.read(f"{PASSES}/loops/cycle_breaker.cpp")
        self.assertIn(f'#include "{PASSES}/loops/cycle_breaker.h"', source)
        self.assertIn("Result<bool> breakCycles(Module& module", source)
        self.assertIn("RUN: hilo opt --passes=cycle-breaker", self.read("tests/golden/passes/cycle-breaker.hlo"))

    def test_refusals_write_nothing(self):
        for tool, arguments, reason in (
            ("new-pass", ("dce", "simplify"), "passes.def has dce already"),
            ("new-pass", ("Bad_Name", "simplify"), "NAME is written like-this"),
            ("new-op", ("abs",), "has abs already"),
            ("new-op", ("fold", "--class", "NoSuch"), "no class NoSuch"),
            ("new-op", ("fold", "--attributes", "Padding"), "no attribute Padding"),
        ):
            done = self.run_tool(tool, *arguments)
            self.assertEqual(done.returncode, 1, arguments)
            self.assertIn(reason, done.stderr)
        self.assertEqual((self.read(f"{TABLE}/passes.def"), self.read("core/hlo/ir/ops.def")), (PASSES_DEF, OPS_DEF))

    def test_new_op_goes_before_opaque(self):
        done = self.run_tool("new-op", "shuffle-elements", "--operands", "2", "--class", "DataMovement",
                             "--attributes", "Dimensions")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.read("core/hlo/ir/ops.def").splitlines()[2],
                         'OP(ShuffleElements, "shuffle-elements", 2, DataMovement, Dimensions)')
        self.assertEqual(self.read("core/hlo/ir/op_facts.def").splitlines()[2], "OP_FACTS(ShuffleElements)")
        golden = self.read("tests/golden/ops/shuffle-elements.hlo")
        self.assertIn("ROOT result = f32[4] shuffle-elements(x0, x1)", golden)


if __name__ == "__main__":
    unittest.main()
