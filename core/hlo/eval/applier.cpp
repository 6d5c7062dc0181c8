#include "core/hlo/eval/applier.h"

#include <cstring>

namespace hilo {

Result<Applier> Applier::make(const Instruction& instruction, const Computation* computation,
                              std::span<const ElementType> parameters, std::span<const ElementType> results,
                              EvalContext& context) {
  EVAL_REQUIRE(computation != nullptr && computation->root() != nullptr, "names no computation");
  EVAL_REQUIRE(computation->parameters().size() == parameters.size(),
               "the computation takes another number of values");
  for (size_t i = 0; i < parameters.size(); ++i) {
    const Instruction* parameter = computation->parameters()[i];
    EVAL_REQUIRE(parameter != nullptr && parameter->shape().isScalar() &&
                     parameter->shape().elementType() == parameters[i],
                 "the computation's parameters differ from what it is applied to");
  }
  const Shape root = computation->root()->shape();
  const std::span<const Shape> given = root.isTuple() ? root.tupleShapes() : std::span<const Shape>(&root, 1);
  EVAL_REQUIRE(given.size() == results.size(), "the computation gives another number of values");
  for (size_t i = 0; i < results.size(); ++i) {
    EVAL_REQUIRE(given[i].isScalar() && given[i].elementType() == results[i],
                 "the computation gives values of another type");
  }
  Applier applier(*computation, context);
  applier.parameterTypes_.assign(parameters.begin(), parameters.end());
  applier.resultTypes_.assign(results.begin(), results.end());
  applier.program_ = context.scalarProgram(*computation);
  if (applier.program_ != nullptr)
    applier.scratch_ = std::make_unique<ScalarProgram::Scratch>(*applier.program_);
  return applier;
}

Status Applier::apply(const void* const* parameters, void* const* results, int64_t count) {
  if (program_ == nullptr) return applyByLiterals(parameters, results, count);
  program_->runMany(*scratch_, parameters, results, count);
  return {};
}

Status Applier::applyByLiterals(const void* const* parameters, void* const* results, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    std::vector<Literal> arguments;
    for (size_t p = 0; p < parameterTypes_.size(); ++p) {
      Literal scalar(Shape::scalar(parameterTypes_[p]));
      const auto bytes = scalar.mutableBytes();
      std::memcpy(bytes.data(),
                  static_cast<const std::byte*>(parameters[p]) + static_cast<size_t>(i) * bytes.size(),
                  bytes.size());
      arguments.push_back(std::move(scalar));
    }
    TRY(const Literal result, context_->call(*computation_, std::move(arguments)));
    for (size_t r = 0; r < resultTypes_.size(); ++r) {
      const auto bytes = (result.isTuple() ? result.elements()[r] : result).bytes();
      std::memcpy(static_cast<std::byte*>(results[r]) + static_cast<size_t>(i) * bytes.size(), bytes.data(),
                  bytes.size());
    }
  }
  return {};
}

}  // namespace hilo
