// Rules on a module as a whole.
#include <absl/container/flat_hash_set.h>
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "core/hlo/verify/op_view.h"
#include "core/hlo/verify/rules.h"

namespace hilo {

void verifyModuleName(VerifyContext& context) {
  if (context.module.name().empty()) context.report.error(VerifyKind::ModuleName, "the module has no name");
}

void verifyEntry(VerifyContext& context) {
  const Computation* entry = context.module.entry();
  if (!context.isOwn(entry)) {
    context.report.error(VerifyKind::EntryMissing, "the module has no entry computation",
                         "mark one computation ENTRY");
    return;
  }
  if (context.isCalledBy(*entry, Opcode::Fusion)) {
    context.report.error(VerifyKind::EntryMissing, *entry,
                         "the entry computation must not be a fused computation");
  }
}

namespace {

// What entry_computation_layout says, or else what the entry computation has.
struct EntryShapes {
  std::vector<Shape> parameters;
  Shape result;
};
std::optional<EntryShapes> entryShapes(const VerifyContext& context) {
  if (const ProgramShape* layout = context.module.get<Attr::EntryComputationLayout>()) {
    return EntryShapes{{layout->parameters.begin(), layout->parameters.end()}, layout->result};
  }
  const Computation* entry = context.module.entry();
  if (!context.isOwn(entry) || entry->root() == nullptr) return std::nullopt;
  EntryShapes shapes{.result = entry->root()->shape()};
  for (const Instruction* parameter : entry->parameters()) {
    if (parameter == nullptr) return std::nullopt;
    shapes.parameters.push_back(parameter->shape());
  }
  return shapes;
}

void verifyEntryShape(VerifyContext& context, std::string_view what, Shape written, Shape actual) {
  const ShapeFacts& facts = context.facts(written);
  if (!facts.layoutProblem.empty()) {
    context.report.error(VerifyKind::EntryLayout, fmt::format("entry_computation_layout of {}, {}: {}", what,
                                                              toString(written), facts.layoutProblem));
  }
  if (compatible(written, actual)) return;
  context.report.error(VerifyKind::EntryLayout,
                       fmt::format("entry_computation_layout gives {} the shape {}, the entry computation {}",
                                   what, toString(written), toString(actual)));
}

}  // namespace

void verifyEntryLayout(VerifyContext& context) {
  const ProgramShape* layout = context.module.get<Attr::EntryComputationLayout>();
  const Computation* entry = context.module.entry();
  if (layout == nullptr || !context.isOwn(entry)) return;
  if (entry->root() != nullptr)
    verifyEntryShape(context, "the result", layout->result, entry->root()->shape());
  const auto parameters = entry->parameters();
  if (parameters.size() != layout->parameters.size()) {
    context.report.error(VerifyKind::EntryLayout, *entry,
                         fmt::format("entry_computation_layout has {} parameters, the entry computation {}",
                                     layout->parameters.size(), parameters.size()));
    return;
  }
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (parameters[i] == nullptr) continue;
    verifyEntryShape(context, fmt::format("parameter {}", i), layout->parameters[i], parameters[i]->shape());
  }
}

namespace {

using PartKey = std::pair<int64_t, std::vector<int64_t>>;

PartKey partKey(int64_t parameter, std::span<const int64_t> index) {
  return {parameter, {index.begin(), index.end()}};
}

// The array at a part of an entry parameter, or null with the reason reported.
const Shape* aliasedArray(VerifyContext& context, VerifyKind kind, std::string_view what,
                          const EntryShapes& shapes, int64_t parameter, std::span<const int64_t> index) {
  if (parameter < 0 || parameter >= static_cast<int64_t>(shapes.parameters.size())) {
    context.report.error(kind, fmt::format("{} names parameter {}, expected 0 to {}", what, parameter,
                                           static_cast<int64_t>(shapes.parameters.size()) - 1));
    return nullptr;
  }
  const Shape& whole = shapes.parameters[static_cast<size_t>(parameter)];
  const Shape* part = subshapeAt(whole, index);
  if (part != nullptr && (part->isArray() || part->isBuffer())) return part;
  context.report.error(kind, fmt::format("{} names {} of parameter {}, {}, expected an array there", what,
                                         listText(index), parameter, toString(whole)));
  return nullptr;
}

void verifyAlias(VerifyContext& context, const EntryShapes& shapes, const AliasEntry& alias) {
  const auto kind = VerifyKind::InputOutputAlias;
  const Shape* parameter =
      aliasedArray(context, kind, "input_output_alias", shapes, alias.parameter, alias.parameterIndex);
  const Shape* output = subshapeAt(shapes.result, alias.outputIndex);
  if (output == nullptr || (!output->isArray() && !output->isBuffer())) {
    context.report.error(kind,
                         fmt::format("input_output_alias names output {} of {}, expected an array there",
                                     listText(alias.outputIndex), toString(shapes.result)));
    return;
  }
  if (parameter == nullptr || alias.kind != AliasEntry::Kind::Must || *parameter == *output) return;
  // Without entry_computation_layout there are no layouts to compare.
  if (!context.module.attributes().has(Attr::EntryComputationLayout) && compatible(*parameter, *output))
    return;
  context.report.error(
      kind, fmt::format("output {} must alias parameter {} at {}, but they are {} and {}",
                        listText(alias.outputIndex), alias.parameter, listText(alias.parameterIndex),
                        toString(*output), toString(*parameter)));
}

}  // namespace

