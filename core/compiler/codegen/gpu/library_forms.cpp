#include "core/compiler/codegen/gpu/library_forms.h"

#include "core/analysis/dimension_order.h"
#include "core/analysis/plain_convolution.h"
#include "core/compiler/codegen/gpu/dot_form.h"

namespace hilo::gpu {
namespace {

// Below this many rows, columns or products a sum, a kernel of ours does as well without the call.
constexpr int64_t kLeastSize = 16;

// Several dimensions as one, where neighbours lie evenly apart.
struct Axis {
  int64_t size = 1, stride = 1;
};
std::optional<Axis> axisOf(Shape shape, const std::vector<int64_t>& dims) {
  const auto strides = layoutStrides(shape);
  std::optional<Axis> axis;
  for (size_t i = dims.size(); i-- > 0;) {
    const auto d = static_cast<size_t>(dims[i]);
    if (shape.dimension(d) == 1) continue;
    if (axis && strides[d] != axis->stride * axis->size) return std::nullopt;
    if (!axis) axis = Axis{.size = 1, .stride = strides[d]};
    axis->size *= shape.dimension(d);
  }
  return axis.value_or(Axis());
}

// A column-major matrix, or the transpose of one.
struct Matrix {
  bool isTransposed = false;
  int64_t leading = 1;
};
std::optional<Matrix> matrixOf(Axis rows, Axis columns) {
  if (rows.size == 1 || rows.stride == 1) {
    const int64_t leading = columns.size == 1 ? rows.size : columns.stride;
    if (leading >= rows.size) return Matrix{.isTransposed = false, .leading = leading};
  }
  if (columns.size == 1 || columns.stride == 1) {
    const int64_t leading = rows.size == 1 ? columns.size : rows.stride;
    if (leading >= columns.size) return Matrix{.isTransposed = true, .leading = leading};
  }
  return std::nullopt;
}

std::vector<int64_t> countedFrom(size_t first, size_t count) {
  std::vector<int64_t> dims(count);
  for (size_t i = 0; i < count; ++i) dims[i] = static_cast<int64_t>(first + i);
  return dims;
}

bool isProductType(ElementType type) {
  return type == ElementType::F16 || type == ElementType::BF16 || type == ElementType::F32 ||
         type == ElementType::F64 || type == ElementType::C64 || type == ElementType::C128;
}

// The dot with what comes behind it in a fusion, and the numbers of the fusion's parameters.
struct DotWithEpilogue {
  const Instruction* dot = nullptr;
  const Instruction* bias = nullptr;  // the parameter
  int64_t biasDimension = 0;          // of the result
  Activation activation = Activation::None;
};

bool liesRowMajor(Shape shape) { return sameMemoryOrder(shape, shape.withoutLayout()); }

// In the fusion, to which a constant may come as an operand.
bool isZero(const Instruction& value, const Instruction& fusion) {
  if (value.opcode() != Opcode::Broadcast || !value.operand(0)->shape().isScalar()) return false;
  const Instruction* constant = value.operand(0);
  if (constant->opcode() == Opcode::Parameter)
    constant = fusion.operand(static_cast<size_t>(constant->parameterNumber()));
  if (constant->opcode() != Opcode::Constant) return false;
  const Literal& literal = constant->literal();
  return !literal.isElided() &&
         std::ranges::all_of(literal.bytes(), [](std::byte byte) { return byte == std::byte{0}; });
}

std::optional<DotWithEpilogue> dotIn(const Instruction& instruction) {
  if (instruction.opcode() == Opcode::Dot) return DotWithEpilogue{.dot = &instruction};
  if (instruction.opcode() != Opcode::Fusion) return std::nullopt;
  DotWithEpilogue found;
  const Instruction* at = instruction.calledComputations()[0]->root();
  if (at->opcode() == Opcode::Maximum) {
    const bool zeroIsLeft = isZero(*at->operand(0), instruction);
    if (!zeroIsLeft && !isZero(*at->operand(1), instruction)) return std::nullopt;
    found.activation = Activation::Relu;
    at = at->operand(zeroIsLeft ? 1 : 0);
  }
  if (at->opcode() == Opcode::Add) {
    const bool dotIsLeft = at->operand(0)->opcode() == Opcode::Dot;
    const Instruction& spread = *at->operand(dotIsLeft ? 1 : 0);
    if (spread.opcode() != Opcode::Broadcast || spread.operand(0)->opcode() != Opcode::Parameter ||
        spread.get<Attr::Dimensions>().size() != 1)
      return std::nullopt;
    found.bias = spread.operand(0);
    found.biasDimension = spread.get<Attr::Dimensions>()[0];
    at = at->operand(dotIsLeft ? 0 : 1);
  }
  if (at->opcode() != Opcode::Dot || at->operand(0)->opcode() != Opcode::Parameter ||
      at->operand(1)->opcode() != Opcode::Parameter)
    return std::nullopt;
  found.dot = at;
  return found;
}

// Which operand of the instruction an operand of the dot is.
int64_t placeOf(const Instruction& instruction, const Instruction& parameter, int64_t ofDot) {
  return instruction.opcode() == Opcode::Dot ? ofDot : parameter.parameterNumber();
}

}  // namespace

// A row-major result is the transpose of a column-major one, whose left matrix is the right operand.
std::optional<MatrixProductCall> matrixProductOf(const Instruction& instruction) {
  const auto found = dotIn(instruction);
  if (!found) return std::nullopt;
  const Instruction& dot = *found->dot;
  const ElementType type = dot.shape().elementType();
  if (!isProductType(type) || dot.operandCount() != 2 || instruction.shape().isTuple() ||
      dot.operand(0)->shape().elementType() != type || dot.operand(1)->shape().elementType() != type ||
      dot.get<Attr::Algorithm>().value_or(DotAlgorithm::Unset) != DotAlgorithm::Unset)
    return std::nullopt;
  const DotForm form = dotFormOf(dot);
  const Shape result = instruction.shape();
  const size_t batches = form.left.batch.size(), frees = form.left.free.size();
  const auto resultBatch = axisOf(result, countedFrom(0, batches));
  const auto m = axisOf(result, countedFrom(batches, frees));
  const auto n = axisOf(result, countedFrom(batches + frees, form.right.free.size()));
  if (!resultBatch || !m || !n) return std::nullopt;
  const bool swaps = n->size == 1 || n->stride == 1;
  const gpu::DotSide &a = swaps ? form.right : form.left, &b = swaps ? form.left : form.right;
  const Axis rows = swaps ? *n : *m, columns = swaps ? *m : *n;
  const auto aRows = axisOf(a.shape(), a.free), aSum = axisOf(a.shape(), a.summed),
             aBatch = axisOf(a.shape(), a.batch);
  const auto bColumns = axisOf(b.shape(), b.free), bSum = axisOf(b.shape(), b.summed),
             bBatch = axisOf(b.shape(), b.batch);
  if (!aRows || !aSum || !aBatch || !bColumns || !bSum || !bBatch) return std::nullopt;
  const auto left = matrixOf(*aRows, *aSum), right = matrixOf(*bSum, *bColumns),
             made = matrixOf(rows, columns);
  if (!left || !right || !made || made->isTransposed) return std::nullopt;
  if (std::min({rows.size, columns.size, aSum->size}) < kLeastSize) return std::nullopt;
  MatrixProductCall call{.type = type,
                         .rows = rows.size,
                         .columns = columns.size,
                         .depth = aSum->size,
                         .batch = resultBatch->size,
                         .a = placeOf(instruction, *a.operand, swaps ? 1 : 0),
                         .b = placeOf(instruction, *b.operand, swaps ? 0 : 1),
                         .transposesA = left->isTransposed,
                         .transposesB = right->isTransposed,
                         .leadingA = left->leading,
                         .leadingB = right->leading,
                         .leadingD = made->leading,
                         .activation = found->activation};
  if (call.batch > 1) {
    call.strideA = aBatch->stride;
    call.strideB = bBatch->stride;
    call.strideD = resultBatch->stride;
  }
  if (found->bias != nullptr) {
    const auto along = layoutStrides(result)[static_cast<size_t>(found->biasDimension)];
    const bool isAlongRows =
        a.free.size() == 1 && along == 1 && found->bias->shape().dimension(0) == rows.size;
    if (!isAlongRows) return std::nullopt;
    call.bias = found->bias->parameterNumber();
  }
  return call;
}

namespace {

bool isFactoredType(ElementType type) {
  return type == ElementType::F32 || type == ElementType::F64 || isComplex(type);
}

int64_t batchesOf(Shape shape) {
  int64_t count = 1;
  for (size_t d = 0; d + 2 < shape.rank(); ++d) count *= shape.dimension(d);
  return count;
}

}  // namespace

std::optional<FourierCall> fourierOf(const Instruction& fft) {
  const Shape from = fft.operand(0)->shape(), to = fft.shape();
  const auto lengths = fft.get<Attr::FftLength>();
  if (lengths.empty() || lengths.size() > 3 || from.elementCount() == 0 || to.elementCount() == 0 ||
      !liesRowMajor(from) || !liesRowMajor(to))
    return std::nullopt;
  FourierCall call{
      .kind = fft.get<Attr::FftTypeKind>().value_or(FftType::Fft),
      .isDouble = from.elementType() == ElementType::C128 || from.elementType() == ElementType::F64,
      .lengths = {lengths.begin(), lengths.end()}};
  for (size_t d = 0; d + lengths.size() < from.rank(); ++d) call.batch *= from.dimension(d);
  return call;
}

std::optional<CholeskyCall> choleskyOf(const Instruction& cholesky) {
  const Shape shape = cholesky.shape();
  if (!isFactoredType(shape.elementType()) || shape.elementCount() == 0 || !liesRowMajor(shape) ||
      !liesRowMajor(cholesky.operand(0)->shape()))
    return std::nullopt;
  return CholeskyCall{.type = shape.elementType(),
                      .isLower = cholesky.get<Attr::Lower>().value_or(false),
                      .size = shape.dimension(shape.rank() - 1),
                      .batch = batchesOf(shape)};
}

std::optional<TriangularSolveCall> triangularSolveOf(const Instruction& solve) {
  const Shape shape = solve.shape();
  if (!isFactoredType(shape.elementType()) || shape.elementCount() == 0 || !liesRowMajor(shape) ||
      !liesRowMajor(solve.operand(0)->shape()) || !liesRowMajor(solve.operand(1)->shape()))
    return std::nullopt;
  return TriangularSolveCall{.type = shape.elementType(),
                             .isLeft = solve.get<Attr::LeftSide>().value_or(false),
                             .isLower = solve.get<Attr::Lower>().value_or(false),
                             .isUnit = solve.get<Attr::UnitDiagonal>().value_or(false),
                             .transpose = solve.get<Attr::TransposeAKind>().value_or(TransposeA::NoTranspose),
                             .rows = shape.dimension(shape.rank() - 2),
                             .columns = shape.dimension(shape.rank() - 1),
                             .batch = batchesOf(shape)};
}

std::optional<ConvolutionCall> convolutionOf(const Instruction& convolution) {
  const auto plain = plainConvolution(convolution);
  if (!plain) return std::nullopt;
  return ConvolutionCall{.type = convolution.shape().elementType(),
                         .featuresLast = plain->featuresLast,
                         .batch = plain->batch,
                         .groups = plain->groups,
                         .inputFeatures = plain->inputFeatures,
                         .outputFeatures = plain->outputFeatures,
                         .inputSizes = plain->inputSizes,
                         .outputSizes = plain->outputSizes,
                         .filterSizes = plain->filterSizes,
                         .strides = plain->strides,
                         .dilations = plain->dilations,
                         .paddings = plain->paddings};
}

}  // namespace hilo::gpu
