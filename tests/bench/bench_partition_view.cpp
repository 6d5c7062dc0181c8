// How long the partition view takes to answer a click: 17,005 instructions for 256 devices, one collective
// after the other. An answer is the groups on the mesh, the histories of both ends, advice and the panel's
// text. Counters: the mean and the longest, in time of the thread that works, and how many were asked.
#include "core/analysis/partition_groups.h"
#include "core/hlo/text/parse.h"
#include "tests/bench/qt_bench.h"
#include "tests/bench/sharded_layers.h"
#include "tests/bench/thread_time.h"
#include "ui/views/partition/cause_panel.h"
#include "ui/views/partition/mesh_diagram.h"

namespace hilo {
namespace {

void answer(const Partitioning& partitioning, const PartitionCollective& row, CausePanel& panel) {
  const Instruction* instruction = partitioning.local->instruction(row.instruction);
  benchmark::DoNotOptimize(groupsOnMesh(partitioning.mesh, partitionGroups(*instruction), row.axes));
  CausePanel::Shown shown{.title = row.name, .text = row.cause ? row.cause->text : ""};
  if (row.cause) {
    for (const MoveEnd* end : {&row.cause->producer, &row.cause->consumer}) {
      if (auto steps = shardingHistory(partitioning, end->name))
        shown.histories.emplace_back(end->name, *std::move(steps));
    }
  }
  shown.advice = adviceFor(partitioning, row);
  panel.show(std::move(shown));
}

void clicks(benchmark::State& state) {
  const auto module = parseModuleStrictly(shardedLayers(1700, 16, 16));
  if (!module) return state.SkipWithError("the module is not read");
  const auto made = makePartitioning({.module = (*module)->clone()}, JobContext());
  if (!made) return state.SkipWithError("the module is not partitioned");
  CausePanel panel;
  const size_t step = std::max<size_t>(1, (*made)->collectives.size() / 200);
  for (auto _ : state) {
    double longest = 0, sum = 0, asked = 0;
    for (size_t i = 0; i < (*made)->collectives.size(); i += step) {
      const double before = threadCpuMs();
      answer(**made, (*made)->collectives[i], panel);
      const double took = threadCpuMs() - before;
      longest = std::max(longest, took);
      sum += took;
      ++asked;
    }
    state.counters["mean_ms"] = sum / asked;
    state.counters["longest_ms"] = longest;
    state.counters["asked"] = asked;
  }
}
BENCHMARK(clicks)->Unit(benchmark::kMillisecond)->Iterations(1);

}  // namespace
}  // namespace hilo

int main(int argc, char** argv) {
  hilo::QtBench application(argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
