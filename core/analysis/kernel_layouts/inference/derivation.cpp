#include "core/analysis/kernel_layouts/inference/derivation.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/analysis/kernel_layouts/inference/candidates.h"

namespace hilo::inference {
namespace {

bool isTerminator(std::string_view opcode) {
  return opcode == "scf.yield" || opcode == "scf.condition" || opcode == "mosaic_gpu.return";
}

std::string nameOf(const KernelDescription& kernel, const ValueSite& site) {
  const KernelOp& op = kernel.ops[site.op];
  switch (site.kind) {
    case ValueSite::Kind::Operand:
      return fmt::format("operand {} ({}) of {}", site.index, kernel.values[op.operands[site.index]].name,
                         op.opcode);
    case ValueSite::Kind::Result:
      return fmt::format("{} of {}", kernel.values[op.results[site.index]].name, op.opcode);
    case ValueSite::Kind::Argument:
      break;
  }
  return fmt::format("argument {} of {}",
                     kernel.values[op.regions[static_cast<size_t>(site.region)].arguments[site.index]].name,
                     op.opcode);
}

// Walks operations in their order; what a custom primitive holds is lowered already.
Status deriveOps(Derivation& derivation, const std::vector<OpId>& ops) {
  const KernelDescription& kernel = derivation.kernel();
  for (OpId id : ops) {
    const KernelOp& op = kernel.ops[id];
    const auto needsLayout = [&](ValueId value) { return derivation.hasLayout(value); };
    if (!isTerminator(op.opcode) &&
        (std::ranges::any_of(op.operands, needsLayout) || std::ranges::any_of(op.results, needsLayout))) {
      const auto rules = layoutRules();
      const auto rule = std::ranges::find(rules, op.opcode, &NamedLayoutRule::opcode);
      if (rule != rules.end()) derivation.beginRule(rule->name);
      Status status = rule == rules.end()
                          ? fail("kernel-inference", fmt::format("{} has no rule for its layouts", op.opcode))
                          : rule->rule(derivation, id);
      if (!status) {
        if (status.error().place.line == 0) status.error().place.line = op.line;
        return status;
      }
    }
    if (op.opcode == "mosaic_gpu.custom_primitive") continue;
    for (const KernelRegion& region : op.regions) TRY_STATUS(deriveOps(derivation, region.ops));
  }
  return {};
}

}  // namespace

Derivation::Derivation(const KernelDescription& kernel) : kernel_(kernel) {}

ValueId Derivation::valueAt(const ValueSite& site) const {
  const KernelOp& op = kernel_.ops[site.op];
  switch (site.kind) {
    case ValueSite::Kind::Operand:
      return op.operands[site.index];
    case ValueSite::Kind::Result:
      return op.results[site.index];
    case ValueSite::Kind::Argument:
      break;
  }
  return op.regions[static_cast<size_t>(site.region)].arguments[site.index];
}

const KernelType& Derivation::typeAt(const ValueSite& site) const { return kernel_.type(valueAt(site)); }

bool Derivation::hasLayout(ValueId value) const {
  return layoutSpace(kernel_.type(value)) != MemorySpace::None;
}

VariableId Derivation::variable(const ValueSite& site) {
  if (const auto at = derived_.variableAt.find(site); at != derived_.variableAt.end()) return at->second;
  const auto id = static_cast<VariableId>(derived_.variables.size());
  const KernelType& type = typeAt(site);
  derived_.variables.push_back({.name = nameOf(kernel_, site),
                                .shape = type.shape,
                                .space = layoutSpace(type),
                                .elementBits = elementBits(type),
                                .strides = type.kind == KernelType::Kind::Memory ? stridesOf(type) : Sizes{},
                                .usualInTensor = {}});
  derived_.sites.push_back({site});
  derived_.variableAt.emplace(site, id);
  return id;
}

Result<VariableId> Derivation::producer(OpId op, uint32_t index) {
  const ValueId value = kernel_.ops[op].operands[index];
  const KernelValue& made = kernel_.values[value];
  const ValueSite site{made.op, made.region < 0 ? ValueSite::Kind::Result : ValueSite::Kind::Argument,
                       made.index, made.region};
  const auto at = derived_.variableAt.find(site);
  if (at == derived_.variableAt.end())
    return fail("kernel-inference",
                fmt::format("{} has no layout where {} makes it", made.name, kernel_.ops[made.op].opcode));
  return at->second;
}

Status Derivation::join(VariableId variable, const ValueSite& site) {
  const KernelType& type = typeAt(site);
  const LayoutVariable& joined = derived_.variables[variable];
  if (type.shape != joined.shape || layoutSpace(type) != joined.space)
    return fail("kernel-inference",
                fmt::format("{} has type {}, but the layout of {}, which is {} in {}", nameOf(kernel_, site),
                            toString(type), joined.name, tupleText(joined.shape), toString(joined.space)));
  const auto [at, isNew] = derived_.variableAt.emplace(site, variable);
  if (isNew)
    derived_.sites[variable].push_back(site);
  else if (at->second != variable)
    return fail("kernel-inference", fmt::format("{} has two layouts", nameOf(kernel_, site)));
  return {};
}

void Derivation::demand(OpId op, LayoutConstraint constraint) {
  if (auto* divides = std::get_if<Divides>(&constraint.relation))
    for (int64_t& multiple : divides->multiple)
      if (multiple < 0) multiple = 1;  // not known: only a size of 1 surely divides it
  derived_.constraints.push_back({std::move(constraint), op, rule_});
}

Status Derivation::assign(OpId op, VariableId variable, LayoutConstant layout, const std::string& what) {
  const LayoutVariable& assigned = derived_.variables[variable];
  if (!isPossible(assigned, layout))
    return fail("kernel-inference",
                fmt::format("{}: {} does not fit {}, {} in {}", what, toString(layout), assigned.name,
                            tupleText(assigned.shape), toString(assigned.space)));
  demand(op, equalLayouts(variable, std::move(layout)));
  return {};
}

void Derivation::relayoutsOf(VariableId variable, const ValueSite& site, const std::vector<bool>& visited,
                             const std::vector<std::vector<KernelUse>>& uses) {
  const ValueId value = valueAt(site);
  const int64_t bits = elementBits(kernel_.type(value));
  if (site.kind == ValueSite::Kind::Operand) {
    const auto from = producer(site.op, site.index);
    if (from && !visited[*from]) demand(site.op, relayout(*from, variable, bits, true));
    return;
  }
  for (const KernelUse& use : uses[value]) {
    const auto to = derived_.variableAt.find({use.op, ValueSite::Kind::Operand, use.operand});
    if (to != derived_.variableAt.end() && !visited[to->second])
      demand(use.op, relayout(variable, to->second, bits, true));
  }
}

Status Derivation::addRelayouts() {
  beginRule("relayout");
  const auto uses = kernel_.uses();
  std::vector<bool> visited(derived_.variables.size(), false);
  for (VariableId variable = 0; variable < derived_.variables.size(); ++variable) {
    if (derived_.variables[variable].space == MemorySpace::Registers)
      for (const ValueSite& site : derived_.sites[variable]) relayoutsOf(variable, site, visited, uses);
    visited[variable] = true;
  }
  return {};
}

Result<DerivedConstraints> Derivation::finish() {
  for (VariableId variable = 0; variable < derived_.variables.size(); ++variable) {
    const ValueSite& site = derived_.sites[variable].front();
    const KernelOp& op = kernel_.ops[site.op];
    if (op.opcode != "mosaic_gpu.tmem_alloc" || site.kind != ValueSite::Kind::Result) continue;
    if (auto layout = usualTensor(typeAt(site).shape, op.flag("collective"), 1))
      derived_.variables[variable].usualInTensor = TensorLayout{*layout};
  }
  TRY_STATUS(addRelayouts());
  return std::move(derived_);
}

Result<DerivedConstraints> deriveConstraints(const KernelDescription& kernel) {
  Derivation derivation(kernel);
  TRY_STATUS(deriveOps(derivation, kernel.body));
  return derivation.finish();
}

}  // namespace hilo::inference
