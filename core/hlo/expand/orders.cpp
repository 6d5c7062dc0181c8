// Sorted arrays and the largest elements.
#include "core/hlo/expand/expansion.h"
#include "core/hlo/ir/enums.h"

namespace hilo::library {
namespace {

// Whether the first of two elements comes before the second, by the keys alone; floats in total order.
Computation* comparator(const Expansion& call, bool isDescending) {
  Module& module = call.call().module();
  Computation* compares = module.createComputation(module.uniqueName("compare_keys"), &call.call().parent());
  std::vector<Instruction*> sides;
  for (size_t n = 0; n < call.operandCount(); ++n) {
    const Shape scalar = Shape::scalar(call.operand(n)->shape().elementType());
    for (const char* name : {"a", "b"})
      sides.push_back(
          compares->createParameter(static_cast<int64_t>(sides.size()), scalar, module.uniqueName(name)));
  }
  Instruction* answer =
      compares->create(Opcode::Compare, Shape::scalar(ElementType::Pred), {sides[0], sides[1]});
  answer->set<Attr::Direction>(isDescending ? ComparisonDirection::Gt : ComparisonDirection::Lt);
  if (isFloat(call.operand(0)->shape().elementType()))
    answer->set<Attr::ComparisonTypeKind>(ComparisonType::TotalOrder);
  compares->setRoot(answer);
  return compares;
}

}  // namespace

// Operands: keys, perhaps values. Results: both in the keys' order along the last dimension, workspace.
Result<Instruction*> expandRadixSort(Expansion& call) {
  TRY_STATUS(call.needsArrays(1, 2));
  const size_t arrays = call.operandCount();
  TRY_STATUS(call.needsResults(arrays, arrays + 1));
  TRY(const CallConfig config, call.config());
  const Shape keys = call.operand(0)->shape();
  if (!keys.isArray() || keys.rank() == 0 || isComplex(keys.elementType()))
    return call.malformed("sorts what has no order");
  std::vector<Shape> shapes;
  for (size_t n = 0; n < arrays; ++n) shapes.push_back(call.result(n));
  Instruction* sorted =
      call.add(Opcode::Sort, arrays == 1 ? shapes[0] : Shape::tuple(shapes), call.call().operands());
  sorted->set<Attr::Dimensions>(std::array{static_cast<int64_t>(keys.rank()) - 1});
  sorted->set<Attr::IsStable>(true);
  sorted->set<Attr::ToApply>(comparator(call, config.flag("descending", false)));
  if (arrays == 1) return call.give({sorted});
  return call.give({call.element(sorted, 0), call.element(sorted, 1)});
}

// The largest elements along the last dimension and their places.
Result<Instruction*> expandTopK(Expansion& call) {
  TRY_STATUS(call.needsOperands(1, 1));
  TRY_STATUS(call.needsResults(2, 2));
  const Shape from = call.operand(0)->shape(), values = call.result(0);
  if (!from.isArray() || values.rank() == 0 || from.rank() != values.rank() ||
      isComplex(values.elementType()))
    return call.malformed("must give values and indices");
  Instruction* top = call.add(Opcode::TopK, call.shape(), {call.operand(0)});
  top->set<Attr::K>(values.dimensions().back());
  top->set<Attr::Largest>(true);
  return top;
}

}  // namespace hilo::library
