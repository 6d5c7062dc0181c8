#include "tests/support/spmd/fuzz_shardings.h"

#include <numeric>

#include "core/compiler/spmd/tiling.h"
#include "core/compiler/spmd/tiling_steps.h"
#include "tests/support/module_fuzzer/module_writer.h"
#include "tests/support/spmd/partitioned_equals_whole.h"

namespace hilo::fuzz {
namespace {

Tiling randomTiling(ModuleWriter& random, size_t rank, int64_t partitions) {
  Tiling tiling = replicatedTiling(rank, partitions);
  if (rank == 0 || random.oneIn(6)) return tiling;
  for (int64_t left = partitions; left > 1; left /= 2) {
    if (random.oneIn(4)) continue;  // this half holds copies
    tiling.tiles[random.below(rank)] *= 2;
    tiling.copies /= 2;
  }
  if (random.oneIn(2)) tiling.devices = random.permutation(static_cast<size_t>(partitions));
  sortCopies(tiling);
  return tiling;
}

void addShardings(Module& module, ModuleWriter& random, int64_t partitions) {
  Arena arena;
  for (Instruction* i : module.entry()->instructions()) {
    const bool isParameter = i->opcode() == Opcode::Parameter;
    if (!isParameter && !random.oneIn(2)) continue;
    Tilings tilings;
    for (Shape leaf : leavesOf(i->shape()))
      tilings.push_back(randomTiling(random, leaf.isArray() ? leaf.rank() : 0, partitions));
    if (tilings.empty()) continue;
    const Sharding sharding = toSharding(tilings, i->shape(), arena);
    i->set<Attr::Sharding>(&sharding);
  }
}

}  // namespace

Result<std::shared_ptr<const Module>> makeShardedModule(uint64_t seed, int operations) {
  ModuleWriter writer({.seed = seed, .operations = operations, .exactOnly = true});
  TRY(const auto plain, readWritten(writer.write()));
  ModuleWriter random({.seed = seed + 1'000'000});
  const int64_t partitions = int64_t{2} << random.below(3);
  std::shared_ptr<Module> module = plain->clone();
  module->set<Attr::NumPartitions>(partitions);
  addShardings(*module, random, partitions);
  return module;
}

namespace {

using MakeModule = Result<std::shared_ptr<const Module>> (*)(uint64_t seed, int operations);

Report fuzzBy(const Plan& plan, MakeModule make, std::string_view passes) {
  Report report;
  const auto end = std::chrono::steady_clock::now() + plan.longest;
  for (int64_t n = 0; n < plan.modules && std::chrono::steady_clock::now() < end; ++n) {
    const uint64_t seed = plan.firstSeed + static_cast<uint64_t>(n);
    const auto module = make(seed, plan.operations);
    if (!module) {
      report.refuse(seed, toString(module.error()));
      continue;
    }
    ++report.modules;
    const SpmdOutcome outcome = partitionAndCompare(*module, {.passes = passes, .seed = seed});
    if (outcome.refusal && outcome.refusal->kind == "spmd-unsupported") {
      report.refuse(seed, toString(*outcome.refusal));
      continue;
    }
    if (outcome.difference.starts_with("the whole module:")) {
      report.refuse(seed, outcome.difference);
      continue;
    }
    const std::string why = outcome.refusal ? toString(*outcome.refusal) : outcome.difference;
    if (why.empty()) continue;
    report.findings.push_back(
        {.seed = seed, .why = why, .whole = {*module, makeCalmArguments(**module, seed)}, .small = {}});
    if (report.findings.size() >= plan.mostFindings) break;
  }
  return report;
}

}  // namespace

Report fuzzShardings(const Plan& plan) {
  return fuzzBy(plan, makeShardedModule, "sharding-propagation,spmd-partitioning");
}

Report fuzzShardingsWithLoops(const Plan& plan) {
  return fuzzBy(
      plan, makeShardedModule,
      "sharding-propagation,spmd-partitioning{windowed_einsum_threshold_mib=0},windowed-einsum-handler");
}

Report fuzzShardingsByBytes(const Plan& plan) {
  return fuzzBy(plan, makeShardedModule, "sharding-propagation,spmd-partitioning{fewest_bytes=true}");
}

Report fuzzShardyShardings(const Plan& plan) {
  return fuzzBy(plan, makeShardyModule, "shardy-xla,spmd-partitioning");
}

}  // namespace hilo::fuzz
