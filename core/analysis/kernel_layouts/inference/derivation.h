// The constraints of a kernel: a rule for each operation (rules.def) names the variables that its operands,
// results and region arguments are sites of, and what has to hold of them.
#pragma once

#include <map>
#include <optional>
#include <span>

#include "core/analysis/kernel_layouts/inference/constraint_system.h"
#include "core/analysis/kernel_layouts/inference/kernel_description.h"

namespace hilo::inference {

// Where a value occurs; sites of one variable have one layout.
struct ValueSite {
  enum class Kind : uint8_t { Operand, Result, Argument };
  OpId op = 0;
  Kind kind = Kind::Operand;
  uint32_t index = 0;
  int32_t region = -1;  // of an argument
  auto operator<=>(const ValueSite&) const = default;
};

// A constraint with the operation it comes from, and the rule that demands it.
struct KernelConstraint {
  LayoutConstraint constraint;
  OpId op = 0;
  std::string_view rule;  // "wgmma", as in rules.def; "relayout" between an array and its use
};

struct DerivedConstraints {
  std::vector<LayoutVariable> variables;
  std::vector<std::vector<ValueSite>> sites;  // of each variable
  std::map<ValueSite, VariableId> variableAt;
  std::vector<KernelConstraint> constraints;
};

// What rules write to.
class Derivation {
 public:
  explicit Derivation(const KernelDescription& kernel);

  const KernelDescription& kernel() const { return kernel_; }
  const KernelType& typeAt(const ValueSite& site) const;
  bool hasLayout(ValueId value) const;

  // A variable of the site's own.
  VariableId variable(const ValueSite& site);
  // The same without a place yet: for two that share one.
  VariableId operand(OpId op, uint32_t index) { return variable({op, ValueSite::Kind::Operand, index}); }
  VariableId result(OpId op, uint32_t index) { return variable({op, ValueSite::Kind::Result, index}); }
  // The variable of the result or argument that the operand is: memory is not laid out anew on its way.
  Result<VariableId> producer(OpId op, uint32_t index);
  // One more site of a variable. "kernel-inference" when it has another shape or lies in other memory.
  Status join(VariableId variable, const ValueSite& site);

  // What is demanded from here on is demanded by the rule of this name.
  void beginRule(std::string_view name) { rule_ = name; }
  void demand(OpId op, LayoutConstraint constraint);
  // "kernel-inference" when the variable cannot have the layout, saying so of `what`.
  Status assign(OpId op, VariableId variable, LayoutConstant layout, const std::string& what);

  // The variable that slices of one number share; set by the first of them.
  std::optional<VariableId>& alias(MemorySpace space, int64_t number) { return aliases_[{space, number}]; }

  // With the relayouts between each register array and its uses.
  Result<DerivedConstraints> finish();

 private:
  Status addRelayouts();
  void relayoutsOf(VariableId variable, const ValueSite& site, const std::vector<bool>& visited,
                   const std::vector<std::vector<KernelUse>>& uses);
  ValueId valueAt(const ValueSite& site) const;

  const KernelDescription& kernel_;
  std::string_view rule_;
  DerivedConstraints derived_;
  std::map<std::pair<MemorySpace, int64_t>, std::optional<VariableId>> aliases_;
};

using LayoutRule = Status (*)(Derivation& derivation, OpId op);

struct NamedLayoutRule {
  std::string_view opcode;
  LayoutRule rule;
  std::string_view name;  // of the function, without "Rule"
};
// By opcode.
std::span<const NamedLayoutRule> layoutRules();

// "kernel-inference" at the line of an operation that has no rule, or whose rule does not support it.
Result<DerivedConstraints> deriveConstraints(const KernelDescription& kernel);

}  // namespace hilo::inference
