#include "core/workspace/partition/collectives_against.h"

#include <map>

#include "core/analysis/async_op.h"
#include "core/analysis/execution_counts.h"
#include "core/analysis/instruction_card.h"
#include "core/analysis/saturating.h"
#include "core/analysis/unpartitioned.h"
#include "core/hlo/ir/op_facts.h"
#include "core/workspace/partition/partition_series.h"
#include "core/workspace/passes/optimize.h"

namespace hilo {
namespace {

// The arrays of a shape: itself, or the elements of a tuple.
std::vector<Shape> arraysOf(Shape shape) {
  if (!shape.isTuple()) return {shape};
  return {shape.tupleShapes().begin(), shape.tupleShapes().end()};
}

void addArrays(const Instruction& start, int64_t times, std::vector<MovedArray>& moved) {
  const Instruction& collective = asyncOperation(start);
  const std::string kind(opcodeName(canonicalAsyncOp(start, true).inner));
  const std::vector<Shape> results = arraysOf(resultOfStart(start));
  for (size_t i = 0; i < results.size(); ++i) {
    const int64_t in = i < collective.operandCount() ? collective.operand(i)->shape().byteSize() : 0;
    moved.push_back({.name = std::string(start.name()),
                     .kind = kind,
                     .shape = toString(results[i].withoutLayout()),
                     .source = sourcePlace(start),
                     .bytes = std::max(in, results[i].byteSize()),
                     .times = times});
  }
}

using Key = std::tuple<std::string, int64_t, int64_t>;
Key keyOf(const MovedArray& array) { return {array.kind, array.bytes, array.times}; }

// Those of `arrays` beyond what `others` has of the same kind and size.
std::vector<MovedArray> notAmong(const std::vector<MovedArray>& arrays,
                                 const std::vector<MovedArray>& others) {
  std::map<Key, int64_t> left;
  for (const MovedArray& other : others) ++left[keyOf(other)];
  std::vector<MovedArray> alone;
  for (const MovedArray& array : arrays) {
    if (left[keyOf(array)]-- <= 0) alone.push_back(array);
  }
  std::ranges::stable_sort(alone, std::greater(), &MovedArray::allBytes);
  return alone;
}

}  // namespace

int64_t MovedArray::allBytes() const { return saturatingMultiply(bytes, times); }

std::vector<MovedArray> movedArrays(const Module& module) {
  std::vector<MovedArray> moved;
  const auto counts = executionCounts(module);
  for (const Computation* computation : module.computations()) {
    const uint32_t id = computation->id().value;
    if (id >= counts.size() || counts[id] == 0) continue;
    for (const Instruction* i : computation->instructions()) {
      if (startsCollective(i->opcode())) addArrays(*i, counts[id], moved);
    }
  }
  return moved;
}

CollectivesAgainst collectivesAgainst(const Module& ours, const Module& xlas) {
  const auto here = movedArrays(ours), there = movedArrays(xlas);
  std::map<std::string, CollectiveKindTotals> kinds;
  CollectivesAgainst against;
  for (const MovedArray& array : here) {
    for (CollectiveKindTotals* totals : {&kinds[array.kind], &against.sum}) {
      ++totals->ourArrays;
      totals->ourBytes = saturatingAdd(totals->ourBytes, array.allBytes());
    }
  }
  for (const MovedArray& array : there) {
    for (CollectiveKindTotals* totals : {&kinds[array.kind], &against.sum}) {
      ++totals->xlaArrays;
      totals->xlaBytes = saturatingAdd(totals->xlaBytes, array.allBytes());
    }
  }
  for (auto& [kind, totals] : kinds) {
    totals.kind = kind;
    against.kinds.push_back(std::move(totals));
  }
  against.onlyOurs = notAmong(here, there);
  against.onlyXlas = notAmong(there, here);
  return against;
}

Result<CollectivesAgainst> partitionAgainst(const PartitionRequest& request, const Module& after,
                                            const JobContext& context) {
  TRY(const auto module, forItsDevices(request));
  if (!isUnpartitioned(*module))
    return fail("not-sharded", fmt::format("{} has no shardings to be partitioned by", module->name()));
  if (after.partitionCount() != module->partitionCount()) {
    return fail("other-devices",
                fmt::format("{} is for {} partitions, the other module for {}", module->name(),
                            module->partitionCount(), after.partitionCount()));
  }
  OptimizeRequest optimized{.module = module, .pipeline = "gpu"};
  optimized.snapshots = false;
  TRY(const PassSeries series, optimize(optimized, context));
  TRY(const auto ours, series.steps.back().module());
  return collectivesAgainst(*ours, after);
}

}  // namespace hilo
