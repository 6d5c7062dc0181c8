#include "core/workspace/values/probe.h"

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include "core/analysis/extract.h"
#include "core/hlo/ir/op_facts.h"

namespace hilo {
namespace {

bool hasToken(Shape shape) {
  if (shape.isTuple()) return std::ranges::any_of(shape.tupleShapes(), hasToken);
  return !shape.isArray();
}

bool isDynamic(Shape shape) {
  if (shape.isTuple()) return std::ranges::any_of(shape.tupleShapes(), isDynamic);
  return shape.isArray() && shape.isDynamic();
}

// A new entry of a clone, where instructions of the original stand for those of the clone.
class ProbeBuilder {
 public:
  explicit ProbeBuilder(const Module& module)
      : clone_(module.clone()), entry_(clone_->createComputation("probe")) {}

  Instruction* parameterFor(const Instruction& original) {
    Instruction*& made = made_[&original];
    if (made != nullptr) return made;
    made = entry_->createParameter(static_cast<int64_t>(entry_->parameters().size()), original.shape());
    probe_.parameters.push_back(&original);
    return made;
  }
  Instruction* copy(const Instruction& original, std::span<Instruction* const> operands) {
    return made_[&original] = entry_->createLike(*clone_->instruction(original.id()), operands);
  }
  // A copy that nothing else of the probe reads.
  Instruction* step(const Instruction& original, std::span<Instruction* const> operands) {
    return entry_->createLike(*clone_->instruction(original.id()), operands);
  }
  Instruction* made(const Instruction& original) const {
    const auto found = made_.find(&original);
    return found == made_.end() ? nullptr : found->second;
  }
  void lookAt(const Instruction& original, Instruction* value) {
    probe_.looked.push_back(&original);
    values_.push_back(value);
  }
  Probe finish() {
    std::vector<Shape> shapes;
    for (const Instruction* value : values_) shapes.push_back(value->shape());
    entry_->setRoot(entry_->create(Opcode::Tuple, Shape::tuple(shapes), values_, "looked_at"));
    makeEntry(*clone_, *entry_);
    probe_.module = std::move(clone_);
    return std::move(probe_);
  }

 private:
  std::unique_ptr<Module> clone_;
  Computation* entry_;
  absl::flat_hash_map<const Instruction*, Instruction*> made_;
  std::vector<Instruction*> values_;
  Probe probe_;
};

}  // namespace

bool isStep(const Instruction& instruction) {
  const AsyncStep step = asyncFacts(instruction.opcode()).step;
  if (step == AsyncStep::Start || step == AsyncStep::Update) return false;
  switch (instruction.opcode()) {
    case Opcode::Constant:
    case Opcode::GetTupleElement:
    case Opcode::Parameter:
    case Opcode::Tuple:
      return false;
    default:
      return !hasFact(instruction.opcode(), OpFact::Forwards) && !hasToken(instruction.shape());
  }
}

bool standsAlone(const Instruction& instruction) {
  return asyncFacts(instruction.opcode()).step != AsyncStep::Done && isStep(instruction) &&
         std::ranges::none_of(instruction.operands(),
                              [](const Instruction* operand) { return isDynamic(operand->shape()); });
}

bool isTied(const Instruction& instruction) {
  switch (instruction.opcode()) {
    case Opcode::AfterAll:
    case Opcode::Parameter:
      return false;
    case Opcode::Rng:
    case Opcode::RngGetAndUpdateState:
      return true;
    default:
      break;
  }
  if (hasToken(instruction.shape())) return true;
  return std::ranges::any_of(instruction.calledComputations(), [](const Computation* called) {
    return called != nullptr && std::ranges::any_of(called->instructions(),
                                                    [](const Instruction* inner) { return isTied(*inner); });
  });
}

bool hasDynamicShape(const Instruction& instruction) { return isDynamic(instruction.shape()); }

const Instruction& seenThrough(const Instruction& instruction) {
  const Instruction* seen = &instruction;
  while (seen->opcode() == Opcode::GetTupleElement && seen->operand(0)->opcode() == Opcode::Tuple)
    seen = seen->operand(0)->operand(static_cast<size_t>(seen->tupleIndex()));
  return *seen;
}

namespace {

// What has to run, in no order: back from looked and kept ones to what is taken.
absl::flat_hash_set<const Instruction*> neededFor(const ProbedPart& part) {
  absl::flat_hash_set<const Instruction*> needed(part.taken.begin(), part.taken.end());
  std::vector<const Instruction*> pending;
  const auto need = [&](const Instruction& instruction) {
    if (needed.insert(&instruction).second) pending.push_back(&instruction);
  };
  for (const Instruction* instruction : part.looked) need(*instruction);
  for (const Instruction* instruction : part.kept) need(*instruction);
  while (!pending.empty()) {
    const Instruction* instruction = pending.back();
    pending.pop_back();
    for (const Instruction* operand : instruction->operands()) need(seenThrough(*operand));
  }
  return needed;
}

}  // namespace

Probe probePart(const Module& module, const ProbedPart& part) {
  ProbeBuilder builder(module);
  const auto needed = neededFor(part);
  const absl::flat_hash_set<const Instruction*> taken(part.taken.begin(), part.taken.end());
  const absl::flat_hash_set<const Instruction*> looked(part.looked.begin(), part.looked.end());
  for (const Instruction* instruction : part.computation.instructions()) {
    if (!needed.contains(instruction)) continue;
    if (instruction->opcode() == Opcode::Parameter || taken.contains(instruction)) {
      builder.parameterFor(*instruction);
      continue;
    }
    std::vector<Instruction*> operands;
    for (const Instruction* operand : instruction->operands())
      operands.push_back(builder.made(seenThrough(*operand)));
    Instruction* made = builder.copy(*instruction, operands);
    if (looked.contains(instruction)) builder.lookAt(*instruction, made);
  }
  return builder.finish();
}

Probe probeSteps(const Module& module, std::span<const Instruction* const> steps) {
  ProbeBuilder builder(module);
  for (const Instruction* step : steps) {
    std::vector<Instruction*> operands;
    for (const Instruction* operand : step->operands()) {
      // Constants stay what they are: engines treat them as such.
      const bool isConstant = operand->opcode() == Opcode::Constant;
      Instruction* known = isConstant ? builder.made(*operand) : nullptr;
      operands.push_back(known != nullptr ? known
                         : isConstant     ? builder.copy(*operand, {})
                                          : builder.parameterFor(*operand));
    }
    builder.lookAt(*step, builder.step(*step, operands));
  }
  return builder.finish();
}

}  // namespace hilo
