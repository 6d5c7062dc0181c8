#include <cstring>

#include "core/hlo/eval/handlers.h"
#include "core/hlo/eval/literal_access.h"

namespace hilo::eval {
namespace {

// Element strides of each logical dimension in the physical order a layout gives.
DimVector physicalStrides(Shape shape) {
  const Layout* layout = shape.layout();
  if (layout == nullptr || layout->isDescending()) return rowMajorStrides(shape.dimensions());
  DimVector strides(shape.rank(), 1);
  int64_t stride = 1;
  for (const int64_t d : layout->minorToMajor) {
    strides[d] = stride;
    stride *= shape.dimension(d);
  }
  return strides;
}

bool layoutFits(Shape shape) {
  const Layout* layout = shape.layout();
  return layout == nullptr || (layout->minorToMajor.size() == shape.rank() &&
                               areDistinctDimensions(layout->minorToMajor, shape.rank()));
}

int64_t slicedSize(const SliceRange& range) {
  const int64_t length = range.limit - range.start;
  return length == 0 ? 0 : (length - 1) / range.stride + 1;
}

}  // namespace

// The one operation that sees layouts: the operand's elements in its physical order become the result's
// in its own.
Result<Literal> bitcast(const Instruction& instruction, std::span<Literal> operands, EvalContext& context) {
  const Shape from = instruction.operand(0)->shape(), to = instruction.shape();
  EVAL_REQUIRE(from.isArray() && to.isArray(), "needs arrays");
  EVAL_REQUIRE(storageBytes(from) * from.elementCount() == storageBytes(to) * to.elementCount() &&
                   elementBits(from.elementType()) * from.elementCount() ==
                       elementBits(to.elementType()) * to.elementCount(),
               "operand and result differ in size");
  EVAL_REQUIRE(layoutFits(from) && layoutFits(to), "a layout does not list each dimension once");
  TRY(Literal physical, context.make(from));
  moveStrided(physical.mutableBytes().data(), {0, physicalStrides(from)}, operands[0].bytes().data(),
              {0, rowMajorStrides(from.dimensions())}, storageBytes(from), from.dimensions());
  TRY(Literal result, context.make(to));
  copyStrided(result.mutableBytes().data(), physical.bytes().data(), storageBytes(to), to.dimensions(),
              {0, physicalStrides(to)});
  return result;
}

Result<Literal> broadcast(const Instruction& instruction, std::span<Literal> operands, EvalContext& context) {
  const Shape from = operands[0].shape(), to = instruction.shape();
  const auto mapped = instruction.dimensions();
  EVAL_REQUIRE(from.elementType() == to.elementType(), "operand and result types differ");
  EVAL_REQUIRE(mapped.size() == from.rank() && areDistinctDimensions(mapped, to.rank()),
               "dimensions do not fit the shapes");
  const DimVector fromStrides = rowMajorStrides(from.dimensions());
  DimVector strides(to.rank(), 0);
  for (size_t d = 0; d < mapped.size(); ++d) {
    EVAL_REQUIRE(from.dimension(d) == to.dimension(mapped[d]), "a mapped dimension changes its size");
    strides[mapped[d]] = fromStrides[d];
  }
  TRY(Literal result, context.make(to));
  copyStrided(result.mutableBytes().data(), operands[0].bytes().data(), storageBytes(to), to.dimensions(),
              {0, strides});
  if (!operands[0].dynamicSizes().empty()) {
    std::vector<int64_t> sizes(to.dimensions().begin(), to.dimensions().end());
    for (size_t d = 0; d < mapped.size(); ++d) sizes[mapped[d]] = operands[0].dynamicSizes()[d];
    result.setDynamicSizes(std::move(sizes));
  }
  return result;
}

Result<Literal> concatenate(const Instruction& instruction, std::span<Literal> operands,
                            EvalContext& context) {
  const Shape to = instruction.shape();
  const auto dimensions = instruction.dimensions();
  EVAL_REQUIRE(dimensions.size() == 1 && areDistinctDimensions(dimensions, to.rank()),
               "needs one dimension of the result");
  const auto along = static_cast<size_t>(dimensions[0]);
  TRY(Literal result, context.make(to));
  const DimVector toStrides = rowMajorStrides(to.dimensions());
  int64_t position = 0;
  for (const Literal& operand : operands) {
    const Shape from = operand.shape();
    EVAL_REQUIRE(from.elementType() == to.elementType() && from.rank() == to.rank(),
                 "operand and result types differ");
    for (size_t d = 0; d < to.rank(); ++d) {
      EVAL_REQUIRE(d == along || from.dimension(d) == to.dimension(d), "operand dimensions differ");
    }
    EVAL_REQUIRE(position + from.dimension(along) <= to.dimension(along), "operands exceed the result");
    moveStrided(result.mutableBytes().data(), {position * toStrides[along], toStrides},
                operand.bytes().data(), {0, rowMajorStrides(from.dimensions())}, storageBytes(to),
                from.dimensions());
    position += from.dimension(along);
  }
  EVAL_REQUIRE(position == to.dimension(along), "operands do not fill the result");
  return result;
}

Result<Literal> copy(const Instruction&, std::span<Literal> operands, EvalContext&) {
  return std::move(operands[0]);
}

Result<Literal> iota(const Instruction& instruction, std::span<Literal>, EvalContext& context) {
  const Shape shape = instruction.shape();
  const int64_t dimension = instruction.get<Attr::IotaDimension>().value_or(-1);
  EVAL_REQUIRE(shape.isArray() && dimension >= 0 && static_cast<size_t>(dimension) < shape.rank(),
               "iota_dimension is not a dimension of the result");
  TRY(Literal result, context.make(shape));
  if (shape.elementCount() == 0) return result;
  std::vector<int64_t> counts(static_cast<size_t>(shape.dimension(dimension)));
  for (size_t i = 0; i < counts.size(); ++i) counts[i] = static_cast<int64_t>(i);
  std::vector<std::byte> line(counts.size() * storageBytes(shape));
  convertElements(line.data(), shape.elementType(), counts.data(), ElementType::S64,
                  static_cast<int64_t>(counts.size()));
  DimVector strides(shape.rank(), 0);
  strides[dimension] = 1;
  copyStrided(result.mutableBytes().data(), line.data(), storageBytes(shape), shape.dimensions(),
              {0, strides});
  return result;
}

// Interior padding comes first, so a negative edge removes elements of the interior-padded operand.
Result<Literal> pad(const Instruction& instruction, std::span<Literal> operands, EvalContext& context) {
  const Shape from = operands[0].shape(), to = instruction.shape();
  const auto padding = instruction.get<Attr::Padding>();
  if (isFloat(from.elementType()) && isFloat(operands[1].shape().elementType())) {
    TRY(operands[1], converted(operands[1], from.elementType(), context));
  }
  EVAL_REQUIRE(operands[1].shape().isScalar() && operands[1].shape().elementType() == from.elementType() &&
                   to.elementType() == from.elementType() && to.rank() == from.rank() &&
                   padding.size() == from.rank(),
               "operands, padding and result do not fit together");
  TRY(Literal result, context.make(to));
  auto bytes = result.mutableBytes();
  fillElements(bytes.data(), operands[1].bytes().data(), storageBytes(to), to.elementCount());
  const DimVector fromStrides = rowMajorStrides(from.dimensions()),
                  toStrides = rowMajorStrides(to.dimensions());
  DimVector sizes(from.rank()), steps(from.rank(), 0);
  int64_t fromBase = 0, toBase = 0;
  for (size_t d = 0; d < from.rank(); ++d) {
    constexpr int64_t kFar = int64_t{1} << 40;
    EVAL_REQUIRE(padding[d].interior >= 0 && padding[d].interior < kFar && padding[d].low > -kFar &&
                     padding[d].low < kFar,
                 "a padding amount is out of range");
    const int64_t step = padding[d].interior + 1, low = padding[d].low;
    // Operand indices [first, last] land inside the result.
    const int64_t first = low >= 0 ? 0 : (-low + step - 1) / step;
    const int64_t room = to.dimension(d) - 1 - low;
    const int64_t last = std::min(from.dimension(d) - 1, room < 0 ? -1 : room / step);
    sizes[d] = std::max<int64_t>(0, last - first + 1);
    if (sizes[d] == 0) continue;
    steps[d] = sizes[d] > 1 ? step * toStrides[d] : 0;
    fromBase += first * fromStrides[d];
    toBase += (low + first * step) * toStrides[d];
  }
  moveStrided(bytes.data(), {toBase, steps}, operands[0].bytes().data(), {fromBase, fromStrides},
              storageBytes(to), sizes);
  return result;
}

Result<Literal> reshape(const Instruction& instruction, std::span<Literal> operands, EvalContext&) {
  const Shape from = operands[0].shape(), to = instruction.shape();
  EVAL_REQUIRE(from.elementType() == to.elementType() && from.elementCount() == to.elementCount(),
               "operand and result differ in type or element count");
  return operands[0].withShape(to.withoutLayout());
}

Result<Literal> reverse(const Instruction& instruction, std::span<Literal> operands, EvalContext& context) {
  const Shape shape = operands[0].shape();
  EVAL_REQUIRE(areDistinctDimensions(instruction.dimensions(), shape.rank()),
               "dimensions do not fit the operand");
  DimVector strides = rowMajorStrides(shape.dimensions());
  int64_t base = 0;
  if (shape.elementCount() > 0) {
    for (const int64_t d : instruction.dimensions()) {
      base += strides[d] * (shape.dimension(d) - 1);
      strides[d] = -strides[d];
    }
  }
  TRY(Literal result, context.make(shape));
  copyStrided(result.mutableBytes().data(), operands[0].bytes().data(), storageBytes(shape),
              shape.dimensions(), {base, strides});
  return result;
}

Result<Literal> slice(const Instruction& instruction, std::span<Literal> operands, EvalContext& context) {
  const Shape from = operands[0].shape(), to = instruction.shape();
  const auto ranges = instruction.get<Attr::Slice>();
  EVAL_REQUIRE(
      ranges.size() == from.rank() && to.rank() == from.rank() && to.elementType() == from.elementType(),
      "ranges and shapes do not fit together");
  DimVector strides = rowMajorStrides(from.dimensions());
  int64_t base = 0;
  for (size_t d = 0; d < from.rank(); ++d) {
    const SliceRange& range = ranges[d];
    EVAL_REQUIRE(range.start >= 0 && range.start <= range.limit && range.limit <= from.dimension(d) &&
                     range.stride > 0,
                 "a range exceeds the operand");
    EVAL_REQUIRE(to.dimension(d) == slicedSize(range), "a range differs from the result");
    base += range.start * strides[d];
    // A stride beyond the dimension takes one element, as one of its size does.
    strides[d] *= std::min(range.stride, std::max<int64_t>(1, from.dimension(d)));
  }
  TRY(Literal result, context.make(to));
  copyStrided(result.mutableBytes().data(), operands[0].bytes().data(), storageBytes(to), to.dimensions(),
              {base, strides});
  return result;
}

Result<Literal> transpose(const Instruction& instruction, std::span<Literal> operands, EvalContext& context) {
  const Shape from = operands[0].shape(), to = instruction.shape();
  const auto order = instruction.dimensions();
  EVAL_REQUIRE(from.elementType() == to.elementType() && order.size() == from.rank() &&
                   to.rank() == from.rank() && areDistinctDimensions(order, from.rank()),
               "dimensions are no permutation of the operand's");
  const DimVector fromStrides = rowMajorStrides(from.dimensions());
  DimVector strides(from.rank());
  for (size_t d = 0; d < order.size(); ++d) {
    EVAL_REQUIRE(to.dimension(d) == from.dimension(order[d]), "a dimension changes its size");
    strides[d] = fromStrides[order[d]];
  }
  TRY(Literal result, context.make(to));
  copyStrided(result.mutableBytes().data(), operands[0].bytes().data(), storageBytes(to), to.dimensions(),
              {0, strides});
  if (!operands[0].dynamicSizes().empty()) {
    std::vector<int64_t> sizes;
    for (const int64_t d : order) sizes.push_back(operands[0].dynamicSizes()[d]);
    result.setDynamicSizes(std::move(sizes));
  }
  return result;
}

}  // namespace hilo::eval
