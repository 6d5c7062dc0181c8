// Kernels of the mosaic_gpu dialect, whose operations are done by whole warpgroups, as code of one thread for
// sm_90a or sm_100a. Each array in registers becomes the elements that its layout gives a thread; copies
// between global and shared memory become copies of tensors by TMA.
//
//   TRY(const KernelDescription kernel, parseKernel(text));
//   TRY(const KernelLayouts layouts, inferLayouts(kernel));
//   TRY(const WarpgroupKernel lowered, lowerKernel(kernel, layouts));
//   TRY(const std::string ptx, ptxOf(lowered));
//
// The PTX entry is called kEntry. Error kind "kernel-lowering", at the line of the operation: it is not
// lowered, or not with these types and attributes. What nobody lowers is named before anything else, the
// further ones in notes.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "core/analysis/kernel_layouts/inference/kernel_layouts.h"

namespace hilo::warpgroup {

inline constexpr const char* kEntry = "kernel";

using Extents = std::array<int64_t, 3>;  // x, y, z

// Global memory that a launch gives.
struct KernelArray {
  std::string name;
  inference::KernelType type;
  int64_t elementBytes = 0;
  int64_t bytes() const;  // from its first element to behind its last
};

// What cuTensorMapEncodeTiled is given, dimensions from the fastest on.
struct TensorBox {
  struct Dimension {
    int64_t size = 1;
    int64_t strideBytes = 0;  // of the first: of an element
    int64_t box = 1;
  };
  std::vector<Dimension> dimensions;  // 1 to 5
  int64_t elementBytes = 0;
  int64_t swizzleBytes = 0;  // 32, 64, 128 or 0
};

// Of the entry: the address of an array, or where a box is given 128 bytes of a tensor map of it.
struct KernelParameter {
  size_t array = 0;
  std::optional<TensorBox> box;
};

struct WarpgroupKernel {
  std::string name;
  std::string gpu;            // what it is for: "sm_90a", "sm_100a"
  std::string ofTensorCores;  // the first operation that only that one has, of sm_100; "": none
  std::vector<KernelArray> arrays;
  std::vector<KernelParameter> parameters;
  Extents grid = {1, 1, 1}, block = {128, 1, 1}, cluster = {1, 1, 1};
  int64_t sharedBytes = 0;  // that a launch asks for
  std::string bitcode;
};

// The layouts are found. A kernel without gpu.launch runs as one warpgroup; its arrays are then the global
// memory that llvm.mlir.undef stands for, else the arguments of func.func.
Result<WarpgroupKernel> lowerKernel(const inference::KernelDescription& kernel,
                                    const inference::KernelLayouts& layouts);

// For a GPU, "": the one that it is for. Error kinds: "unknown-gpu", "codegen-failed", "kernel-lowering" of a
// GPU that does not have what it does.
Result<std::string> ptxOf(const WarpgroupKernel& kernel, const std::string& gpu = "");
Result<std::string> llvmOf(const WarpgroupKernel& kernel, const std::string& gpu = "");

}  // namespace hilo::warpgroup
