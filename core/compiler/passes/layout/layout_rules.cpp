#include "core/compiler/passes/layout/layout_rules.h"

#include <algorithm>

#include "core/analysis/library_convolution.h"

namespace hilo {
namespace {

// Nothing but an order of dimensions says how it lies.
bool isPlainArray(Shape shape) {
  if (!shape.isArray() || shape.isDynamic()) return false;
  const Layout* layout = shape.layout();
  return layout == nullptr || *layout == Layout{.minorToMajor = layout->minorToMajor};
}

LayoutRule ruleOf(Opcode opcode) {
  switch (opcode) {
#define LAYOUT_RULE(opcode, rule) \
  case Opcode::opcode:            \
    return LayoutRule::rule;
#include "core/compiler/passes/layout/layout_rules.def"
    default:
      return isElementwise(opcode) ? LayoutRule::Same : LayoutRule::Stated;
  }
}

bool isOrdered(const Instruction& instruction) {
  return !instruction.get<Attr::ControlPredecessors>().empty();
}

bool contains(std::span<const int64_t> list, int64_t value) {
  return std::ranges::find(list, value) != list.end();
}

// Dimensions as one: the stride between its elements, 0 when it has one; nothing when there is no such
// stride.
std::optional<int64_t> oneStride(Shape shape, const std::vector<int64_t>& strides,
                                 std::span<const int64_t> dims) {
  int64_t size = 1, stride = 0;
  for (size_t i = dims.size(); i-- > 0;) {
    const auto d = static_cast<size_t>(dims[i]);
    if (shape.dimension(d) == 1) continue;
    if (size == 1) {
      stride = strides[d];
    } else if (strides[d] != stride * size) {
      return std::nullopt;
    }
    size *= shape.dimension(d);
  }
  return stride;
}

struct DotDims {
  std::span<const int64_t> batch, summed;
  std::vector<int64_t> free;
};
DotDims dotDims(const Instruction& dot, size_t side) {
  DotDims dims{side == 0 ? dot.get<Attr::LhsBatchDims>() : dot.get<Attr::RhsBatchDims>(),
               side == 0 ? dot.get<Attr::LhsContractingDims>() : dot.get<Attr::RhsContractingDims>(),
               {}};
  for (int64_t d = 0; d < static_cast<int64_t>(dot.operand(side)->shape().rank()); ++d) {
    if (!contains(dims.batch, d) && !contains(dims.summed, d)) dims.free.push_back(d);
  }
  return dims;
}

bool isLibrarys(const Instruction& dot) {
  const ElementType type = dot.operand(0)->shape().elementType(), result = dot.shape().elementType();
  return (type == ElementType::F32 || type == ElementType::BF16) &&
         dot.operand(1)->shape().elementType() == type && (result == type || result == ElementType::F32);
}
}  // namespace

LayoutRule layoutRuleOf(const Instruction& instruction) {
  const LayoutRule rule = ruleOf(instruction.opcode());
  if (rule == LayoutRule::Stated || !isPlainArray(instruction.shape()) || isOrdered(instruction) ||
      !std::ranges::all_of(instruction.operands(),
                           [](const Instruction* operand) { return isPlainArray(operand->shape()); }))
    return LayoutRule::Stated;
  const size_t rank = instruction.shape().rank();
  const auto hasRank = [&](const Instruction* operand) {
    return operand->shape().rank() == 0 || operand->shape().rank() == rank;
  };
  // A bitcast-convert between widths adds or drops a dimension.
  if (rule == LayoutRule::Same && !std::ranges::all_of(instruction.operands(), hasRank))
    return LayoutRule::Stated;
  // Others are summed element by element, for which the orders stated are as good as any.
  if (rule == LayoutRule::Dot && !isLibrarys(instruction)) return LayoutRule::Stated;
  return rule;
}

namespace {
// Of products that are summed element by element any order is as good as the plain one.
bool isSmall(const Instruction& dot) {
  double work = static_cast<double>(dot.shape().elementCount());
  for (const int64_t d : dot.get<Attr::LhsContractingDims>())
    work *= static_cast<double>(dot.operand(0)->shape().dimension(static_cast<size_t>(d)));
  return work < kLeastLibraryWork;
}
}  // namespace

bool dotTakesOperand(const Instruction& dot, size_t side, const DimensionOrder& order) {
  if (isSmall(dot)) return true;
  const Shape shape = inDimensionOrder(dot.operand(side)->shape(), order);
  const auto strides = layoutStrides(shape);
  const DotDims dims = dotDims(dot, side);
  const auto free = oneStride(shape, strides, dims.free), summed = oneStride(shape, strides, dims.summed);
  return free && summed && (*free <= 1 || *summed <= 1);
}

bool dotTakesResult(const Instruction& dot, const DimensionOrder& order) {
  const Shape shape = inDimensionOrder(dot.shape(), order);
  const auto strides = layoutStrides(shape);
  std::vector<int64_t> dims(shape.rank());
  std::ranges::generate(dims, [next = int64_t{0}]() mutable { return next++; });
  const std::span<const int64_t> all(dims);
  const DotDims lhs = dotDims(dot, 0);
  const size_t batch = lhs.batch.size(), left = lhs.free.size();
  const auto right = oneStride(shape, strides, all.subspan(batch + left));
  return oneStride(shape, strides, all.subspan(batch, left)) && right && *right <= 1;
}

DimensionOrder plainDotOperand(const Instruction& dot, size_t side) {
  const DotDims dims = dotDims(dot, side);
  DimensionOrder order(dims.batch.begin(), dims.batch.end());
  order.insert(order.end(), dims.free.begin(), dims.free.end());
  order.insert(order.end(), dims.summed.begin(), dims.summed.end());
  return order;
}

}  // namespace hilo
