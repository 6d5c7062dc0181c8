#include "core/workspace/partition/partitioned_divergence.h"

#include "core/analysis/rounding_bound.h"
#include "core/analysis/unpartitioned.h"
#include "core/base/check.h"
#include "core/compiler/spmd/device_parts.h"
#include "core/workspace/partition/device_arguments.h"
#include "core/workspace/partition/partition_series.h"
#include "core/workspace/run/leaf_comparison.h"
#include "core/workspace/run/memory_limit.h"
#include "core/workspace/values/value_summary.h"
#include "core/workspace/values/value_walk.h"

namespace hilo {
namespace {

using NamedInstructions = absl::flat_hash_map<std::string_view, const Instruction*>;

NamedInstructions byName(const Computation& computation) {
  NamedInstructions named;
  for (const Instruction* i : computation.instructions()) named.emplace(i->name(), i);
  return named;
}

bool bringsResultOf(const Instruction& made, Opcode opcode) {
  const Instruction* at = &made;
  while (opcodeClass(at->opcode()) == OpcodeClass::Collective && at->operandCount() == 1) at = at->operand(0);
  return at != &made && at->opcode() == opcode;
}

// Which local instruction is the value of a whole one. Where partitioning ended in the same operation it kept
// the name; else it is the last collective that its own operation goes into.
NamedInstructions valuesByName(const Computation& whole, const Computation& local) {
  absl::flat_hash_map<const Instruction*, const Instruction*> last;
  for (const Instruction* made : local.instructions()) {
    const Provenance* provenance = local.module().provenance(made->id());
    if (provenance == nullptr) continue;
    for (const InstructionId from : provenance->from) {
      const Instruction* original = whole.module().instruction(from);
      if (original != nullptr && &original->parent() == &whole) last[original] = made;
    }
  }
  NamedInstructions named = byName(local);
  for (const auto& [original, made] : last) {
    if (!bringsResultOf(*made, original->opcode())) continue;
    const auto had = named.find(original->name());
    if (had == named.end() || had->second->opcode() != original->opcode()) named[original->name()] = made;
  }
  return named;
}

// Without a sharding it lies as what it names or takes does.
bool liesAsItsOperand(const Instruction& instruction) {
  switch (instruction.opcode()) {
    case Opcode::Call:
    case Opcode::Conditional:
    case Opcode::GetTupleElement:
    case Opcode::OptBarrier:
    case Opcode::Tuple:
    case Opcode::While:
      return true;
    default:
      return instruction.opcode() == Opcode::Parameter && !instruction.parent().isEntry();
  }
}

bool canJoin(const Tiling& tiling) { return tiling.manual == 1 && !tiling.isPartial; }

class AcrossDevices {
 public:
  AcrossDevices(const PartitionedDivergenceRequest& request, const Module& spread, ValueWalk& whole,
                ValueWalk& local, CancelToken cancel)
      : request_(request), spread_(spread), whole_(whole), local_(local), cancel_(std::move(cancel)) {}

  // The first one in a computation of the local module, on these arguments of each device.
  Result<Divergence> find(const Computation& local, const std::vector<std::vector<Literal>>& arguments) {
    const Computation& computation = *whole_.module().computation(local.id());
    TRY(const auto values, local_.valuesOf(local, arguments));
    const NamedInstructions named = valuesByName(computation, local);
    Divergence found;
    TRY(ValueWalk::Values joined, joinAll(computation, named, values, found));
    for (const Instruction* step : computation.instructions()) {
      if (found.found && found.path[0] == step->name()) return found;
      if (!isStep(*step) || !standsAlone(*step) || isTied(*step)) continue;
      if (!joined.has(*step)) {
        ++leftOut_;
        continue;
      }
      TRY(StepComparison comparison, compareStep(*step, joined));
      const bool agrees = comparison.agrees;
      found.steps.push_back(comparison);
      if (agrees) continue;
      TRY(Divergence here, explain(*step, *named.at(step->name()), std::move(comparison), joined, values));
      here.steps = std::move(found.steps);
      return here;
    }
    return found;
  }

  int64_t leftOut() const { return leftOut_; }

