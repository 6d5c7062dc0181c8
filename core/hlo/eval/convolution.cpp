#include <cstring>
#include <numeric>

#include "core/hlo/eval/chunks.h"
#include "core/hlo/eval/contraction.h"
#include "core/hlo/eval/dot_rows.h"
#include "core/hlo/eval/handlers.h"
#include "core/hlo/eval/window.h"

namespace hilo::eval {
namespace {

// A convolution with its arrays brought to one form: input [batch][group][space...][channel], kernel
// [space...][channel][out feature], output [batch][space...][out feature], where `channel` runs within
// one feature group.
struct ConvolutionGeometry {
  DimVector inputSpace, kernelSpace, outputSpace;
  int64_t featureGroups = 1, batchGroups = 1;
  int64_t inputBatch = 0, channels = 0, outFeatures = 0, outputBatch = 0;
  DimVector inputOrder, kernelOrder, outputOrder;  // dimensions of each array, outermost first

  int64_t features() const { return channels * featureGroups; }
  int64_t outputPositions() const { return productOf(outputSpace); }
  // How many features in a row read the same input.
  int64_t featuresTogether() const {
    return std::gcd(outFeatures / featureGroups, outFeatures / batchGroups);
  }
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

// The array in the type sums run in, its dimensions in this order.
Result<Literal> arranged(const Literal& literal, std::span<const int64_t> order, ElementType type,
                         EvalContext& context) {
  const Shape shape = literal.shape();
  const DimVector strides = rowMajorStrides(shape.dimensions());
  DimVector sizes, from;
  for (const int64_t d : order) {
    sizes.push_back(shape.dimension(d));
    from.push_back(strides[d]);
  }
  TRY(Literal values, context.make(Shape::array(type, sizes)));
  std::vector<std::byte> moved;
  const std::byte* elements = literal.bytes().data();
  if (!std::ranges::is_sorted(order)) {
    moved.resize(literal.bytes().size());
    copyStrided(moved.data(), elements, storageBytes(shape), sizes, {0, from});
    elements = moved.data();
  }
  convertElements(values.mutableBytes().data(), type, elements, shape.elementType(), shape.elementCount());
  return values;
}

// `out`, its dimensions in the order of the convolution, as the result.
Result<Literal> rounded(const Literal& out, Shape shape, std::span<const int64_t> order,
                        EvalContext& context) {
  TRY(Literal result, context.make(shape));
  const ElementType type = out.shape().elementType();
  if (std::ranges::is_sorted(order)) {
    convertElements(result.mutableBytes().data(), shape.elementType(), out.bytes().data(), type,
                    shape.elementCount());
    return result;
  }
  std::vector<std::byte> inOrder(static_cast<size_t>(shape.elementCount()) * storageBytes(shape));
  convertElements(inOrder.data(), shape.elementType(), out.bytes().data(), type, shape.elementCount());
  const DimVector strides = rowMajorStrides(shape.dimensions());
  DimVector sizes, to;
  for (const int64_t d : order) {
    sizes.push_back(shape.dimension(d));
    to.push_back(strides[d]);
  }
  moveStrided(result.mutableBytes().data(), {0, to}, inOrder.data(), {0, rowMajorStrides(sizes)},
              storageBytes(shape), sizes);
  return result;
}

// Adds up all features of some output positions. Positions of the kernel are the outer loop, each with the
// output positions at which it meets real input.
template <typename T>
class PositionSums {
 public:
  PositionSums(const ConvolutionGeometry& g, const Window* window, const T* input, const T* kernel,
               bool areExact)
      : g_(g), window_(window ? *window : Window()), input_(input), kernel_(kernel), areExact_(areExact) {}

