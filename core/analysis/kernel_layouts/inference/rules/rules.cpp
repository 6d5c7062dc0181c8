#include "core/analysis/kernel_layouts/inference/rules/rules.h"

#include <fmt/format.h>

namespace hilo::inference {
namespace {

constexpr std::string_view nameOf(std::string_view function) {
  return function.substr(0, function.size() - std::string_view("Rule").size());
}

constexpr NamedLayoutRule kRules[] = {
#define RULE(opcode, function) {opcode, function, nameOf(#function)},
#include "core/analysis/kernel_layouts/inference/rules.def"
#undef RULE
};

}  // namespace

std::span<const NamedLayoutRule> layoutRules() { return kRules; }

Status checkCounts(const KernelOp& op, size_t operands, size_t results) {
  if (op.operands.size() < operands || op.results.size() < results)
    return fail("kernel-inference",
                fmt::format("{} has {} operands and {} results; it needs {} and {}", op.opcode,
                            op.operands.size(), op.results.size(), operands, results));
  return {};
}

std::unexpected<Diagnostic> unsupported(const KernelOp& op, const std::string& what) {
  return fail("kernel-inference", fmt::format("{}: {}", op.opcode, what));
}

Result<Sizes> sizesOf(const KernelOp& op, const std::string& name) {
  if (const auto* sizes = op.attribute<Sizes>(name)) return *sizes;
  return unsupported(op, fmt::format("it has no list {}", name));
}

Result<VariableId> operandVariable(Derivation& derivation, OpId op, uint32_t index) {
  const KernelType& type = derivation.kernel().type(derivation.kernel().ops[op].operands[index]);
  if (layoutSpace(type) == MemorySpace::Registers) return derivation.operand(op, index);
  TRY(const VariableId variable, derivation.producer(op, index));
  TRY_STATUS(derivation.join(variable, {op, ValueSite::Kind::Operand, index}));
  return variable;
}

bool isIn(const Derivation& derivation, OpId op, uint32_t operand, MemorySpace space) {
  const KernelOp& owner = derivation.kernel().ops[op];
  return operand < owner.operands.size() &&
         layoutSpace(derivation.kernel().type(owner.operands[operand])) == space;
}

void demandTiled(Derivation& derivation, OpId op, VariableId variable) {
  derivation.demand(op, about(variable, NotOfKind{RegisterKind::Splat}));
  derivation.demand(op, about(variable, NotOfKind{RegisterKind::Strided}));
}

}  // namespace hilo::inference
