#include "core/compiler/passes/dots/dot_strength_reduction.h"

#include "core/compiler/pass/main_computations.h"
#include "core/compiler/passes/dots/dot_dimensions.h"
#include "core/compiler/passes/shape_ops.h"
#include "core/compiler/passes/simplify/algebra/constants.h"

namespace hilo {
namespace {

bool isInner(const Instruction& i) {
  if (i.opcode() != Opcode::Dot || i.operandCount() != 2 || i.has(Attr::ControlPredecessors)) return false;
  const ElementType type = i.shape().elementType();
  if (i.operand(0)->shape().elementType() != type || i.operand(1)->shape().elementType() != type)
    return false;
  if (i.get<Attr::Algorithm>().value_or(DotAlgorithm::Unset) != DotAlgorithm::Unset) return false;
  if (!liesRowMajor(i.shape()) || !liesRowMajor(i.operand(0)->shape()) ||
      !liesRowMajor(i.operand(1)->shape()))
    return false;
  if (elementBits(type) < 32 || !(isFloat(type) || isComplex(type))) return false;
  const DotSide lhs = dotSide(i, 0), rhs = dotSide(i, 1);
  return lhs.free.empty() && rhs.free.empty() && !lhs.contracting.empty();
}

Instruction* operandInOrder(Instruction& dot, size_t side) {
  const DotSide of = dotSide(dot, side);
  std::vector<int64_t> order = of.batch;
  order.insert(order.end(), of.contracting.begin(), of.contracting.end());
  return transposeBy(dot.operand(side), order, dot);
}

Instruction* expanded(Instruction& dot) {
  Instruction* left = operandInOrder(dot, 0);
  Instruction* right = operandInOrder(dot, 1);
  Computation& computation = dot.parent();
  Instruction* product = computation.create(Opcode::Multiply, left->shape(), {left, right}, {}, &dot);
  const ElementType type = dot.shape().elementType();
  Instruction* zero = algebra::makeSplat(dot, Shape::scalar(type).withDefaultLayout(), 0);
  Instruction* sum = computation.create(Opcode::Reduce, dot.shape(), {product, zero}, {}, &dot);
  std::vector<int64_t> dims;
  for (size_t d = dotSide(dot, 0).batch.size(); d < left->shape().rank(); ++d)
    dims.push_back(static_cast<int64_t>(d));
  sum->set<Attr::Dimensions>(dims);
  sum->set<Attr::ToApply>(additionOf(dot.module(), type, &computation));
  if (const OpMetadata* metadata = dot.get<Attr::Metadata>()) {
    product->set<Attr::Metadata>(metadata);
    sum->set<Attr::Metadata>(metadata);
  }
  return sum;
}

}  // namespace

Result<bool> reduceDotStrength(Module& module, PassContext& context) {
  bool changed = false;
  for (Computation* computation : unfusedComputations(module)) {
    for (Instruction* dot : computation->instructions()) {
      if (context.cancelled()) return changed;
      if (!isInner(*dot)) continue;
      if (!context.mayChange(*dot)) return changed;
      Instruction* sum = expanded(*dot);
      context.remark(*dot, "reduced", fmt::format("is %{}, a sum of products", sum->name()));
      computation->replaceAllUses(dot, sum);
      computation->remove(dot);
      changed = true;
    }
  }
  return changed;
}

}  // namespace hilo
