#include "core/compiler/passes/dots/dot_dimension_merger.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "core/compiler/passes/dot_dimensions.h"
#include "core/compiler/passes/rewrite_each.h"
#include "core/compiler/passes/shape_ops.h"

namespace hilo {
namespace {

// Where several batch dimensions stand: in order and next to each other, in memory too.
std::optional<size_t> firstOf(std::span<const int64_t> batch, Shape shape) {
  if (!isPlainArray(shape)) return std::nullopt;
  for (size_t k = 1; k < batch.size(); ++k) {
    if (batch[k] != batch[k - 1] + 1) return std::nullopt;
  }
  if (shape.layout() != nullptr) {
    const std::vector<int64_t> minorFirst(batch.rbegin(), batch.rend());
    const auto& order = shape.layout()->minorToMajor;
    if (std::ranges::search(order, minorFirst).begin() == order.end()) return std::nullopt;
  }
  return static_cast<size_t>(batch[0]);
}

std::vector<int64_t> batchOfResult(size_t count) {
  std::vector<int64_t> dims(count);
  std::iota(dims.begin(), dims.end(), int64_t{0});
  return dims;
}

bool hasBatchDims(const Instruction& i) {
  if (i.opcode() != Opcode::Dot || i.operandCount() != 2 || i.shape().elementCount() == 0 ||
      i.has(Attr::SparsityConfig))
    return false;
  const size_t count = i.get<Attr::LhsBatchDims>().size();
  return count > 1 && firstOf(i.get<Attr::LhsBatchDims>(), i.operand(0)->shape()) &&
         firstOf(i.get<Attr::RhsBatchDims>(), i.operand(1)->shape()) &&
         firstOf(batchOfResult(count), i.shape());
}

// A dimension once `count` of them, from `first`, are one.
int64_t placeAfter(int64_t d, size_t first, size_t count) {
  if (d < static_cast<int64_t>(first)) return d;
  return std::max(static_cast<int64_t>(first), d - static_cast<int64_t>(count) + 1);
}

Shape mergedShape(Shape shape, size_t first, size_t count) {
  std::vector<int64_t> sizes;
  for (size_t d = 0; d < shape.rank(); ++d) {
    if (d > first && d < first + count) {
      sizes.back() *= shape.dimension(d);
    } else {
      sizes.push_back(shape.dimension(d));
    }
  }
  if (shape.layout() == nullptr) return Shape::array(shape.elementType(), sizes);
  Layout layout;
  for (const int64_t d : shape.layout()->minorToMajor) {
    const int64_t place = placeAfter(d, first, count);
    if (layout.minorToMajor.empty() || layout.minorToMajor.back() != place)
      layout.minorToMajor.push_back(place);
  }
  return Shape::array(shape.elementType(), sizes, &layout);
}

Instruction* merged(Instruction& dot) {
  const size_t count = dot.get<Attr::LhsBatchDims>().size();
  std::vector<Instruction*> operands;
  std::vector<DotSide> sides;
  for (size_t side = 0; side < 2; ++side) {
    const DotSide of = dotSide(dot, side);
    const auto first = static_cast<size_t>(of.batch[0]);
    Instruction* operand = dot.operand(side);
    operands.push_back(reshapedAs(operand, mergedShape(operand->shape(), first, count), dot));
    DotSide& now = sides.emplace_back();
    now.batch = {of.batch[0]};
    for (const int64_t d : of.contracting) now.contracting.push_back(placeAfter(d, first, count));
  }
  Instruction* made = dot.parent().createLike(dot, operands, &dot);
  made->setShape(mergedShape(dot.shape(), 0, count));
  for (size_t side = 0; side < 2; ++side) setDotSide(*made, side, sides[side].batch, sides[side].contracting);
  return reshapedAs(made, dot.shape(), dot);
}

}  // namespace

Result<bool> mergeDotDimensions(Module& module, PassContext& context) {
  return rewriteEach(module, context, "merged", hasBatchDims, merged);
}

}  // namespace hilo
