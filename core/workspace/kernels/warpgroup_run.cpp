#include "core/workspace/kernels/warpgroup_run.h"

#include <fmt/format.h>

#include "core/compiler/codegen/simulate/load_ptx.h"
#include "core/compiler/codegen/warpgroup/kernel_types.h"
#include "core/hlo/eval/arguments.h"
#include "core/runtime/device/simulated/tensor_map.h"

namespace hilo {

using warpgroup::Extents;
using warpgroup::KernelArray;
using warpgroup::KernelParameter;
using warpgroup::TensorBox;
using warpgroup::WarpgroupKernel;

namespace {

constexpr const char* kSimulatedGpu = "sm_90a";

Result<Shape> shapeOf(const KernelArray& array) {
  const auto type = warpgroup::elementTypeNamed(array.type.element);
  if (!type || !array.type.strides.empty() || elementStorageBytes(*type) != array.elementBytes)
    return fail("kernel-run",
                fmt::format("{}: values of {} are not made up, or given", array.name, toString(array.type)));
  return Shape::array(*type, array.type.shape);
}

TensorMap mapOf(const TensorBox& box, std::byte* address) {
  TensorMap map{.address = address,
                .elementBytes = static_cast<uint32_t>(box.elementBytes),
                .rank = static_cast<uint32_t>(box.dimensions.size())};
  for (size_t i = 0; i < box.dimensions.size(); ++i) {
    map.sizes[i] = static_cast<uint32_t>(box.dimensions[i].size);
    map.strides[i] = static_cast<uint64_t>(box.dimensions[i].strideBytes);
    map.box[i] = static_cast<uint32_t>(box.dimensions[i].box);
  }
  map.swizzle = box.swizzleBytes == 128  ? TensorSwizzle::Bytes128
                : box.swizzleBytes == 64 ? TensorSwizzle::Bytes64
                : box.swizzleBytes == 32 ? TensorSwizzle::Bytes32
                                         : TensorSwizzle::None;
  return map;
}

// As PTX lays parameters out: pointers at multiples of 8 bytes, tensor maps at multiples of 64.
std::vector<std::byte> parametersOf(const WarpgroupKernel& kernel, std::vector<Literal>& arrays) {
  std::vector<std::byte> bytes;
  const auto add = [&](std::span<const std::byte> one, size_t alignment) {
    bytes.resize((bytes.size() + alignment - 1) / alignment * alignment);
    bytes.insert(bytes.end(), one.begin(), one.end());
  };
  for (const KernelParameter& parameter : kernel.parameters) {
    std::byte* address = arrays[parameter.array].mutableBytes().data();
    if (parameter.box)
      add(encodeTensorMap(mapOf(*parameter.box, address)), 64);
    else
      add(std::as_bytes(std::span(&address, 1)), sizeof(address));
  }
  return bytes;
}

SimDim dimOf(const Extents& extents) {
  return {static_cast<uint32_t>(extents[0]), static_cast<uint32_t>(extents[1]),
          static_cast<uint32_t>(extents[2])};
}

Status checkShapes(const WarpgroupKernel& kernel, const std::vector<Literal>& arrays) {
  if (arrays.size() != kernel.arrays.size())
    return fail("kernel-run",
                fmt::format("{} arrays for a kernel of {}", arrays.size(), kernel.arrays.size()));
  for (size_t i = 0; i < arrays.size(); ++i)
    if (static_cast<int64_t>(arrays[i].bytes().size()) != kernel.arrays[i].bytes())
      return fail("kernel-run", fmt::format("{} has {} bytes, {} are given", kernel.arrays[i].name,
                                            kernel.arrays[i].bytes(), arrays[i].bytes().size()));
  return {};
}

}  // namespace

Result<std::vector<Literal>> madeUpArrays(const WarpgroupKernel& kernel, uint64_t seed) {
  std::vector<Shape> shapes;
  for (const KernelArray& array : kernel.arrays) {
    TRY(const Shape shape, shapeOf(array));
    shapes.push_back(shape);
  }
  return makeArguments(shapes, seed);
}

Result<WarpgroupRun> runOnSimulatedGpu(const WarpgroupKernel& kernel, std::vector<Literal> arrays,
                                       bool isChecked, const CancelToken& cancel) {
  if (!kernel.ofTensorCores.empty())
    return fail("kernel-run", fmt::format("{} is of {}, which is not simulated: --ptx {} prints its code",
                                          kernel.ofTensorCores, kernel.gpu, kernel.gpu));
  TRY_STATUS(checkShapes(kernel, arrays));
  TRY(const std::string ptx, warpgroup::ptxOf(kernel, kSimulatedGpu));
  TRY(const SimulatedModule module, loadPtx(ptx, {.file = kernel.name + ".ptx", .isChecked = isChecked}));
  SimulatedMemory memory;
  for (size_t i = 0; i < arrays.size(); ++i)
    memory.add(kernel.arrays[i].name, arrays[i].mutableBytes(), true);
  const std::vector<std::byte> parameters = parametersOf(kernel, arrays);
  SimulatedLaunch launch{.kernel = warpgroup::kEntry,
                         .grid = dimOf(kernel.grid),
                         .block = dimOf(kernel.block),
                         .cluster = dimOf(kernel.cluster),
                         .sharedBytes = static_cast<uint32_t>(kernel.sharedBytes),
                         .params = parameters,
                         .cancel = cancel};
  TRY(SimulatedReport report, module.launch(launch, &memory));
  return WarpgroupRun{std::move(arrays), std::move(report.findings)};
}

Result<std::string> kernelLlvm(const inference::KernelDescription& kernel,
                               const inference::KernelLayouts& layouts) {
  TRY(const WarpgroupKernel lowered, warpgroup::lowerKernel(kernel, layouts));
  return warpgroup::llvmOf(lowered);
}

Result<std::string> kernelPtx(const inference::KernelDescription& kernel,
                              const inference::KernelLayouts& layouts, const std::string& gpu) {
  TRY(const WarpgroupKernel lowered, warpgroup::lowerKernel(kernel, layouts));
  return warpgroup::ptxOf(lowered, gpu);
}

Result<MadeUpRun> runMadeUp(const inference::KernelDescription& kernel,
                            const inference::KernelLayouts& layouts, uint64_t seed, bool isChecked,
                            const CancelToken& cancel) {
  TRY(const WarpgroupKernel lowered, warpgroup::lowerKernel(kernel, layouts));
  MadeUpRun made;
  for (const KernelArray& array : lowered.arrays) made.names.push_back(array.name);
  TRY(made.before, madeUpArrays(lowered, seed));
  TRY(made.run, runOnSimulatedGpu(lowered, made.before, isChecked, cancel));
  return made;
}

}  // namespace hilo
