#include "core/compiler/passes/canonicalize/batchnorm_expander.h"

#include <array>

#include "core/compiler/passes/rewrite_each.h"
#include "core/hlo/expand/expansion.h"

namespace hilo {
namespace {

// The operation, and what is asked of its features. Vectors have a number for each feature.
class Norm {
 public:
  explicit Norm(Instruction& norm)
      : call_(norm),
        shape_(norm.operand(0)->shape()),
        vector_(norm.operand(1)->shape()),
        feature_(norm.get<Attr::FeatureIndex>().value_or(0)) {
    for (int64_t d = 0; d < static_cast<int64_t>(shape_.rank()); ++d) {
      if (d != feature_) summed_.push_back(d);
    }
  }

  Instruction* operand(size_t n) const { return call_.operand(n); }
  Instruction* times(Instruction* a, Instruction* b) const { return call_.binary(Opcode::Multiply, a, b); }
  Instruction* plus(Instruction* a, Instruction* b) const { return call_.binary(Opcode::Add, a, b); }
  Instruction* minus(Instruction* a, Instruction* b) const { return call_.binary(Opcode::Subtract, a, b); }
  Instruction* over(Instruction* a, Instruction* b) const { return call_.binary(Opcode::Divide, a, b); }
  Instruction* squared(Instruction* a) const { return times(a, a); }
  // Of a vector or of the whole array.
  Instruction* withEpsilon(Instruction* variance) const {
    return plus(variance, call_.splat(variance->shape(), call_.call().get<Attr::Epsilon>().value_or(0)));
  }
  Instruction* inverseRoot(Instruction* value) const { return call_.unary(Opcode::Rsqrt, value); }
  // A vector for all elements.
  Instruction* along(Instruction* vector) const {
    return call_.broadcast(vector, shape_, std::array{feature_});
  }
  // A scalar for all elements.
  Instruction* everywhere(Instruction* scalar) const { return call_.broadcastScalar(scalar, shape_); }
  Instruction* sum(Instruction* array) const {
    Instruction* total = call_.reduce(array, summed_, Opcode::Add, 0);
    total->setShape(vector_);
    return total;
  }
  Instruction* mean(Instruction* array, Instruction* count) const {
    return over(sum(array), call_.broadcastScalar(count, vector_));
  }
  // How many elements a feature has.
  Instruction* count() const {
    const Shape number = Shape::scalar(ElementType::S32);
    Instruction* count = call_.splat(number, 1);
    for (const int64_t d : summed_) {
      Instruction* size = call_.add(Opcode::GetDimensionSize, number, {operand(0)});
      size->set<Attr::Dimensions>(std::array{d});
      count = times(size, count);
    }
    return call_.convert(count, shape_.elementType());
  }
  Instruction* together(Instruction* array, Instruction* first, Instruction* second) const {
    return call_.add(Opcode::Tuple, call_.shape(), {array, first, second});
  }

 private:
  library::Expansion call_;
  Shape shape_, vector_;
  int64_t feature_;
  std::vector<int64_t> summed_;
};

// Operands: the array, scale, offset.
Instruction* training(const Norm& n) {
  Instruction *count = n.count(), *x = n.operand(0), *mean = n.mean(x, count);
  Instruction* variance = n.minus(n.mean(n.squared(x), count), n.squared(mean));
  Instruction* root = n.inverseRoot(n.withEpsilon(n.along(variance)));
  Instruction* normal = n.times(n.minus(x, n.along(mean)), root);
  Instruction* shifted = n.plus(n.times(normal, n.along(n.operand(1))), n.along(n.operand(2)));
  return n.together(shifted, mean, variance);
}

// Operands: the array, scale, offset, mean, variance.
Instruction* inference(const Norm& n) {
  Instruction* scale = n.times(n.operand(1), n.inverseRoot(n.withEpsilon(n.operand(4))));
  Instruction* shift = n.minus(n.operand(2), n.times(n.operand(3), scale));
  return n.plus(n.times(n.operand(0), n.along(scale)), n.along(shift));
}

// Operands: the array, scale, mean, variance, the gradient of what training gave.
Instruction* grad(const Norm& n) {
  Instruction *count = n.count(), *given = n.operand(4);
  Instruction* centred = n.minus(n.operand(0), n.along(n.operand(2)));
  Instruction* spread = n.withEpsilon(n.operand(3));
  Instruction *root = n.inverseRoot(spread), *products = n.sum(n.times(given, centred));
  Instruction* ofOffset = n.sum(given);
  Instruction* bySpread = n.over(n.times(centred, n.along(products)), n.along(spread));
  Instruction* left = n.minus(n.minus(n.times(n.everywhere(count), given), n.along(ofOffset)), bySpread);
  Instruction* factor = n.over(n.along(n.times(n.operand(1), root)), n.everywhere(count));
  return n.together(n.times(factor, left), n.times(products, root), ofOffset);
}

bool isStatic(const Instruction& i) {
  for (const Instruction* operand : i.operands()) {
    if (operand->shape().isDynamic()) return false;
  }
  return true;
}

bool applies(const Instruction& i, const ExpandedBatchNorms& which) {
  switch (i.opcode()) {
    case Opcode::BatchNormTraining:
      return which.training && isStatic(i);
    case Opcode::BatchNormInference:
      return which.inference && isStatic(i);
    case Opcode::BatchNormGrad:
      return which.grad && isStatic(i);
    default:
      return false;
  }
}

// Arrays like the operand are sharded as the result is; all else is on its one device, or everywhere.
void shard(const Instruction& norm, Instruction& result, Instruction* before) {
  const Sharding* sharding = norm.get<Attr::Sharding>();
  if (sharding == nullptr) return;
  const Sharding* ofArray = sharding->elements.empty() ? sharding : &sharding->elements[0];
  const bool isOnOneDevice = ofArray->type == Sharding::Type::Maximal;
  const Sharding everywhere, *ofRest = isOnOneDevice ? ofArray : &everywhere;
  for (Instruction* i = before == nullptr ? norm.parent().first() : before->next(); i != &norm; i = i->next())
    i->set<Attr::Sharding>(i->shape() == norm.operand(0)->shape() ? ofArray : ofRest);
  result.set<Attr::Sharding>(sharding);
}

Instruction* expanded(Instruction& i) {
  Instruction* before = i.previous();
  const Norm norm(i);
  Instruction* result = i.opcode() == Opcode::BatchNormTraining    ? training(norm)
                        : i.opcode() == Opcode::BatchNormInference ? inference(norm)
                                                                   : grad(norm);
  shard(i, *result, before);
  return result;
}

}  // namespace

Result<bool> expandBatchNorms(Module& module, PassContext& context, const ExpandedBatchNorms& which) {
  return rewriteEach(
      module, context, "expanded", [&](const Instruction& i) { return applies(i, which); }, expanded);
}

}  // namespace hilo
