#include "core/workspace/thunks/gpu_counts.h"

#include <fmt/format.h>

#include <cstring>
#include <map>
#include <tuple>

#include "core/compiler/codegen/gpu/nvptx_target.h"
#include "core/compiler/codegen/simulate/load_ptx.h"
#include "core/hlo/eval/arguments.h"
#include "core/runtime/device/simulated/simulated_memory.h"
#include "core/runtime/thunk/device/grid_kernel.h"
#include "core/workspace/run/compile_program.h"
#include "core/workspace/run/gpu_compile.h"

namespace hilo {
namespace {

constexpr int64_t kMostBytes = int64_t{256} << 20;
constexpr int64_t kMostIterations = 8 * kBlockThreads;
constexpr size_t kAlignment = 256;  // as a device's allocations

// The buffers of a thunk, each once.
class KernelBuffers {
 public:
  explicit KernelBuffers(const Program& program) : program_(program) {}

  Result<uint64_t> add(const BufferSlice& slice, SimulatedMemory& known) {
    const auto [place, isNew] = made_.try_emplace({slice.allocation, slice.offsetBytes, slice.sizeBytes});
    std::vector<std::byte>& bytes = place->second;
    if (isNew) {
      bytes_ += slice.sizeBytes;
      if (bytes_ > kMostBytes) return fail("too-large", "its buffers are too large to count what it does");
      bytes.resize(static_cast<size_t>(slice.sizeBytes) + kAlignment);
      TRY_STATUS(fill(slice, start(bytes)));
      known.add(fmt::format("buffer {}", made_.size()), {start(bytes), static_cast<size_t>(slice.sizeBytes)},
                true);
    }
    return reinterpret_cast<uintptr_t>(start(bytes));
  }

 private:
  static std::byte* start(std::vector<std::byte>& bytes) {
    const auto address = reinterpret_cast<uintptr_t>(bytes.data());
    return bytes.data() + (kAlignment - address % kAlignment) % kAlignment;
  }

  Status fill(const BufferSlice& slice, std::byte* to) {
    const Allocation& allocation = program_.allocations[slice.allocation];
    const auto copy = [&](std::span<const std::byte> from) {
      const auto size = static_cast<size_t>(slice.sizeBytes), offset = static_cast<size_t>(slice.offsetBytes);
      if (size > 0 && offset + size <= from.size()) std::memcpy(to, from.data() + offset, size);
    };
    if (allocation.kind == AllocationKind::Constant) copy(program_.constants[allocation.number].bytes());
    if (allocation.kind != AllocationKind::Parameter) return {};
    const Shape shape = program_.parameters[allocation.number];
    if (!shape.isArray()) return {};
    TRY(const std::vector<Literal> values, makeArguments(std::vector<Shape>{shape}, allocation.number));
    copy(values[0].bytes());
    return {};
  }

  const Program& program_;
  std::map<std::tuple<uint32_t, int64_t, int64_t>, std::vector<std::byte>> made_;
  int64_t bytes_ = 0;
};

}  // namespace

Result<KernelCounts> countedKernel(const Program& program, const KernelThunk& thunk) {
  const Kernel& kernel = program.kernels[thunk.kernel];
  TRY(const SimulatedModule module, loadPtx(ptxOf(program, kernel), {.file = kernel.name + ".ptx",
                                                                     .isChecked = true,
                                                                     .isCounted = true,
                                                                     .cacheFolder = kernelCacheFolder()}));
  KernelCounts counts{.iterations = std::min(thunk.iterations, kMostIterations),
                      .allIterations = thunk.iterations};
  KernelBuffers buffers(program);
  SimulatedMemory known;
  std::vector<uint64_t> params;
  for (const ReadSlice& slice : thunk.arguments) {
    TRY(params.emplace_back(), buffers.add(slice, known));
  }
  for (const WriteSlice& slice : thunk.results) {
    TRY(params.emplace_back(), buffers.add(slice, known));
  }
  params.push_back(static_cast<uint64_t>(counts.iterations));
  TRY(const LaunchShape shape, launchShape(kernel.launch, counts.iterations));
  TRY(counts.report, module.launch({.kernel = module.code().kernels[0].name,
                                    .grid = {shape.grid.x},
                                    .block = {shape.block.x},
                                    .params = std::as_bytes(std::span(params))},
                                   &known));
  return counts;
}

}  // namespace hilo
