#include "core/compiler/passes/dots/convolution_to_dot.h"

#include "core/analysis/plain_convolution.h"
#include "core/compiler/passes/rewrite_each.h"
#include "core/compiler/passes/shape_ops.h"
#include "core/hlo/expand/expansion.h"

namespace hilo {
namespace {

constexpr int64_t kLeastSize = 16;

using Dims = std::vector<int64_t>;

std::string listed(const Dims& dims) { return fmt::format("{{{}}}", fmt::join(dims, ",")); }

class ConvolutionForm {
 public:
  explicit ConvolutionForm(const Instruction& convolution)
      : input_(convolution.operand(0)->shape().withoutLayout()),
        kernel_(convolution.operand(1)->shape().withoutLayout()),
        result_(convolution.shape().withoutLayout()),
        labels_(*convolution.get<Attr::DimLabels>()),
        window_(convolution.get<Attr::Window>()->dimensions),
        groups_(convolution.get<Attr::FeatureGroupCount>().value_or(1)) {}

  int64_t groups() const { return groups_; }
  bool isBatchFirst() const { return labels_.inputBatch < labels_.inputFeature; }
  int64_t features() const { return result_.dimension(at(labels_.outputFeature)); }
  int64_t places() const { return features() == 0 ? 0 : result_.elementCount() / features(); }
  int64_t products() const {
    const int64_t outputs = kernel_.dimension(at(labels_.kernelOutputFeature));
    return outputs == 0 ? 0 : kernel_.elementCount() / outputs;
  }

  std::string text() const {
    std::string body = fmt::format(
        "HloModule convolution\nENTRY e {{ input = {} parameter(0)\nkernel = {} parameter(1)\n"
        "zero = {}[] constant(0)\n{}",
        toString(input_), toString(kernel_), elementTypeName(input_.elementType()), padded());
    body += windows();
    const std::string product = toString(Shape::array(sumType(), productSizes()));
    body += groups_ > 1 ? productOfGroups(product)
                        : fmt::format(
                              "product = {} dot(windows, kernel), lhs_contracting_dims={}, "
                              "rhs_contracting_dims={}\n",
                              product, listed(summed()), listed(kernelSummed()));
    if (saturates()) body += saturated();
    std::string last = saturates() ? "narrow" : "product";
    if (groups_ > 1) body += withoutGroups(std::exchange(last, "whole"));
    body += fmt::format("ROOT result = {} transpose({}), dimensions={}\n", toString(result_), last,
                        listed(toResult()));
    body += "}";
    return body;
  }

  // Integer results keep to their range, where a dot goes round: sums of 8 bits are made in 32.
  bool saturates() const {
    return isIntegral(result_.elementType()) && elementBits(result_.elementType()) < 64;
  }
  // Whether sums can be made exactly.
  bool isExact() const {
    constexpr int64_t kMostProducts = 32768;  // of 8 bits each, in 32
    const auto isByte = [](Shape shape) { return elementBits(shape.elementType()) <= 8; };
    return !saturates() ||
           (isByte(result_) && isByte(input_) && isByte(kernel_) && products() <= kMostProducts);
  }

 private:
  static size_t at(int64_t d) { return static_cast<size_t>(d); }
  int64_t rank() const { return static_cast<int64_t>(window_.size()); }

  ElementType sumType() const { return saturates() ? ElementType::S32 : result_.elementType(); }

  std::string saturated() const {
    const int bits = elementBits(result_.elementType());
    const bool hasSign = isSigned(result_.elementType());
    const int64_t highest = (int64_t{1} << (hasSign ? bits - 1 : bits)) - 1;
    return fmt::format(
        "low = s32[] constant({})\nhigh = s32[] constant({})\nwithin = {} clamp(low, product, high)\n"
        "narrow = {} convert(within)\n",
        hasSign ? -highest - 1 : 0, highest, toString(Shape::array(ElementType::S32, productSizes())),
        toString(Shape::array(result_.elementType(), productSizes())));
  }

  // The input with what lies beside and between its elements.
  std::string padded() const {
    std::vector<std::string> parts(input_.rank(), "0_0_0");
    for (size_t i = 0; i < window_.size(); ++i)
      parts[at(labels_.inputSpatial[i])] =
          fmt::format("{}_{}_{}", window_[i].paddingLow, window_[i].paddingHigh, window_[i].baseDilation - 1);
    return fmt::format("padded = {} pad(input, zero), padding={}\n", toString(paddedShape()),
                       fmt::join(parts, "x"));
  }
  Shape paddedShape() const {
    Dims sizes(input_.dimensions().begin(), input_.dimensions().end());
    for (size_t i = 0; i < window_.size(); ++i) {
      int64_t& size = sizes[at(labels_.inputSpatial[i])];
      size = std::max<int64_t>(0, (size - 1) * window_[i].baseDilation + 1) + window_[i].paddingLow +
             window_[i].paddingHigh;
    }
    return Shape::array(input_.elementType(), sizes);
  }

