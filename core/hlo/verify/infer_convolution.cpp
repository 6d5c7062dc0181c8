// convolution, and the sizes a window gives.
#include <fmt/format.h>

#include <algorithm>

#include "core/hlo/verify/shape_rules.h"

namespace hilo {

Result<WindowedSize> windowedSize(const OpView& op, const WindowDimension& window, int64_t base,
                                  bool dynamic) {
  if (window.size <= 0 || window.stride <= 0 || window.baseDilation < 1 || window.windowDilation < 1) {
    return refuse(
        VerifyKind::AttributeInvalid,
        fmt::format("the window of {} has size {}, stride {}, base dilation {} and window dilation {}; "
                    "each must be at least 1",
                    op.opcodeText, window.size, window.stride, window.baseDilation, window.windowDilation));
  }
  if (base == kUnboundedSize) return WindowedSize{kUnboundedSize, dynamic};
  const auto dilate = [](int64_t bound, int64_t dilation) -> std::optional<int64_t> {
    if (bound == 0) return 0;
    const auto product = multiplySizes(bound - 1, dilation);
    return product ? addSizes(*product, 1) : std::nullopt;
  };
  const auto dilatedBase = dilate(base, window.baseDilation);
  const auto low = dilatedBase ? addSizes(*dilatedBase, window.paddingLow) : std::nullopt;
  const auto padded = low ? addSizes(*low, window.paddingHigh) : std::nullopt;
  const auto dilatedWindow = dilate(window.size, window.windowDilation);
  if (!padded || !dilatedWindow) {
    return refuse(VerifyKind::AttributeInvalid,
                  fmt::format("the window of {} is too large to count over size {}", op.opcodeText, base));
  }
  if (*padded < 0) {
    return refuse(VerifyKind::AttributeInvalid,
                  fmt::format("the padding of {} leaves {} of size {}", op.opcodeText, *padded, base));
  }
  if (*padded == 0 || *dilatedWindow > *padded) return WindowedSize{0, dynamic};
  return WindowedSize{(*padded - *dilatedWindow) / window.stride + 1, dynamic};
}

namespace {

struct Convolution {
  const OpView& op;
  Shape lhs, rhs;
  std::span<const WindowDimension> window;
  const ConvolutionDimensionNumbers& numbers;
  int64_t featureGroups = 1, batchGroups = 1;

