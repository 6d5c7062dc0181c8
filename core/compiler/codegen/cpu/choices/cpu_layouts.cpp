#include "core/compiler/codegen/cpu/choices/cpu_layouts.h"

#include <algorithm>

#include "core/analysis/matrix_product.h"
#include "core/compiler/codegen/cpu/choices/library_convolution.h"

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
#include "core/compiler/codegen/cpu/choices/layout_rules.def"
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
  if (rule == LayoutRule::Dot && !hasLibraryTypes(instruction)) return LayoutRule::Stated;
  return rule;
}

// Of dots that are summed element by element any order is as good as the plain one.
bool isSmall(const Instruction& dot) {
  double work = static_cast<double>(dot.shape().elementCount());
  for (const int64_t d : dot.get<Attr::LhsContractingDims>())
    work *= static_cast<double>(dot.operand(0)->shape().dimension(static_cast<size_t>(d)));
  return work < kLeastLibraryWork;
}

// The dot a library does (core/analysis/matrix_product.h): on each side the free and the contracting
// dimensions must each be one stride, and one of them dense; in the result the free dimensions of the
// right side are.
bool libraryTakesOperand(const Instruction& dot, size_t side, const DimensionOrder& order) {
  if (isSmall(dot)) return true;
  const Shape shape = inDimensionOrder(dot.operand(side)->shape(), order);
  const DotDims dims = dotDims(dot, side);
  const ProductArray array = side == 0 ? ProductArray::Lhs : ProductArray::Rhs;
  const auto free = asOneRun(shape, dims.free, array), summed = asOneRun(shape, dims.summed, array);
  return free && summed && hasDenseDimension(*free, *summed, array);
}

bool libraryTakesResult(const Instruction& dot, const DimensionOrder& order) {
  const Shape shape = inDimensionOrder(dot.shape(), order);
  std::vector<int64_t> dims(shape.rank());
  std::ranges::generate(dims, [next = int64_t{0}]() mutable { return next++; });
  const std::span<const int64_t> all(dims);
  const DotDims lhs = dotDims(dot, 0);
  const size_t batch = lhs.batch.size(), left = lhs.free.size();
  const auto rows = asOneRun(shape, all.subspan(batch, left), ProductArray::Result),
             columns = asOneRun(shape, all.subspan(batch + left), ProductArray::Result);
  return rows && columns && columns->in(ProductArray::Result) <= 1;
}

DimensionOrder plainOperand(const Instruction& dot, size_t side) {
  const DotDims dims = dotDims(dot, side);
  DimensionOrder order(dims.batch.begin(), dims.batch.end());
  order.insert(order.end(), dims.free.begin(), dims.free.end());
  order.insert(order.end(), dims.summed.begin(), dims.summed.end());
  return order;
}

class CpuLayouts final : public EngineLayouts {
 public:
  LayoutRule ruleOf(const Instruction& instruction) const override { return layoutRuleOf(instruction); }
  bool dotTakesOperand(const Instruction& dot, size_t side, const DimensionOrder& order) const override {
    return libraryTakesOperand(dot, side, order);
  }
  bool dotTakesResult(const Instruction& dot, const DimensionOrder& order) const override {
    return libraryTakesResult(dot, order);
  }
  DimensionOrder plainDotOperand(const Instruction& dot, size_t side) const override {
    return plainOperand(dot, side);
  }
};

}  // namespace

const EngineLayouts& cpuLayouts() {
  static const CpuLayouts kLayouts;
  return kLayouts;
}

}  // namespace hilo
