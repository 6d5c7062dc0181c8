#include "core/compiler/codegen/warpgroup/warpgroup_kernel.h"

#include <fmt/format.h>
#include <llvm/IR/LLVMContext.h>

#include "core/base/check.h"
#include "core/compiler/codegen/emit/kernel_compiler.h"
#include "core/compiler/codegen/gpu/gpu_target.h"
#include "core/compiler/codegen/gpu/nvptx_target.h"
#include "core/compiler/codegen/warpgroup/kernel_lowering.h"
#include "core/compiler/codegen/warpgroup/layout_sites.h"
#include "core/compiler/codegen/warpgroup/tensor_memory_checks.h"

namespace hilo::warpgroup {
namespace {

constexpr size_t kMostNamed = 20;

// What nobody lowers.
Status checkOperations(const KernelDescription& kernel) {
  Diagnostics unknown;
  for (const KernelOp& op : kernel.ops) {
    const bool isElsewhere = !isLoweredFor(op.opcode, kernel.smMajor);
    if (findLowering(op.opcode) && !isElsewhere) continue;
    const std::string where = isElsewhere ? fmt::format(": sm_{}0 does not have it", kernel.smMajor) : "";
    unknown.push_back(Diagnostic{Severity::kError,
                                 "kernel-lowering",
                                 fmt::format("{} is not lowered{}", op.opcode, where),
                                 {.line = op.line}});
  }
  if (unknown.empty()) return {};
  Diagnostic first = unknown.front();
  for (size_t i = 1; i < std::min(unknown.size(), kMostNamed); ++i)
    first.notes.push_back(fmt::format("line {}: {}", unknown[i].place.line, unknown[i].message));
  return std::unexpected(std::move(first));
}

struct Parameters {
  std::vector<KernelParameter> all;
  PlacedCopies copies;
};

Result<Parameters> parametersOf(const KernelDescription& kernel, const KernelLayouts& layouts,
                                const LaunchForm& launch) {
  Parameters parameters;
  for (size_t i = 0; i < launch.arrays.size(); ++i) parameters.all.push_back({i, std::nullopt});
  for (OpId op = 0; op < kernel.ops.size(); ++op) {
    if (!isTensorCopy(kernel.ops[op])) continue;
    const uint32_t shared = kernel.ops[op].opcode == "mosaic_gpu.async_load" ? 1 : 0;
    TRY(const auto transforms,
        transformsAt(kernel, layouts, {op, inference::ValueSite::Kind::Operand, shared}));
    TRY(TensorCopy copy, tensorCopyOf(kernel, kernel.ops[op], transforms));
    const auto array = std::ranges::find(launch.arrays, copy.global);
    if (array == launch.arrays.end())
      return refuse(kernel.ops[op],
                    fmt::format("{} is a part of an array: TMA copies of arrays that are given",
                                kernel.values[copy.global].name));
    const size_t number = parameters.all.size();
    parameters.all.push_back({static_cast<size_t>(array - launch.arrays.begin()), copy.box});
    parameters.copies.emplace(op, PlacedCopy{std::move(copy), number});
  }
  return parameters;
}

Result<std::vector<KernelArray>> arraysOf(const KernelDescription& kernel, const LaunchForm& launch) {
  std::vector<KernelArray> arrays;
  for (ValueId value : launch.arrays) {
    const KernelType& type = kernel.type(value);
    const auto bytes = elementBytesOf(type);
    if (!bytes)
      return fail("kernel-lowering",
                  fmt::format("{}: elements that share a byte are not lowered", kernel.values[value].name));
    arrays.push_back({kernel.values[value].name, type, *bytes});
  }
  return arrays;
}

// Twice, where threads exchange elements: how much room that takes is known after the first time.
Status writeCode(const KernelDescription& kernel, const KernelLayouts& layouts, const LaunchForm& launch,
                 const Parameters& parameters, WarpgroupKernel& out) {
  const int64_t warpgroups = out.block[0] * out.block[1] * out.block[2] / kThreadsOfWarpgroup;
  for (int64_t room = 0;;) {
    llvm::LLVMContext context;
    ThreadCode code(context, out);
    KernelLowering lowering(code, kernel, layouts, launch, parameters.copies, room);
    TRY_STATUS(lowering.lower(kernel.body));
    if (lowering.scratchBytes() == room) {
      if (room > 0) out.sharedBytes = (launch.sharedBytes + 1023) / 1024 * 1024 + warpgroups * room;
      out.bitcode = bitcodeOf(*code.finish());
      return {};
    }
    CHECK(room == 0, "the same kernel takes another room");
    room = lowering.scratchBytes();
  }
}

// LLVM has no code for tensor memory on other GPUs than those.
Result<ProgramTarget> targetFor(const WarpgroupKernel& kernel, const std::string& gpu) {
  const std::string& name = gpu.empty() ? kernel.gpu : gpu;
  TRY(const GpuTarget target, findGpuTarget(name));
  if (!kernel.ofTensorCores.empty() && (target.number / 10 != 10 || target.suffix == '\0'))
    return fail("kernel-lowering",
                fmt::format("{} is of {}: {} does not have it", kernel.ofTensorCores, kernel.gpu, name));
  return gpuTarget(name);
}

}  // namespace

Result<WarpgroupKernel> lowerKernel(const KernelDescription& kernel, const KernelLayouts& layouts) {
  CHECK(layouts.isFound(), "the layouts are not known");
  if (kernel.smMajor != 9 && kernel.smMajor != 10)
    return fail("kernel-lowering",
                fmt::format("a kernel for sm_{}0: those of sm_90 and sm_100 are lowered", kernel.smMajor));
  TRY_STATUS(checkOperations(kernel));
  TRY_STATUS(checkTensorMemory(kernel));
  TRY(const LaunchForm launch, launchFormOf(kernel));
  TRY(const Parameters parameters, parametersOf(kernel, layouts, launch));
  WarpgroupKernel out{.name = launch.name,
                      .gpu = kernel.smMajor == 9 ? "sm_90a" : "sm_100a",
                      .parameters = parameters.all,
                      .grid = launch.grid,
                      .block = launch.block,
                      .cluster = launch.cluster,
                      .sharedBytes = launch.sharedBytes};
  if (const KernelOp* first = firstOfGeneration(kernel, 10)) out.ofTensorCores = first->opcode;
  TRY(out.arrays, arraysOf(kernel, launch));
  TRY_STATUS(writeCode(kernel, layouts, launch, parameters, out));
  return out;
}

Result<std::string> ptxOf(const WarpgroupKernel& kernel, const std::string& gpu) {
  TRY(const ProgramTarget target, targetFor(kernel, gpu));
  Kernel named;
  named.name = kernel.name;
  TRY(const CompiledKernels compiled,
      compileKernels({kernel.bitcode}, {named}, nvptxTarget(), {.target = target, .threads = 1}));
  const auto& code = compiled.objects[0].code;
  return std::string(reinterpret_cast<const char*>(code.data()), code.size());
}

Result<std::string> llvmOf(const WarpgroupKernel& kernel, const std::string& gpu) {
  TRY(const ProgramTarget target, targetFor(kernel, gpu));
  TRY(const KernelListing listing, listKernel(kernel.bitcode, nvptxTarget(), target));
  return listing.after.text;
}

}  // namespace hilo::warpgroup
