#include "core/compiler/passes/simplify/constant_folding.h"

#include "core/compiler/pass/main_computations.h"
#include "core/compiler/passes/simplify/constant_arguments.h"
#include "core/hlo/eval/evaluate.h"
#include "core/hlo/ir/side_effects.h"

namespace hilo {
namespace {

bool isConstantLike(const Instruction& operand) {
  switch (operand.opcode()) {
    case Opcode::Constant:
      return !operand.literal().isElided();
    case Opcode::Iota:
      return true;
    case Opcode::Broadcast:
      return operand.operand(0)->opcode() == Opcode::Constant && !operand.operand(0)->literal().isElided();
    case Opcode::Tuple:
      return std::ranges::all_of(operand.operands(), [](const Instruction* o) { return isConstantLike(*o); });
    default:
      return false;
  }
}

bool containsConstant(const Instruction& operand) {
  if (operand.opcode() == Opcode::Constant) return true;
  return operand.opcode() == Opcode::Tuple &&
         std::ranges::any_of(operand.operands(), [](const Instruction* o) { return containsConstant(*o); });
}

// Opcodes that are left alone wherever they stand, also inside a called computation.
bool isNeverFolded(Opcode opcode) {
  switch (opcode) {
    case Opcode::Broadcast:
    case Opcode::Iota:
    case Opcode::Fft:
    case Opcode::While:
    case Opcode::AfterAll:
    case Opcode::Rng:
    case Opcode::PartitionId:
    case Opcode::ReplicaId:
      return true;
    default:
      return opcodeClass(opcode) == OpcodeClass::Async || opcodeClass(opcode) == OpcodeClass::Ordering;
  }
}

bool isFoldable(const Instruction& instruction, int depth = 0) {
  if (isNeverFolded(instruction.opcode()) || instruction.has(Attr::ControlPredecessors) || depth > 100)
    return false;
  for (const Computation* called : instruction.calledComputations()) {
    for (const Instruction* inner : called->instructions()) {
      if (!isFoldable(*inner, depth + 1)) return false;
    }
  }
  return true;
}

// A loop of which each iteration can be evaluated.
bool callsFoldable(const Instruction& loop) {
  return !loop.has(Attr::ControlPredecessors) &&
         std::ranges::all_of(loop.calledComputations(), [](const Computation* called) {
           return std::ranges::all_of(called->instructions(),
                                      [](const Instruction* i) { return isFoldable(*i); });
         });
}

bool isCandidate(const Instruction& instruction, const FoldingLimits& limits) {
  const bool isLoop = limits.aggressive && instruction.opcode() == Opcode::While;
  switch (instruction.opcode()) {
    case Opcode::Parameter:
    case Opcode::Constant:
    case Opcode::Tuple:
    case Opcode::CustomCall:
      return false;
    default:
      break;
  }
  if ((!instruction.shape().isArray() && !isLoop) || instruction.operandCount() == 0) return false;
  // A pad of a broadcast says more than its elements.
  if (instruction.opcode() == Opcode::Pad && instruction.operand(0)->opcode() == Opcode::Broadcast)
    return false;
  int64_t elements = 0;
  bool anyConstant = false;
  for (const Instruction* operand : instruction.operands()) {
    if (!isConstantLike(*operand)) return false;
    anyConstant = anyConstant || containsConstant(*operand);
    elements += operand->shape().isArray() ? operand->shape().elementCount() : 0;
  }
  if (instruction.shape().isArray()) elements = std::max(elements, instruction.shape().elementCount());
  if ((!anyConstant && !limits.aggressive) || elements > limits.elements) return false;
  return (isLoop ? callsFoldable(instruction) : isFoldable(instruction)) && !hasSideEffect(instruction);
}

Result<Literal> valueOf(const Instruction& instruction, const EvalOptions& options) {
  if (instruction.opcode() == Opcode::Constant) return instruction.literal();
  std::vector<Literal> values;
  for (const Instruction* operand : instruction.operands()) {
    TRY(Literal value, valueOf(*operand, options));
    values.push_back(std::move(value));
  }
  std::vector<const Literal*> pointers;
  for (const Literal& value : values) pointers.push_back(&value);
  return evaluateInstruction(instruction, pointers, options);
}

// Every element of an array of several has the bits of the first.
bool isUniform(const Literal& value) {
  const Shape shape = value.shape();
  if (!shape.isArray() || shape.isDynamic() || value.isElided() || shape.elementCount() < 2) return false;
  const auto bytes = value.bytes();
  const auto one = static_cast<size_t>(elementStorageBytes(shape.elementType()));
  // Each element is the one before it.
  return std::ranges::equal(bytes.subspan(one), bytes.first(bytes.size() - one));
}

Literal firstElement(const Literal& value) {
  Literal first(Shape::scalar(value.shape().elementType()));
  std::ranges::copy(value.bytes().first(first.bytes().size()), first.mutableBytes().begin());
  return first;
}

// A broadcast of one element where all are the same, else a constant of all.
Instruction* makeConstant(Instruction* instruction, const Literal& value) {
  Computation& computation = instruction->parent();
  if (!isUniform(value))
    return computation.createConstant(value.withShape(instruction->shape()), instruction);
  Instruction* scalar = computation.createConstant(firstElement(value), instruction);
  Instruction* broadcast =
      computation.create(Opcode::Broadcast, instruction->shape(), {scalar}, {}, instruction);
  broadcast->set<Attr::Dimensions>(std::span<const int64_t>());
  return broadcast;
}

}  // namespace

Result<bool> foldConstants(Module& module, PassContext& context, const FoldingLimits& limits) {
  bool changed = useConstantArguments(module, context);
  const EvalOptions options{.maxSteps = limits.steps};
  for (Computation* computation : unfusedComputations(module)) {
    for (Instruction* instruction : computation->instructions()) {
      if (context.cancelled()) return changed;
      if ((instruction->users().empty() && !instruction->isRoot()) || !isCandidate(*instruction, limits))
        continue;
      Result<Literal> value = valueOf(*instruction, options);
      if (!value) {
        context.remark(*instruction, "missed", "not folded: " + value.error().message);
        continue;
      }
      if (!context.mayChange(*instruction)) return changed;
      Instruction* constant = makeConstant(instruction, *value);
      if (const OpMetadata* metadata = instruction->get<Attr::Metadata>())
        constant->set<Attr::Metadata>(metadata);
      context.remark(*instruction, "folded",
                     fmt::format("is the {} %{}", constant->opcodeText(), constant->name()));
      computation->replaceAllUses(instruction, constant);
      changed = true;
    }
  }
  return changed;
}

}  // namespace hilo
