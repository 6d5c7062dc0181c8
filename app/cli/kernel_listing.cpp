#include "app/cli/kernel_listing.h"

#include <nlohmann/json.hpp>

#include "app/cli/report.h"
#include "core/analysis/kernel_layouts/inference/planned_moves.h"
#include "core/analysis/kernel_layouts/inference/shared_memory_use.h"

namespace hilo::cli {

using namespace inference;

namespace {

std::string stepText(const ListedStep& step) {
  std::string text =
      fmt::format("{:>5}  {}{}", step.number, std::string(2 * step.depth, ' '), stepWord(step.kind));
  if (!step.variable.empty()) text += fmt::format(" {} = {}", step.variable, step.layout);
  for (const NamedConstraint& one : step.constraints)
    text +=
        fmt::format("{}rule {}, {}", &one == step.constraints.data() ? "  by " : "\n" + std::string(14, ' '),
                    one.rule, toString(one));
  return text;
}

void printMoves(const KernelListing& listing) {
  const auto moves = plannedMoves(listing.layouts());
  if (moves.empty()) return;
  fmt::print("Copies between registers and shared memory\n");
  for (const PlannedMove& move : moves)
    fmt::print("  {}{}: {}\n", listing.lineOf(move.op), listing.kernel().ops[move.op].opcode,
               !move.notCounted.empty()
                   ? "not counted: " + move.notCounted
                   : fmt::format("{}, {} without bank conflicts", counted(move.wavefronts, "wavefront"),
                                 grouped(move.least)));
}

// When each array lives in shared memory.
void printShared(const KernelListing& listing) {
  const SharedMemoryUse use = sharedMemoryUse(listing.kernel());
  if (use.arrays.empty()) return;
  fmt::print("Shared memory: {} of {} bytes at most, {}{}; a launch gives {}\n", grouped(use.peakBytes),
             grouped(kMostSharedBytes), listing.lineOf(use.peakAt), listing.kernel().ops[use.peakAt].opcode,
             grouped(use.reachBytes));
  for (const SharedArrayUse& one : use.arrays)
    fmt::print("  {}: {} at {}, lines {} to {}\n", listing.kernel().values[one.value].name,
               counted(one.bytes, "byte"), grouped(one.offset), listing.line(one.first),
               listing.line(one.last));
}

nlohmann::json stepJson(const KernelListing& listing, OpId op) {
  return {{"step", op}, {"operation", listing.kernel().ops[op].opcode}, {"line", listing.line(op)}};
}

nlohmann::json sharedJson(const KernelListing& listing) {
  const SharedMemoryUse use = sharedMemoryUse(listing.kernel());
  nlohmann::json json = {{"limit", kMostSharedBytes},
                         {"reach", use.reachBytes},
                         {"peak", use.peakBytes},
                         {"arrays", nlohmann::json::array()},
                         {"overTime", nlohmann::json::array()}};
  if (!use.arrays.empty()) json["peakAt"] = stepJson(listing, use.peakAt);
  for (const SharedArrayUse& one : use.arrays)
    json["arrays"].push_back({{"value", listing.kernel().values[one.value].name},
                              {"offset", one.offset},
                              {"bytes", one.bytes},
                              {"first", stepJson(listing, one.first)},
                              {"last", stepJson(listing, one.last)}});
  for (const SharedMemoryChange& change : use.changes) {
    nlohmann::json one = stepJson(listing, change.op);
    one["bytes"] = change.bytes;
    json["overTime"].push_back(std::move(one));
  }
  return json;
}

nlohmann::json movesJson(const KernelListing& listing) {
  nlohmann::json all = nlohmann::json::array();
  for (const PlannedMove& move : plannedMoves(listing.layouts())) {
    nlohmann::json one = {{"operation", listing.kernel().ops[move.op].opcode},
                          {"line", listing.kernel().ops[move.op].line},
                          {"registers", toString(move.registers)},
                          {"memory", toString(LayoutConstant(move.memory))}};
    if (move.notCounted.empty()) {
      one["wavefronts"] = move.wavefronts;
      one["withoutConflicts"] = move.least;
    } else {
      one["notCounted"] = move.notCounted;
    }
    all.push_back(std::move(one));
  }
  return all;
}

nlohmann::json constraintJson(const NamedConstraint& one) {
  return {{"rule", one.rule}, {"operation", one.opcode}, {"line", one.line}, {"constraint", one.constraint}};
}

nlohmann::json stepsJson(const KernelListing& listing) {
  nlohmann::json all = nlohmann::json::array();
  for (const ListedStep& step : listing.steps()) {
    nlohmann::json one = {{"number", step.number},
                          {"round", step.round},
                          {"depth", step.depth},
                          {"step", stepWord(step.kind)},
                          {"constraints", nlohmann::json::array()}};
    if (!step.variable.empty()) one["value"] = step.variable;
    if (!step.layout.empty()) one["layout"] = step.layout;
    for (const NamedConstraint& each : step.constraints) one["constraints"].push_back(constraintJson(each));
    all.push_back(std::move(one));
  }
  return all;
}

nlohmann::json conflictJson(const KernelListing& listing) {
  nlohmann::json all = nlohmann::json::array();
  for (const uint32_t number : listing.layouts().conflict.constraints)
    all.push_back(constraintJson(namedConstraint(listing.kernel(), listing.layouts(), number)));
  return all;
}

}  // namespace

void printSteps(const KernelListing& listing) {
  uint32_t round = 0;
  const auto steps = listing.steps();
  for (const ListedStep& step : steps) {
    if (step.round != round) fmt::print("round {}\n", round = step.round);
    fmt::print("{}\n", stepText(step));
  }
  if (steps.size() == kMostListedSteps) fmt::print("  further steps are not kept\n");
}

void print(const KernelListing& listing) {
  const KernelLayouts& layouts = listing.layouts();
  for (const auto& [id, set] : layouts.outcome.layouts) {
    fmt::print("{}{}\n", listing.lineOf(layouts.derived.sites[id].front().op), listing.variable(id).name);
    fmt::print("    {} in {}\n", toString(set.layout), toString(listing.variable(id).space));
    fmt::print("    {}\n", listing.cause(set));
  }
  fmt::print("{}, {}, {}\n", counted(static_cast<int64_t>(layouts.derived.variables.size()), "variable"),
             counted(static_cast<int64_t>(layouts.derived.constraints.size()), "constraint"),
             counted(layouts.outcome.fuelUsed, "layout") + " tried");
  printMoves(listing);
  printShared(listing);
}

nlohmann::json jsonOf(const KernelListing& listing, bool withSteps) {
  const KernelLayouts& layouts = listing.layouts();
  nlohmann::json json = {{"variables", layouts.derived.variables.size()},
                         {"constraints", layouts.derived.constraints.size()},
                         {"fuelUsed", layouts.outcome.fuelUsed},
                         {"layouts", nlohmann::json::array()}};
  for (const auto& [id, set] : layouts.outcome.layouts)
    json["layouts"].push_back({{"value", listing.variable(id).name},
                               {"line", listing.kernel().ops[layouts.derived.sites[id].front().op].line},
                               {"memory", toString(listing.variable(id).space)},
                               {"layout", toString(set.layout)},
                               {"setBy", listing.cause(set)},
                               {"round", set.cause.round}});
  if (withSteps) json["steps"] = stepsJson(listing);
  if (layouts.isFound()) {
    json["copies"] = movesJson(listing);
    json["sharedMemory"] = sharedJson(listing);
  } else {
    json["error"] = reportJson(listing.whyNot());
    json["conflict"] = conflictJson(listing);
  }
  return json;
}

}  // namespace hilo::cli
