// Operand lists: names with or without their shapes, "%tuple#0#1" for an element of a tuple, instructions
// written in place, and, in bare instructions, shapes that stand for parameters.

#include "core/hlo/text/parse_state.h"
#include "core/hlo/text/shape_parser.h"

namespace hilo {
namespace {

bool sameButLayout(Shape a, Shape b) {
  return a == b || a.withoutLayout() == b.withoutLayout() ||
         a.withStaticDimensions().withoutLayout() == b.withStaticDimensions().withoutLayout();
}

// A parameter for an operand of a bare instruction, before everything else in the computation.
Instruction* createParameter(ParseState& state, Computation& computation, Shape shape,
                             std::string_view name) {
  const int64_t number = static_cast<int64_t>(computation.parameters().size());
  if (name.empty()) name = state.reader.arena.copy(std::string_view(fmt::format("_{}", number)));
  Instruction* before = computation.first();
  while (before != nullptr && before->opcode() == Opcode::Parameter) before = before->next();
  Instruction* parameter =
      computation.create(Opcode::Parameter, shape, std::span<Instruction* const>(), name, before);
  parameter->set<Attr::ParameterNumber>(number);
  computation.registerParameter(parameter, number);
  state.names->insert(name, parameter);
  return parameter;
}

Instruction* reportUndefined(ParseState& state, const char* at, std::string_view name) {
  std::vector<std::string> notes;
  if (!state.reader.full()) {
    std::vector<std::string_view> names;
    state.names->forEach([&](std::string_view known) { names.push_back(known); });
    notes = didYouMean(name, names);
  }
  state.reader.errorAt(at, "undefined-name",
                       fmt::format("there is no instruction '{}' before this line in its computation", name),
                       std::move(notes));
  return nullptr;
}

// "#0#1" after an operand's name: the tuple elements it goes down to. The get-tuple-element instructions are
// made once and found again by the name with its suffix.
Instruction* readTupleElements(ParseState& state, Computation& computation, const char* at,
                               std::string_view name, Instruction* tuple) {
  state.style.compactGte = true;
  while (*state.lexer.position() == '#') {
    state.lexer.moveTo(state.lexer.position() + 1);
    int64_t index = 0;
    if (!state.reader.readInt(index)) return nullptr;
    const auto elements = tuple->shape().tupleShapes();
    if (index < 0 || index >= static_cast<int64_t>(elements.size())) {
      state.reader.errorAt(at, "bad-tuple-index",
                           fmt::format("'{}' has no tuple element {}: its shape is {}", name, index,
                                       toString(tuple->shape())));
      return nullptr;
    }
    name = state.reader.arena.copy(std::string_view(fmt::format("{}#{}", name, index)));
    Instruction* element = state.names->find(name);
    if (element == nullptr) {
      std::string plain(name);
      std::ranges::replace(plain, '#', '_');
      while (state.names->find(plain) != nullptr) plain += '_';
      element = computation.create(Opcode::GetTupleElement, elements[index], {tuple}, plain);
      element->set<Attr::Index>(index);
      state.names->insert(name, element);
    }
    tuple = element;
  }
  return tuple;
}

// An operand written with its shape, or as an instruction in place, or without a name: all but "%name".
Instruction* readRareOperand(ParseState& state, Computation& computation) {
  Lexer& lexer = state.lexer;
  const char* at = lexer.here();
  std::optional<Shape> shape;
  if (atShape(state.reader)) {
    if (!readShape(state.reader, shape.emplace())) return nullptr;
    if (!state.sawOperand) state.style.operandShapes = true;
  }
  state.sawOperand = true;
  const char c = lexer.peek();
  if (c != '%' && !hasClass(c, kCharNameStart)) {
    if (shape && state.createMissingOperands && state.names == &state.topLevelNames &&
        (c == ',' || c == ')')) {
      return createParameter(state, computation, *shape, {});
    }
    state.reader.expected("an operand");
    return nullptr;
  }
  const char* nameAt = lexer.here();
  std::string_view name;
  if (!state.reader.readName(name)) return nullptr;
  if (lexer.peek() == '(' && c != '%') {
    lexer.moveTo(at);
    return readUnnamedInstruction(state, computation);
  }
  Instruction* found = state.names->find(name);
  if (found == nullptr) {
    if (shape && state.createMissingOperands && state.names == &state.topLevelNames) {
      return createParameter(state, computation, *shape, name);
    }
    if (shape && state.isPart) return missingOperand(state, computation, nameAt, *shape, name);
    return reportUndefined(state, nameAt, name);
  }
  if (*lexer.position() == '#') found = readTupleElements(state, computation, nameAt, name, found);
  if (found != nullptr && shape && found->opcode() != Opcode::Opaque &&
      !sameButLayout(*shape, found->shape())) {
    state.reader.errorAt(
        at, "operand-shape-mismatch",
        fmt::format("'{}' has shape {}, not {}", name, toString(found->shape()), toString(*shape)));
  }
  return found;
}

// Remembers whether long operand lists are numbered; called before the sixth operand.
void detectIndexComments(ParseState& state) {
  state.sawLongOperandList = true;
  const char* p = state.lexer.position();
  while (hasClass(*p, kCharSpace)) ++p;
  state.style.operandIndexComments = *p == '/';
}

}  // namespace

bool readOperands(ParseState& state, Computation& computation, OperandList& operands) {
  Reader::DepthGuard guard(state.reader);
  if (!guard || !state.reader.expect('(')) return false;
  Lexer& lexer = state.lexer;
  if (lexer.eat(')')) return true;
  do {
    if (operands.size() == 5 && !state.sawLongOperandList) detectIndexComments(state);
    if (lexer.peek() == '%') {
      const char* at = lexer.position();
      const std::string_view name = lexer.name();
      Instruction* operand = state.names->find(name);
      if (operand != nullptr && *lexer.position() != '#') {
        state.sawOperand = true;
        operands.push_back(operand);
        continue;
      }
      lexer.moveTo(at);
    }
    Instruction* operand = readRareOperand(state, computation);
    if (operand == nullptr) return false;
    operands.push_back(operand);
  } while (lexer.eat(','));
  return state.reader.expect(')');
}

}  // namespace hilo
