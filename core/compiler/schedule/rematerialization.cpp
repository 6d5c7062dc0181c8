#include "core/compiler/schedule/rematerialization.h"

#include <absl/container/flat_hash_set.h>

#include "core/analysis/backend.h"
#include "core/analysis/cost_facts.h"
#include "core/analysis/saturating.h"
#include "core/analysis/schedule/async_op.h"
#include "core/analysis/schedule/memory_usage.h"
#include "core/hlo/ir/side_effects.h"

namespace hilo {
namespace {

using Action = RematerializedValue::Action;

// A value that waits over the peak, and what can be done about it.
struct Candidate {
  Instruction* instruction;
  Action action = Action::Left;
  int64_t bytes = 0;  // freed over the peak
  double cost = 1;
  std::vector<Instruction*> laterUsers;  // in order
  Shape compact;
  std::string reason;
  double score() const { return static_cast<double>(bytes) / cost; }
};

// What one round changed, to take it back.
struct Undo {
  Instruction* original;
  Instruction* standIn;
  std::vector<Instruction*> made;  // users first
};

class Round {
 public:
  Round(const Module& module, const AliasAnalysis& alias, const RematerializationOptions& options)
      : module_(module),
        options_(options),
        ranges_(alias),
        usage_(memoryUsage(ranges_, paddedBytes)),
        cost_(module) {}

  int64_t peakBytes() const { return usage_.peakBytes; }

  // Everything that waits over the peak, the best first.
  std::vector<Candidate> candidates() const {
    std::vector<Candidate> all;
    for (const HloValue& value : ranges_.aliases().dataflow().values()) {
      const auto& range = ranges_.of(value.id);
      if (!range || range->start >= usage_.peakTime || range->end <= usage_.peakTime) continue;
      Instruction* instruction = module_.instruction(value.instruction().id());
      if (instruction->opcode() == Opcode::Constant || !value.shape.isArray()) continue;
      all.push_back(consider(value, *instruction));
    }
    std::ranges::stable_sort(all, std::greater(),
                             [](const Candidate& c) { return c.action == Action::Left ? -1.0 : c.score(); });
    return all;
  }

 private:
  Candidate consider(const HloValue& value, Instruction& instruction) const {
    Candidate candidate{.instruction = &instruction, .bytes = paddedBytes(value.shape)};
    candidate.reason = whyFixed(value, instruction);
    if (!candidate.reason.empty()) return candidate;
    for (Instruction* user : instruction.users()) {
      if (ranges_.timeOf(*user) > usage_.peakTime) candidate.laterUsers.push_back(user);
    }
    std::ranges::sort(candidate.laterUsers, {}, [&](const Instruction* i) { return ranges_.timeOf(*i); });
    if (candidate.laterUsers.empty()) {
      candidate.reason = "what uses it runs at the peak";
      return candidate;
    }
    if (options_.recompute) {
      candidate.reason = whyNotAgain(instruction, *candidate.laterUsers[0]);
      if (candidate.reason.empty()) {
        const CostFacts& facts = cost_.of(instruction);
        candidate.cost = 1 + static_cast<double>(saturatingAdd(facts.bytesAccessed, facts.flops));
        candidate.action = Action::Recomputed;
        return candidate;
      }
    }
    considerCompressing(candidate);
    return candidate;
  }

  void considerCompressing(Candidate& candidate) const {
    const Shape shape = candidate.instruction->shape(), compact = compactShape(shape);
    if (!options_.compress || compact == shape) return;
    candidate.compact = compact;
    candidate.bytes = paddedBytes(shape) - paddedBytes(compact);
    candidate.cost = 2.0 * static_cast<double>(paddedBytes(shape) + paddedBytes(compact));
    candidate.action = Action::Compressed;
  }

  std::string whyFixed(const HloValue& value, const Instruction& instruction) const {
    if (value.livesOut) return "it is part of the result";
    if (instruction.opcode() == Opcode::Parameter) return "it is a parameter";
    if (!value.index().empty()) return "it is part of a tuple";
    if (ranges_.aliases().bufferOf(value.id).values.size() > 1) return "others are written in its place";
    const bool isPassedOn = value.positions.size() > 1;
    return isPassedOn ? fmt::format("%{} passes it on", value.positions[1].instruction->name()) : "";
  }

  // Everything it is made from must be there when it is made again.
  std::string whyNotAgain(const Instruction& instruction, const Instruction& user) const {
    if (hasSideEffect(instruction)) return "it cannot be done twice";
    if (canonicalAsyncOp(instruction, true).role != AsyncRole::None || !isWork(instruction))
      return fmt::format("{} is not done again", instruction.opcodeText());
    const int64_t when = ranges_.timeOf(user);
    for (const Instruction* operand : instruction.operands()) {
      if (operand->opcode() == Opcode::Constant || operand->opcode() == Opcode::Parameter) continue;
      for (const ValueSet& values : ranges_.aliases().dataflow().valueSetsOf(*operand)) {
        for (const ValueId id : values) {
          const auto& range = ranges_.of(id);
          if (range && range->end < when)
            return fmt::format("its operand %{} is gone by then", operand->name());
        }
      }
    }
    return {};
  }

