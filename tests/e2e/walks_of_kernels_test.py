#!/usr/bin/env python3
"""The questions that Hilo is for about kernels, each asked from its beginning to its answer, as a person does it with
`hilo`; walks_test.py asks the first three.

docs/walks.md has the same commands with what they say. Modules lie in walks/, small ones of our own.

usage: walks_of_kernels_test.py HILO [unittest options]
"""

import hashlib
import os

from walk_case import HERE, Walk, main


class WhichKernelIsSlow(Walk):
    """Measured thunk by thunk, beside the estimate; the device fitted to what was measured; the tiles of a fusion."""

    FUSED = os.path.join(HERE, "walks", "fused_norms.hlo")
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

        [tiles] = self.json("tiles", self.FUSED, "--name", "norms", "--rank")
        first = tiles["ranking"]["first"]
        self.assertEqual(first, sorted(first, key=lambda tiling: tiling["estimatedNs"]))

    def test_the_fastest_way_on_this_machine_is_kept(self):
        store = self.path("runs.db")
        options = ("--no-passes", "--only", "norms", "--store", store)
        tried = self.json("tune", self.FUSED, *options, "--repeat", "6")["tuned"]
        self.assertTrue(all(tuned["best"] in [way["config"] for way in tuned["tried"]] for tuned in tried))
        # Found again, and the module with it does the same.
        tuned = self.path("tuned.hlo")
        again = self.json("tune", self.FUSED, *options, "-o", tuned)["tuned"]
        self.assertTrue(all(one["reused"] for one in again))
        self.assertEqual([one["best"] for one in again], [one["best"] for one in tried])
        self.hilo("compare", "--modules", f"{self.FUSED},{tuned}", "--engine", "cpu:no-passes")

    def test_the_kernel_that_a_gpu_is_best_given(self):
        tuned = self.path("tuned.hlo")
        [found] = self.json("tune", self.FUSED, "--no-passes", "--only", "norms", "--target", "h100",
                            "--tilings", "2", "-o", tuned)["tuned"]
        best = next(kernel for kernel in found["tried"] if kernel["kernel"] == found["best"])
        self.assertTrue(best["equals_reference"])
        self.assertTrue(found["estimated"])
        with open(tuned, encoding="utf-8") as file:
            self.assertEqual(f'hilo_gpu_kernel="{found["best"]}"' in file.read(), found["best"] != "default")


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

    DUMP = os.path.join(HERE, "walks", "racing_dump")

    def test_a_race_in_a_kernel_that_xla_wrote(self):
        told = self.hilo("compare", "--engines", "reference,cuda-sim", self.DUMP, "--as-compiled", "--check", status=1)
        # The answer is right this time, and right by luck.
        self.assertIn("match, bit for bit", told)
        run = self.json("run", self.DUMP, "--as-compiled", "--engine", "cuda-sim", "--check", status=1)
        [finding] = run["findings"]
        self.assertEqual(finding["kind"], "race")
        self.assertEqual(finding["instruction"], "differences")
        with open(os.path.join(self.DUMP, finding["file"]), encoding="utf-8") as ptx:
            self.assertIn("ld.shared.f32", ptx.read().splitlines()[finding["line"] - 1])

    def test_with_its_barrier_nothing_is_wrong(self):
        whole = {}
        for name in sorted(os.listdir(self.DUMP)):
            with open(os.path.join(self.DUMP, name), encoding="utf-8") as file:
                whole[name] = file.read()
        store = "\tst.shared.f32 [%r4], %f1;\n"
        for name, text in whole.items():
            self.write(f"mended/{name}", text.replace(store, store + "\tbar.sync 0;\n"))
        told = self.hilo("compare", "--engines", "reference,cuda-sim", self.path("mended"), "--as-compiled", "--check")
        self.assertIn("nothing wrong was found", told)


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
    main()
