// Rules of reductions, windows and convolutions.
#include "core/compiler/spmd/shardy/sharding_rule.h"
#include "core/compiler/spmd/tiling.h"

namespace hilo::sdy {
namespace {

using Kind = RuleFactor::Kind;

bool contains(std::span<const int64_t> list, int64_t value) {
  return std::ranges::find(list, value) != list.end();
}

bool passes(const Window* window, size_t d) {
  return window == nullptr || window->dimensions[d] == WindowDimension();
}

// Along a spatial dimension the image is cut by windows, or by what each window sums over; the larger of the
// two is the outer factor, as far as the image's size goes.
void addSpatial(RuleBuilder& builder, const Instruction& convolution, size_t i) {
  const auto& labels = *convolution.get<Attr::DimLabels>();
  const int64_t image = labels.inputSpatial[i], kernel = labels.kernelSpatial[i],
                out = labels.outputSpatial[i];
  const auto sizeOf = [](Shape shape, int64_t d) { return shape.dimension(static_cast<size_t>(d)); };
  int64_t left = sizeOf(convolution.operand(0)->shape(), image);
  const int64_t windows = sizeOf(convolution.shape(), out);
  const int64_t length = sizeOf(convolution.operand(1)->shape(), kernel);
  const auto add = [&](int64_t size, bool isSum) {
    size = std::min(left, size);
    if (size <= 1) return;
    builder.add({image, isSum ? kernel : -1}, isSum ? -1 : out, size, isSum ? Kind::Sum : Kind::Permute);
    left /= size;
  };
  const bool windowsFirst = windows >= length;
  add(windowsFirst ? windows : length, !windowsFirst);
  add(windowsFirst ? length : windows, windowsFirst);
}

}  // namespace

std::optional<ShardingRule> reduceRule(const Instruction& reduce) {
  RuleBuilder builder(reduce);
  const size_t inputs = reduce.operandCount() / 2;
  const size_t results = leavesOf(reduce.shape()).size();
  const Shape shape = reduce.operand(0)->shape();
  int64_t kept = 0;
  for (size_t d = 0; d < shape.rank(); ++d) {
    std::vector<int64_t> operands(reduce.operandCount(), -1);
    std::fill_n(operands.begin(), inputs, static_cast<int64_t>(d));
    const bool isReduced = contains(reduce.dimensions(), static_cast<int64_t>(d));
    builder.add(operands, std::vector<int64_t>(results, isReduced ? -1 : kept), shape.dimension(d),
                isReduced ? Kind::Sum : Kind::Pass);
    if (!isReduced) ++kept;
  }
  return builder.take();
}

std::optional<ShardingRule> reduceWindowRule(const Instruction& reduce) {
  RuleBuilder builder(reduce);
  const Window* window = reduce.get<Attr::Window>();
  const Shape shape = leavesOf(reduce.shape())[0];
  for (size_t d = 0; d < shape.rank(); ++d)
    builder.addToAll(static_cast<int64_t>(d), shape.dimension(d),
                     passes(window, d) ? Kind::Pass : Kind::Permute);
  return builder.take();
}

std::optional<ShardingRule> selectAndScatterRule(const Instruction& scatter) {
  RuleBuilder builder(scatter);
  const Window* window = scatter.get<Attr::Window>();
  const Shape shape = scatter.shape(), source = scatter.operand(1)->shape();
  for (size_t i = 0; i < shape.rank(); ++i) {
    const auto d = static_cast<int64_t>(i);
    if (passes(window, i)) {
      builder.add({d, d, -1}, d, shape.dimension(i));
      continue;
    }
    builder.add({-1, d, -1}, -1, source.dimension(i), Kind::Whole);
    builder.add({d, -1, -1}, d, shape.dimension(i), Kind::Permute);
  }
  return builder.take();
}

std::optional<ShardingRule> convolutionRule(const Instruction& convolution) {
  const auto* labels = convolution.get<Attr::DimLabels>();
  if (labels == nullptr) return std::nullopt;
  RuleBuilder builder(convolution);
  const auto sizeOf = [](Shape shape, int64_t d) { return shape.dimension(static_cast<size_t>(d)); };
  const Shape kernel = convolution.operand(1)->shape(), out = convolution.shape();
  const int64_t groups = convolution.get<Attr::FeatureGroupCount>().value_or(1);
  const int64_t batchGroups = convolution.get<Attr::BatchGroupCount>().value_or(1);
  if (batchGroups > 1)
    builder.add({labels->inputBatch, labels->kernelOutputFeature}, labels->outputFeature, batchGroups);
  builder.add({labels->inputBatch, -1}, labels->outputBatch, sizeOf(out, labels->outputBatch));
  for (size_t i = 0; i < labels->inputSpatial.size(); ++i) addSpatial(builder, convolution, i);
  if (groups > 1)
    builder.add({labels->inputFeature, labels->kernelOutputFeature}, labels->outputFeature, groups);
  builder.add({labels->inputFeature, labels->kernelInputFeature}, -1,
              sizeOf(kernel, labels->kernelInputFeature), Kind::Sum);
  const int64_t features = sizeOf(out, labels->outputFeature) / (groups * batchGroups);
  if (features > 1) builder.add({-1, labels->kernelOutputFeature}, labels->outputFeature, features);
  return builder.take();
}

}  // namespace hilo::sdy
