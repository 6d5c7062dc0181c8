#include "core/hlo/eval/contraction.h"

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

template <typename T>
Status multiplyBlocks(T* out, const T* lhs, const T* rhs, int64_t m, int64_t n, int64_t k,
                      EvalContext& context) {
  // A panel of rhs, its rows side by side, stays in cache while all of lhs passes; the inner loop runs along
  // the row and so vectorises without reordering any sum.
  constexpr int64_t kColumns = 64, kDepth = 256;
  std::vector<T> panel(static_cast<size_t>(kColumns * kDepth));
  for (int64_t column = 0; column < n; column += kColumns) {
    const int64_t columns = std::min(kColumns, n - column);
    for (int64_t depth = 0; depth < k; depth += kDepth) {
      TRY_STATUS(context.poll());
      const int64_t depths = std::min(kDepth, k - depth);
      for (int64_t j = 0; j < columns; ++j) {
        for (int64_t p = 0; p < depths; ++p) panel[p * columns + j] = rhs[(column + j) * k + depth + p];
      }
      for (int64_t i = 0; i < m; ++i) {
        T* row = out + i * n + column;
        const T* factors = lhs + i * k + depth;
        for (int64_t p = 0; p < depths; ++p) {
          const T factor = factors[p];
          const T* line = panel.data() + p * columns;
          for (int64_t j = 0; j < columns; ++j) row[j] = multiplyAdd(row[j], factor, line[j]);
        }
      }
    }
  }
  return {};
}

template Status multiplyBlocks(float*, const float*, const float*, int64_t, int64_t, int64_t, EvalContext&);
template Status multiplyBlocks(double*, const double*, const double*, int64_t, int64_t, int64_t,
                               EvalContext&);
template Status multiplyBlocks(std::complex<float>*, const std::complex<float>*, const std::complex<float>*,
                               int64_t, int64_t, int64_t, EvalContext&);
template Status multiplyBlocks(int64_t*, const int64_t*, const int64_t*, int64_t, int64_t, int64_t,
                               EvalContext&);
template Status multiplyBlocks(std::complex<double>*, const std::complex<double>*,
                               const std::complex<double>*, int64_t, int64_t, int64_t, EvalContext&);

}  // namespace hilo
