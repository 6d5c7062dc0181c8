// What a library of a GPU's maker is asked for, as numbers: one struct a kind of work. Matrices are as such
// libraries have them, columns one after the other ("column-major"); sizes and strides are in elements.
// Operands and results are those of LibraryThunk, by their place.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "core/base/result.h"
#include "core/hlo/ir/element_type.h"
#include "core/hlo/ir/enums.h"

namespace hilo {

enum class Activation : uint8_t { None, Relu, Gelu };
inline constexpr int kActivationCount = 3;
const char* activationName(Activation activation);

// result 0 = activation(alpha * op(A) op(B) + beta * C + bias), `batch` times. Which operands these are, a
// number each; C is -1 where beta is 0, and the bias, a number a row, where there is none.
struct MatrixProductCall {
  ElementType type = ElementType::F32;
  int64_t rows = 1, columns = 1, depth = 1, batch = 1;
  int64_t a = 0, b = 1, c = -1, bias = -1;
  bool transposesA = false, transposesB = false;
  int64_t leadingA = 1, leadingB = 1, leadingC = 1, leadingD = 1;  // from one column to the next
  int64_t strideA = 0, strideB = 0, strideC = 0, strideD = 0;      // from one matrix to the next
  double alpha = 1, beta = 0;
  Activation activation = Activation::None;
  template <typename Self, typename V>
  static void visit(Self& self, V& v) {
    v("type", self.type);
    v("rows", self.rows);
    v("columns", self.columns);
    v("depth", self.depth);
    v("batch", self.batch);
    v("a", self.a);
    v("b", self.b);
    v("c", self.c);
    v("bias", self.bias);
    v("transposesA", self.transposesA);
    v("transposesB", self.transposesB);
    v("leadingA", self.leadingA);
    v("leadingB", self.leadingB);
    v("leadingC", self.leadingC);
    v("leadingD", self.leadingD);
    v("strideA", self.strideA);
    v("strideB", self.strideB);
    v("strideC", self.strideC);
    v("strideD", self.strideD);
    v("alpha", self.alpha);
    v("beta", self.beta);
    v("activation", self.activation);
  }
};

// result 0 [batch, groups * outputFeatures, space...] = operand 0 [batch, groups * inputFeatures, space...]
// in windows of operand 1 [groups * outputFeatures, inputFeatures, space...]; features are the second
// dimension or, where `featuresLast`, the fastest varying one. As many zeros as `paddings` says lie before
// and behind the input.
struct ConvolutionCall {
  ElementType type = ElementType::F32;
  bool featuresLast = false;
  int64_t batch = 1, groups = 1, inputFeatures = 1, outputFeatures = 1;
  std::vector<int64_t> inputSizes, outputSizes, filterSizes, strides, dilations, paddings;  // 2 or 3 each
  template <typename Self, typename V>
  static void visit(Self& self, V& v) {
    v("type", self.type);
    v("featuresLast", self.featuresLast);
    v("batch", self.batch);
    v("groups", self.groups);
    v("inputFeatures", self.inputFeatures);
    v("outputFeatures", self.outputFeatures);
    v("inputSizes", self.inputSizes);
    v("outputSizes", self.outputSizes);
    v("filterSizes", self.filterSizes);
    v("strides", self.strides);
    v("dilations", self.dilations);
    v("paddings", self.paddings);
  }
};

// result 0 = the transform of operand 0 by its last `lengths.size()` dimensions, an inverse one divided by
// their product; both dense.
struct FourierCall {
  FftType kind = FftType::Fft;
  bool isDouble = false;
  int64_t batch = 1;
  std::vector<int64_t> lengths;  // of the real or complex numbers, the slowest varying first
  template <typename Self, typename V>
  static void visit(Self& self, V& v) {
    v("kind", self.kind);
    v("isDouble", self.isDouble);
    v("batch", self.batch);
    v("lengths", self.lengths);
  }
};

// result 0 = the factor of each matrix of operand 0, in the half that `isLower` says, the other is anything;
// result 1 has an s32 a matrix: not 0 where it has no factor.
struct CholeskyCall {
  ElementType type = ElementType::F32;
  bool isLower = true;
  int64_t size = 1, batch = 1;
  template <typename Self, typename V>
  static void visit(Self& self, V& v) {
    v("type", self.type);
    v("isLower", self.isLower);
    v("size", self.size);
    v("batch", self.batch);
  }
};

// result 0 = the solutions X of op(A) X = B, or of X op(A) = B. A is operand 0 and B operand 1; B and X have
// `rows` and `columns`.
struct TriangularSolveCall {
  ElementType type = ElementType::F32;
  bool isLeft = true, isLower = true, isUnit = false;
  TransposeA transpose = TransposeA::NoTranspose;
  int64_t rows = 1, columns = 1, batch = 1;
  template <typename Self, typename V>
  static void visit(Self& self, V& v) {
    v("type", self.type);
    v("isLeft", self.isLeft);
    v("isLower", self.isLower);
    v("isUnit", self.isUnit);
    v("transpose", self.transpose);
    v("rows", self.rows);
    v("columns", self.columns);
    v("batch", self.batch);
  }
};

// The order is part of the file format.
using LibraryCall =
    std::variant<MatrixProductCall, ConvolutionCall, FourierCall, CholeskyCall, TriangularSolveCall>;
inline constexpr size_t kLibraryCallCount = std::variant_size_v<LibraryCall>;
// "matrix product", and the library that does it: "cuBLASLt".
const char* libraryCallName(size_t index);
const char* libraryOf(size_t index);

// Whether all that the call reads and writes lies in operands and results of these sizes. Error kind:
// "malformed-program" where something does not.
Status checkLibraryCall(const LibraryCall& call, std::span<const int64_t> operandBytes,
                        std::span<const int64_t> resultBytes, std::string_view who);

}  // namespace hilo
