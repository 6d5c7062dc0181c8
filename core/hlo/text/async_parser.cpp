#include "core/hlo/text/parse_state.h"

namespace hilo {

Computation* makeAsyncComputation(ParseState& state, Computation& before, std::string_view startName,
                                  Opcode wrapped, Shape startShape, const AttributeItems& attributes,
                                  const char* at) {
  // The start's shape is ((operands), result, state...).
  const auto parts = startShape.tupleShapes();
  if (parts.size() < 2 || !parts[0].isTuple()) {
    state.reader.errorAt(
        at, "bad-async-shape",
        fmt::format("an async start has shape ((operands), result, ...), not {}", toString(startShape)));
    return nullptr;
  }
  std::string name = fmt::format("{}.async_wrapped", startName);
  while (state.computations.contains(name)) name += "_";
  Computation* computation = state.module.createComputation(name, &before);
  state.computations.emplace(computation->name(), computation);
  OperandList parameters;
  for (Shape operand : parts[0].tupleShapes()) {
    parameters.push_back(computation->createParameter(static_cast<int64_t>(parameters.size()), operand,
                                                      fmt::format("{}.param_{}", name, parameters.size())));
  }
  Instruction* root = computation->create(wrapped, parts[1], parameters, fmt::format("{}.op", name));
  for (const Attribute& attribute : attributes) root->attributeList().append(state.reader.arena, attribute);
  computation->setRoot(root);
  return computation;
}

void bindAsyncComputation(const Instruction& link) {
  const Instruction* start = &link;
  while (start->opcode() != Opcode::AsyncStart) {
    if (start->operandCount() == 0 || start->opcode() == Opcode::Opaque) return;
    start = start->operand(0);
  }
  Computation* computation = start->get<Attr::Calls>();
  const Shape state = link.opcode() == Opcode::AsyncDone ? link.operand(0)->shape() : link.shape();
  if (computation == nullptr || computation->root() == nullptr || state.tupleShapes().size() < 2) return;
  Instruction* root = computation->root();
  const auto bound = state.tupleShapes()[0].tupleShapes();
  for (size_t i = computation->parameters().size(); i < bound.size(); ++i) {
    Instruction* parameter = computation->createParameter(static_cast<int64_t>(i), bound[i],
                                                          fmt::format("{}.param_{}", computation->name(), i));
    computation->moveBefore(parameter, root);
    root->appendOperand(parameter);
  }
  const Shape result = link.opcode() == Opcode::AsyncDone ? link.shape() : state.tupleShapes()[1];
  if (root->shape() == Shape()) root->setShape(result);
}

}  // namespace hilo