  // `out` are the features of output position `first`, positions being counted through all of the batch.
  void add(T* out, int64_t first, int64_t count) const {
    const DimVector outputStrides = rowMajorStrides(g_.outputSpace),
                    inputStrides = rowMajorStrides(g_.inputSpace);
    std::vector<DimVector> places;
    for (int64_t i = first; i < first + count; ++i) {
      DimVector& place = places.emplace_back();
      for (size_t d = 0; d < g_.outputSpace.size(); ++d)
        place.push_back(i % g_.outputPositions() / outputStrides[d] % g_.outputSpace[d]);
    }
    const DimVector unit(g_.kernelSpace.size(), 0);
    std::vector<DotRow<T>> rows;
    for (StridedCounter<1> at(g_.kernelSpace, {unit}); !at.done(); at.next()) {
      rows.clear();
      for (int64_t i = 0; i < count; ++i) {
        const auto offset =
            windowedOffset(window_, g_.inputSpace, inputStrides, places[static_cast<size_t>(i)], at.index());
        const int64_t image = (first + i) / g_.outputPositions() * productOf(g_.inputSpace);
        if (offset) rows.push_back({out + i * g_.outFeatures, input_ + (image + *offset) * g_.features()});
      }
      addGroups(rows, kernel_ + kernelPosition(at) * g_.channels * g_.outFeatures);
    }
  }

 private:
  int64_t kernelPosition(const StridedCounter<1>& at) const {
    int64_t position = 0;
    for (size_t d = 0; d < g_.kernelSpace.size(); ++d) {
      const int64_t k =
          window_.dimensions[d].windowReversal ? g_.kernelSpace[d] - 1 - at.index(d) : at.index(d);
      position = position * g_.kernelSpace[d] + k;
    }
    return position;
  }
  // `rows` begin with the first feature and the first channel.
  void addGroups(std::span<const DotRow<T>> rows, const T* kernel) const {
    const int64_t together = g_.featuresTogether();
    std::vector<DotRow<T>> own(rows.begin(), rows.end());
    for (int64_t f = 0; f < g_.outFeatures; f += together) {
      const int64_t image = f / (g_.outFeatures / g_.batchGroups) * g_.outputBatch * productOf(g_.inputSpace),
                    channel = f / (g_.outFeatures / g_.featureGroups) * g_.channels;
      for (size_t i = 0; i < rows.size(); ++i)
        own[i] = {rows[i].sums + f, rows[i].factors + image * g_.features() + channel};
      addProducts<T>(own,
                     {.first = kernel + f,
                      .lines = g_.channels,
                      .columns = together,
                      .lineStride = g_.outFeatures,
                      .columnStride = 1},
                     areExact_);
    }
  }

  const ConvolutionGeometry& g_;
  const Window window_;
  const T* input_;
  const T* kernel_;
  const bool areExact_;
};

// Integer results saturate, as in XLA's evaluator.
void saturate(std::span<int64_t> values, ElementType type) {
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
    TRY(const Literal input, arranged(operands[0], g.inputOrder, type, context));
    TRY(const Literal kernel, arranged(operands[1], g.kernelOrder, type, context));
    TRY(Literal out, context.make(Shape::array(type, {shape.elementCount()})));
    const std::span<T> sums = out.mutableData<T>();
    const PositionSums<T> positionSums(g, window, input.data<T>().data(), kernel.data<T>().data(),
                                       productsAreExact(type, operands[0].shape(), operands[1].shape()));
    const int64_t positions = g.outputBatch * g.outputPositions(), chunk = 256;
    const int64_t operations =
        std::min(chunk, positions) * productOf(g.kernelSpace) * g.channels * g.outFeatures;
    TRY_STATUS(inChunks((positions + chunk - 1) / chunk, operations, context, [&](int64_t i) {
      const int64_t first = i * chunk;
      positionSums.add(sums.data() + first * g.outFeatures, first, std::min(chunk, positions - first));
    }));
    if constexpr (std::is_same_v<T, int64_t>) saturate(sums, shape.elementType());
    return rounded(out, shape, g.outputOrder, context);
  });
}

}  // namespace hilo::eval
