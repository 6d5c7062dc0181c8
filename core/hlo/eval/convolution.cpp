#include <cstring>
#include <numeric>

#include "core/hlo/eval/contraction.h"
#include "core/hlo/eval/handlers.h"
#include "core/hlo/eval/window.h"

namespace hilo::eval {
namespace {

// A convolution with its arrays brought to one form: input [batch][group][space...][channel], kernel
// [space...][channel][out feature], output [batch][space...][out feature], where `channel` runs within one
// feature group.
struct ConvolutionGeometry {
  DimVector inputSpace, kernelSpace, outputSpace;
  int64_t featureGroups = 1, batchGroups = 1;
  int64_t inputBatch = 0, channels = 0, outFeatures = 0, outputBatch = 0;
  DimVector inputOrder, kernelOrder, outputOrder;  // dimensions of each array, outermost first
};

Result<ConvolutionGeometry> readConvolution(const Instruction& instruction, Shape input, Shape kernel) {
  const Shape output = instruction.shape();
  const auto* numbers = instruction.get<Attr::DimLabels>();
  const Window* window = instruction.get<Attr::Window>();
  EVAL_REQUIRE(input.isArray() && kernel.isArray() && output.isArray() && numbers != nullptr,
               "needs arrays and dim_labels");
  const size_t space = numbers->inputSpatial.size();
  EVAL_REQUIRE(numbers->kernelSpatial.size() == space && numbers->outputSpatial.size() == space &&
                   input.rank() == space + 2 && kernel.rank() == space + 2 && output.rank() == space + 2,
               "dim_labels and shapes differ in rank");
  EVAL_REQUIRE(space == 0 || (window != nullptr && window->dimensions.size() == space),
               "the window has another rank");
  ConvolutionGeometry g;
  g.inputOrder = {numbers->inputBatch};
  g.inputOrder.insert(g.inputOrder.end(), numbers->inputSpatial.begin(), numbers->inputSpatial.end());
  g.inputOrder.push_back(numbers->inputFeature);
  g.kernelOrder.assign(numbers->kernelSpatial.begin(), numbers->kernelSpatial.end());
  g.kernelOrder.push_back(numbers->kernelInputFeature);
  g.kernelOrder.push_back(numbers->kernelOutputFeature);
  g.outputOrder = {numbers->outputBatch};
  g.outputOrder.insert(g.outputOrder.end(), numbers->outputSpatial.begin(), numbers->outputSpatial.end());
  g.outputOrder.push_back(numbers->outputFeature);
  EVAL_REQUIRE(areDistinctDimensions(g.inputOrder, input.rank()) &&
                   areDistinctDimensions(g.kernelOrder, kernel.rank()) &&
                   areDistinctDimensions(g.outputOrder, output.rank()),
               "dim_labels name a dimension twice");
  for (size_t i = 0; i < space; ++i) {
    g.inputSpace.push_back(input.dimension(numbers->inputSpatial[i]));
    g.kernelSpace.push_back(kernel.dimension(numbers->kernelSpatial[i]));
    g.outputSpace.push_back(output.dimension(numbers->outputSpatial[i]));
    EVAL_REQUIRE(window->dimensions[i].size == g.kernelSpace[i], "the window differs from the kernel");
  }
  g.featureGroups = instruction.get<Attr::FeatureGroupCount>().value_or(1);
  g.batchGroups = instruction.get<Attr::BatchGroupCount>().value_or(1);
  g.inputBatch = input.dimension(numbers->inputBatch);
  g.channels = kernel.dimension(numbers->kernelInputFeature);
  g.outFeatures = kernel.dimension(numbers->kernelOutputFeature);
  g.outputBatch = output.dimension(numbers->outputBatch);
  EVAL_REQUIRE(g.featureGroups > 0 && g.batchGroups > 0 &&
                   input.dimension(numbers->inputFeature) % g.featureGroups == 0 &&
                   input.dimension(numbers->inputFeature) / g.featureGroups == g.channels &&
                   g.outFeatures % g.featureGroups == 0 && g.outFeatures % g.batchGroups == 0 &&
                   g.inputBatch % g.batchGroups == 0 && g.outputBatch == g.inputBatch / g.batchGroups &&
                   output.dimension(numbers->outputFeature) == g.outFeatures,
               "features, batch and group counts do not fit together");
  if (space > 0)
    TRY_STATUS(checkWindow(instruction, window, Shape::array(ElementType::Pred, g.inputSpace),
                           Shape::array(ElementType::Pred, g.outputSpace)));
  return g;
}

template <typename T>
std::vector<T> arranged(const Literal& literal, std::span<const int64_t> order, ElementType type) {
  const Shape shape = literal.shape();
  const DimVector strides = rowMajorStrides(shape.dimensions());
  DimVector sizes, from;
  for (const int64_t d : order) {
    sizes.push_back(shape.dimension(d));
    from.push_back(strides[d]);
  }
  std::vector<std::byte> moved(literal.bytes().size());
  copyStrided(moved.data(), literal.bytes().data(), storageBytes(shape), sizes, {0, from});
  std::vector<T> values(static_cast<size_t>(shape.elementCount()));
  convertElements(values.data(), type, moved.data(), shape.elementType(), shape.elementCount());
  return values;
}

// Adds one output position (all features): the kernel positions that meet real input are the outer loop. The
// inner one runs along the features that read the same input, and so vectorises without reordering any sum.
template <typename T>
void accumulatePosition(T* out, const T* input, const T* kernel, const ConvolutionGeometry& g,
                        const Window* window, std::span<const int64_t> inputStrides,
                        std::span<const int64_t> place, int64_t batch) {
  const int64_t features = g.channels * g.featureGroups;
  int64_t inputPositions = 1;
  for (const int64_t size : g.inputSpace) inputPositions *= size;
  const int64_t featuresAGroup = g.outFeatures / g.featureGroups,
                featuresABatchGroup = g.outFeatures / g.batchGroups,
                together = std::gcd(featuresAGroup, featuresABatchGroup);
  const DimVector unit(g.kernelSpace.size(), 0);
  const Window none;
  for (StridedCounter<1> at(g.kernelSpace, {unit}); !at.done(); at.next()) {
    const auto offset =
        windowedOffset(window ? *window : none, g.inputSpace, inputStrides, place, at.index());
    if (!offset) continue;
    int64_t kernelAt = 0;
    for (size_t d = 0; d < g.kernelSpace.size(); ++d) {
      const int64_t k = at.index(d);
      kernelAt =
          kernelAt * g.kernelSpace[d] + (window->dimensions[d].windowReversal ? g.kernelSpace[d] - 1 - k : k);
    }
    for (int64_t f = 0; f < g.outFeatures; f += together) {
      const int64_t from = batch + f / featuresABatchGroup * g.outputBatch;
      const T* a = input + (from * inputPositions + *offset) * features + f / featuresAGroup * g.channels;
      for (int64_t c = 0; c < g.channels; ++c) {
        const T factor = a[c];
        const T* line = kernel + (kernelAt * g.channels + c) * g.outFeatures + f;
        for (int64_t j = 0; j < together; ++j) out[f + j] = multiplyAdd(out[f + j], factor, line[j]);
      }
    }
  }
}

// Integer results saturate, as in XLA's evaluator.
void saturate(std::vector<int64_t>& values, ElementType type) {
  const int bits = elementBits(type);
  if (!isIntegral(type) || bits >= 64) return;
  const int64_t highest = (int64_t{1} << (isSigned(type) ? bits - 1 : bits)) - 1,
                lowest = isSigned(type) ? -highest - 1 : 0;
  for (int64_t& value : values) value = std::clamp(value, lowest, highest);
}

// A sparse operand is (values, places): of every block of elements along a dimension one is not 0, and this
// is where in the block it stands. Gives all elements. XLA: literal_util.cc, MaterializeSparseOperand.
Result<Literal> densified(const Instruction& instruction, const Literal& sparse,
                          const TensorSparsity& sparsity, EvalContext& context) {
  EVAL_REQUIRE(sparsity.numNonZero == 1 && sparsity.stride == 1,
               "a sparse operand has more than one value in a block, or blocks that interlace");
  EVAL_REQUIRE(sparse.elements().size() == 2, "a sparse operand is not its values and their places");
  const Literal& values = sparse.elements()[0];
  const Literal& places = sparse.elements()[1];
  const Shape shape = values.shape();
  EVAL_REQUIRE(shape.isArray() && places.shape().isArray() && sameDimensions(shape, places.shape()) &&
                   holdsIntegers(places) && sparsity.dimension >= 0 &&
                   sparsity.dimension < static_cast<int64_t>(shape.rank()),
               "the places of a sparse operand do not fit its values");
  DimVector sizes(shape.dimensions().begin(), shape.dimensions().end());
  int64_t& size = sizes[static_cast<size_t>(sparsity.dimension)];
  EVAL_REQUIRE(sparsity.blockSize > 0 && sparsity.blockSize < int64_t{1} << 40 && size < int64_t{1} << 22,
               "a block of a sparse operand is too large");
  size *= sparsity.blockSize;
  EVAL_REQUIRE(productOf(sizes) <= context.options().maxLiveBytes / 16, "a sparse operand is too large");
  TRY(Literal dense, context.make(Shape::array(shape.elementType(), sizes)));
  const auto out = dense.mutableBytes();
  const DimVector strides = rowMajorStrides(sizes);
  DimVector steps = strides;
  steps[static_cast<size_t>(sparsity.dimension)] *= sparsity.blockSize;
  const int bytes = storageBytes(shape);
  int64_t from = 0;
  for (StridedCounter<1> at(shape.dimensions(), {steps}); !at.done(); at.next(), ++from) {
    const int64_t place = integerAt(places, from);
    EVAL_REQUIRE(place >= 0 && place < sparsity.blockSize, "a place lies outside its block");
    const int64_t to = at.offset(0) + place * strides[static_cast<size_t>(sparsity.dimension)];
    std::memcpy(out.data() + to * bytes, values.bytes().data() + from * bytes, static_cast<size_t>(bytes));
  }
  return dense;
}

}  // namespace

Result<Literal> convolution(const Instruction& instruction, std::span<Literal> operands,
                            EvalContext& context) {
  const Shape shape = instruction.shape();
  if (const SparsityConfig* sparsity = instruction.get<Attr::SparsityConfig>()) {
    for (const size_t side : {0, 1}) {
      const auto& config = side == 0 ? sparsity->lhs : sparsity->rhs;
      if (!config || !operands[side].isTuple()) continue;
      TRY(operands[side], densified(instruction, operands[side], *config, context));
    }
  }
  TRY_STATUS(checkDotRoom(instruction, {operands[0].shape(), operands[1].shape(), shape}, context));
  TRY(const ConvolutionGeometry g, readConvolution(instruction, operands[0].shape(), operands[1].shape()));
  const Window* window = instruction.get<Attr::Window>();
  const ElementType type = commonAccumulation({operands[0].shape(), operands[1].shape(), shape}, context);
  return visitAccumulationType(type, [&]<typename T>() -> Result<Literal> {
    const auto input = arranged<T>(operands[0], g.inputOrder, type),
               kernel = arranged<T>(operands[1], g.kernelOrder, type);
    std::vector<T> out(static_cast<size_t>(shape.elementCount()));
    const DimVector inputStrides = rowMajorStrides(g.inputSpace), unit(g.outputSpace.size(), 0);
    T* position = out.data();
    for (int64_t batch = 0; batch < g.outputBatch; ++batch) {
      for (StridedCounter<1> at(g.outputSpace, {unit}); !at.done(); at.next(), position += g.outFeatures) {
        TRY_STATUS(context.poll());
        accumulatePosition(position, input.data(), kernel.data(), g, window, inputStrides, at.index(), batch);
      }
    }
    if constexpr (std::is_same_v<T, int64_t>) saturate(out, shape.elementType());
    TRY(Literal result, context.make(shape));
    std::vector<std::byte> rounded(static_cast<size_t>(shape.elementCount()) * storageBytes(shape));
    convertElements(rounded.data(), shape.elementType(), out.data(), type, shape.elementCount());
    const DimVector strides = rowMajorStrides(shape.dimensions());
    DimVector sizes, to;
    for (const int64_t d : g.outputOrder) {
      sizes.push_back(shape.dimension(d));
      to.push_back(strides[d]);
    }
    moveStrided(result.mutableBytes().data(), {0, to}, rounded.data(), {0, rowMajorStrides(sizes)},
                storageBytes(shape), sizes);
    return result;
  });
}

}  // namespace hilo::eval
