// A text that is cut out of a larger one names computations and operands that it does not have. They become
// opaque ones of the shapes that their users say, with a warning, so that the rest can be looked at.

#include "core/hlo/text/parse_state.h"

namespace hilo {
namespace {

constexpr std::string_view kLeftOut = "left-out";

struct MissingSignature {
  std::vector<Shape> parameters;
  Shape result;
};

// Of a tuple or token, which the verifier refuses as an operand here, the shape itself.
Shape scalarOf(Shape shape) { return shape.isArray() ? Shape::scalar(shape.elementType()) : shape; }

std::vector<Shape> operandShapes(const Instruction& caller, size_t first, size_t count) {
  std::vector<Shape> shapes;
  for (size_t i = first; i < first + count && i < caller.operandCount(); ++i)
    shapes.push_back(caller.operand(i)->shape());
  return shapes;
}

// Takes accumulators and values of `count` arrays, and gives accumulators.
MissingSignature reducerOf(const Instruction& caller, size_t count) {
  MissingSignature signature;
  std::vector<Shape> scalars;
  for (const Shape shape : operandShapes(caller, 0, count)) scalars.push_back(scalarOf(shape));
  for (int side = 0; side < 2; ++side)
    signature.parameters.insert(signature.parameters.end(), scalars.begin(), scalars.end());
  signature.result = scalars.size() == 1 ? scalars[0] : Shape::tuple(scalars);
  return signature;
}

MissingSignature comparatorOf(const Instruction& caller, size_t count) {
  MissingSignature signature{.parameters = {}, .result = Shape::scalar(ElementType::Pred)};
  for (const Shape shape : operandShapes(caller, 0, count))
    signature.parameters.insert(signature.parameters.end(), 2, scalarOf(shape));
  return signature;
}

size_t branchOf(const Instruction& conditional, const Computation& branch) {
  const auto branches = conditional.calledComputations();
  return static_cast<size_t>(std::ranges::find(branches, &branch) - branches.begin());
}

MissingSignature signatureOf(const Instruction& caller, const Computation& called) {
  switch (caller.opcode()) {
    case Opcode::While: {
      const bool isCondition = caller.get<Attr::Condition>() == &called;
      return {operandShapes(caller, 0, 1), isCondition ? Shape::scalar(ElementType::Pred) : caller.shape()};
    }
    case Opcode::Conditional:
      return {operandShapes(caller, 1 + branchOf(caller, called), 1), caller.shape()};
    case Opcode::Reduce:
    case Opcode::ReduceWindow:
    case Opcode::Scatter:
      return reducerOf(caller, caller.operandCount() / 2);
    case Opcode::AllReduce:
    case Opcode::AllReduceStart:
    case Opcode::ReduceScatter:
      return reducerOf(caller, 1);
    case Opcode::SelectAndScatter:
      return caller.get<Attr::Select>() == &called ? comparatorOf(caller, 1) : reducerOf(caller, 1);
    case Opcode::Sort:
      return comparatorOf(caller, caller.operandCount());
    case Opcode::Map: {
      MissingSignature signature{operandShapes(caller, 0, caller.operandCount()), scalarOf(caller.shape())};
      for (Shape& shape : signature.parameters) shape = scalarOf(shape);
      return signature;
    }
    default:
      return {operandShapes(caller, 0, caller.operandCount()), caller.shape()};
  }
}

Instruction* createLeftOut(ParseState& state, Computation& computation, Shape shape,
                           std::span<Instruction* const> operands, std::string_view name) {
  Instruction* made = computation.create(Opcode::Opaque, shape, operands, name);
  Attribute opcode{.key = Attr::OpaqueOpcode, .count = static_cast<uint32_t>(kLeftOut.size())};
  opcode.pointer = kLeftOut.data();
  made->attributeList().append(state.reader.arena, opcode);
  return made;
}

}  // namespace

bool eatLeftOutLines(ParseState& state) {
  const char* at = state.lexer.here();
  if (std::strncmp(at, "...", 3) != 0) return false;
  state.lexer.moveTo(at + 3);
  state.isPart = true;
  state.reader.warnAt(at, std::string(kLeftOut), "lines are left out here: what stood there is not known");
  return true;
}

Computation* missingComputation(ParseState& state, const char* at, std::string_view name) {
  Computation* computation = state.module.createComputation(name, state.module.computations().back());
  state.computations.emplace(name, computation);
  state.missing.push_back(computation);
  state.reader.warnAt(
      at, std::string(kLeftOut),
      fmt::format("computation '{}' is not in this text: what it computes is not known", name));
  return computation;
}

void completeMissing(ParseState& state, const Instruction& caller) {
  for (Computation* computation : std::exchange(state.missing, {})) {
    const MissingSignature signature = signatureOf(caller, *computation);
    OperandList parameters;
    for (const Shape shape : signature.parameters) {
      const auto number = static_cast<int64_t>(parameters.size());
      parameters.push_back(computation->createParameter(
          number, shape, fmt::format("{}.param_{}", computation->name(), number)));
    }
    computation->setRoot(createLeftOut(state, *computation, signature.result, parameters,
                                       fmt::format("{}.{}", computation->name(), kLeftOut)));
  }
}

Instruction* missingOperand(ParseState& state, Computation& computation, const char* at, Shape shape,
                            std::string_view name) {
  Instruction* made = createLeftOut(state, computation, shape, {}, name);
  state.names->insert(name, made);
  state.reader.warnAt(at, std::string(kLeftOut),
                      fmt::format("'{}' is not in this text: what it is is not known", name));
  return made;
}

}  // namespace hilo
