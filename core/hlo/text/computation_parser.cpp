// Computations: "ENTRY %name (p: f32[2]) -> f32[2] { instructions }, execution_thread="x"", those written in
// place as an attribute's value, and bare instructions without any.

#include "core/hlo/ir/parameters.h"
#include "core/hlo/text/parse_state.h"
#include "core/hlo/text/shape_parser.h"

namespace hilo {
namespace {

// "(p0: f32[2], p1: s32[]) -> f32[2]". The instructions say the same and are what counts; the
// result is checked.
bool readSignature(ParseState& state, Shape& result) {
  const bool read = state.reader.readList('(', ')', [&] {
    std::string_view name;
    Shape shape;
    if (!state.reader.readName(name)) return false;
    state.lexer.eat(':');
    return readShape(state.reader, shape);
  });
  if (!read) return false;
  if (!state.lexer.eatArrow()) return state.reader.expected("'->'");
  return readShape(state.reader, result);
}

// "} // name".
void detectNameAfterBrace(ParseState& state, const Computation& computation) {
  std::string_view rest(state.lexer.position() + 4,
                        static_cast<size_t>(state.lexer.end() - state.lexer.position() - 4));
  rest = rest.substr(0, rest.find('\n'));
  if (rest == computation.name()) state.style.nameAfterClosingBrace = true;
}

void readInstructions(ParseState& state, Computation& computation) {
  auto outerParameters = std::exchange(state.parameters, {});
  while (!state.reader.full()) {
    const char c = state.lexer.peek();
    if (c == '}') {
      state.lexer.eat('}');
      if (std::strncmp(state.lexer.position(), " // ", 4) == 0) detectNameAfterBrace(state, computation);
      break;
    }
    if (state.lexer.atEnd()) {
      state.style.unclosedComputation = true;
      state.reader.error("unexpected-end",
                         fmt::format("the text ends inside computation '{}'", computation.name()));
      break;
    }
    if (eatLeftOutLines(state)) continue;
    const char* before = state.lexer.position();
    readInstruction(state, computation);
    // Whatever went wrong, go on past it.
    if (state.lexer.position() == before) state.lexer.moveTo(before + 1);
  }
  if (computation.root() == nullptr) computation.setRoot(computation.last());
  registerParameters(computation, std::exchange(state.parameters, std::move(outerParameters)));
}

void checkResult(ParseState& state, const char* at, const Computation& computation, Shape result) {
  const Instruction* root = computation.root();
  if (root == nullptr || root->opcode() == Opcode::Opaque || state.style.unclosedComputation) return;
  const Shape actual = root->shape();
  if (actual == result || actual.withoutLayout() == result.withoutLayout() ||
      actual.withStaticDimensions().withoutLayout() == result.withStaticDimensions().withoutLayout()) {
    return;
  }
  state.reader.errorAt(at, "signature-mismatch",
                       fmt::format("computation '{}' promises {}, its root {} has shape {}",
                                   computation.name(), toString(result), root->name(), toString(actual)));
}

// ", execution_thread="x"" after the closing brace.
bool readComputationAttributes(ParseState& state, Computation& computation) {
  while (state.lexer.eat(',')) {
    if (!roomForAttribute(state, computation.attributes().all().size())) return false;
    const char* at = state.lexer.here();
    std::string_view name;
    if (!state.reader.readKey(name)) return false;
    Attribute attribute{.key = Attr::ExecutionThread};
    const bool known = name == attrName(Attr::ExecutionThread);
    const bool read = known ? readAttributeValue(state, Attr::ExecutionThread, {}, attribute)
                            : readOpaqueAttribute(state, at, name, "a computation", attribute);
    if (!read) return false;
    computation.attributes().append(state.reader.arena, attribute);
  }
  return true;
}

}  // namespace

bool readComputation(ParseState& state) {
  Lexer& lexer = state.lexer;
  const char* start = lexer.here();
  const bool isEntry = *start == 'E' && lexer.eatWord("ENTRY");
  const char* nameAt = lexer.here();
  std::string_view name;
  if (!state.reader.readName(name)) return false;
  if (!state.sawInstruction) state.style.percent = *nameAt == '%';
  Shape result;
  const char* signatureAt = lexer.here();
  const bool hasSignature = *signatureAt == '(';
  if (!state.sawSignature) state.style.programShapes = hasSignature;
  state.sawSignature = true;
  if (hasSignature && !readSignature(state, result)) return false;
  if (!state.reader.expect('{')) return false;

  Computation* computation = state.module.createComputation(name);
  computation->setSourceOffset(state.offsetOf(nameAt));
  state.names->clear();
  const char* signatureEnd = lexer.position() - 1;
  readInstructions(state, *computation);
  if (hasSignature && state.style.unclosedComputation) {
    state.style.unclosedSignature = {signatureAt, static_cast<size_t>(signatureEnd - signatureAt)};
  }
  if (hasSignature) checkResult(state, signatureAt, *computation, result);
  if (isEntry) {
    state.style.entryKeyword = true;
    if (state.module.entry() != nullptr) {
      state.reader.errorAt(start, "duplicate-entry",
                           "a module has one ENTRY computation; this is the second");
    } else {
      state.module.setEntry(computation);
    }
  }
  if (!state.computations.emplace(name, computation).second) {
    state.reader.errorAt(nameAt, "duplicate-name", fmt::format("there is a computation '{}' already", name));
  }
  return readComputationAttributes(state, *computation);
}

Computation* readNestedComputation(ParseState& state, std::string_view hint) {
  Reader::DepthGuard guard(state.reader);
  if (!guard) return nullptr;
  const char* at = state.lexer.here();
  if (!state.reader.expect('{')) return nullptr;
  std::string name = fmt::format("{}.computation", hint);
  for (int i = 1; state.computations.contains(name); ++i) name = fmt::format("{}.computation.{}", hint, i);
  // Its caller's computation is the last in the list: it goes before.
  Computation* computation = state.module.createComputation(name, state.module.computations().back());
  computation->setSourceOffset(state.offsetOf(at));
  NameTable names;
  NameTable* outer = std::exchange(state.names, &names);
  readInstructions(state, *computation);
  state.names = outer;
  state.computations.emplace(computation->name(), computation);
  return computation;
}

void readBareInstructions(ParseState& state) {
  Computation* computation = state.module.createComputation("main");
  state.module.setEntry(computation);
  state.createMissingOperands = true;
  while (!state.lexer.atEnd() && !state.reader.full()) {
    if (eatLeftOutLines(state)) continue;
    const char* before = state.lexer.position();
    readInstruction(state, *computation);
    if (state.lexer.position() == before) state.lexer.moveTo(before + 1);
  }
  if (computation->root() == nullptr) computation->setRoot(computation->last());
}

}  // namespace hilo
