#include "core/runtime/program/library_call.h"

#include <fmt/format.h>

namespace hilo {
namespace {

struct CallNames {
  const char *name, *library;
};
constexpr CallNames kCallNames[] = {
    {"matrix product", "cuBLASLt"},  {"convolution", "cuDNN"},       {"Fourier transform", "cuFFT"},
    {"Cholesky factor", "cuSOLVER"}, {"triangular solve", "cuBLAS"},
};
static_assert(std::size(kCallNames) == kLibraryCallCount);

constexpr const char* kActivationNames[] = {"none", "relu", "gelu"};
static_assert(std::size(kActivationNames) == kActivationCount);

// The largest size of anything, so that products of two fit.
constexpr int64_t kMost = int64_t{1} << 31;

// Bytes that arrays take, or more than any buffer has.
class Extent {
 public:
  explicit Extent(ElementType type)
      : bytes_(isArrayElement(type) ? elementStorageBytes(type) : 0), fits_(bytes_ > 0) {}

  Extent& times(int64_t size) {
    fits_ = fits_ && size >= 1 && size <= kMost;
    bytes_ = fits_ ? std::min<__int128>(bytes_ * size, INT64_MAX) : bytes_;
    return *this;
  }
  Extent& times(std::span<const int64_t> sizes) {
    for (const int64_t size : sizes) times(size);
    return *this;
  }
  // A matrix of columns one after the other, `batch` times.
  Extent& matrices(int64_t rows, int64_t columns, int64_t leading, int64_t stride, int64_t batch) {
    const bool isSized = rows >= 1 && columns >= 1 && batch >= 1 && rows <= kMost && columns <= kMost &&
                         batch <= kMost && leading >= rows && leading <= kMost * 4 && stride >= 0 &&
                         stride <= kMost * kMost / 2;
    fits_ = fits_ && isSized;
    if (!fits_) return *this;
    const __int128 last =
        static_cast<__int128>(batch - 1) * stride + static_cast<__int128>(columns - 1) * leading + rows;
    bytes_ = std::min<__int128>(bytes_ * last, INT64_MAX);
    return *this;
  }
  bool isIn(std::span<const int64_t> slices, size_t place) const {
    return fits_ && place < slices.size() && bytes_ <= slices[place];
  }

 private:
  __int128 bytes_;
  bool fits_;
};

bool isFactored(ElementType type) {
  return type == ElementType::F32 || type == ElementType::F64 || type == ElementType::C64 ||
         type == ElementType::C128;
}

struct CallChecker {
  std::span<const int64_t> operands, results;

  bool operator()(const MatrixProductCall& c) const {
    const auto matrix = [&](bool isTransposed, int64_t rows, int64_t columns, int64_t leading,
                            int64_t stride) {
      return Extent(c.type).matrices(isTransposed ? columns : rows, isTransposed ? rows : columns, leading,
                                     stride, c.batch);
    };
    const auto isOperand = [&](const Extent& extent, int64_t place) {
      return place >= 0 && extent.isIn(operands, static_cast<size_t>(place));
    };
    const bool hasC = c.beta != 0;
    return (isFactored(c.type) || c.type == ElementType::F16 || c.type == ElementType::BF16) &&
           isOperand(matrix(c.transposesA, c.rows, c.depth, c.leadingA, c.strideA), c.a) &&
           isOperand(matrix(c.transposesB, c.depth, c.columns, c.leadingB, c.strideB), c.b) &&
           (!hasC || isOperand(matrix(false, c.rows, c.columns, c.leadingC, c.strideC), c.c)) &&
           (c.bias < 0 || isOperand(Extent(c.type).times(c.rows), c.bias)) &&
           matrix(false, c.rows, c.columns, c.leadingD, c.strideD).isIn(results, 0);
  }

  bool operator()(const ConvolutionCall& c) const {
    const size_t rank = c.inputSizes.size();
    if (rank < 2 || rank > 3 || !isFloat(c.type)) return false;
    for (const auto* list : {&c.outputSizes, &c.filterSizes, &c.strides, &c.dilations, &c.paddings})
      if (list->size() != rank) return false;
    for (size_t d = 0; d < rank; ++d) {
      for (const int64_t number : {c.strides[d], c.dilations[d], c.paddings[d] + 1})
        if (number < 1 || number > kMost) return false;
    }
    const Extent input =
        Extent(c.type).times(c.batch).times(c.groups).times(c.inputFeatures).times(c.inputSizes);
    const Extent output =
        Extent(c.type).times(c.batch).times(c.groups).times(c.outputFeatures).times(c.outputSizes);
    const Extent filter =
        Extent(c.type).times(c.groups).times(c.outputFeatures).times(c.inputFeatures).times(c.filterSizes);
    return input.isIn(operands, 0) && filter.isIn(operands, 1) && output.isIn(results, 0);
  }

  bool operator()(const FourierCall& c) const {
    if (c.lengths.empty() || c.lengths.size() > 3) return false;
    const ElementType complex = c.isDouble ? ElementType::C128 : ElementType::C64,
                      real = c.isDouble ? ElementType::F64 : ElementType::F32;
    const bool toReal = c.kind == FftType::Irfft, fromReal = c.kind == FftType::Rfft;
    std::vector<int64_t> halved = c.lengths;
    if (toReal || fromReal) halved.back() = halved.back() / 2 + 1;
    const Extent from = Extent(fromReal ? real : complex).times(c.batch).times(fromReal ? c.lengths : halved);
    const Extent to = Extent(toReal ? real : complex).times(c.batch).times(toReal ? c.lengths : halved);
    return from.isIn(operands, 0) && to.isIn(results, 0);
  }

  bool operator()(const CholeskyCall& c) const {
    const Extent matrices = Extent(c.type).times(c.size).times(c.size).times(c.batch);
    return isFactored(c.type) && matrices.isIn(operands, 0) && matrices.isIn(results, 0) &&
           Extent(ElementType::S32).times(c.batch).isIn(results, 1);
  }

  bool operator()(const TriangularSolveCall& c) const {
    const int64_t size = c.isLeft ? c.rows : c.columns;
    const Extent sides = Extent(c.type).times(c.rows).times(c.columns).times(c.batch);
    return isFactored(c.type) && Extent(c.type).times(size).times(size).times(c.batch).isIn(operands, 0) &&
           sides.isIn(operands, 1) && sides.isIn(results, 0);
  }
};

}  // namespace

const char* activationName(Activation activation) {
  return kActivationNames[static_cast<size_t>(activation)];
}
const char* libraryCallName(size_t index) { return kCallNames[index].name; }
const char* libraryOf(size_t index) { return kCallNames[index].library; }

Status checkLibraryCall(const LibraryCall& call, std::span<const int64_t> operandBytes,
                        std::span<const int64_t> resultBytes, std::string_view who) {
  if (std::visit(CallChecker{operandBytes, resultBytes}, call)) return {};
  return fail("malformed-program", fmt::format("{} asks {} for a {} that does not fit its arrays", who,
                                               libraryOf(call.index()), libraryCallName(call.index())));
}

}  // namespace hilo