  size_t spatialRank() const { return numbers.inputSpatial.size(); }
  size_t rank() const { return spatialRank() + 2; }
  int64_t lhsSize(int64_t dimension) const { return lhs.dimension(static_cast<size_t>(dimension)); }
  int64_t rhsSize(int64_t dimension) const { return rhs.dimension(static_cast<size_t>(dimension)); }
};

// Two roles and the spatial dimensions together name each dimension once.
Status expectRoles(const Convolution& c, std::string_view part, int64_t first, int64_t second,
                   std::span<const int64_t> spatial) {
  std::vector<int64_t> all{first, second};
  all.insert(all.end(), spatial.begin(), spatial.end());
  return expectDimensions(c.op, fmt::format("the {} part of dim_labels", part), all, c.rank());
}

Status expectRanks(const Convolution& c) {
  const auto& n = c.numbers;
  if (n.inputSpatial.size() != n.kernelSpatial.size() || n.inputSpatial.size() != n.outputSpatial.size() ||
      n.inputSpatial.size() != c.window.size()) {
    return refuse(
        VerifyKind::AttributeInvalid,
        fmt::format("dim_labels of {} name {} input, {} kernel and {} output spatial dimensions, the window "
                    "has {}; expected one number",
                    c.op.opcodeText, n.inputSpatial.size(), n.kernelSpatial.size(), n.outputSpatial.size(),
                    c.window.size()));
  }
  for (size_t i = 0; i < 2; ++i) {
    const Shape shape = i == 0 ? c.lhs : c.rhs;
    if (shape.rank() == c.rank()) continue;
    return refuse(VerifyKind::OperandShape,
                  fmt::format("operand {} of {} must have rank {} by dim_labels, got {}", i, c.op.opcodeText,
                              c.rank(), toString(shape)));
  }
  TRY_STATUS(expectRoles(c, "input", n.inputBatch, n.inputFeature, n.inputSpatial));
  TRY_STATUS(expectRoles(c, "kernel", n.kernelInputFeature, n.kernelOutputFeature, n.kernelSpatial));
  return expectRoles(c, "output", n.outputBatch, n.outputFeature, n.outputSpatial);
}

Status expectDivisible(const Convolution& c, std::string_view what, int64_t size, std::string_view by,
                       int64_t count) {
  if (size == kUnboundedSize || size % count == 0) return {};
  return refuse(VerifyKind::OperandShape, fmt::format("the {} of {}, {}, must be a multiple of {} {}", what,
                                                      c.op.opcodeText, size, by, count));
}

Status expectGroups(const Convolution& c) {
  if (c.featureGroups <= 0 || c.batchGroups <= 0 || (c.featureGroups > 1 && c.batchGroups > 1)) {
    return refuse(
        VerifyKind::AttributeInvalid,
        fmt::format(
            "{} has feature_group_count {} and batch_group_count {}; both must be positive and one of "
            "them 1",
            c.op.opcodeText, c.featureGroups, c.batchGroups));
  }
  const int64_t outputFeatures = c.rhsSize(c.numbers.kernelOutputFeature);
  TRY_STATUS(expectDivisible(c, "output features", outputFeatures, "batch_group_count", c.batchGroups));
  TRY_STATUS(expectDivisible(c, "output features", outputFeatures, "feature_group_count", c.featureGroups));
  return expectDivisible(c, "input batch", c.lhsSize(c.numbers.inputBatch), "batch_group_count",
                         c.batchGroups);
}

// Kernel input features as many as each group of input features; block sparsity stores one of `blockSize`.
Status expectFeatures(const Convolution& c, int64_t kernelFeatures, std::string_view kernelWhat) {
  const int64_t features = c.lhsSize(c.numbers.inputFeature);
  if (features == kUnboundedSize || kernelFeatures == kUnboundedSize) return {};
  if (features % c.featureGroups == 0 && features / c.featureGroups == kernelFeatures) return {};
  return refuse(VerifyKind::OperandShape,
                fmt::format("{} has {} input features in {} groups, but {} kernel {} features",
                            c.op.opcodeText, features, c.featureGroups, kernelFeatures, kernelWhat));
}

Status expectWindowOfKernel(const Convolution& c) {
  for (size_t i = 0; i < c.spatialRank(); ++i) {
    const int64_t size = c.rhsSize(c.numbers.kernelSpatial[i]);
    if (sameSize(size, c.window[i].size)) continue;
    return refuse(VerifyKind::OperandShape,
                  fmt::format("spatial dimension {} of the kernel of {} has size {}, the window {}", i,
                              c.op.opcodeText, size, c.window[i].size));
  }
  return {};
}

Result<int64_t> kernelInputFeatures(const Convolution& c) {
  const int64_t stored = c.rhsSize(c.numbers.kernelInputFeature);
  const SparsityConfig* sparsity = c.op.get<Attr::SparsityConfig>();
  if (sparsity == nullptr || !sparsity->rhs) return stored;
  const auto whole = multiplySizes(stored, sparsity->rhs->blockSize);
  if (sparsity->rhs->numNonZero == 1 && whole) return *whole;
  return refuse(VerifyKind::AttributeInvalid,
                fmt::format("sparsity_config of {} keeps {} of {}, only 1 of N is known", c.op.opcodeText,
                            sparsity->rhs->numNonZero, sparsity->rhs->blockSize));
}

bool dynamicSpatial(const Convolution& c, size_t i) {
  return c.lhs.isDynamicDimension(static_cast<size_t>(c.numbers.inputSpatial[i])) ||
         c.rhs.isDynamicDimension(static_cast<size_t>(c.numbers.kernelSpatial[i]));
}

int64_t batchOf(const Convolution& c) {
  const int64_t batch = c.lhsSize(c.numbers.inputBatch);
  return batch == kUnboundedSize ? batch : batch / c.batchGroups;
}

ElementType convolutionType(const Convolution& c) {
  if (c.op.declared && c.op.declared->isArray()) return c.op.declared->elementType();
  return higherPrecision(c.lhs.elementType(), c.rhs.elementType());
}

ArrayShape emptyResult(const Convolution& c) {
  ArrayShape result(convolutionType(c));
  result.dimensions.resize(c.rank());
  return result;
}

Status expectStaticOutputFeature(const Convolution& c) {
  if (!c.rhs.isDynamicDimension(static_cast<size_t>(c.numbers.kernelOutputFeature)) ||
      c.rhsSize(c.numbers.kernelOutputFeature) == kUnboundedSize) {
    return {};
  }
  return refuse(VerifyKind::OperandShape,
                fmt::format("the kernel output feature of {} must not be dynamic, got {}", c.op.opcodeText,
                            toString(c.rhs)));
}

InferResult inferForward(const Convolution& c) {
  TRY(const int64_t kernelFeatures, kernelInputFeatures(c));
  TRY_STATUS(expectFeatures(c, kernelFeatures, "input"));
  TRY_STATUS(expectWindowOfKernel(c));
  TRY_STATUS(expectStaticOutputFeature(c));
  ArrayShape result = emptyResult(c);
  const auto at = [&](int64_t dimension) -> ArrayShape::Dimension& {
    return result.dimensions[static_cast<size_t>(dimension)];
  };
  at(c.numbers.outputBatch) = {batchOf(c),
                               c.lhs.isDynamicDimension(static_cast<size_t>(c.numbers.inputBatch))};
  at(c.numbers.outputFeature) = {c.rhsSize(c.numbers.kernelOutputFeature), false};
  for (size_t i = 0; i < c.spatialRank(); ++i) {
    TRY(const WindowedSize size,
        windowedSize(c.op, c.window[i], c.lhsSize(c.numbers.inputSpatial[i]), dynamicSpatial(c, i)));
    at(c.numbers.outputSpatial[i]) = {size.size, size.dynamic};
  }
  return result;
}

InferResult inferDataGradient(const Convolution& c) {
  TRY_STATUS(expectFeatures(c, c.rhsSize(c.numbers.kernelOutputFeature), "output"));
  TRY_STATUS(expectWindowOfKernel(c));
  TRY_STATUS(expectStaticOutputFeature(c));
  ArrayShape result = emptyResult(c);
  const auto at = [&](int64_t dimension) -> ArrayShape::Dimension& {
    return result.dimensions[static_cast<size_t>(dimension)];
  };
  at(c.numbers.outputBatch) = {batchOf(c),
                               c.lhs.isDynamicDimension(static_cast<size_t>(c.numbers.inputBatch))};
  at(c.numbers.outputFeature) = {c.rhsSize(c.numbers.kernelInputFeature), false};
  for (size_t i = 0; i < c.spatialRank(); ++i) {
    const int64_t base = c.lhsSize(c.numbers.inputSpatial[i]);
    const WindowDimension& w = c.window[i];
    // In 128 bits nothing here can wrap: two products of two 64-bit numbers.
    const __int128 dilated = (static_cast<__int128>(base) - 1) * w.baseDilation;
    const __int128 kernel = 1 + (static_cast<__int128>(w.size) - 1) * w.windowDilation;
    const bool small = dilated >= 0 && dilated < INT64_MAX;
    const __int128 size = small ? dilated * w.stride + kernel - w.paddingLow - w.paddingHigh : -1;
    if (base != kUnboundedSize && (size < 0 || size > INT64_MAX)) {
      return refuse(VerifyKind::AttributeInvalid,
                    fmt::format("the window of {} gives no valid size over {}", c.op.opcodeText, base));
    }
    at(c.numbers.outputSpatial[i]) = {base == kUnboundedSize ? base : static_cast<int64_t>(size),
                                      dynamicSpatial(c, i)};
  }
  return result;
}

InferResult inferWeightGradient(const Convolution& c) {
  const int64_t batch = c.lhsSize(c.numbers.inputBatch), rhsBatch = c.rhsSize(c.numbers.outputBatch);
  if (!sameSize(batch, rhsBatch)) {
    return refuse(VerifyKind::OperandShape, fmt::format("{} has {} batches on the left and {} on the right",
                                                        c.op.opcodeText, batch, rhsBatch));
  }
  ArrayShape result = emptyResult(c);
  const auto at = [&](int64_t dimension) -> ArrayShape::Dimension& {
    return result.dimensions[static_cast<size_t>(dimension)];
  };
  const int64_t features = c.lhsSize(c.numbers.inputFeature);
  at(c.numbers.kernelOutputFeature).size = c.rhsSize(c.numbers.outputFeature);
  at(c.numbers.kernelInputFeature).size = features == kUnboundedSize ? features : features / c.featureGroups;
  for (size_t i = 0; i < c.spatialRank(); ++i) at(c.numbers.kernelSpatial[i]).size = c.window[i].size;
  return result;
}

bool matches(const InferResult& inferred, const OpView& op) {
  return inferred && (!op.declared || agrees(*inferred, *op.declared, true));
}

}  // namespace

InferResult inferConvolution(const OpView& op) {
  const ConvolutionDimensionNumbers* numbers = op.get<Attr::DimLabels>();
  if (numbers == nullptr)
    return refuse(VerifyKind::AttributeMissing, fmt::format("{} needs dim_labels", op.opcodeText));
  Shape rhs = op.operand(1);
  if (rhs.isTuple() && rhs.tupleShapes().size() == 2)
    rhs = rhs.tupleShapes()[0];  // a sparse kernel and its indices
  if (!op.operand(0).isArray() || !rhs.isArray()) {
    return refuse(VerifyKind::OperandType, fmt::format("{} takes arrays, got {} and {}", op.opcodeText,
                                                       toString(op.operand(0)), toString(op.operand(1))));
  }
  const Window* window = op.get<Attr::Window>();
  const Convolution c{op,
                      op.operand(0),
                      rhs,
                      window ? window->dimensions : std::span<const WindowDimension>(),
                      *numbers,
                      op.get<Attr::FeatureGroupCount>().value_or(1),
                      op.get<Attr::BatchGroupCount>().value_or(1)};
  TRY_STATUS(expectRanks(c));
  TRY_STATUS(expectGroups(c));
  const ConvolutionKind kind = op.get<Attr::ConvolutionKindKind>().value_or(ConvolutionKind::Unset);
  if (kind == ConvolutionKind::Unset || kind == ConvolutionKind::Fprop) return inferForward(c);
  InferResult gradient = kind == ConvolutionKind::Dgrad ? inferDataGradient(c) : inferWeightGradient(c);
  if (matches(gradient, op)) return gradient;
  // XLA's verifier reads every convolution as a forward one whatever its kind, so that form is right too.
  if (InferResult forward = inferForward(c); op.declared && matches(forward, op)) return forward;
  return gradient;
}

}  // namespace hilo
