#include "tests/unit/compiler/codegen/gpu/checked_kernels.h"

#include <gtest/gtest.h>

#include <cstring>

#include "core/analysis/dimension_order.h"
#include "core/analysis/gpu_kernel_choice.h"
#include "core/compiler/codegen/gpu/gpu_codegen.h"
#include "core/compiler/codegen/gpu/gpu_target.h"
#include "core/compiler/codegen/gpu/nvptx_target.h"
#include "core/compiler/codegen/simulate/load_ptx.h"
#include "core/hlo/eval/arguments.h"
#include "core/hlo/eval/compare.h"
#include "core/hlo/eval/evaluate.h"
#include "core/runtime/thunk/device/grid_kernel.h"
#include "core/workspace/run/gpu_compile.h"

namespace hilo {
namespace {

// An array's elements in the order of its layout, from the order of its dimensions, or the other way round.
void arrange(Shape shape, const std::byte* from, std::byte* to, bool fromLayout) {
  const auto strides = layoutStrides(shape), plain = layoutStrides(shape.withoutLayout());
  const auto width = static_cast<size_t>(elementStorageBytes(shape.elementType()));
  for (int64_t i = 0; i < shape.elementCount(); ++i) {
    int64_t place = 0;
    for (size_t d = 0; d < shape.rank(); ++d) place += i / plain[d] % shape.dimension(d) * strides[d];
    const auto a = static_cast<size_t>(i) * width, b = static_cast<size_t>(place) * width;
    std::memcpy(to + (fromLayout ? a : b), from + (fromLayout ? b : a), width);
  }
}

class CheckedProgram {
 public:
  CheckedProgram(const Program& program, std::span<const Literal> arguments) : program_(program) {
    for (const Allocation& allocation : program.allocations) {
      auto& bytes = memory_.emplace_back(static_cast<size_t>(allocation.sizeBytes + kRoom));
      const size_t number = allocation.number;
      if (allocation.kind == AllocationKind::Parameter)
        arrange(program.parameters[number], arguments[number].bytes().data(), start(bytes), false);
      if (allocation.kind == AllocationKind::Constant)
        std::ranges::copy(program.constants[number].bytes(), start(bytes));
    }
  }

  void run(CheckedKernels& out) {
    for (const Thunk& thunk : program_.sequences[0]) {
      if (const auto* kernel = std::get_if<KernelThunk>(&thunk.body)) {
        launch(*kernel, thunk.name, out);
      } else if (const auto* copy = std::get_if<CopyThunk>(&thunk.body)) {
        std::memcpy(at(copy->destination), at(copy->source), static_cast<size_t>(copy->source.sizeBytes));
        written_.push_back(copy->destination);
      } else {
        ADD_FAILURE() << thunk.name << " is no kernel";
      }
    }
  }

  Literal result() {
    std::vector<Literal> leaves;
    const auto shapes = arrayLeaves(program_.result);
    for (size_t i = 0; i < shapes.size(); ++i) {
      leaves.emplace_back(shapes[i]);
      arrange(shapes[i], at(program_.resultSlices[i]), leaves.back().mutableBytes().data(), true);
    }
    return program_.result.isTuple() ? Literal::tuple(std::move(leaves)) : leaves[0];
  }

 private:
  static constexpr int64_t kRoom = 256;
  static std::byte* start(std::vector<std::byte>& bytes) {
    const auto address = reinterpret_cast<uintptr_t>(bytes.data());
    return bytes.data() + (kRoom - address % kRoom) % kRoom;
  }
  std::byte* at(const BufferSlice& slice) { return start(memory_[slice.allocation]) + slice.offsetBytes; }

