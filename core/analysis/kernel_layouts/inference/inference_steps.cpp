#include "core/analysis/kernel_layouts/inference/inference_steps.h"

#include <fmt/format.h>

namespace hilo::inference {

using Kind = InferenceStep::Kind;

NamedConstraint namedConstraint(const KernelDescription& kernel, const KernelLayouts& layouts,
                                uint32_t number) {
  const KernelConstraint& one = layouts.derived.constraints[number];
  const KernelOp& op = kernel.ops[one.op];
  return {.rule = std::string(one.rule),
          .opcode = op.opcode,
          .line = op.line,
          .constraint = toString(one.constraint, layouts.derived.variables)};
}

std::string toString(const NamedConstraint& constraint) {
  const std::string line = constraint.line == 0 ? "" : fmt::format("line {}, ", constraint.line);
  return fmt::format("{}{}: {}", line, constraint.opcode, constraint.constraint);
}

std::string_view stepWord(Kind kind) {
  switch (kind) {
    case Kind::Set:
      return "set";
    case Kind::Satisfied:
      return "holds";
    case Kind::Try:
      return "try";
    case Kind::Conflict:
      return "conflict";
    case Kind::BackOut:
      break;
  }
  return "take back";
}

std::vector<ListedStep> listedSteps(const KernelDescription& kernel, const KernelLayouts& layouts) {
  std::vector<ListedStep> listed;
  for (const InferenceStep& step : layouts.outcome.trace.steps) {
    ListedStep& row = listed.emplace_back();
    row.number = listed.size();
    row.kind = step.kind;
    row.round = step.round;
    row.depth = step.depth;
    if (step.variable) row.variable = layouts.derived.variables[*step.variable].name;
    if (step.layout) row.layout = toString(*step.layout);
    const size_t shown = step.kind == Kind::Conflict ? step.origins.size() : 1;
    for (size_t i = 0; i < std::min(shown, step.origins.size()); ++i)
      row.constraints.push_back(namedConstraint(kernel, layouts, step.origins[i]));
  }
  return listed;
}

std::string causeText(const KernelDescription& kernel, const KernelLayouts& layouts, const Cause& cause) {
  if (cause.kind == Cause::Kind::Usual) return "nothing says more: what such an array usually has";
  const std::string why =
      cause.origins.empty() ? "" : toString(namedConstraint(kernel, layouts, cause.origins.front()));
  return cause.kind == Cause::Kind::Tried ? "tried, since " + why : why;
}

}  // namespace hilo::inference
