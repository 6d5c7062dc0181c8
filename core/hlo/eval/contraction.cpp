#include "core/hlo/eval/contraction.h"

#include "core/hlo/eval/chunks.h"
#include "core/hlo/eval/dot_rows.h"

namespace hilo {

DotDimensions dotDimensionsOf(const Instruction& instruction) {
  return {instruction.get<Attr::LhsBatchDims>(), instruction.get<Attr::RhsBatchDims>(),
          instruction.get<Attr::LhsContractingDims>(), instruction.get<Attr::RhsContractingDims>()};
}

Status checkDotDimensions(const Instruction& instruction, Shape lhs, Shape rhs, const DotDimensions& dims) {
  EVAL_REQUIRE(lhs.isArray() && rhs.isArray(), "needs arrays");
  EVAL_REQUIRE(dims.lhsBatch.size() == dims.rhsBatch.size() &&
                   dims.lhsContracting.size() == dims.rhsContracting.size(),
               "batch or contracting dimensions do not pair up");
  std::vector<int64_t> left(dims.lhsBatch.begin(), dims.lhsBatch.end()),
      right(dims.rhsBatch.begin(), dims.rhsBatch.end());
  left.insert(left.end(), dims.lhsContracting.begin(), dims.lhsContracting.end());
  right.insert(right.end(), dims.rhsContracting.begin(), dims.rhsContracting.end());
  EVAL_REQUIRE(areDistinctDimensions(left, lhs.rank()) && areDistinctDimensions(right, rhs.rank()),
               "a dimension number is out of range or repeated");
  for (size_t i = 0; i < left.size(); ++i) {
    EVAL_REQUIRE(lhs.dimension(left[i]) == rhs.dimension(right[i]), "paired dimensions differ in size");
  }
  return {};
}

ElementType commonAccumulation(std::initializer_list<Shape> shapes, const EvalContext& context) {
  bool complex = false, floats = false, wide = false, integers = false;
  for (const Shape shape : shapes) {
    const ElementType own = accumulationType(shape.elementType(), context.options().sumsAsSpecified);
    complex |= isComplex(own);
    floats |= isFloat(own);
    wide |= own == ElementType::C128 || own == ElementType::F64;
    integers |= own == ElementType::S64;
  }
  if (!complex && !floats) return ElementType::S64;
  wide |= integers;  // F32 does not hold every integer
  return complex ? (wide ? ElementType::C128 : ElementType::C64) : wide ? ElementType::F64 : ElementType::F32;
}

Status checkDotRoom(const Instruction& instruction, std::initializer_list<Shape> shapes,
                    const EvalContext& context) {
  int64_t elements = 0;
  for (const Shape shape : shapes) {
    if (__builtin_add_overflow(elements, shape.elementCount(), &elements))
      elements = std::numeric_limits<int64_t>::max();
  }
  if (elements > context.options().maxLiveBytes / 16)
    return fail("memory-limit", "the operands are too large", placeOf(instruction));
  return {};
}

namespace {

bool isExactIn64(ElementType type) { return isFloat(type) && elementBits(type) <= 32; }

}  // namespace

bool productsAreExact(ElementType accumulation, Shape lhs, Shape rhs) {
  return accumulation == ElementType::F64 && isExactIn64(lhs.elementType()) && isExactIn64(rhs.elementType());
}

template <typename T>
Status addBatchedProducts(T* out, const T* lhs, const T* rhs, const ProductSizes& sizes, bool areExact,
                          EvalContext& context) {
  constexpr int64_t kRows = 256, kColumns = 512;
  const auto [batch, m, n, k] = sizes;
  const int64_t rowChunks = (m + kRows - 1) / kRows, columnChunks = (n + kColumns - 1) / kColumns;
  const int64_t operations = std::min(m, kRows) * std::min(n, kColumns) * k;
  return inChunks(batch * rowChunks * columnChunks, operations, context, [&](int64_t chunk) {
    const int64_t b = chunk / (rowChunks * columnChunks);
    const int64_t row = chunk / columnChunks % rowChunks * kRows, column = chunk % columnChunks * kColumns;
    std::vector<DotRow<T>> rows;
    for (int64_t i = row; i < std::min(m, row + kRows); ++i)
      rows.push_back({out + (b * m + i) * n + column, lhs + (b * m + i) * k});
    addProducts<T>(rows,
                   {.first = rhs + (b * n + column) * k,
                    .lines = k,
                    .columns = std::min(n - column, kColumns),
                    .lineStride = 1,
                    .columnStride = k},
                   areExact);
  });
}

template Status addBatchedProducts(float*, const float*, const float*, const ProductSizes&, bool,
                                   EvalContext&);
template Status addBatchedProducts(double*, const double*, const double*, const ProductSizes&, bool,
                                   EvalContext&);
template Status addBatchedProducts(int64_t*, const int64_t*, const int64_t*, const ProductSizes&, bool,
                                   EvalContext&);
template Status addBatchedProducts(std::complex<float>*, const std::complex<float>*,
                                   const std::complex<float>*, const ProductSizes&, bool, EvalContext&);
template Status addBatchedProducts(std::complex<double>*, const std::complex<double>*,
                                   const std::complex<double>*, const ProductSizes&, bool, EvalContext&);

}  // namespace hilo
