// Layouts put into a module: entry parameters and results by the entry's layout, others by a custom call
// LayoutConstraint, as JAX's with_layout_constraint writes it.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "core/hlo/text/parse.h"
#include "core/workspace/layouts/layout_study.h"

namespace hilo {
namespace {

std::unexpected<Diagnostic> bad(const LayoutConstraint& constraint, std::string_view why) {
  return fail("bad-constraint",
              fmt::format("{} cannot be {}: {}", constraint.instruction, constraint.layout, why));
}

// The array in the layout asked for.
Result<Shape> laid(const LayoutConstraint& constraint, Shape shape) {
  if (!shape.isArray()) return bad(constraint, "it is no array");
  TRY(const Layout layout, parseLayout(constraint.layout));
  std::vector<int64_t> dimensions = layout.minorToMajor;
  std::ranges::sort(dimensions);
  for (size_t d = 0; d < dimensions.size(); ++d) {
    if (dimensions[d] != static_cast<int64_t>(d)) return bad(constraint, "it is no order of its dimensions");
  }
  if (dimensions.size() != shape.rank())
    return bad(constraint, fmt::format("it has {} dimensions", shape.rank()));
  return shape.withLayout(&layout);
}

// "result" and "result.3"; -1: the result is one array. Nothing: it names an instruction.
std::optional<int64_t> resultNumber(std::string_view name) {
  if (name == "result") return -1;
  if (!name.starts_with("result.")) return std::nullopt;
  int64_t number = 0;
  const auto [end, error] = std::from_chars(name.data() + 7, name.data() + name.size(), number);
  return error == std::errc() && end == name.data() + name.size() ? std::optional(number) : std::nullopt;
}

ProgramShape entryShape(const Module& module, std::vector<Shape>& parameters) {
  const ProgramShape* stated = module.get<Attr::EntryComputationLayout>();
  for (const Instruction* p : module.entry()->parameters()) parameters.push_back(p->shape());
  const Shape root = module.entry()->root()->shape();
  if (stated == nullptr) return {.parameters = parameters, .result = root};
  if (stated->parameters.size() == parameters.size())
    parameters.assign(stated->parameters.begin(), stated->parameters.end());
  return {.parameters = parameters,
          .result = stated->result.withoutLayout() == root.withoutLayout() ? stated->result : root};
}

void layParameter(Module& module, Instruction& parameter, Shape shape) {
  std::vector<Shape> parameters;
  ProgramShape entry = entryShape(module, parameters);
  parameters[static_cast<size_t>(parameter.parameterNumber())] = shape;
  entry.parameters = parameters;
  parameter.setShape(shape);
  module.set<Attr::EntryComputationLayout>(&entry);
}

Status layResult(Module& module, const LayoutConstraint& constraint, int64_t number) {
  std::vector<Shape> parameters;
  ProgramShape entry = entryShape(module, parameters);
  Computation& computation = *module.entry();
  Instruction* root = computation.root();
  if (number < 0) {
    TRY(entry.result, laid(constraint, entry.result));
    computation.setRoot(computation.create(Opcode::Copy, entry.result, {root}));
    module.set<Attr::EntryComputationLayout>(&entry);
    return {};
  }
  std::vector<Shape> parts(entry.result.tupleShapes().begin(), entry.result.tupleShapes().end());
  if (number >= static_cast<int64_t>(parts.size()) || root->opcode() != Opcode::Tuple)
    return bad(constraint, fmt::format("the entry has {} results", std::max<size_t>(1, parts.size())));
  const auto n = static_cast<size_t>(number);
  TRY(parts[n], laid(constraint, parts[n]));
  entry.result = Shape::tuple(parts);
  root->setOperand(n, computation.create(Opcode::Copy, parts[n], {root->operand(n)}, {}, root));
  root->setShape(entry.result);
  module.set<Attr::EntryComputationLayout>(&entry);
  return {};
}

void layValue(Instruction& at, Shape shape) {
  Computation& computation = at.parent();
  Instruction* call = computation.create(Opcode::CustomCall, shape, {&at}, {}, at.next());
  call->set<Attr::CustomCallTarget>("LayoutConstraint");
  call->set<Attr::OperandLayoutConstraints>(std::span(&shape, 1));
  if (const auto* metadata = at.get<Attr::Metadata>()) call->set<Attr::Metadata>(metadata);
  const std::vector<Instruction*> users(at.users().begin(), at.users().end());
  for (Instruction* user : users) {
    for (size_t k = 0; user != call && k < user->operandCount(); ++k) {
      if (user->operand(k) == &at) user->setOperand(k, call);
    }
  }
  if (at.isRoot()) computation.setRoot(call);
}

}  // namespace

Result<std::vector<LayoutConstraint>> layoutConstraintsFromTexts(const std::vector<std::string>& texts) {
  std::vector<LayoutConstraint> constraints;
  for (std::string text : texts) {
    if (text.starts_with("%")) text.erase(0, 1);
    const size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
      return fail("bad-constraint", fmt::format("'{}' is not NAME=LAYOUT", text), {},
                  {"for example --try 'Arg_0.1={0,1}', or --try 'result.1={1,0}' for a result of the entry"});
    constraints.push_back({text.substr(0, equals), text.substr(equals + 1)});
  }
  return constraints;
}

Result<std::shared_ptr<const Module>> withLayouts(const Module& module,
                                                  const std::vector<LayoutConstraint>& constraints) {
  std::shared_ptr<Module> made = module.clone();
  for (const LayoutConstraint& constraint : constraints) {
    Instruction* at = made->findInstruction(constraint.instruction);
    if (const auto number = resultNumber(constraint.instruction); number && at == nullptr) {
      TRY_STATUS(layResult(*made, constraint, *number));
      continue;
    }
    if (at == nullptr) {
      return fail("no-such-instruction",
                  fmt::format("no instruction '{}' before layouts are assigned", constraint.instruction), {},
                  {"names are those of the module before optimization; of results: result, result.0, ..."});
    }
    TRY(const Shape shape, laid(constraint, at->shape()));
    if (at->opcode() == Opcode::Parameter && at->parent().isEntry()) {
      layParameter(*made, *at, shape);
    } else {
      layValue(*at, shape);
    }
  }
  return made;
}

}  // namespace hilo
