#include "core/analysis/dataflow/operand_sharing.h"

#include "core/analysis/dataflow/alias_rules.h"

namespace hilo {
namespace {

std::vector<size_t> operandNumbers(const Instruction& user, const Instruction& operand) {
  std::vector<size_t> numbers;
  for (size_t i = 0; i < user.operandCount(); ++i) {
    if (user.operand(i) == &operand) numbers.push_back(i);
  }
  return numbers;
}

std::vector<HloUse> usesAt(const DataflowAnalysis& dataflow, const Instruction& instruction,
                           const ShapeIndex& index) {
  std::vector<HloUse> uses;
  for (const ValueId id : dataflow.valuesAt(instruction, index)) {
    const auto& more = dataflow.value(id).uses;
    uses.insert(uses.end(), more.begin(), more.end());
  }
  return uses;
}

bool onlyElementwiseOrTuples(const Instruction& from) {
  std::vector<const Instruction*> pending = {&from};
  absl::flat_hash_set<const Instruction*> seen;
  while (!pending.empty()) {
    const Instruction* at = pending.back();
    pending.pop_back();
    if (!seen.insert(at).second) continue;
    for (const Instruction* user : at->users()) {
      for (const size_t number : operandNumbers(*user, *at)) {
        if (user->opcode() != Opcode::Tuple && !isElementwiseOnOperand(*user, number)) return false;
      }
      pending.push_back(user);
    }
  }
  return true;
}

// add(dot(...), parameter): the product is added into the parameter's buffer.
bool addsIntoParameter(const DataflowAnalysis& dataflow, const Computation& body,
                       const Instruction& parameter, const ShapeIndex& index) {
  const Instruction* root = body.root();
  if (root->opcode() != Opcode::Add) return false;
  const auto isProduct = [](const Instruction* i) {
    return i->opcode() == Opcode::Dot || i->opcode() == Opcode::Convolution;
  };
  const auto product = std::ranges::find_if(root->operands(), isProduct);
  if (product == root->operands().end()) return false;
  const uint32_t other = *product == root->operand(0) ? 1 : 0;
  const auto uses = usesAt(dataflow, parameter, index);
  return uses.size() == 1 && uses[0].instruction == root && uses[0].operandNumber == other;
}

bool fusionCanShare(const DataflowAnalysis& dataflow, const Instruction& operand, const ShapeIndex& index,
                    const Instruction& fusion, bool& decided) {
  const Computation* body = fusion.get<Attr::Calls>();
  const size_t number = operandNumbers(fusion, operand)[0];
  decided = true;
  if (body == nullptr || number >= body->parameters().size()) return false;
  const Instruction& parameter = *body->parameters()[number];
  const auto kind = fusion.get<Attr::FusionKindKind>();
  if (kind == FusionKind::Loop || kind == FusionKind::Input) return onlyElementwiseOrTuples(parameter);
  if (kind == FusionKind::Output && body->root()->opcode() == Opcode::Add)
    return addsIntoParameter(dataflow, *body, parameter, index);
  decided = false;
  return false;
}

bool mustShare(const DataflowAnalysis& dataflow, const Instruction& operand, const ShapeIndex& operandIndex,
               const Instruction& user, const ShapeIndex& userIndex, Backend backend) {
  const auto pairs = inPlacePairs(user, backend);
  if (pairs.empty()) return false;
  const auto uses = usesAt(dataflow, operand, operandIndex);
  return std::ranges::any_of(pairs, [&](const InPlacePair& pair) {
    const HloUse use{&user, pair.operandNumber, pair.operandIndex};
    return pair.outputIndex == userIndex && std::ranges::find(uses, use) != uses.end();
  });
}

bool callCanShare(const DataflowAnalysis& dataflow, const Instruction& operand, const ShapeIndex& index,
                  const Instruction& call) {
  const Computation* called = call.get<Attr::ToApply>();
  if (called == nullptr) return false;
  const auto uses = usesAt(dataflow, operand, index);
  const auto byCaller = [&](const HloUse& use) { return use.instruction == &call; };
  const auto byRoot = [&](const HloUse& use) {
    return use.instruction == called->root() && isElementwiseOnOperand(*use.instruction, use.operandNumber);
  };
  return uses.size() == 2 && std::ranges::any_of(uses, byCaller) && std::ranges::any_of(uses, byRoot);
}

bool isSameStorage(std::optional<Shape> a, std::optional<Shape> b) {
  return a && b && a->isArray() && b->isArray() && a->byteSize() == b->byteSize();
}

}  // namespace

bool canShareOperandBuffer(const DataflowAnalysis& dataflow, const Instruction& operand,
                           const ShapeIndex& operandIndex, const Instruction& user,
                           const ShapeIndex& userIndex, Backend backend) {
  if (operand.opcode() == Opcode::Constant) return false;
  const auto operandPart = subshapeAt(operand.shape(), operandIndex),
             userPart = subshapeAt(user.shape(), userIndex);
  const bool shapesEqual = operandPart == userPart;
  if (shapesEqual && mustShare(dataflow, operand, operandIndex, user, userIndex, backend)) return true;
  if (const auto hint = backendMayShare(operand, operandIndex, user, userIndex, backend)) return *hint;
  // Beyond XLA's generic rule, like its rule for GPU: bitcasts in a fusion give the same bytes another shape.
  if (!shapesEqual && isSameStorage(operandPart, userPart))
    return user.opcode() == Opcode::Fusion &&
           mustShare(dataflow, operand, operandIndex, user, userIndex, backend);
  if (!shapesEqual) return false;
  const auto numbers = operandNumbers(user, operand);
  switch (user.opcode()) {
    case Opcode::Fusion: {
      bool decided = false;
      const bool can = fusionCanShare(dataflow, operand, operandIndex, user, decided);
      if (decided) return can;
      break;
    }
    // Whether sharing is right inside the loop or branch shows when its own instructions are looked at.
    case Opcode::While:
    case Opcode::Conditional:
      return true;
    case Opcode::DynamicUpdateSlice:
    case Opcode::Scatter:
    case Opcode::SetDimensionSize:
      return numbers.size() == 1 && numbers[0] == 0;
    case Opcode::TriangularSolve:
      return numbers.size() == 1 && numbers[0] == 1;
    case Opcode::Sort:
      if (operand.users().size() != 1) return false;
      if (user.operandCount() == 1) return true;
      return numbers.size() == 1 && !userIndex.empty() && userIndex[0] == static_cast<int64_t>(numbers[0]);
    case Opcode::Call:
      return callCanShare(dataflow, operand, operandIndex, user);
    default:
      break;
  }
  return isElementwiseOnOperand(user, numbers[0]);
}

}  // namespace hilo
