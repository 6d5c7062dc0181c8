#include "core/hlo/verify/infer_shape.h"

#include "core/hlo/verify/shape_rules.h"

namespace hilo {

namespace {

Result<Shape> infer(const OpView& op) {
  if (const auto arity = opcodeArity(op.opcode)) TRY_STATUS(expectOperands(op, static_cast<size_t>(*arity)));
  TRY(const InferredShape shape, shapeRule(op.opcode)(op));
  return internShape(shape);
}

}  // namespace

Result<Shape> inferShape(const Instruction& instruction) {
  absl::InlinedVector<Shape, 8> operands;
  for (const Instruction* operand : instruction.operands()) operands.push_back(operand->shape());
  const Module& module = instruction.module();
  return infer({.opcode = instruction.opcode(),
                .opcodeText = instruction.opcodeText(),
                .operands = std::span<const Shape>(operands.data(), operands.size()),
                .attributes = instruction.attributeList(),
                .declared = std::nullopt,
                .replicaCount = module.replicaCount(),
                .partitionCount = module.partitionCount()});
}

Result<Shape> inferShape(Opcode opcode, std::span<const Shape> operands, const AttributeList& attributes,
                         std::optional<Shape> declared, const Module* module) {
  return infer(
      {.opcode = opcode,
       .opcodeText = opcode == Opcode::Opaque ? attributes.get<Attr::OpaqueOpcode>() : opcodeName(opcode),
       .operands = operands,
       .attributes = attributes,
       .declared = declared,
       .replicaCount = module ? module->replicaCount() : 1,
       .partitionCount = module ? module->partitionCount() : 1});
}

}  // namespace hilo
