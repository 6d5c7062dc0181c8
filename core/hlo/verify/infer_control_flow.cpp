// call, fusion, while and conditional: what the called computations take and give.
#include <fmt/format.h>

#include "core/hlo/verify/shape_rules.h"

namespace hilo {

namespace {

Status expectParameter(const OpView& op, std::string_view attribute, const Signature& called,
                       size_t parameter, size_t operand) {
  if (compatible(called.parameter(parameter), op.operand(operand))) return {};
  return refuse(VerifyKind::CalledSignature,
                fmt::format("parameter {} of {} of {} must be {}, the shape of operand {}, is {}", parameter,
                            attribute, op.opcodeText, toString(op.operand(operand)), operand,
                            toString(called.parameter(parameter))));
}

Status expectParameterCount(const OpView& op, std::string_view attribute, const Signature& called,
                            size_t count) {
  if (called.parameterCount() == count) return {};
  return refuse(VerifyKind::CalledSignature,
                fmt::format("{} of {} must take {} parameter{}, takes {}", attribute, op.opcodeText, count,
                            count == 1 ? "" : "s", called.parameterCount()));
}

}  // namespace

InferResult inferCall(const OpView& op) {
  TRY(const Signature called, signatureOf(op, op.get<Attr::ToApply>(), "to_apply"));
  TRY_STATUS(expectParameterCount(op, "to_apply", called, op.operands.size()));
  for (size_t i = 0; i < op.operands.size(); ++i) TRY_STATUS(expectParameter(op, "to_apply", called, i, i));
  return called.result;
}

InferResult inferFusion(const OpView& op) {
  TRY(const Signature fused, signatureOf(op, op.get<Attr::Calls>(), "calls"));
  // Operands beyond the parameters are allowed, as XLA allows them; a parameter without operand is not.
  if (fused.parameterCount() > op.operands.size()) {
    return refuse(VerifyKind::CalledSignature,
                  fmt::format("the fused computation takes {} parameters, fusion has {} operands",
                              fused.parameterCount(), op.operands.size()));
  }
  for (size_t i = 0; i < fused.parameterCount(); ++i) TRY_STATUS(expectParameter(op, "calls", fused, i, i));
  return fused.result;
}

InferResult inferWhile(const OpView& op) {
  TRY(const Signature condition, signatureOf(op, op.get<Attr::Condition>(), "condition"));
  TRY(const Signature body, signatureOf(op, op.get<Attr::Body>(), "body"));
  TRY_STATUS(expectParameterCount(op, "condition", condition, 1));
  TRY_STATUS(expectParameterCount(op, "body", body, 1));
  TRY_STATUS(expectParameter(op, "condition", condition, 0, 0));
  TRY_STATUS(expectParameter(op, "body", body, 0, 0));
  if (!condition.result.isScalar() || condition.result.elementType() != ElementType::Pred) {
    return refuse(
        VerifyKind::CalledSignature,
        fmt::format("the condition of while must give pred[], gives {}", toString(condition.result)));
  }
  if (!compatible(body.result, op.operand(0))) {
    return refuse(VerifyKind::CalledSignature,
                  fmt::format("the body of while must give {}, the shape it loops over, gives {}",
                              toString(op.operand(0)), toString(body.result)));
  }
  return op.operand(0);
}

namespace {

// The shape of several branches: dynamic where one of them is.
Shape joinDynamic(Shape a, Shape b) {
  if (a == b || (!a.isDynamic() && !b.isDynamic())) return a;
  if (a.isTuple() && b.isTuple()) {
    std::vector<Shape> elements;
    for (size_t i = 0; i < a.tupleShapes().size(); ++i)
      elements.push_back(joinDynamic(a.tupleShapes()[i], b.tupleShapes()[i]));
    return Shape::tuple(elements);
  }
  if (!a.isArray() || !b.isArray()) return a;
  ArrayShape joined(a.elementType(), a);
  for (size_t i = 0; i < a.rank(); ++i) joined.dimensions[i].dynamic |= b.isDynamicDimension(i);
  return joined.intern();
}

}  // namespace

InferResult inferConditional(const OpView& op) {
  TRY_STATUS(expectOperandsAtLeast(op, 1));
  absl::InlinedVector<const Computation*, 4> branches;
  for (const Computation* branch : op.get<Attr::BranchComputations>()) branches.push_back(branch);
  if (branches.empty()) branches = {op.get<Attr::TrueComputation>(), op.get<Attr::FalseComputation>()};
  const Shape chosen = op.operand(0);
  const bool isPred = chosen.elementType() == ElementType::Pred;
  if (!chosen.isScalar() || (!isPred && chosen.elementType() != ElementType::S32)) {
    return refuse(VerifyKind::OperandType, fmt::format("{} must be pred[] or s32[]", operandText(op, 0)));
  }
  if (isPred && branches.size() != 2) {
    return refuse(VerifyKind::AttributeInvalid,
                  fmt::format("conditional on pred[] takes 2 branches, got {}", branches.size()));
  }
  TRY_STATUS(expectOperands(op, branches.size() + 1));
  std::optional<Shape> result;
  for (size_t i = 0; i < branches.size(); ++i) {
    const std::string name = fmt::format("branch {}", i);
    TRY(const Signature branch, signatureOf(op, branches[i], name));
    TRY_STATUS(expectParameterCount(op, name, branch, 1));
    TRY_STATUS(expectParameter(op, name, branch, 0, i + 1));
    if (result && !compatible(*result, branch.result)) {
      return refuse(VerifyKind::CalledSignature, fmt::format("branch {} of conditional gives {}, branch 0 {}",
                                                             i, toString(branch.result), toString(*result)));
    }
    result = result ? joinDynamic(*result, branch.result) : branch.result;
  }
  return *result;
}

}  // namespace hilo