  static bool isWork(const Instruction& i) {
    switch (opcodeClass(i.opcode())) {
      case OpcodeClass::ControlFlow:
      case OpcodeClass::Collective:
      case OpcodeClass::Communication:
      case OpcodeClass::CustomCall:
        return false;
      default:
        return i.opcode() != Opcode::Rng && i.opcode() != Opcode::Opaque && i.opcode() != Opcode::Copy;
    }
  }

  const Module& module_;
  const RematerializationOptions& options_;
  const ValueLiveRanges ranges_;
  const MemoryUsage usage_;
  const ModuleCost cost_;
};

Undo apply(const Candidate& candidate) {
  Instruction* original = candidate.instruction;
  Computation& computation = original->parent();
  Instruction* firstUser = candidate.laterUsers[0];
  Undo undo{.original = original, .standIn = nullptr, .made = {}};
  if (candidate.action == Action::Recomputed) {
    undo.standIn = computation.createLike(*original, original->operands(), firstUser);
    undo.made = {undo.standIn};
  } else {
    Instruction* packed =
        computation.create(Opcode::Copy, candidate.compact, {original}, {}, original->next());
    undo.standIn = computation.create(Opcode::Copy, original->shape(), {packed}, {}, firstUser);
    undo.made = {undo.standIn, packed};
  }
  for (Instruction* user : candidate.laterUsers) {
    for (size_t i = 0; i < user->operandCount(); ++i) {
      if (user->operand(i) == original) user->setOperand(i, undo.standIn);
    }
  }
  return undo;
}

void takeBack(const std::vector<Undo>& undos) {
  for (size_t n = undos.size(); n > 0; --n) {
    const Undo& undo = undos[n - 1];
    undo.original->parent().replaceAllUses(undo.standIn, undo.original);
    undo.original->parent().removeAll(undo.made);
  }
}

class Rematerializer {
 public:
  Rematerializer(Module& module, const RematerializationOptions& options)
      : module_(module), options_(options) {}

  Result<RematerializationResult> run() {
    TRY(result_.bytesBefore, look());
    int64_t peak = result_.bytesBefore;
    for (int64_t n = 0; n < options_.maxRounds && peak > options_.limitBytes; ++n) {
      if (options_.cancel.cancelled()) return fail("cancelled", "cancelled");
      // As many at once as the limit asks for; if that did not help, the best alone.
      TRY(const auto many, attempt(peak, peak - options_.limitBytes));
      if (many) {
        peak = *many;
        continue;
      }
      TRY(const auto one, attempt(peak, 1));
      if (!one) break;
      peak = *one;
    }
    result_.bytesAfter = peak;
    result_.reachedLimit = peak <= options_.limitBytes;
    for (const Candidate& candidate : candidates_)
      result_.values.push_back({candidate.instruction, Action::Left, candidate.bytes,
                                candidate.reason.empty() ? "it would not lower the peak" : candidate.reason});
    return std::move(result_);
  }

 private:
  Result<int64_t> look() {
    TRY(const AliasAnalysis alias, AliasAnalysis::run(module_, backendOf(module_)));
    const Round round(module_, alias, options_);
    candidates_ = round.candidates();
    return round.peakBytes();
  }

  // The new peak; nullopt when nothing could be done or it is no lower, and then all is as before.
  Result<std::optional<int64_t>> attempt(int64_t peak, int64_t wanted) {
    const std::vector<Candidate> before = candidates_;
    std::vector<Undo> undos;
    std::vector<RematerializedValue> done;
    absl::flat_hash_set<const Instruction*> touched;  // and what they are made from
    for (const Candidate& candidate : before) {
      if (wanted <= 0 || candidate.action == Action::Left) break;
      const bool isApart = !touched.contains(candidate.instruction) &&
                           std::ranges::none_of(candidate.instruction->operands(),
                                                [&](const Instruction* o) { return touched.contains(o); });
      if (!isApart || refused_.contains(candidate.instruction)) continue;
      wanted -= candidate.bytes;
      touched.insert(candidate.instruction);
      touched.insert(candidate.instruction->operands().begin(), candidate.instruction->operands().end());
      undos.push_back(apply(candidate));
      done.push_back({candidate.instruction, candidate.action, candidate.bytes, {}});
    }
    if (undos.empty()) return std::optional<int64_t>();
    TRY(const int64_t after, look());
    if (after < peak) {
      result_.values.insert(result_.values.end(), done.begin(), done.end());
      return std::optional(after);
    }
    takeBack(undos);
    if (undos.size() == 1) refused_.insert(undos[0].original);
    candidates_ = before;
    return undos.size() == 1 ? attempt(peak, 1) : Result<std::optional<int64_t>>(std::nullopt);
  }

  Module& module_;
  const RematerializationOptions& options_;
  RematerializationResult result_;
  std::vector<Candidate> candidates_;
  absl::flat_hash_set<const Instruction*> refused_;  // alone they did not help
};

}  // namespace

bool RematerializationResult::changed() const {
  return std::ranges::any_of(values, [](const RematerializedValue& v) { return v.action != Action::Left; });
}

Result<RematerializationResult> rematerialize(Module& module, const RematerializationOptions& options) {
  if (!module.isScheduled()) {
    return fail("not-scheduled", "what is live when is known of scheduled modules", {},
                {"a scheduler gives it an order: --passes=memory-scheduler"});
  }
  return Rematerializer(module, options).run();
}

}  // namespace hilo
