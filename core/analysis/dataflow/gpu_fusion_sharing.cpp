// When a GPU fusion may write an output over an operand: every thread must have read the element it writes.
#include "core/analysis/backend.h"
#include "core/analysis/dataflow/alias_rules.h"

namespace hilo {
namespace {

struct Root {
  const Instruction* root;  // of the fused computation, or an element of its tuple
  const Instruction* hero;  // what it comes down to behind elementwise operations and bitcasts
};

bool isViewOrElementwiseUnary(const Instruction& instruction) {
  return instruction.opcode() == Opcode::Bitcast ||
         opcodeClass(instruction.opcode()) == OpcodeClass::ElementwiseUnary;
}

const Instruction* heroOf(const Instruction* root) {
  const Instruction* hero = root;
  while (isViewOrElementwiseUnary(*hero)) hero = hero->operand(0);
  const bool special = hero->opcode() == Opcode::Reduce || hero->opcode() == Opcode::Transpose ||
                       (hero->opcode() == Opcode::Copy && hero->shape() != hero->operand(0)->shape());
  return special ? hero : root;
}

std::vector<Root> rootsOf(const Computation& body) {
  std::vector<Root> roots;
  const auto add = [&](const Instruction* root) { roots.push_back({root, heroOf(root)}); };
  if (body.root()->opcode() != Opcode::Tuple) {
    add(body.root());
  } else {
    for (const Instruction* element : body.root()->operands()) add(element);
  }
  return roots;
}

// Reductions of some size have an emitter that reduces before it writes anything else.
const Instruction* reductionHero(const Instruction& fusion, std::span<const Root> roots) {
  constexpr int64_t kWarpSize = 32;
  const bool isInput = fusion.get<Attr::FusionKindKind>() == FusionKind::Input;
  for (const Root& root : roots) {
    if (root.hero->opcode() != Opcode::Reduce) continue;
    const Shape result =
        root.hero->shape().isTuple() ? root.hero->shape().tupleShapes()[0] : root.hero->shape();
    const int64_t folded =
        root.hero->operand(0)->shape().elementCount() / std::max<int64_t>(result.elementCount(), 1);
    if (isInput || folded >= kWarpSize) return root.hero;
  }
  return nullptr;
}

bool sameStorage(Shape operand, Shape user) {
  if (operand == user) return true;
  return operand.isArray() && user.isArray() && operand.elementCount() == user.elementCount() &&
         elementStorageBytes(operand.elementType()) == elementStorageBytes(user.elementType());
}

size_t timesUsed(const Instruction& user, const Instruction* operand) {
  return static_cast<size_t>(std::ranges::count(user.operands(), operand));
}
size_t operandNumberOf(const Instruction& user, const Instruction* operand) {
  return static_cast<size_t>(std::ranges::find(user.operands(), operand) - user.operands().begin());
}

// A slice read from where the root updates: fine when both mean the same place, or single elements.
bool readsTheUpdatedSlice(const Instruction& slice, const Instruction& update) {
  if (slice.shape().elementCount() == 1 && update.operand(1)->shape().elementCount() == 1) return true;
  if (update.operandCount() != slice.operandCount() + 1) return false;
  for (size_t i = 1; i < slice.operandCount(); ++i) {
    if (slice.operand(i) != update.operand(i + 1)) return false;
  }
  return true;
}

class FusionSharing {
 public:
  FusionSharing(const Instruction& fusion, const ShapeIndex& userIndex)
      : body_(*fusion.get<Attr::Calls>()),
        userIndex_(userIndex),
        roots_(rootsOf(body_)),
        reduction_(reductionHero(fusion, roots_)) {
    output_ = body_.root();
    for (const int64_t element : userIndex) {
      if (output_->opcode() != Opcode::Tuple || element >= static_cast<int64_t>(output_->operandCount()))
        break;
      output_ = output_->operand(static_cast<size_t>(element));
    }
    writer_ = output_->opcode() == Opcode::Bitcast ? output_->operand(0) : output_;
  }

  bool mayWriteOver(size_t operandNumber) {
    const Instruction* parameter = body_.parameters()[operandNumber];
    std::vector<const Instruction*> pending = {parameter};
    absl::flat_hash_set<const Instruction*> seen = {parameter};
    bool found = false;
    for (size_t next = 0; next < pending.size(); ++next) {
      const Instruction* at = pending[next];
      found |= at == output_;
      // The reduction has read everything when values after it are written.
      if (at == reduction_) continue;
      for (const Instruction* user : at->users()) {
        if (seen.insert(user).second) pending.push_back(user);
        if (!keepsOrder(*at, *user)) return false;
      }
    }
    return found && !otherRootInOtherOrder(seen);
  }

 private:
  // Whether the user goes over `value` in the order in which the output is written.
  bool keepsOrder(const Instruction& value, const Instruction& user) const {
    const size_t operandNumber = operandNumberOf(user, &value);
    if (&user == writer_ && user.opcode() == Opcode::Scatter) {
      const size_t inputs = std::max<size_t>(user.shape().tupleShapes().size(), 1);
      if (operandNumber < inputs && timesUsed(user, &value) == 1) return true;
    }
    if (&user == writer_ && user.opcode() == Opcode::Sort && timesUsed(user, &value) == 1) {
      return userIndex_ == ShapeIndex{static_cast<int64_t>(operandNumber)};
    }
    if (writer_->opcode() == Opcode::DynamicUpdateSlice && user.opcode() == Opcode::DynamicSlice &&
        writer_->operand(0) == user.operand(0) && user.shape() == writer_->operand(1)->shape()) {
      return readsTheUpdatedSlice(user, *writer_);
    }
    if (user.opcode() == Opcode::Bitcast || user.opcode() == Opcode::Tuple || &user == reduction_)
      return true;
    if (isElementwiseOnOperand(user, operandNumber) && user.opcode() != Opcode::Copy) return true;
    return &user == writer_ && user.opcode() == Opcode::DynamicUpdateSlice && operandNumber == 1;
  }

  bool otherRootInOtherOrder(const absl::flat_hash_set<const Instruction*>& reached) const {
    bool other = false, transposed = false;
    for (const Root& root : roots_) {
      if (!reached.contains(root.root)) continue;
      other |= root.root != output_;
      transposed |= root.hero->opcode() == Opcode::Transpose || root.hero->opcode() == Opcode::Copy;
    }
    return roots_.size() > 1 && other && (transposed || !isElementwise(writer_->opcode()));
  }

  const Computation& body_;
  const ShapeIndex& userIndex_;
  std::vector<Root> roots_;
  const Instruction* reduction_;
  const Instruction* output_;
  const Instruction* writer_;
};

}  // namespace

std::optional<bool> backendMayShare(const Instruction& operand, const ShapeIndex&, const Instruction& user,
                                    const ShapeIndex& userIndex, Backend backend) {
  if (backend != Backend::Gpu || user.opcode() != Opcode::Fusion) return std::nullopt;
  const Computation* body = user.get<Attr::Calls>();
  const size_t operandNumber = operandNumberOf(user, &operand);
  const auto output = subshapeAt(user.shape(), userIndex);
  if (body == nullptr || operandNumber >= body->parameters().size() || !output) return false;
  return sameStorage(operand.shape(), *output) && FusionSharing(user, userIndex).mayWriteOver(operandNumber);
}

}  // namespace hilo