void verifyInputOutputAlias(VerifyContext& context) {
  const auto aliases = context.module.get<Attr::InputOutputAlias>();
  const auto shapes = aliases.empty() ? std::nullopt : entryShapes(context);
  if (!shapes) return;
  absl::flat_hash_set<PartKey> parameters, outputs;
  for (const AliasEntry& alias : aliases) {
    verifyAlias(context, *shapes, alias);
    if (!parameters.insert(partKey(alias.parameter, alias.parameterIndex)).second) {
      context.report.error(VerifyKind::InputOutputAlias,
                           fmt::format("input_output_alias uses parameter {} at {} twice", alias.parameter,
                                       listText(alias.parameterIndex)));
    }
    if (!outputs.insert(partKey(0, alias.outputIndex)).second) {
      context.report.error(
          VerifyKind::InputOutputAlias,
          fmt::format("input_output_alias gives output {} twice", listText(alias.outputIndex)));
    }
  }
}

void verifyBufferDonors(VerifyContext& context) {
  const auto donors = context.module.get<Attr::BufferDonor>();
  const auto shapes = donors.empty() ? std::nullopt : entryShapes(context);
  if (!shapes) return;
  absl::flat_hash_set<PartKey> aliased;
  for (const AliasEntry& alias : context.module.get<Attr::InputOutputAlias>()) {
    aliased.insert(partKey(alias.parameter, alias.parameterIndex));
  }
  for (const BufferDonor& donor : donors) {
    const auto kind = VerifyKind::BufferDonor;
    if (aliasedArray(context, kind, "buffer_donor", *shapes, donor.parameter, donor.parameterIndex) ==
        nullptr)
      continue;
    if (!aliased.contains(partKey(donor.parameter, donor.parameterIndex))) continue;
    context.report.error(
        kind, fmt::format("parameter {} at {} is a buffer donor and aliases an output; it can be one of them",
                          donor.parameter, listText(donor.parameterIndex)));
  }
}

void verifyModuleDevices(VerifyContext& context) {
  const auto reportBelowOne = [&](std::string_view what, int64_t count) {
    if (count >= 1) return false;
    context.report.error(VerifyKind::ModuleDevices,
                         fmt::format("{} is {}, expected at least 1", what, count));
    return true;
  };
  const bool isBelow = reportBelowOne("replica_count", context.replicaCount);
  if (reportBelowOne("num_partitions", context.partitionCount) || isBelow) return;
  const auto devices = multiplySizes(context.replicaCount, context.partitionCount);
  constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
  if (devices && *devices <= kMost) return;
  context.report.error(VerifyKind::ModuleDevices,
                       fmt::format("{} replicas of {} partitions are more than {} devices",
                                   context.replicaCount, context.partitionCount, kMost));
}

void verifyConstrainLayoutMix(VerifyContext& context) {
  const Instruction* first = nullptr;
  for (const Computation* computation : context.module.computations()) {
    for (const Instruction* instruction : computation->instructions()) {
      if (instruction->opcode() != Opcode::AllReduce && instruction->opcode() != Opcode::AllReduceStart)
        continue;
      if (first == nullptr) first = instruction;
      const auto constrained = [](const Instruction& i) {
        return i.get<Attr::ConstrainLayout>().value_or(false);
      };
      if (constrained(*first) == constrained(*instruction)) continue;
      context.report.warning(VerifyKind::ConstrainLayoutMix, *instruction,
                             fmt::format("constrain_layout is {} here and {} in {}",
                                         constrained(*instruction), constrained(*first), first->name()));
      return;
    }
  }
}

void verifyNoCallCycle(VerifyContext& context) {
  enum class State : uint8_t { New, Open, Done };
  struct Visit {
    const Computation* computation;
    size_t nextCaller;
  };
  absl::flat_hash_map<const Computation*, State> states;
  // Walks from callee to caller, with its own stack: call chains of a hostile module may be long.
  for (const Computation* start : context.module.computations()) {
    if (states[start] != State::New) continue;
    std::vector<Visit> stack = {{start, 0}};
    states[start] = State::Open;
    while (!stack.empty()) {
      Visit& top = stack.back();
      const auto callers = context.callers(*top.computation);
      if (top.nextCaller == callers.size()) {
        states[top.computation] = State::Done;
        stack.pop_back();
        continue;
      }
      const Instruction* site = callers[top.nextCaller++].caller;
      const Computation* caller = &site->parent();
      if (states[caller] == State::Open) {
        context.report.error(VerifyKind::CallCycle, *site,
                             fmt::format("computation {} calls itself, here through {}", caller->name(),
                                         top.computation->name()));
      } else if (states[caller] == State::New) {
        states[caller] = State::Open;
        stack.push_back({caller, 0});
      }
    }
  }
}

}  // namespace hilo
