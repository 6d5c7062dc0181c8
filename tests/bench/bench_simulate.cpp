// PTX instructions that the simulated device does a second, on one core: kernels of tests/data/ptx/basic.cu,
// plain and in check mode. Instructions are those a thread executes, counted in the PTX.
#include <benchmark/benchmark.h>

#include <cstring>

#include "core/base/check.h"
#include "core/base/files.h"
#include "core/compiler/codegen/simulate/load_ptx.h"

namespace hilo {
namespace {

struct Work {
  const char* kernel;
  SimDim grid, block;
  double instructions;  // of a thread
};
constexpr int kSize = 128;  // of a matrix
constexpr Work kWorks[] = {
    {"saxpy", {4096}, {256}, 20},
    {"blockReduce", {256}, {256}, 86},
    {"matmul", {kSize / 16, kSize / 16}, {16, 16}, 39 + 63 * kSize / 16},
};

// Three arrays and what is left of the parameters.
std::vector<std::byte> paramsOf(const Work& work, std::vector<float>* arrays) {
  std::vector<std::byte> params;
  const auto add = [&](const auto& value) {
    params.resize((params.size() + sizeof(value) - 1) / sizeof(value) * sizeof(value));
    const auto* bytes = reinterpret_cast<const std::byte*>(&value);
    params.insert(params.end(), bytes, bytes + sizeof(value));
  };
  const bool isSaxpy = std::strcmp(work.kernel, "saxpy") == 0,
             isMatmul = std::strcmp(work.kernel, "matmul") == 0;
  if (isSaxpy) add(2.0f);
  add(arrays[0].data());
  add(arrays[1].data());
  if (isMatmul) add(arrays[2].data());
  add(isMatmul ? kSize : static_cast<int>(work.grid.x * work.block.x));
  return params;
}

void run(benchmark::State& state, const Work& work, bool isChecked) {
  const auto text = readBytes("tests/data/ptx/basic.ptx");
  CHECK(text.has_value(), "run in the folder of the repository");
  const auto module = loadPtx(*text, {.isChecked = isChecked});
  CHECK(module.has_value(), module ? "" : toString(module.error()));
  std::vector<float> arrays[3];
  SimulatedMemory memory;
  for (auto& array : arrays) {
    array.assign(1 << 20, 1.0f);
    memory.add("array", std::as_writable_bytes(std::span(array)), true);
  }
  const auto params = paramsOf(work, arrays);
  for (auto _ : state) {
    const auto report = module->launch(
        {.kernel = work.kernel, .grid = work.grid, .block = work.block, .params = params}, &memory);
    CHECK(report.has_value() && report->findings.empty(), report ? "findings" : toString(report.error()));
  }
  const double threads = double{1} * work.grid.x * work.grid.y * work.block.x * work.block.y;
  state.counters["instructions"] =
      benchmark::Counter(threads * work.instructions, benchmark::Counter::kIsIterationInvariantRate);
}

}  // namespace
}  // namespace hilo

int main(int argc, char** argv) {
  for (const hilo::Work& work : hilo::kWorks) {
    for (const bool isChecked : {false, true}) {
      const std::string name = std::string(work.kernel) + (isChecked ? "/checked" : "");
      benchmark::RegisterBenchmark(
          name.c_str(), [&work, isChecked](benchmark::State& state) { hilo::run(state, work, isChecked); });
    }
  }
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
