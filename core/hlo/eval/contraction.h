// Dimension bookkeeping shared by dot, ragged-dot and scaled-dot.
#pragma once

#include "core/hlo/eval/eval_context.h"
#include "core/hlo/eval/literal_access.h"

namespace hilo {

struct DotDimensions {
  std::span<const int64_t> lhsBatch, rhsBatch, lhsContracting, rhsContracting;
};
DotDimensions dotDimensionsOf(const Instruction& instruction);

// The operand as a dense array [batch][free][contracting] of the accumulation type, each group flattened.
template <typename T>
struct DotOperand {
  int64_t batch = 1, free = 1, contracting = 1;
  DimVector freeDims;  // operand dimensions that are neither batch nor contracting
  std::vector<T> values;
};

template <typename T>
DotOperand<T> arrangeDotOperand(const Literal& operand, std::span<const int64_t> batch,
                                std::span<const int64_t> contracting) {
  const Shape shape = operand.shape();
  DotOperand<T> arranged;
  const DimVector strides = rowMajorStrides(shape.dimensions());
  DimVector sizes, fromStrides;
  const auto take = [&](int64_t d, int64_t& product) {
    sizes.push_back(shape.dimension(d));
    fromStrides.push_back(strides[d]);
    product *= shape.dimension(d);
  };
  for (const int64_t d : batch) take(d, arranged.batch);
  for (int64_t d = 0; d < static_cast<int64_t>(shape.rank()); ++d) {
    if (std::ranges::find(batch, d) != batch.end() || std::ranges::find(contracting, d) != contracting.end())
      continue;
    arranged.freeDims.push_back(d);
    take(d, arranged.free);
  }
  for (const int64_t d : contracting) take(d, arranged.contracting);
  std::vector<std::byte> moved(static_cast<size_t>(shape.elementCount()) * storageBytes(shape));
  copyStrided(moved.data(), operand.bytes().data(), storageBytes(shape), sizes, {0, fromStrides});
  arranged.values.resize(static_cast<size_t>(shape.elementCount()));
  convertElements(arranged.values.data(), kAccumulationType<T>, moved.data(), shape.elementType(),
                  shape.elementCount());
  return arranged;
}

// Checks that both dimension lists pair up and fit the shapes.
Status checkDotDimensions(const Instruction& instruction, Shape lhs, Shape rhs, const DotDimensions& dims);

// The type both operands and the result fit into for accumulation.
ElementType commonAccumulation(std::initializer_list<Shape> shapes, const EvalContext& context);

// Bounds the room that arranged operands and sums take, before any of it is allocated.
Status checkDotRoom(const Instruction& instruction, std::initializer_list<Shape> shapes,
                    const EvalContext& context);

// Whether every product of two such elements is a number of the type sums run in.
bool productsAreExact(ElementType accumulation, Shape lhs, Shape rhs);

struct ProductSizes {
  int64_t batch, m, n, k;
};
// out[batch][m][n] += sum over k of lhs[batch][m][k] * rhs[batch][n][k].
template <typename T>
Status addBatchedProducts(T* out, const T* lhs, const T* rhs, const ProductSizes& sizes, bool areExact,
                          EvalContext& context);

// What a product gives: [batch][lhs free][rhs free] with its dimensions.
template <typename T>
struct DotProduct {
  DimVector dimensions;
  std::vector<T> values;
};

template <typename T>
Result<DotProduct<T>> multiply(const Literal& lhs, const Literal& rhs, const DotDimensions& dims,
                               EvalContext& context) {
  const auto left = arrangeDotOperand<T>(lhs, dims.lhsBatch, dims.lhsContracting);
  const auto right = arrangeDotOperand<T>(rhs, dims.rhsBatch, dims.rhsContracting);
  DotProduct<T> product;
  for (const int64_t d : dims.lhsBatch) product.dimensions.push_back(lhs.shape().dimension(d));
  for (const int64_t d : left.freeDims) product.dimensions.push_back(lhs.shape().dimension(d));
  for (const int64_t d : right.freeDims) product.dimensions.push_back(rhs.shape().dimension(d));
  const int64_t m = left.free, n = right.free, k = left.contracting;
  if (productOf(product.dimensions) > context.options().maxLiveBytes / 16)
    return fail("memory-limit", "the product is too large");
  product.values.resize(static_cast<size_t>(left.batch * m * n));
  TRY_STATUS(addBatchedProducts(product.values.data(), left.values.data(), right.values.data(),
                                {left.batch, m, n, k},
                                productsAreExact(kAccumulationType<T>, lhs.shape(), rhs.shape()), context));
  return product;
}

// The product rounded to the instruction's shape, whose dimensions it must have.
template <typename T>
Result<Literal> roundedProduct(const Instruction& instruction, const DotProduct<T>& product, ElementType type,
                               EvalContext& context) {
  const Shape shape = instruction.shape();
  EVAL_REQUIRE(shape.isArray() && std::ranges::equal(shape.dimensions(), product.dimensions),
               "the operands give other dimensions than the result has");
  TRY(Literal result, context.make(shape));
  convertElements(result.mutableBytes().data(), shape.elementType(), product.values.data(), type,
                  shape.elementCount());
  return result;
}

}  // namespace hilo