 private:
  // nullopt: not a value that could be put together.
  Result<std::optional<Literal>> join(const Instruction& global, std::span<const Literal> parts) {
    const Instruction& sharded = *spread_.instruction(global.id());
    const bool isUnknown = !sharded.has(Attr::Sharding) && liesAsItsOperand(sharded);
    if (isUnknown || hasDynamicShape(global)) return std::nullopt;
    const auto tilings = tilingsOrWhole(sharded, global.shape(), local_.module().partitionCount());
    if (!tilings || !std::ranges::all_of(*tilings, canJoin)) return std::nullopt;
    if (localShape(global.shape().withoutLayout(), *tilings).withoutLayout() !=
        parts[0].shape().withoutLayout())
      return std::nullopt;
    TRY(Literal joined, joinLiterals(global.shape(), *tilings, parts));
    return joined;
  }

  // Copies that differ are a divergence at their instruction: `found`, where it is the first.
  Result<ValueWalk::Values> joinAll(const Computation& computation, const NamedInstructions& named,
                                    const ValueWalk::Values& values, Divergence& found) {
    ValueWalk::Values joined;
    for (const Instruction* global : computation.instructions()) {
      if (global->opcode() == Opcode::Constant) joined.of[global] = {global->literal()};
      const auto local = named.find(global->name());
      if (local == named.end() || !values.has(*local->second)) continue;
      auto whole = join(*global, values.at(*local->second));
      if (!whole && whole.error().kind == "copies-differ") {
        if (!found.found) found = copiesDiffer(*global, whole.error());
        continue;
      }
      TRY(std::optional<Literal> value, std::move(whole));
      if (value) joined.of[global] = {*std::move(value)};
    }
    return joined;
  }

  static Divergence copiesDiffer(const Instruction& step, const Diagnostic& why) {
    Divergence divergence{.found = true, .path = {std::string(step.name())}};
    divergence.step = {.instruction = step.id().value,
                       .name = std::string(step.name()),
                       .opcode = std::string(step.opcodeText()),
                       .agrees = false};
    divergence.step.worst.shape = toString(step.shape().withoutLayout());
    divergence.notes.push_back(why.message);
    return divergence;
  }

  // The whole instruction by itself, or with those before it that have no value put together.
  Probe probeOf(const Instruction& step, const ValueWalk::Values& joined) {
    const auto isKnown = [&](const Instruction* operand) { return joined.has(*operand); };
    const Instruction* const steps[] = {&step};
    if (std::ranges::all_of(step.operands(), isKnown)) return probeSteps(whole_.module(), steps);
    std::vector<const Instruction*> taken;
    for (const Instruction* before : step.parent().instructions()) {
      if (before != &step && joined.has(*before)) taken.push_back(before);
    }
    return probePart(whole_.module(),
                     {.computation = step.parent(), .taken = taken, .looked = steps, .kept = {}});
  }

  // By the tolerance, and where that is the types' own and is not kept, by the bound on rounding too.
  Result<std::vector<LiteralDifference>> compare(const Literal& given, const Literal& expected,
                                                 const Probe& probe, const ValueWalk::Values& joined) {
    const CompareTolerance tolerance{.absolute = request_.tolerance.absolute,
                                     .relative = request_.tolerance.relative};
    TRY(auto differences, compareLiterals(given, expected, tolerance));
    if (agrees(differences) || tolerance.absolute >= 0 || tolerance.relative >= 0) return differences;
    std::vector<Literal> arguments;
    for (const Instruction* parameter : probe.parameters) arguments.push_back(joined.at(*parameter)[0]);
    const auto bound =
        RoundingBound({}, 0, memoryWithin(0), cancel_).ofRoot(*probe.module->entry(), arguments);
    if (bound) return compareLiterals(given, expected, tolerance, &bound->elements()[0]);
    if (bound.error().kind == "cancelled") return std::unexpected(bound.error());
    return differences;
  }

  Result<StepComparison> compareStep(const Instruction& step, const ValueWalk::Values& joined) {
    StepComparison comparison{.instruction = step.id().value,
                              .name = std::string(step.name()),
                              .opcode = std::string(step.opcodeText())};
    const Probe probe = probeOf(step, joined);
    TRY(const auto expected, whole_.run(probe, joined, request_.engine));
    TRY(auto differences, compare(joined.at(step)[0], expected[0][0], probe, joined));
    for (LiteralDifference& difference : differences) {
      const bool differs = difference.mismatches > 0;
      if (!comparison.agrees && !differs) continue;
      if (comparison.agrees || difference.maxAbsError > comparison.worst.maxAbsError)
        comparison.worst = leafComparison(std::move(difference), 1);
      comparison.agrees &= !differs;
    }
    return comparison;
  }

