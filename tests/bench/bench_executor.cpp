// What the executor itself costs: programs of many thunks that do next to nothing.
#include <benchmark/benchmark.h>

#include <fmt/format.h>

#include <filesystem>

#include "core/runtime/executor/execution_graph.h"
#include "core/runtime/executor/executor.h"
#include "core/runtime/program/program_file.h"

namespace hilo {
namespace {

std::shared_ptr<const Program> copies(int64_t count, int64_t costNs) {
  auto program = std::make_shared<Program>();
  program->target.triple = "x86_64-pc-linux-gnu";
  program->parameters = {Shape::array(ElementType::U8, {64})};
  program->parameterNames = {"p"};
  program->result = Shape::array(ElementType::U8, {64});
  program->resultNames = {"r"};
  program->allocations = {{AllocationKind::Temporary, (count + 1) * 64, 0},
                          {AllocationKind::Parameter, 64, 0}};
  program->resultSlices = {ReadSlice({0, count * 64, 64})};
  program->sequences.emplace_back();
  for (int64_t i = 0; i < count; ++i) {
    program->sequences[0].push_back(
        {fmt::format("t{}", i), static_cast<uint32_t>(i), costNs,
         CopyThunk{ReadSlice({0, i * 64, 64}), WriteSlice({0, (i + 1) * 64, 64})}});
  }
  return program;
}

void runThunks(benchmark::State& state) {
  const auto executor = Executor::make(copies(state.range(0), 1));
  const Literal argument(Shape::array(ElementType::U8, {64}));
  for (auto _ : state) benchmark::DoNotOptimize((*executor)->run({&argument, 1}));
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(runThunks)->Arg(10'000);

// The same number side by side, sixteen deep: as many chains as there is work for many threads.
std::shared_ptr<const Program> wide(int64_t count) {
  constexpr int64_t kDeep = 16;
  auto program = std::make_shared<Program>(*copies(count, 100));
  auto& thunks = program->sequences[0];
  const int64_t chains = count / kDeep;
  for (int64_t i = 0; i < count; ++i) {
    // Thunk i is at depth i / chains of chain i % chains; place 0 is what all begin from.
    const int64_t from = i < chains ? 0 : i - chains + 1;
    thunks[static_cast<size_t>(i)].body =
        CopyThunk{ReadSlice({0, from * 64, 64}), WriteSlice({0, (i + 1) * 64, 64})};
  }
  return program;
}

// Cost as estimated: 100 ns a thunk, so that threads are worth it.
void runWide(benchmark::State& state) {
  const auto executor = Executor::make(wide(state.range(0)));
  const Literal argument(Shape::array(ElementType::U8, {64}));
  for (auto _ : state) benchmark::DoNotOptimize((*executor)->run({&argument, 1}));
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(runWide)->Arg(10'000)->MeasureProcessCPUTime()->UseRealTime();

void makeGraph(benchmark::State& state) {
  const auto program = copies(state.range(0), 1);
  for (auto _ : state) benchmark::DoNotOptimize(makeExecutionGraph(*program, 0));
}
BENCHMARK(makeGraph)->Arg(10'000);

// A program with a constant of so many MiB, from its file: what loading takes, and with what the
// first run does.
void loadConstants(benchmark::State& state, bool isUsed) {
  const std::string path = std::filesystem::temp_directory_path() / "hilo_bench_constants.program";
  Program program = *copies(1, 1);
  const std::vector<std::byte> bytes(static_cast<size_t>(state.range(0)) << 20, std::byte{1});
  program.allocations.push_back({AllocationKind::Constant, std::ssize(bytes), 0});
  program.constants.emplace_back(bytes);
  if (!saveProgram(program, path)) return state.SkipWithError("it cannot be saved");
  for (auto _ : state) {
    const auto loaded = loadProgram(path);
    bool isFine = loaded.has_value();
    if (isUsed && isFine) isFine = checkConstants(*loaded).has_value();
    if (!isFine) state.SkipWithError("it cannot be loaded");
  }
  std::filesystem::remove(path);
}
BENCHMARK_CAPTURE(loadConstants, looked_at, false)->Arg(1)->Arg(256);
BENCHMARK_CAPTURE(loadConstants, used, true)->Arg(1)->Arg(256);

}  // namespace
}  // namespace hilo

BENCHMARK_MAIN();
