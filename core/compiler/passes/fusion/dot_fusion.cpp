#include "core/compiler/passes/fusion/dot_fusion.h"

#include <absl/container/flat_hash_set.h>
#include <fmt/format.h>

#include "core/analysis/call_graph.h"
#include "core/compiler/passes/dot_dimensions.h"
#include "core/compiler/passes/fusion/fusible.h"
#include "core/compiler/passes/fusion/make_fusion.h"

namespace hilo {
namespace {

constexpr int64_t kLeastSize = 16;
constexpr size_t kMostSteps = 32;  // on each side

// Rows, columns and products a sum.
struct DotSizes {
  int64_t rows, columns, sum;
  bool isThin() const { return std::min(rows, columns) < kLeastSize; }
};

DotSizes sizesOf(const Instruction& dot) {
  const auto count = [&](size_t side, const std::vector<int64_t>& dims) {
    int64_t product = 1;
    for (const int64_t d : dims) product *= dot.operand(side)->shape().dimension(static_cast<size_t>(d));
    return product;
  };
  const DotSide left = dotSide(dot, 0), right = dotSide(dot, 1);
  return {count(0, left.free), count(1, right.free), count(0, left.contracting)};
}

bool isOfOneKernel(const Instruction& dot) {
  return dot.opcode() == Opcode::Dot && dot.operandCount() == 2 && dot.shape().isArray() &&
         !dot.shape().isDynamic() && !isComplex(dot.shape().elementType()) &&
         !dot.has(Attr::ControlPredecessors) && sizesOf(dot).sum >= kLeastSize;
}

// What is read of the vectors beside a matrix is so for each of its lines: only what costs nothing.
bool isFree(const Instruction& value) {
  switch (value.opcode()) {
    case Opcode::Bitcast:
    case Opcode::Broadcast:
    case Opcode::Constant:
    case Opcode::Reshape:
      return true;
    case Opcode::Convert:
      return elementBits(value.shape().elementType()) >= elementBits(value.operand(0)->shape().elementType());
    default:
      return false;
  }
}

// Cheap enough to be done for each tile that reads it.
bool isCheap(Opcode opcode) {
  switch (opcode) {
    case Opcode::Add:
    case Opcode::Bitcast:
    case Opcode::Broadcast:
    case Opcode::Concatenate:
    case Opcode::Constant:
    case Opcode::Convert:
    case Opcode::Gather:
    case Opcode::Iota:
    case Opcode::Multiply:
    case Opcode::Negate:
    case Opcode::Pad:
    case Opcode::ReducePrecision:
    case Opcode::Reshape:
    case Opcode::Reverse:
    case Opcode::Slice:
    case Opcode::Subtract:
    case Opcode::Transpose:
      return true;
    default:
      return false;
  }
}

// Of values that are computed of places and constants alone, in a few steps.
bool readsNothing(const Instruction& value, int steps = 8) {
  if (value.opcode() == Opcode::Iota || isScalarConstant(value)) return true;
  if (steps == 0 || value.operandCount() == 0 || !isCheap(value.opcode()) || !isFusible(value)) return false;
  return std::ranges::all_of(value.operands(),
                             [&](const Instruction* operand) { return readsNothing(*operand, steps - 1); });
}

class DotKernel {
 public:
  explicit DotKernel(Instruction& dot) : dot_(dot), root_(&dot), members_{&dot} {}

  void grow() {
    growBehind();
    const size_t behind = order_.size();
    const DotSizes sizes = sizesOf(dot_);
    const size_t few = sizes.rows > sizes.columns ? 1 : 0;
    for (size_t side = 0; side < 2; ++side) growBefore(*dot_.operand(side), sizes.isThin() && side == few);
    before = order_.size() - behind;
    after = behind;
  }

  // Users before their operands.
  std::vector<Instruction*> members() const {
    std::vector<Instruction*> all;
    for (Instruction* i : dot_.parent().instructions()) {
      if (members_.contains(i)) all.push_back(i);
    }
    std::ranges::reverse(all);
    return all;
  }
  bool isMore() const { return !order_.empty(); }

  size_t before = 0, after = 0;

 private:
  bool isUsedInsideAlone(const Instruction& value) const {
    return !value.isRoot() &&
           std::ranges::all_of(value.users(), [&](Instruction* user) { return members_.contains(user); });
  }

  void add(Instruction& step) {
    members_.insert(&step);
    order_.push_back(&step);
  }

  // Nothing is made of many elements, and what is read besides is read once an element.
  void growBehind() {
    while (order_.size() < kMostSteps && !root_->isRoot() && root_->users().size() == 1) {
      Instruction& next = *root_->users()[0];
      const bool goesOn = isElementwise(next.opcode()) && isFusible(next) && next.shape().isArray() &&
                          std::ranges::equal(next.shape().dimensions(), dot_.shape().dimensions());
      if (!goesOn) return;
      add(next);
      root_ = &next;
      for (Instruction* operand : next.operands()) {
        if (operand->opcode() == Opcode::Broadcast && isUsedInsideAlone(*operand)) add(*operand);
      }
    }
  }

  void growBefore(Instruction& value, bool ofFewLines) {
    if (order_.size() >= 2 * kMostSteps || members_.contains(&value)) return;
    const bool isIn = readsNothing(value) || (isCheap(value.opcode()) && isFusible(value) &&
                                              isUsedInsideAlone(value) && readsNoMore(value));
    if (!isIn || (ofFewLines && !isFree(value))) return;
    add(value);
    for (Instruction* operand : value.operands()) growBefore(*operand, ofFewLines);
  }

  static bool readsNoMore(const Instruction& value) {
    int64_t bytes = 0;
    for (const Instruction* operand : value.operands()) {
      if (!readsNothing(*operand)) bytes += operand->shape().byteSize();
    }
    return bytes <= value.shape().byteSize() || value.opcode() == Opcode::Gather;
  }

  Instruction& dot_;
  Instruction* root_;
  absl::flat_hash_set<Instruction*> members_;
  std::vector<Instruction*> order_;  // in which they were added
};

}  // namespace

Result<bool> fuseDots(Module& module, PassContext& context) {
  TRY(const CallGraph graph, CallGraph::build(module));
  const std::vector<Computation*> computations(module.computations().begin(), module.computations().end());
  bool changed = false;
  for (Computation* computation : computations) {
    if (!graph.runsInstructions(*computation)) continue;
    FusedRoots roots;
    const std::vector<Instruction*> instructions(computation->instructions().begin(),
                                                 computation->instructions().end());
    for (Instruction* dot : instructions) {
      if (context.cancelled()) return changed;
      if ((dot->users().empty() && !dot->isRoot()) || !isOfOneKernel(*dot)) continue;
      DotKernel kernel(*dot);
      kernel.grow();
      if (!kernel.isMore()) continue;
      if (!context.mayChange(*dot)) return changed;
      context.remark(*dot, "fused",
                     fmt::format("with {} instructions before and {} after", kernel.before, kernel.after));
      const auto members = kernel.members();
      Instruction* fusion = makeFusion(members, roots);
      fusion->set<Attr::FusionKindKind>(FusionKind::Output);
      changed = true;
    }
  }
  return changed;
}

}  // namespace hilo
