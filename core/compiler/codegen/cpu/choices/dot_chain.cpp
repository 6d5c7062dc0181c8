#include "core/compiler/codegen/cpu/choices/dot_chain.h"

#include <absl/container/flat_hash_set.h>

#include "core/compiler/codegen/cpu/choices/dot_method.h"
#include "core/compiler/codegen/cpu/choices/library_convolution.h"

namespace hilo {
namespace {

constexpr int64_t kLeastElements = 1 << 17;      // in the middle; fewer lie in a cache anyway
constexpr int64_t kMostRightElements = 1 << 18;  // of one matrix, so that it stays in the second cache
constexpr int64_t kLeastRows = 16;

bool isRowMajor(Shape shape) {
  std::vector<int64_t> order(shape.rank());
  for (size_t d = 0; d < order.size(); ++d) order[d] = static_cast<int64_t>(d);
  return liesInOrder(shape, order);
}

bool isPlain(Shape shape) {
  return shape.isArray() && !shape.isDynamic() && shape.rank() >= 2 && isRowMajor(shape) &&
         shape.dimensions().back() > 1;
}

bool isDotOfOneColumnDimension(const Instruction& dot) {
  return dot.operand(1)->shape().rank() ==
         dot.get<Attr::RhsBatchDims>().size() + dot.get<Attr::RhsContractingDims>().size() + 1;
}

// Elements of one matrix on the right, and rows of one on the left. Of one that is to be done in another way
// nothing is worth it.
bool isWorthBlocks(const Instruction& dot) {
  if (const auto stated = statedDotMethod(dot); !stated || *stated) return false;
  int64_t matrices = 1;
  for (const int64_t d : dot.get<Attr::RhsBatchDims>())
    matrices *= dot.operand(1)->shape().dimension(static_cast<size_t>(d));
  const int64_t results = dot.shape().elementCount();
  return matrices > 0 && dot.operand(1)->shape().elementCount() / matrices <= kMostRightElements &&
         results / dot.shape().dimensions().back() / matrices >= kLeastRows;
}

// Its result has the rows of the left side, one after the other, and one dimension of columns.
bool makesRows(const Instruction& dot) { return isDotOfOneColumnDimension(dot) && isPlain(dot.shape()); }

// Sums over the dense dimension of the left side, with the batch in front.
bool takesRows(const Instruction& dot) {
  const auto batch = dot.get<Attr::LhsBatchDims>(), summed = dot.get<Attr::LhsContractingDims>();
  for (size_t i = 0; i < batch.size(); ++i) {
    if (batch[i] != static_cast<int64_t>(i)) return false;
  }
  return summed.size() == 1 && summed[0] == static_cast<int64_t>(dot.operand(0)->shape().rank()) - 1;
}

// A step at which a row of the result depends on no other row of what was marked before.
bool keepsToRows(const Instruction& step, Shape shape, bool readsMarked) {
  const auto last = static_cast<int64_t>(shape.rank()) - 1;
  switch (step.opcode()) {
    case Opcode::Constant:
    case Opcode::Iota:
    case Opcode::Parameter:
      return true;
    case Opcode::Broadcast: {
      if (!readsMarked) return true;
      // A number a row, for all of the row.
      for (size_t i = 0; i < step.dimensions().size(); ++i) {
        if (step.dimensions()[i] != static_cast<int64_t>(i)) return false;
      }
      return static_cast<int64_t>(step.dimensions().size()) == last;
    }
    case Opcode::Reduce:
      return step.operandCount() == 2 && step.dimensions().size() == 1 && step.dimensions()[0] == last &&
             std::ranges::equal(step.operand(0)->shape().dimensions(), shape.dimensions());
    default:
      return isElementwise(step.opcode());
  }
}

// Whether each row of the middle depends on the same row of `operand` alone.
bool goesByRowsOf(const Instruction& middle, const Instruction* operand) {
  if (isElementwise(middle.opcode())) return true;
  if (middle.opcode() != Opcode::Fusion) return false;
  const Computation& fused = *middle.calledComputations()[0];
  absl::flat_hash_set<const Instruction*> marked;
  for (size_t i = 0; i < std::min(middle.operandCount(), fused.parameters().size()); ++i) {
    if (middle.operand(i) == operand) marked.insert(fused.parameters()[i]);
  }
  for (const Instruction* step : fused.instructions()) {
    const bool readsMarked =
        std::ranges::any_of(step->operands(), [&](const Instruction* o) { return marked.contains(o); });
    if (!keepsToRows(*step, middle.shape(), readsMarked)) return false;
    if (readsMarked) marked.insert(step);
  }
  return true;
}

bool isOnlyUser(const Instruction& user, const Instruction& used) {
  return !used.isRoot() && used.users().size() == 1 && used.users()[0] == &user &&
         !used.has(Attr::ControlPredecessors);
}

}  // namespace

std::optional<DotChain> dotChain(Instruction& middle) {
  const bool canBeMiddle = isElementwise(middle.opcode()) || middle.opcode() == Opcode::Fusion;
  if (!canBeMiddle || !isPlain(middle.shape()) || middle.shape().elementCount() < kLeastElements ||
      middle.has(Attr::ControlPredecessors))
    return std::nullopt;
  DotChain chain;
  chain.middle = &middle;
  for (Instruction* operand : middle.operands()) {
    if (operand->opcode() != Opcode::Dot || !isOnlyUser(middle, *operand) || !makesRows(*operand) ||
        !isWorthBlocks(*operand) || !goesByRowsOf(middle, operand) ||
        !std::ranges::equal(operand->shape().dimensions(), middle.shape().dimensions()))
      continue;
    chain.before = operand;
    break;
  }
  if (middle.users().size() == 1) {
    Instruction* user = middle.users()[0];
    if (user->opcode() == Opcode::Dot && isOnlyUser(*user, middle) && user->operand(0) == &middle &&
        user->operand(1) != &middle && takesRows(*user) && isWorthBlocks(*user) &&
        !user->has(Attr::ControlPredecessors) && user->operand(1) != chain.before)
      chain.after = user;
  }
  if (chain.before == nullptr || chain.after == nullptr) return std::nullopt;
  return chain;
}

std::optional<DotChain> dotChainOf(const Computation& computation) {
  for (Instruction* instruction : computation.instructions()) {
    if (instruction->opcode() == Opcode::Dot || instruction->opcode() == Opcode::Parameter) continue;
    const auto chain = dotChain(*instruction);
    if (!chain || chain->after != computation.root()) return std::nullopt;
    const size_t steps = computation.instructionCount() - computation.parameters().size();
    if (steps != 3) return std::nullopt;
    return chain;
  }
  return std::nullopt;
}

}  // namespace hilo
