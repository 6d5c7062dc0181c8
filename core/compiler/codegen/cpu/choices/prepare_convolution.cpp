#include "core/compiler/codegen/cpu/choices/library_convolution.h"
#include "core/compiler/codegen/cpu/choices/library_dots.h"

namespace hilo {
namespace {

using Dimensions = std::vector<int64_t>;

// Row-major; with a layout where `like` has one.
Shape denseShape(ElementType type, std::span<const int64_t> dimensions, Shape like) {
  const Layout layout = Layout::descending(dimensions.size());
  return Shape::array(type, dimensions, like.layout() == nullptr ? nullptr : &layout);
}

// A convolution while it is rewritten: steps change the operands and what says how to read them.
class Rewriting {
 public:
  explicit Rewriting(Instruction& convolution)
      : convolution_(convolution), input_(convolution.operand(0)), kernel_(convolution.operand(1)) {
    const auto& n = *convolution.get<Attr::DimLabels>();
    const auto all = [](int64_t first, int64_t second, std::span<const int64_t> space) {
      Dimensions roles = {first, second};
      roles.insert(roles.end(), space.begin(), space.end());
      return roles;
    };
    inputRoles_ = all(n.inputBatch, n.inputFeature, n.inputSpatial);
    kernelRoles_ = all(n.kernelInputFeature, n.kernelOutputFeature, n.kernelSpatial);
    resultRoles_ = all(n.outputBatch, n.outputFeature, n.outputSpatial);
    const auto window = convolution.get<Attr::Window>()->dimensions;
    window_.assign(window.begin(), window.end());
  }

  void widen() {
    for (Instruction** operand : {&input_, &kernel_})
      *operand = create(Opcode::Convert, (*operand)->shape().withElementType(ElementType::F32), {*operand});
  }

  void padInput() {
    const Shape shape = input_->shape();
    std::vector<PaddingDimension> padding(shape.rank());
    Dimensions sizes(shape.dimensions().begin(), shape.dimensions().end());
    for (size_t i = 0; i < window_.size(); ++i) {
      WindowDimension& w = window_[i];
      const auto d = static_cast<size_t>(inputRoles_[i + 2]);
      padding[d] = {w.paddingLow, w.paddingHigh, w.baseDilation - 1};
      sizes[d] = (sizes[d] - 1) * w.baseDilation + 1 + w.paddingLow + w.paddingHigh;
      w.paddingLow = w.paddingHigh = 0;
      w.baseDilation = 1;
    }
    Instruction* zero =
        convolution_.parent().createConstant(Literal(Shape::scalar(shape.elementType())), &convolution_);
    input_ = create(Opcode::Pad, denseShape(shape.elementType(), sizes, shape), {input_, zero});
    input_->set<Attr::Padding>(padding);
  }

  void reverseKernel(ConvolutionKind kind) {
    Dimensions reversed;
    for (size_t i = 0; i < window_.size(); ++i) {
      if (!isKernelReversed(window_[i], kind)) continue;
      reversed.push_back(kernelRoles_[i + 2]);
      window_[i].windowReversal = !window_[i].windowReversal;
    }
    kernel_ = create(Opcode::Reverse, kernel_->shape(), {kernel_});
    kernel_->set<Attr::Dimensions>(reversed);
  }

  // The group, the slower part of the batch, becomes the slower part of the features.
  void foldBatchGroups() {
    const int64_t groups = *convolution_.get<Attr::BatchGroupCount>();
    const auto batch = static_cast<size_t>(inputRoles_[0]), feature = static_cast<size_t>(inputRoles_[1]);
    const Shape shape = input_->shape();
    Dimensions split(shape.dimensions().begin(), shape.dimensions().end());
    split[batch] /= groups;
    split.insert(split.begin() + static_cast<ptrdiff_t>(batch), groups);
    Dimensions moved;
    for (size_t d = 0; d < shape.rank(); ++d) {
      if (d == feature) moved.push_back(static_cast<int64_t>(batch));
      moved.push_back(static_cast<int64_t>(d >= batch ? d + 1 : d));
    }
    Dimensions joined(shape.dimensions().begin(), shape.dimensions().end());
    joined[batch] /= groups;
    joined[feature] *= groups;
    const ElementType type = shape.elementType();
    input_ = create(Opcode::Reshape, denseShape(type, split, shape), {input_});
    Dimensions movedSizes;
    for (const int64_t d : moved) movedSizes.push_back(split[static_cast<size_t>(d)]);
    input_ = create(Opcode::Transpose, denseShape(type, movedSizes, shape), {input_});
    input_->set<Attr::Dimensions>(moved);
    input_ = create(Opcode::Reshape, denseShape(type, joined, shape), {input_});
    foldedGroups_ = groups;
  }