  // Of the places of results and then of the windows'.
  Dims placeSizes() const {
    Dims sizes;
    for (size_t i = 0; i < window_.size(); ++i)
      sizes.push_back(result_.dimension(at(labels_.outputSpatial[i])));
    for (const WindowDimension& dimension : window_) sizes.push_back(dimension.size);
    return sizes;
  }

  // Where each product's factor is in the padded input: [results..., windows..., dimension].
  std::string windows() const {
    Dims one = placeSizes(), all = one;
    one.push_back(1);
    all.push_back(rank());
    const std::string shape = toString(Shape::array(ElementType::S32, one));
    std::string text;
    std::vector<std::string> parts;
    for (int64_t i = 0; i < rank(); ++i) {
      const WindowDimension& dimension = window_[at(i)];
      const int64_t step = dimension.windowReversal ? -dimension.windowDilation : dimension.windowDilation;
      const int64_t first = dimension.windowReversal ? dimension.windowDilation * (dimension.size - 1) : 0;
      text += fmt::format(
          "stride{0} = s32[] constant({2})\nstep{0} = s32[] constant({3})\nfirst{0} = s32[] constant({4})\n"
          "strides{0} = {1} broadcast(stride{0}), dimensions={{}}\nsteps{0} = {1} broadcast(step{0}), "
          "dimensions={{}}\n"
          "firsts{0} = {1} broadcast(first{0}), dimensions={{}}\n"
          "out{0} = {1} iota(), iota_dimension={5}\nin{0} = {1} iota(), iota_dimension={6}\n"
          "a{0} = {1} multiply(out{0}, strides{0})\nb{0} = {1} multiply(in{0}, steps{0})\n"
          "c{0} = {1} add(a{0}, b{0})\nplace{0} = {1} add(c{0}, firsts{0})\n",
          i, shape, dimension.stride, step, first, i, rank() + i);
      parts.push_back(fmt::format("place{}", i));
    }
    const std::string places = toString(Shape::array(ElementType::S32, all));
    text += fmt::format("places = {} concatenate({}), dimensions={{{}}}\n", places, fmt::join(parts, ", "),
                        2 * rank());
    return text + gather();
  }

  // [batch, results..., windows..., feature], or feature first and batch last, as they are in the input.
  Dims windowSizes() const {
    Dims sizes = placeSizes();
    sizes.insert(sizes.begin(), input_.dimension(at(std::min(labels_.inputBatch, labels_.inputFeature))));
    sizes.push_back(input_.dimension(at(std::max(labels_.inputBatch, labels_.inputFeature))));
    return sizes;
  }
  std::string gather() const {
    Dims slices(input_.dimensions().begin(), input_.dimensions().end());
    Dims spatial(labels_.inputSpatial.begin(), labels_.inputSpatial.end()), collapsed = spatial;
    std::ranges::sort(collapsed);
    for (const int64_t d : spatial) slices[at(d)] = 1;
    return fmt::format(
        "windows = {} gather(padded, places), offset_dims={}, collapsed_slice_dims={}, start_index_map={}, "
        "index_vector_dim={}, slice_sizes={}\n",
        toString(Shape::array(input_.elementType(), windowSizes())), listed({0, 2 * rank() + 1}),
        listed(collapsed), listed(spatial), 2 * rank(), listed(slices));
  }

  Dims summed() const {
    Dims dims;
    for (int64_t i = 0; i < rank(); ++i) dims.push_back(1 + rank() + i);
    dims.push_back(isBatchFirst() ? 2 * rank() + 1 : 0);
    return dims;
  }
  Dims kernelSummed() const {
    Dims dims(labels_.kernelSpatial.begin(), labels_.kernelSpatial.end());
    dims.push_back(labels_.kernelInputFeature);
    return dims;
  }