  // What the instruction calls may say more exactly where.
  Result<Divergence> explain(const Instruction& step, const Instruction& local, StepComparison comparison,
                             const ValueWalk::Values& joined, const ValueWalk::Values& values) {
    Divergence divergence{.found = true, .path = {std::string(step.name())}, .step = std::move(comparison)};
    for (const Instruction* operand : step.operands()) {
      if (joined.has(*operand))
        divergence.operands.push_back(
            fmt::format("{}: {}", operand->name(), summaryText(joined.at(*operand)[0])));
    }
    const auto isKnown = [&](const Instruction* operand) { return values.has(*operand); };
    const bool isSame = local.opcode() == step.opcode() && step.opcode() != Opcode::Fusion;
    if (!isSame || !std::ranges::all_of(local.operands(), isKnown)) return divergence;
    const auto stops = [&](const Computation& body, const auto& state, const DeviceValues& next) {
      return turnDiffers(body, state, next);
    };
    TRY(const auto inner, local_.inside(local, values, stops));
    if (!inner || whole_.module().computation(inner->computation->id()) == nullptr) return divergence;
    TRY(Divergence deeper, find(*inner->computation, inner->arguments));
    if (!deeper.found) return divergence;
    deeper.path.insert(deeper.path.begin(), inner->step);
    return deeper;
  }

  // Whether the whole body gives something else on this turn's state put together.
  Result<bool> turnDiffers(const Computation& body, const std::vector<std::vector<Literal>>& state,
                           const DeviceValues& next) {
    const Computation* whole = whole_.module().computation(body.id());
    if (whole == nullptr || whole->parameters().size() != 1) return false;
    std::vector<Literal> parts;
    for (const auto& list : state) parts.push_back(list[0]);
    ValueWalk::Values joined;
    auto before = join(*whole->parameters()[0], parts);
    auto after = join(*whole->root(), next);
    for (const auto* side : {&before, &after}) {
      if (!*side)
        return side->error().kind == "copies-differ" ? Result<bool>(true) : std::unexpected(side->error());
      if (!**side) return false;
    }
    joined.of[whole->parameters()[0]] = {**before};
    const Instruction* const root[] = {whole->root()};
    const Instruction* const taken[] = {whole->parameters()[0]};
    const Probe probe =
        probePart(whole_.module(), {.computation = *whole, .taken = taken, .looked = root, .kept = {}});
    TRY(const auto expected, whole_.run(probe, joined, request_.engine));
    TRY(const auto differences, compare(**after, expected[0][0], probe, joined));
    return !agrees(differences);
  }

  const PartitionedDivergenceRequest& request_;
  const Module& spread_;
  ValueWalk& whole_;
  ValueWalk& local_;
  CancelToken cancel_;
  int64_t leftOut_ = 0;
};

}  // namespace

Result<PartitionedPair> partitionedPair(const PartitionRequest& request, const JobContext& context) {
  PartitionRequest asked = request;
  TRY(asked.module, forItsDevices(request));
  TRY(const PassSeries series, unpartitionedSeries(asked, context));
  const SeriesStep* before = stepBeforePartitioning(series);
  CHECK(before != nullptr, "the pipeline spmd has no spmd-partitioning");
  PartitionedPair pair;
  TRY(pair.spread, before->module());
  TRY(pair.local, (before + 1)->module());
  return pair;
}

Result<Divergence> findPartitionedDivergence(const PartitionedDivergenceRequest& request,
                                             const JobContext& context) {
  TRY(const auto whole, wholeModule(request.spread, context));
  TRY(const ArgumentSource arguments, settleArguments(*whole, request.arguments, context));
  TRY(const ArgumentSource cut, cutArguments(*request.local, arguments.given));
  std::vector<std::vector<Literal>> lists = {cut.given};
  lists.insert(lists.end(), cut.otherGiven.begin(), cut.otherGiven.end());
  const auto walkOf = [&](std::shared_ptr<const Module> module, DeviceGrid grid) {
    return ValueWalk(std::move(module), grid, request.engine, request.worker,
                     memoryWithin(request.worker ? request.worker->memoryLimitBytes : 0) / 2, context);
  };
  ValueWalk onOne = walkOf(whole, {});
  ValueWalk onAll = walkOf(request.local, gridOf(*request.local));
  AcrossDevices across(request, *request.spread, onOne, onAll, context.cancel());
  TRY(Divergence divergence, across.find(*request.local->entry(), lists));
  if (across.leftOut() > 0) {
    divergence.notes.push_back(fmt::format(
        "{} instructions have no value of their own on the devices, or one that cannot be put together",
        across.leftOut()));
  }
  return divergence;
}

}  // namespace hilo
