// Loops and branches: what is carried has one layout; and operations that say their layouts themselves.
#include "core/analysis/kernel_layouts/inference/rules/rules.h"

namespace hilo::inference {

using Kind = ValueSite::Kind;

namespace {

// The operand `index` of the operation that ends a region.
Result<ValueSite> endOperand(const Derivation& derivation, const KernelOp& op, size_t region,
                             std::string_view opcode, uint32_t index) {
  const KernelDescription& kernel = derivation.kernel();
  if (region < op.regions.size() && !op.regions[region].ops.empty()) {
    const OpId end = op.regions[region].ops.back();
    if (kernel.ops[end].opcode == opcode && index < kernel.ops[end].operands.size())
      return ValueSite{end, Kind::Operand, index};
  }
  return unsupported(op, "its region does not end with " + std::string(opcode) + " of what it yields");
}

Result<ValueSite> argument(const KernelOp& op, OpId id, size_t region, uint32_t index) {
  if (region >= op.regions.size() || index >= op.regions[region].arguments.size())
    return unsupported(op, "its region has no argument for what it carries");
  return ValueSite{id, Kind::Argument, index, static_cast<int32_t>(region)};
}

}  // namespace

// Operands are bounds, step and what is carried; the region has the loop's number before what is carried.
Status forRule(Derivation& derivation, OpId op) {
  const KernelOp& one = derivation.kernel().ops[op];
  TRY_STATUS(checkCounts(one, 3, 0));
  TRY_STATUS(checkCounts(one, 3 + one.results.size(), one.operands.size() - 3));
  for (uint32_t i = 3; i < one.operands.size(); ++i) {
    if (!derivation.hasLayout(one.operands[i])) continue;
    TRY(const VariableId variable, operandVariable(derivation, op, i));
    TRY(const ValueSite inside, argument(one, op, 0, i - 2));
    TRY(const ValueSite yielded, endOperand(derivation, one, 0, "scf.yield", i - 3));
    TRY_STATUS(derivation.join(variable, inside));
    TRY_STATUS(derivation.join(variable, {op, Kind::Result, i - 3}));
    TRY_STATUS(derivation.join(variable, yielded));
  }
  return {};
}

Status whileRule(Derivation& derivation, OpId op) {
  const KernelOp& one = derivation.kernel().ops[op];
  for (uint32_t i = 0; i < one.operands.size(); ++i) {
    if (!derivation.hasLayout(one.operands[i])) continue;
    TRY(const VariableId variable, operandVariable(derivation, op, i));
    TRY(const ValueSite inside, argument(one, op, 0, i));
    TRY(const ValueSite yielded, endOperand(derivation, one, 1, "scf.yield", i));
    TRY_STATUS(derivation.join(variable, inside));
    TRY_STATUS(derivation.join(variable, yielded));
  }
  for (uint32_t i = 0; i < one.results.size(); ++i) {
    if (!derivation.hasLayout(one.results[i])) continue;
    const VariableId variable = derivation.result(op, i);
    TRY(const ValueSite inside, argument(one, op, 1, i));
    TRY(const ValueSite passed,
        endOperand(derivation, one, 0, "scf.condition", i + 1));  // behind the condition
    TRY_STATUS(derivation.join(variable, inside));
    TRY_STATUS(derivation.join(variable, passed));
  }
  return {};
}

Status branchesRule(Derivation& derivation, OpId op) {
  const KernelOp& one = derivation.kernel().ops[op];
  for (uint32_t i = 0; i < one.results.size(); ++i) {
    if (!derivation.hasLayout(one.results[i])) continue;
    const VariableId variable = derivation.result(op, i);
    for (size_t region = 0; region < one.regions.size(); ++region) {
      TRY(const ValueSite yielded, endOperand(derivation, one, region, "scf.yield", i));
      TRY_STATUS(derivation.join(variable, yielded));
    }
  }
  return {};
}

// Each warp runs the region on the same memory.
Status warpMapRule(Derivation& derivation, OpId op) {
  const KernelOp& one = derivation.kernel().ops[op];
  for (uint32_t i = 0; i < one.operands.size(); ++i) {
    if (!isIn(derivation, op, i, MemorySpace::Shared) && !isIn(derivation, op, i, MemorySpace::Tensor))
      continue;
    TRY(const VariableId variable, operandVariable(derivation, op, i));
    TRY(const ValueSite inside, argument(one, op, 0, i));
    TRY_STATUS(derivation.join(variable, inside));
  }
  return {};
}

// Layouts of its arrays and memory are those that it names. Memory may come twice and be named differently:
// so each operand is a variable of its own, equal to its memory's.
Status customPrimitiveRule(Derivation& derivation, OpId op) {
  const KernelOp& one = derivation.kernel().ops[op];
  const auto* in = one.attribute<std::vector<RegisterLayout>>("in_layouts");
  const auto* out = one.attribute<std::vector<RegisterLayout>>("out_layouts");
  const auto* transforms = one.attribute<std::vector<SharedTransforms>>("in_transforms");
  size_t nextLayout = 0, nextTransforms = 0;
  for (uint32_t i = 0; i < one.operands.size(); ++i) {
    if (isIn(derivation, op, i, MemorySpace::Registers)) {
      if (!in || nextLayout >= in->size()) return unsupported(one, "in_layouts names one for each array");
      TRY_STATUS(
          derivation.assign(op, derivation.operand(op, i), inRegisters((*in)[nextLayout++]), "in_layouts"));
    } else if (isIn(derivation, op, i, MemorySpace::Shared)) {
      if (!transforms || nextTransforms >= transforms->size())
        return unsupported(one, "in_transforms names one for each shared memory");
      TRY(const VariableId memory, derivation.producer(op, i));
      const VariableId named = derivation.operand(op, i);
      derivation.demand(op, equalLayouts(memory, named));
      TRY_STATUS(derivation.assign(op, named, (*transforms)[nextTransforms++], "in_transforms"));
    }
  }
  size_t nextOut = 0;
  for (uint32_t i = 0; i < one.results.size(); ++i) {
    if (!derivation.hasLayout(one.results[i])) continue;
    if (!out || nextOut >= out->size()) return unsupported(one, "out_layouts names one for each result");
    TRY_STATUS(
        derivation.assign(op, derivation.result(op, i), inRegisters((*out)[nextOut++]), "out_layouts"));
  }
  return {};
}

}  // namespace hilo::inference
