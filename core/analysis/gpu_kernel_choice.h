// Which kernel a GPU's code generation makes of an instruction, where it could make several: stated in a
// frontend attribute, which other compilers pass over.
//
//   dot(a, b), ..., frontend_attributes={hilo_gpu_kernel="tensor dot 64x64"}
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/hlo/ir/computation.h"

namespace hilo {

struct GpuKernelChoice {
  std::string shape;              // "tensor dot": a shape of codegen/gpu/kernel_shapes.def
  int64_t rows = 0, columns = 0;  // of the square that a block does; 0: as the shape sees fit
  // Of "tile program", one for each of TilingSpace::tiled(); empty: as the fusion's config says.
  std::vector<int64_t> sizes = {};
  friend bool operator==(const GpuKernelChoice&, const GpuKernelChoice&) = default;
};
// "tensor dot 64x64", "tile program 16,64", "rows"
std::string toString(const GpuKernelChoice& choice);
GpuKernelChoice parseGpuKernelChoice(std::string_view text);

// nullopt: the instruction says nothing.
std::optional<GpuKernelChoice> statedGpuKernel(const Instruction& instruction);
// nullopt takes the statement away.
void stateGpuKernel(Instruction& instruction, const std::optional<GpuKernelChoice>& choice);

}  // namespace hilo