  // Each buffer is known by itself, so that a step beyond it is found.
  void launch(const KernelThunk& thunk, const std::string& name, CheckedKernels& out) {
    const Kernel& kernel = program_.kernels[thunk.kernel];
    const std::string_view ptx = ptxOf(program_, kernel);
    const auto module = loadPtx(ptx, {.file = name, .isChecked = true, .isCounted = true});
    ASSERT_TRUE(module) << toString(module.error()) << ptx;
    SimulatedMemory known;
    std::vector<uint64_t> params;
    const auto add = [&](const BufferSlice& slice, bool isWritten) {
      params.push_back(reinterpret_cast<uintptr_t>(at(slice)));
      known.add(name, {at(slice), static_cast<size_t>(slice.sizeBytes)}, isWritten);
    };
    for (const ReadSlice& slice : thunk.arguments) add(slice, true);
    for (const WriteSlice& slice : thunk.results) {
      add(slice, std::ranges::find(written_, BufferSlice(slice)) != written_.end());
      written_.push_back(slice);
    }
    params.push_back(static_cast<uint64_t>(thunk.iterations));
    GridLaunch grid = kernel.launch;
    grid.blockX = kBlockThreads;
    const auto shape = launchShape(grid, thunk.iterations);
    ASSERT_TRUE(shape) << toString(shape.error());
    const auto report = module->launch({.kernel = module->code().kernels[0].name,
                                        .grid = {shape->grid.x},
                                        .block = {shape->block.x},
                                        .params = std::as_bytes(std::span(params))},
                                       &known);
    ASSERT_TRUE(report) << toString(report.error()) << ptx;
    for (const Diagnostic& finding : report->findings) ADD_FAILURE() << toString(finding) << ptx;
    out.ptx.emplace_back(ptx);
    out.counters.push_back(report->counters);
  }

  const Program& program_;
  std::vector<std::vector<std::byte>> memory_;
  std::vector<BufferSlice> written_;
};

double worstRelative(const std::vector<LiteralDifference>& differences) {
  double worst = 0;
  for (const LiteralDifference& difference : differences) worst = std::max(worst, difference.maxRelError);
  return worst;
}

}  // namespace

CheckedKernels expectChecked(const std::shared_ptr<const Module>& module, double relativeBound,
                             const std::string& target) {
  CheckedKernels out;
  const auto compiled = compileModule(*module, gpuCodegen(), {.target = *gpuTarget(target)});
  EXPECT_TRUE(compiled) << (compiled ? "" : toString(compiled.error()));
  const auto made = makeArguments(*module, 11);
  EXPECT_TRUE(made);
  if (!compiled || !made) return out;
  CheckedProgram program(compiled->program, made->arguments);
  program.run(out);
  const auto expected = evaluate(*module, made->arguments);
  EXPECT_TRUE(expected) << (expected ? "" : toString(expected.error()));
  if (!expected || testing::Test::HasFailure()) return out;
  const auto differences = compareLiterals(program.result(), *expected);
  EXPECT_TRUE(differences);
  if (differences && !agrees(*differences)) {
    EXPECT_GT(relativeBound, 0) << "the result is another";
    EXPECT_LE(worstRelative(*differences), relativeBound);
  }
  return out;
}

CountedKernel expectCounted(const std::shared_ptr<Module>& module, double relativeBound) {
  CountedKernel counted{.done = expectChecked(module, relativeBound)};
  stateGpuKernel(*module->entry()->root(), GpuKernelChoice{.shape = "elements"});
  const auto byElements = expectChecked(module, relativeBound);
  EXPECT_EQ(counted.done.counters.size(), 1u);
  EXPECT_EQ(byElements.counters.size(), 1u);
  if (testing::Test::HasFailure()) return counted;
  counted.now = counted.done.counters[0];
  counted.byElements = byElements.counters[0];
  if (getenv("SHOW_COUNTS"))
    printf("COUNTS %-40s instr %9lu -> %9lu  sectors %8lu -> %8lu conflicts %lu\n",
           testing::UnitTest::GetInstance()->current_test_info()->name(), counted.byElements.instructions,
           counted.now.instructions, counted.byElements.globalSectors, counted.now.globalSectors,
           counted.now.bankConflicts);
  return counted;
}

}  // namespace hilo
