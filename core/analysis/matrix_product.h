// A dot seen as products of matrices: which of its dimensions are walked over as one, and at what strides.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "core/hlo/ir/instruction.h"

namespace hilo {

enum class ProductArray : uint8_t { Lhs, Rhs, Result };

// Dimensions that are walked over as one: how many elements, and the stride in each array, in elements; 0 in
// one that lacks them.
struct ProductRun {
  int64_t size = 1;
  std::array<int64_t, 3> strides{};
  int64_t in(ProductArray array) const { return strides[static_cast<size_t>(array)]; }
};

// result[batch, row, column] is the sum of lhs[batch, row, i] * rhs[batch, i, column].
struct MatrixProduct {
  ProductRun rows, columns, sum;
  std::vector<ProductRun> batch;  // the outermost first; the last one has a stride in every array, or is of 1

  int64_t matrices() const;  // products in the batch
  double workOfOne() const;  // multiplications in one matrix product
  double work() const;       // in all
};

// Whether one dimension of the matrix is dense in that array.
bool hasDenseDimension(const ProductRun& a, const ProductRun& b, ProductArray in);

// The largest matrix products in which one dimension of each array is dense. nullopt: no order of the
// dimensions makes such.
std::optional<MatrixProduct> matrixProduct(const Instruction& dot);

// Whether a library multiplies matrices of these types: f32, or bf16 with a result of it or of f32.
bool hasLibraryTypes(const Instruction& dot);

// The same the other way round: the transpose is the product of the transposes. lhs and rhs change places.
MatrixProduct transposed(const MatrixProduct& product);

// Dimensions of one array, in the order in which they are walked over, as one: nullopt when they do
// not lie evenly.
std::optional<ProductRun> asOneRun(Shape shape, std::span<const int64_t> dims, ProductArray array);

}  // namespace hilo
