#!/usr/bin/env python3
"""A build without LLVM: what it links, what works as in every build, what it refuses and with what words.

usage: viewer_test.py HILO HILO_STUDIO [unittest options]
"""

import os
import subprocess
import sys
import tempfile
import unittest

HILO = STUDIO = None
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tests", "golden"))
import run_golden  # noqa: E402  (found by the line above)

SAMPLE = os.path.join(ROOT, "resources", "samples", "sharded_layers.hlo")
MODULE = """HloModule m

ENTRY main {
  a = f32[4,4] parameter(0)
  b = f32[4,4] negate(a)
  ROOT f = f32[4,4] add(b, a)
}
"""
FUSION = """HloModule m

fused {
  p = f32[8,8] parameter(0)
  ROOT n = f32[8,8] negate(p)
}

ENTRY main {
  a = f32[8,8] parameter(0)
  ROOT f = f32[8,8] fusion(a), kind=kLoop, calls=fused
}
"""
TILES = ["tiles", "fusion.hlo", "--name", "f", "--sizes", "4,4"]
TARGET = 'triple: "x86_64-unknown-linux-gnu" cpu: "haswell"\n'
# Golden files whose commands ask for an engine that compiles, or for a plug-in on MLIR: nothing else may differ.
REFUSALS = ("no-compiler", "stablehlo plug-in", "no-kernel-plugin")

# Commands with their exit status.
REFUSED = [
    (["run", "--engine", "cpu", "m.hlo"], 3),
    (["run", "--engine", "plain", "m.hlo"], 3),
    (["run", "--engine", "cuda-sim", "m.hlo"], 3),
    (["run", "--engine", "cuda", "m.hlo"], 3),
    (["compare", "--engines", "reference,cpu", "m.hlo"], 3),
    (["compile", "m.hlo"], 3),
    (["compile", "m.hlo", "--kernels"], 3),
    (["compile", "m.hlo", "--target", "sm_90a"], 3),
    (["compile", "m.hlo", "--target", "target.textproto"], 3),
    (["compile", "m.hlo", "--cpu", "haswell"], 3),
    (["thunks", "m.hlo", "--no-run"], 3),
    (["tune", "m.hlo", "-o", "out.hlo"], 3),
    ([*TILES, "--llvm"], 1),
    ([*TILES, "--ptx", "sm_90a"], 1),
    ([*TILES, "--run"], 1),
    (["kernel-layouts", "kernel.txt", "--ptx", "sm_90a"], 1),
    (["kernel-layouts", "kernel.txt", "--llvm"], 1),
]


class Viewer(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.environment = dict(os.environ, HOME=self.folder, XDG_DATA_HOME=self.folder, XDG_CACHE_HOME=self.folder,
                                QT_QPA_PLATFORM="offscreen", XDG_RUNTIME_DIR=self.folder)
        kernel = run_golden.Golden(os.path.join(run_golden.GOLDEN_ROOT, "cli", "kernel_layouts_softmax.txt")).input
        for name, text in (("m.hlo", MODULE), ("target.textproto", TARGET), ("m.mlir", "module @m {\n}\n"),
                           ("fusion.hlo", FUSION), ("kernel.txt", kernel)):
            with open(os.path.join(self.folder, name), "w", encoding="utf-8") as file:
                file.write(text)

    def start(self, program, *arguments, status=0):
        """What it printed, both streams."""
        done = subprocess.run([program, *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              env=self.environment, cwd=self.folder, timeout=120, check=False)
        self.assertEqual(done.returncode, status, f"{arguments}\n{done.stdout}")
        return done.stdout

    def test_nothing_of_llvm_is_linked(self):
        for program in (HILO, STUDIO):
            self.assertNotRegex(self.start("readelf", "-d", program), "(?i)NEEDED.*(llvm|mlir|clang)")

    def test_the_version_says_so(self):
        for program in (HILO, STUDIO):
            self.assertIn("no LLVM", self.start(program, "--version"))

    def test_what_compiles_is_refused_with_the_remedy(self):
        for arguments, status in REFUSED:
            with self.subTest(arguments=arguments):
                said = self.start(HILO, *arguments, status=status)
                self.assertIn("no-compiler", said)
                self.assertIn("HILO_LLVM=ON", said)

    def test_stablehlo_is_refused_by_name(self):
        self.assertIn("builds with LLVM and MLIR", self.start(HILO, "info", "m.mlir", status=1))

    def test_the_evaluator_answers(self):
        said = self.start(HILO, "run", "--engine", "reference", "--arg", "a=iota", "m.hlo")
        self.assertIn("reference", said)

    def test_a_tile_program_is_printed(self):
        self.assertIn("store", self.start(HILO, *TILES, "--program"))

    def test_a_pipeline_runs_to_the_end(self):
        for pipeline in ("cpu", "gpu"):
            said = self.start(HILO, "opt", f"--pipeline={pipeline}", "m.hlo")
            self.assertIn("ENTRY", said)

    def test_goldens_agree_or_are_refused(self):
        agree, refused = 0, []
        for path in run_golden.golden_files([run_golden.GOLDEN_ROOT]):
            expected = run_golden.Golden(path)
            output, complaints = expected.run(HILO)
            if output == expected.expected and not complaints:
                agree += 1
            else:
                refused.append(os.path.relpath(path, ROOT))
                self.assertTrue(any(word in output for word in REFUSALS), f"{refused[-1]}\n{complaints}\n{output}")
        print(f"{agree} golden files agree, {len(refused)} are refused: {' '.join(refused)}")
        self.assertGreater(agree, 5 * len(refused))

    def test_every_view_draws(self):
        views = self.start(STUDIO, "--list-views").split()
        self.assertGreater(len(views), 20)
        for view in views:
            with self.subTest(view=view):
                picture = os.path.join(self.folder, view + ".png")
                self.start(STUDIO, "--no-settings", "--render", view, "-o", picture, SAMPLE)
                self.assertGreater(os.path.getsize(picture), 1000)


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    HILO, STUDIO = (os.path.abspath(sys.argv.pop(1)) for _ in range(2))
    unittest.main()
