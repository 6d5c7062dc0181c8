// Kernels as text, a line an operation, close to what MLIR prints in its generic form:
//
//     kernel sm_90
//     %ref = mosaic_gpu.slice_smem {alias_id = 0} : memref<64x64xbf16, smem>
//     %x = mosaic_gpu.vector_load %ref : vector<64x64xbf16>
//     %i = arith.constant {value = 8} : i32
//     %y = scf.for %i, %i, %i, %x : vector<64x64xbf16> {
//       ^(%k: i32, %a: vector<64x64xbf16>)
//       %s = arith.addf %a, %a : vector<64x64xbf16>
//       scf.yield %s
//     }
//     %z = mosaic_gpu.layout_cast %y {new_layout = WGMMA} : vector<64x64xbf16>
//
// Types are those of the results. Attributes have MLIR's names: numbers, true and false, words, sizes in
// brackets (? is known only while the kernel runs), layouts as layout_text.h reads them, transforms as
// parseSharedTransforms does. A region ends with } and the next of the same op begins behind it with {.
// Text behind // says nothing. `@12` at the end of an operation is the line it is of, where the text was made
// from another one; that line is then what errors and layouts name.
#pragma once

#include "core/analysis/kernel_layouts/inference/kernel_description.h"

namespace hilo::inference {

// "kernel-text" with its line.
Result<KernelDescription> parseKernel(std::string_view text);
// Its first line that says something names the architecture or defines a value.
bool isKernelText(std::string_view text);
// What parseKernel reads as the same kernel, but for lines.
std::string printKernel(const KernelDescription& kernel);

}  // namespace hilo::inference