  void orderOperands(const LibraryConvolution& plan) {
    if (!plan.inputOrder.empty()) input_ = inOrder(input_, plan.inputOrder, inputRoles_);
    if (!plan.kernelOrder.empty()) kernel_ = inOrder(kernel_, plan.kernelOrder, kernelRoles_);
  }

  // The new convolution, and what stands for the old one.
  Instruction* finish(const LibraryConvolution& plan) {
    const Shape shape = convolution_.shape();
    const bool moves = !plan.resultOrder.empty() && !liesInOrder(shape, plan.resultOrder);
    Dimensions back(shape.rank()), sizes(shape.dimensions().begin(), shape.dimensions().end());
    for (size_t i = 0; moves && i < back.size(); ++i) {
      sizes[i] = shape.dimension(static_cast<size_t>(plan.resultOrder[i]));
      back[static_cast<size_t>(plan.resultOrder[i])] = static_cast<int64_t>(i);
    }
    const ElementType type = plan.widens ? ElementType::F32 : shape.elementType();
    const Shape made = moves ? denseShape(type, sizes, shape) : shape.withElementType(type);
    Instruction* result = convolution_.parent().createLike(convolution_, {{input_, kernel_}}, &convolution_);
    result->setShape(made);
    if (moves) {
      for (int64_t& role : resultRoles_) role = back[static_cast<size_t>(role)];
    }
    describe(*result);
    if (moves) {
      result = create(Opcode::Transpose, shape.withElementType(type), {result});
      result->set<Attr::Dimensions>(back);
    }
    return plan.widens ? create(Opcode::Convert, shape, {result}) : result;
  }

 private:
  Instruction* create(Opcode opcode, Shape shape, std::initializer_list<Instruction*> operands) {
    return convolution_.parent().create(opcode, shape, operands, {}, &convolution_);
  }

  // The array with its elements in that order.
  Instruction* inOrder(Instruction* array, const Dimensions& order, Dimensions& roles) {
    const Shape shape = array->shape();
    if (liesInOrder(shape, order)) return array;
    Dimensions sizes, places(order.size());
    for (size_t i = 0; i < order.size(); ++i) {
      sizes.push_back(shape.dimension(static_cast<size_t>(order[i])));
      places[static_cast<size_t>(order[i])] = static_cast<int64_t>(i);
    }
    for (int64_t& role : roles) role = places[static_cast<size_t>(role)];
    Instruction* moved = create(Opcode::Transpose, denseShape(shape.elementType(), sizes, shape), {array});
    moved->set<Attr::Dimensions>(order);
    return moved;
  }

  void describe(Instruction& result) const {
    const auto space = [](const Dimensions& roles) { return std::span(roles).subspan(2); };
    const ConvolutionDimensionNumbers numbers = {inputRoles_[0],  inputRoles_[1],  space(inputRoles_),
                                                 kernelRoles_[0], kernelRoles_[1], space(kernelRoles_),
                                                 resultRoles_[0], resultRoles_[1], space(resultRoles_)};
    const Window window = {window_};
    result.set<Attr::DimLabels>(&numbers);
    result.set<Attr::Window>(&window);
    if (foldedGroups_ > 0) {
      result.erase(Attr::BatchGroupCount);
      result.set<Attr::FeatureGroupCount>(foldedGroups_);
    }
  }

  Instruction& convolution_;
  Instruction *input_, *kernel_;
  Dimensions inputRoles_, kernelRoles_, resultRoles_;  // two roles, then space
  std::vector<WindowDimension> window_;
  int64_t foldedGroups_ = 0;
};

bool liesAsWanted(const Instruction& convolution, const LibraryConvolution& plan) {
  const auto lies = [](Shape shape, const Dimensions& order) {
    return order.empty() || liesInOrder(shape, order);
  };
  return lies(convolution.operand(0)->shape(), plan.inputOrder) &&
         lies(convolution.operand(1)->shape(), plan.kernelOrder) &&
         lies(convolution.shape(), plan.resultOrder);
}

}  // namespace

bool prepareConvolution(Instruction& convolution, PassContext& context) {
  const auto plan = libraryConvolution(convolution);
  if (!plan || (!plan->needsRewriting() && liesAsWanted(convolution, *plan))) return false;
  if (!context.mayChange(convolution)) return false;
  Rewriting rewriting(convolution);
  if (plan->widens) rewriting.widen();
  if (plan->padsInput) rewriting.padInput();
  if (plan->reversesKernel) rewriting.reverseKernel(plan->kind);
  if (plan->foldsBatchGroups) rewriting.foldBatchGroups();
  rewriting.orderOperands(*plan);
  Instruction* result = rewriting.finish(*plan);
  context.remark(convolution, "rewritten", "brought into the form the library takes convolutions in");
  convolution.parent().replaceAllUses(&convolution, result);
  return true;
}

}  // namespace hilo
