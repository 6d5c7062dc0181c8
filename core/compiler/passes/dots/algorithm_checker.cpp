#include "core/compiler/passes/dots/algorithm_checker.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/compiler/pass/main_computations.h"

namespace hilo {
namespace {

constexpr int64_t kAmpere = 80, kAda = 89;

struct DotTypes {
  ElementType left, right, result;
  bool areAll(ElementType type) const { return left == type && right == type && result == type; }
  bool are(ElementType operands, std::initializer_list<ElementType> results) const {
    return left == operands && right == operands && std::ranges::find(results, result) != results.end();
  }
};

// The pairs that tensor cores have.
bool areF8(const DotTypes& types) {
  const bool isPair = (types.left == ElementType::F8E4M3FN &&
                       (types.right == ElementType::F8E4M3FN || types.right == ElementType::F8E5M2)) ||
                      (types.left == ElementType::F8E5M2 && types.right == ElementType::F8E4M3FN);
  const auto results = {ElementType::BF16, ElementType::F16, ElementType::F32, ElementType::F8E4M3FN,
                        ElementType::F8E5M2};
  return isPair && std::ranges::find(results, types.result) != results.end();
}

bool isThere(DotAlgorithm algorithm, const DotTypes& types, int64_t capability) {
  switch (algorithm) {
    case DotAlgorithm::Unset:
      return true;
    case DotAlgorithm::AnyF8AnyF8F32:
    case DotAlgorithm::AnyF8AnyF8F32FastAccum:
      return capability >= kAda && areF8(types);
    case DotAlgorithm::F16F16F32:
      return types.are(ElementType::F16, {ElementType::F16, ElementType::F32});
    case DotAlgorithm::BF16BF16F32:
      return capability >= kAmpere && (types.areAll(ElementType::F32) ||
                                       types.are(ElementType::BF16, {ElementType::BF16, ElementType::F32}));
    case DotAlgorithm::BF16BF16F32X3:
    case DotAlgorithm::BF16BF16F32X6:
    case DotAlgorithm::BF16BF16F32X9:
    case DotAlgorithm::TF32TF32F32:
    case DotAlgorithm::TF32TF32F32X3:
      return capability >= kAmpere && types.areAll(ElementType::F32);
    case DotAlgorithm::F32F32F32:
      return types.areAll(ElementType::F32);
    case DotAlgorithm::F64F64F64:
      return types.areAll(ElementType::F64);
    default:
      return false;
  }
}

bool namesPrecision(const Instruction& dot) {
  return std::ranges::any_of(dot.get<Attr::OperandPrecision>(),
                             [](Precision precision) { return precision != Precision::Default; });
}

Status check(const Instruction& dot, PassContext& context, int64_t capability) {
  const DotAlgorithm algorithm = dot.get<Attr::Algorithm>().value_or(DotAlgorithm::Unset);
  const DotTypes types{dot.operand(0)->shape().elementType(), dot.operand(1)->shape().elementType(),
                       dot.shape().elementType()};
  if (!isThere(algorithm, types, capability))
    return fail(
        "unsupported-algorithm",
        fmt::format("{}: compute capability {}.{} has no {} of {} and {} that gives {}", dot.name(),
                    capability / 10, capability % 10, enumText(algorithm), elementTypeName(types.left),
                    elementTypeName(types.right), elementTypeName(types.result)));
  if (algorithm != DotAlgorithm::Unset && namesPrecision(dot))
    context.remark(dot, "ignored", "its precision has no effect beside its algorithm");
  return {};
}

}  // namespace

Result<bool> checkAlgorithms(Module& module, PassContext& context, const AlgorithmSupport& gpu) {
  for (const Computation* computation : unfusedComputations(module)) {
    for (const Instruction* i : computation->instructions()) {
      if (i->opcode() == Opcode::Dot) TRY_STATUS(check(*i, context, gpu.capability));
    }
  }
  return false;
}

}  // namespace hilo