  // Groups are a batch dimension: the first of a group's features follows the last of the one before.
  std::string productOfGroups(const std::string& product) const {
    const int64_t outputs = labels_.kernelOutputFeature;
    const auto split = [&](const Dims& sizes, int64_t d) {
      Dims parts = sizes;
      parts[at(d)] /= groups_;
      parts.insert(parts.begin() + d, groups_);
      return parts;
    };
    const Dims windows = split(windowSizes(), 2 * rank() + 1),
               kernel = split({kernel_.dimensions().begin(), kernel_.dimensions().end()}, outputs);
    Dims summedHere = summed(), kernelSummedHere = kernelSummed();
    ++summedHere.back();
    for (int64_t& d : kernelSummedHere) d += d > outputs ? 1 : 0;
    return fmt::format(
        "grouped = {} reshape(windows)\ngroupedkernel = {} reshape(kernel)\n"
        "product = {} dot(grouped, groupedkernel), lhs_batch_dims={{{}}}, rhs_batch_dims={{{}}}, "
        "lhs_contracting_dims={}, rhs_contracting_dims={}\n",
        toString(Shape::array(input_.elementType(), windows)),
        toString(Shape::array(kernel_.elementType(), kernel)), product, 2 * rank() + 1, outputs,
        listed(summedHere), listed(kernelSummedHere));
  }
  // [groups, batch, places..., features of a group] as [batch, places..., feature].
  std::string withoutGroups(const std::string& product) const {
    const ElementType type = result_.elementType();
    Dims whole = productSizes(), order;
    for (int64_t d = 1; d < rank() + 2; ++d) order.push_back(d);
    order.push_back(0);
    order.push_back(rank() + 2);
    whole.erase(whole.begin());
    Dims turned = whole;
    turned.insert(turned.end() - 1, groups_);
    whole.back() *= groups_;
    return fmt::format("turned = {} transpose({}), dimensions={}\nwhole = {} reshape(turned)\n",
                       toString(Shape::array(type, turned)), product, listed(order),
                       toString(Shape::array(type, whole)));
  }

  // [batch, places..., feature], or [places..., batch, feature]; of groups, these and then the former.
  Dims productSizes() const {
    Dims sizes;
    for (const int64_t d : labels_.outputSpatial) sizes.push_back(result_.dimension(at(d)));
    sizes.insert(isBatchFirst() ? sizes.begin() : sizes.end(), result_.dimension(at(labels_.outputBatch)));
    sizes.push_back(features() / groups_);
    if (groups_ > 1) sizes.insert(sizes.begin(), groups_);
    return sizes;
  }
  Dims toResult() const {
    Dims from(result_.rank());
    const int64_t batch = isBatchFirst() ? 0 : rank();
    from[at(labels_.outputBatch)] = batch;
    from[at(labels_.outputFeature)] = rank() + 1;
    for (int64_t i = 0; i < rank(); ++i)
      from[at(labels_.outputSpatial[at(i)])] = i + (isBatchFirst() ? 1 : 0);
    return from;
  }

  const Shape input_, kernel_, result_;
  const ConvolutionDimensionNumbers labels_;
  const std::span<const WindowDimension> window_;
  const int64_t groups_;
};

bool isPlain(Shape shape) { return shape.isArray() && !shape.isDynamic() && liesRowMajor(shape); }

bool isForDot(const Instruction& i) {
  if (i.opcode() != Opcode::Convolution || i.operandCount() != 2 || i.get<Attr::DimLabels>() == nullptr ||
      i.get<Attr::Window>() == nullptr || i.get<Attr::BatchGroupCount>().value_or(1) != 1)
    return false;
  const Shape input = i.operand(0)->shape(), kernel = i.operand(1)->shape();
  if (!isPlain(i.shape()) || !isPlain(input) || !isPlain(kernel) || isComplex(input.elementType()) ||
      input.elementType() == ElementType::Pred || i.shape().rank() < 3 || input.elementCount() == 0)
    return false;
  const ConvolutionForm form(i);
  const bool isKnown = form.groups() == 1 || (form.groups() > 1 && form.isBatchFirst());
  return isKnown && form.isExact() &&
         std::min({form.places(), form.features() / form.groups(), form.products()}) >= kLeastSize;
}

bool isForDotAlone(const Instruction& i) { return isForDot(i) && !plainConvolution(i); }

Instruction* asDot(Instruction& convolution) {
  return library::Expansion(convolution)
      .callText(ConvolutionForm(convolution).text(), {},
                std::array{convolution.operand(0), convolution.operand(1)});
}

}  // namespace

Result<bool> writeConvolutionsAsDots(Module& module, PassContext& context,
                                     const ConvolutionDotSettings& settings) {
  return rewriteEach(module, context, "as dot", settings.leavesPlain ? isForDotAlone : isForDot, asDot);
}

}  // namespace hilo
