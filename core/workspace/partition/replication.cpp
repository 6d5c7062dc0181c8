// Work that several devices do alike: what an instruction computes whole, against what one device computes.
#include <cmath>

#include "core/analysis/cost_facts.h"
#include "core/analysis/instruction_card.h"
#include "core/workspace/partition/collectives.h"
#include "core/workspace/schedule/schedule.h"

namespace hilo {
namespace {

// Flops where it has any, else elements it gives.
double workOf(const Instruction& instruction, const ModuleCost& cost) {
  const int64_t flops = cost.of(instruction).flops;
  if (flops > 0) return static_cast<double>(flops);
  return instruction.shape().isArray() ? static_cast<double>(instruction.shape().elementCount()) : 0;
}

std::string textOf(const Replication& row) {
  const std::string what = row.shares == row.of ? fmt::format("all {} shares", row.of)
                                                : fmt::format("{} of {} shares", row.shares, row.of);
  return fmt::format("each device computes {} of this {}", what, row.opcode);
}

absl::flat_hash_map<std::string_view, const Instruction*> byName(const Module& module) {
  absl::flat_hash_map<std::string_view, const Instruction*> found;
  for (const Computation* computation : module.computations()) {
    for (const Instruction* i : computation->instructions()) found.emplace(i->name(), i);
  }
  return found;
}

}  // namespace

Result<std::vector<Replication>> replicationsOf(const Partitioning& partitioning) {
  TRY(const CostReport times, costOfModule(*partitioning.local, partitioning.device, "", ""));
  const ModuleCost whole(*partitioning.spread), part(*partitioning.local);
  const auto originals = byName(*partitioning.spread);
  const int64_t devices = partitioning.local->partitionCount();
  std::vector<Replication> rows;
  for (const CostRow& row : times.rows) {
    if (row.bound != "compute" && row.bound != "memory") continue;
    const Instruction& local = *row.instruction;
    const auto original = originals.find(local.name());
    if (original == originals.end() || original->second->opcode() != local.opcode()) continue;
    const double all = workOf(*original->second, whole), own = workOf(local, part);
    if (all <= 0 || own <= 0) continue;
    const int64_t shares = std::min<int64_t>(devices, std::llround(static_cast<double>(devices) * own / all));
    if (shares < 2) continue;
    Replication found{.instruction = local.id(),
                      .name = std::string(local.name()),
                      .opcode = std::string(local.opcodeText()),
                      .source = sourcePlace(local),
                      .shares = shares,
                      .of = devices};
    found.wastedNs = row.totalNs * (1 - 1 / static_cast<double>(shares));
    found.text = textOf(found);
    rows.push_back(std::move(found));
  }
  std::ranges::sort(rows, {},
                    [](const Replication& row) { return std::pair(-row.wastedNs, row.instruction); });
  return rows;
}

}  // namespace hilo
