#include "core/hlo/eval/handlers.h"
#include "core/hlo/eval/literal_access.h"

namespace hilo::eval {
namespace {

// The start of a window of `sizes` in `within`, moved so that the window lies inside. Start indices are one
// scalar operand a dimension or, in the older form, one vector.
Result<DimVector> clampedStart(const Instruction& instruction, std::span<const Literal> indices, Shape within,
                               std::span<const int64_t> sizes) {
  const bool asVector = indices.size() == 1 && indices[0].shape().rank() == 1;
  EVAL_REQUIRE(asVector ? indices[0].shape().dimension(0) == static_cast<int64_t>(within.rank())
                        : indices.size() == within.rank(),
               "needs one start index a dimension");
  EVAL_REQUIRE(sizes.size() == within.rank(), "sizes do not fit the operand");
  DimVector start(within.rank());
  for (size_t d = 0; d < within.rank(); ++d) {
    const Literal& index = asVector ? indices[0] : indices[d];
    EVAL_REQUIRE(holdsIntegers(index) && (asVector || index.shape().isScalar()),
                 "start indices must be integer scalars");
    EVAL_REQUIRE(sizes[d] >= 0 && sizes[d] <= within.dimension(d), "the window exceeds the operand");
    start[d] = std::clamp<int64_t>(integerAt(index, asVector ? static_cast<int64_t>(d) : 0), 0,
                                   within.dimension(d) - sizes[d]);
  }
  return start;
}

int64_t offsetOf(std::span<const int64_t> index, std::span<const int64_t> strides) {
  int64_t offset = 0;
  for (size_t d = 0; d < index.size(); ++d) offset += index[d] * strides[d];
  return offset;
}

}  // namespace

Result<Literal> dynamicSlice(const Instruction& instruction, std::span<Literal> operands,
                             EvalContext& context) {
  EVAL_REQUIRE(!operands.empty(), "needs an operand");
  const Shape from = operands[0].shape(), to = instruction.shape();
  EVAL_REQUIRE(from.isArray() && from.elementType() == to.elementType() && from.rank() == to.rank(),
               "operand and result types differ");
  TRY(const DimVector start, clampedStart(instruction, operands.subspan(1), from, to.dimensions()));
  TRY(Literal result, context.make(to));
  const DimVector strides = rowMajorStrides(from.dimensions());
  copyStrided(result.mutableBytes().data(), operands[0].bytes().data(), storageBytes(to), to.dimensions(),
              {offsetOf(start, strides), strides});
  return result;
}

// Writes in place when this is the operand's last use.
Result<Literal> dynamicUpdateSlice(const Instruction& instruction, std::span<Literal> operands,
                                   EvalContext&) {
  EVAL_REQUIRE(operands.size() >= 2, "needs an operand and an update");
  const Shape shape = operands[0].shape(), update = operands[1].shape();
  EVAL_REQUIRE(
      shape.isArray() && shape.elementType() == update.elementType() && shape.rank() == update.rank(),
      "operand and update types differ");
  TRY(const DimVector start, clampedStart(instruction, operands.subspan(2), shape, update.dimensions()));
  Literal result = std::move(operands[0]);
  const DimVector strides = rowMajorStrides(shape.dimensions());
  moveStrided(result.mutableBytes().data(), {offsetOf(start, strides), strides}, operands[1].bytes().data(),
              {0, rowMajorStrides(update.dimensions())}, storageBytes(shape), update.dimensions());
  return result;
}

}  // namespace hilo::eval
