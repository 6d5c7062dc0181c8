// Batch normalisation of fewer elements than there is room for: sums are of what is real, by how many that
// is. In f64 and rounded once, as the evaluator does it for whole arrays.
#include "core/hlo/expand/dynamic_expansion.h"

namespace hilo {
namespace {

class Norm {
 public:
  explicit Norm(DynamicExpansion& e)
      : e_(e),
        feature_(static_cast<size_t>(*e.call().get<Attr::FeatureIndex>())),
        sizes_(e.sizesOf(0)),
        shape_(Shape::array(ElementType::F64, e.operand(0)->shape().dimensions())) {
    for (size_t d = 0; d < sizes_.size(); ++d) {
      if (d != feature_) summed_.push_back(static_cast<int64_t>(d));
    }
  }

  // Whether how many there are makes a difference to a feature.
  bool sumsPadding() const {
    return std::ranges::any_of(summed_, [&](int64_t d) { return sizes_[static_cast<size_t>(d)] != nullptr; });
  }
  RealSizes featureSizes() const { return {sizes_[feature_]}; }
  const RealSizes& sizes() const { return sizes_; }

  Instruction* wide(size_t operand) const { return e_.convert(e_.whole(operand), ElementType::F64); }
  // One number a feature, for all elements.
  Instruction* along(Instruction* value) const {
    return e_.broadcast(value, shape_, std::array{static_cast<int64_t>(feature_)});
  }
  Instruction* sum(Instruction* value) const {
    for (const int64_t d : summed_) {
      Instruction* size = sizes_[static_cast<size_t>(d)];
      if (size != nullptr) value = e_.filled(value, static_cast<size_t>(d), size, e_.zero(ElementType::F64));
    }
    return e_.reduce(value, summed_, Opcode::Add, 0);
  }
  // By how many there are of each feature.
  Instruction* shared(Instruction* value) const {
    Instruction* count = e_.splat(Shape::scalar(ElementType::F64), 1);
    for (const int64_t d : summed_) {
      Instruction* size = e_.size(sizes_, shape_, static_cast<size_t>(d));
      count = times(count, e_.convert(size, ElementType::F64));
    }
    return over(value, e_.broadcastScalar(count, value->shape()));
  }
  // And epsilon.
  Instruction* spread(Instruction* variance) const {
    const double epsilon = e_.call().get<Attr::Epsilon>().value_or(0);
    return e_.plus(variance, e_.splat(variance->shape(), epsilon));
  }
  Instruction* root(Instruction* value) const { return e_.unary(Opcode::Sqrt, value); }
  Instruction* times(Instruction* a, Instruction* b) const { return e_.times(a, b); }
  Instruction* over(Instruction* a, Instruction* b) const { return e_.binary(Opcode::Divide, a, b); }

  // The elements, and two numbers a feature.
  Result<Instruction*> give(Instruction* elements, Instruction* first, Instruction* second) const {
    std::vector<Instruction*> given;
    for (Instruction* value : {elements, first, second}) {
      const Shape shape = e_.shape().tupleShapes()[given.size()];
      Instruction* rounded = e_.add(Opcode::Convert, shape.withStaticDimensions(), {value});
      TRY(rounded, e_.give(rounded, given.empty() ? sizes_ : featureSizes(), shape));
      given.push_back(rounded);
    }
    return e_.add(Opcode::Tuple, e_.shape(), given);
  }

 private:
  DynamicExpansion& e_;
  size_t feature_;
  RealSizes sizes_;
  Shape shape_;
  std::vector<int64_t> summed_;
};

// Each feature by itself.
Result<Instruction*> byFeature(DynamicExpansion& e, const Norm& norm) {
  std::vector<Instruction*> operands;
  for (size_t n = 0; n < e.operandCount(); ++n) operands.push_back(e.whole(n));
  std::vector<RealSizes> sizes(e.resultCount(), norm.featureSizes());
  sizes[0] = norm.sizes();
  return e.giveElements(e.again(operands), sizes);
}

}  // namespace

Result<Instruction*> padBatchNormInference(DynamicExpansion& e) { return byFeature(e, Norm(e)); }

Result<Instruction*> padBatchNormTraining(DynamicExpansion& e) {
  const Norm norm(e);
  if (!norm.sumsPadding()) return byFeature(e, norm);
  Instruction *x = norm.wide(0), *mean = norm.shared(norm.sum(x)), *centred = e.minus(x, norm.along(mean));
  Instruction* variance = norm.shared(norm.sum(norm.times(centred, centred)));
  Instruction* normal = norm.over(centred, norm.along(norm.root(norm.spread(variance))));
  Instruction* scaled = norm.times(normal, norm.along(norm.wide(1)));
  return norm.give(e.plus(scaled, norm.along(norm.wide(2))), mean, variance);
}

// Operands: activations, scale, mean, variance, gradient of the output.
Result<Instruction*> padBatchNormGrad(DynamicExpansion& e) {
  const Norm norm(e);
  if (!norm.sumsPadding()) return byFeature(e, norm);
  Instruction *grad = norm.wide(4), *centred = e.minus(norm.wide(0), norm.along(norm.wide(2)));
  Instruction *spread = norm.spread(norm.wide(3)), *offsetGrad = norm.sum(grad),
              *products = norm.sum(norm.times(grad, centred));
  Instruction* slope = norm.over(norm.times(centred, norm.along(products)), norm.along(spread));
  Instruction* left = e.minus(grad, norm.along(norm.shared(offsetGrad)));
  Instruction* inputGrad =
      norm.times(norm.along(norm.over(norm.wide(1), norm.root(spread))), e.minus(left, norm.shared(slope)));
  return norm.give(inputGrad, norm.over(products, norm.root(spread)), offsetGrad);
}

}  // namespace hilo
