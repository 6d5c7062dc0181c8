#include <cmath>

#include "core/hlo/eval/handlers.h"
#include "core/hlo/eval/literal_access.h"

namespace hilo::eval {
namespace {

// The array seen as [outer][feature][inner], everything in f64.
struct BatchNorm {
  Shape shape, featureShape;
  int64_t outer = 1, features = 0, inner = 1;
  double epsilon = 0;
  std::vector<std::vector<double>>
      operands;  // the array, then vectors of `features` (batch-norm-grad: last, an array)

  int64_t countPerFeature() const { return outer * inner; }

  // f(feature, element offset) for every element.
  template <typename F>
  void forEach(F f) const {
    for (int64_t o = 0; o < outer; ++o) {
      for (int64_t feature = 0; feature < features; ++feature) {
        for (int64_t i = 0; i < inner; ++i)
          f(static_cast<size_t>(feature), static_cast<size_t>((o * features + feature) * inner + i));
      }
    }
  }
};

Result<BatchNorm> readBatchNorm(const Instruction& instruction, std::span<const Literal> operands,
                                EvalContext& context) {
  BatchNorm norm;
  norm.shape = operands[0].shape();
  const auto feature = instruction.get<Attr::FeatureIndex>();
  EVAL_REQUIRE(norm.shape.isArray() && isFloat(norm.shape.elementType()) && feature && *feature >= 0 &&
                   static_cast<size_t>(*feature) < norm.shape.rank(),
               "needs a float array and a feature_index in it");
  EVAL_REQUIRE(norm.shape.elementCount() <= context.options().maxLiveBytes / 32, "the operand is too large");
  const auto index = static_cast<size_t>(*feature);
  norm.outer = productOf(norm.shape.dimensions().first(index));
  norm.features = norm.shape.dimension(index);
  norm.inner = productOf(norm.shape.dimensions().subspan(index + 1));
  norm.featureShape = Shape::array(norm.shape.elementType(), {norm.features});
  norm.epsilon = instruction.get<Attr::Epsilon>().value_or(0);
  const bool gradient = instruction.opcode() == Opcode::BatchNormGrad;
  for (size_t i = 0; i < operands.size(); ++i) {
    const Shape own = operands[i].shape();
    const Shape like = i == 0 || (gradient && i == 4) ? norm.shape : norm.featureShape;
    EVAL_REQUIRE(own.isArray() && isFloat(own.elementType()) && sameDimensions(own, like),
                 "an operand does not fit the features");
    norm.operands.push_back(elementsAs<double>(operands[i], ElementType::F64));
  }
  return norm;
}

Result<Literal> rounded(Shape shape, const std::vector<double>& values, EvalContext& context) {
  TRY(Literal result, context.make(shape));
  convertElements(result.mutableBytes().data(), shape.elementType(), values.data(), ElementType::F64,
                  shape.elementCount());
  return result;
}

Result<Literal> roundedTuple(const BatchNorm& norm, const std::vector<double>& array,
                             const std::vector<double>& first, const std::vector<double>& second,
                             EvalContext& context) {
  std::vector<Literal> parts(3);
  TRY(parts[0], rounded(norm.shape, array, context));
  TRY(parts[1], rounded(norm.featureShape, first, context));
  TRY(parts[2], rounded(norm.featureShape, second, context));
  return Literal::tuple(std::move(parts));
}

std::vector<double> normalized(const BatchNorm& norm, const std::vector<double>& mean,
                               const std::vector<double>& variance) {
  const auto &x = norm.operands[0], &scale = norm.operands[1], &offset = norm.operands[2];
  std::vector<double> out(x.size());
  norm.forEach([&](size_t f, size_t i) {
    out[i] = (x[i] - mean[f]) / std::sqrt(variance[f] + norm.epsilon) * scale[f] + offset[f];
  });
  return out;
}

}  // namespace

// (normalized, mean, variance over everything but the feature)
Result<Literal> batchNormTraining(const Instruction& instruction, std::span<Literal> operands,
                                  EvalContext& context) {
  TRY(const BatchNorm norm, readBatchNorm(instruction, operands, context));
  const auto& x = norm.operands[0];
  const auto count = static_cast<double>(norm.countPerFeature());
  std::vector<double> mean(static_cast<size_t>(norm.features)), variance(mean.size());
  norm.forEach([&](size_t f, size_t i) { mean[f] += x[i]; });
  for (double& value : mean) value /= count;
  norm.forEach([&](size_t f, size_t i) { variance[f] += (x[i] - mean[f]) * (x[i] - mean[f]); });
  for (double& value : variance) value /= count;
  return roundedTuple(norm, normalized(norm, mean, variance), mean, variance, context);
}

Result<Literal> batchNormInference(const Instruction& instruction, std::span<Literal> operands,
                                   EvalContext& context) {
  TRY(const BatchNorm norm, readBatchNorm(instruction, operands, context));
  return rounded(norm.shape, normalized(norm, norm.operands[3], norm.operands[4]), context);
}

// Operands: activations, scale, mean, variance, gradient of the output. Result: gradients of
// activations, scale, offset.
Result<Literal> batchNormGrad(const Instruction& instruction, std::span<Literal> operands,
                              EvalContext& context) {
  TRY(const BatchNorm norm, readBatchNorm(instruction, operands, context));
  const auto &x = norm.operands[0], &scale = norm.operands[1], &mean = norm.operands[2],
             &variance = norm.operands[3], &grad = norm.operands[4];
  std::vector<double> offsetGrad(static_cast<size_t>(norm.features)), products(offsetGrad.size()),
      scaleGrad(offsetGrad.size());
  norm.forEach([&](size_t f, size_t i) {
    offsetGrad[f] += grad[i];
    products[f] += grad[i] * (x[i] - mean[f]);
  });
  for (size_t f = 0; f < scaleGrad.size(); ++f)
    scaleGrad[f] = products[f] / std::sqrt(variance[f] + norm.epsilon);
  const auto count = static_cast<double>(norm.countPerFeature());
  std::vector<double> inputGrad(x.size());
  norm.forEach([&](size_t f, size_t i) {
    const double spread = variance[f] + norm.epsilon;
    const double centred = grad[i] - offsetGrad[f] / count - (x[i] - mean[f]) * products[f] / spread / count;
    inputGrad[i] = scale[f] / std::sqrt(spread) * centred;
  });
  return roundedTuple(norm, inputGrad, scaleGrad, offsetGrad, context);
}

}  // namespace hilo::eval
