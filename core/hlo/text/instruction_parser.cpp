// One instruction: "ROOT %name = shape opcode(operands), attribute=value, ...".

#include "core/hlo/ir/op_facts.h"
#include "core/hlo/text/literal_parser.h"
#include "core/hlo/text/parse_state.h"
#include "core/hlo/text/shape_parser.h"

namespace hilo {
namespace {

// What was read of an instruction before it is made.
struct Draft {
  const char* at = nullptr;  // where the instruction's name, or its shape, starts
  std::string_view name;     // empty for an operand written in place
  std::optional<Shape> shape;
  Opcode opcode = Opcode::Opaque;
  std::string_view opcodeWord;
  std::optional<Opcode> wrapped;  // of "foo-start", "foo-update", "foo-done"
  OperandList operands;
  AttributeItems attributes;
  AttributeItems wrappedAttributes;
};

bool resolveAsyncSugar(Draft& draft) {
  static constexpr std::pair<std::string_view, Opcode> kSuffixes[] = {
      {"-start", Opcode::AsyncStart}, {"-update", Opcode::AsyncUpdate}, {"-done", Opcode::AsyncDone}};
  for (const auto& [suffix, async] : kSuffixes) {
    if (!draft.opcodeWord.ends_with(suffix)) continue;
    const auto wrapped = opcodeFromName(draft.opcodeWord.substr(0, draft.opcodeWord.size() - suffix.size()));
    if (!wrapped || hasOwnStart(*wrapped)) return false;  // copy-start is an opcode itself
    draft.opcode = async;
    draft.wrapped = wrapped;
    return true;
  }
  return false;
}

bool readOpcode(ParseState& state, Draft& draft) {
  const char* at = state.lexer.here();
  draft.opcodeWord = state.lexer.word();
  if (draft.opcodeWord.empty() || !hasClass(draft.opcodeWord[0], kCharNameStart)) {
    state.lexer.moveTo(at);
    return state.reader.expected(draft.shape ? "an opcode" : "a shape or an opcode");
  }
  if (const auto opcode = opcodeFromName(draft.opcodeWord)) {
    draft.opcode = *opcode;
    return true;
  }
  if (resolveAsyncSugar(draft) || !state.reader.wantsWarning()) return true;
  std::vector<std::string_view> names;
  for (int i = 0; i < kOpcodeCount; ++i) names.push_back(opcodeName(static_cast<Opcode>(i)));
  state.reader.warnAt(
      at, "unknown-opcode",
      fmt::format("'{}' is no opcode that is known; the instruction is kept as written", draft.opcodeWord),
      didYouMean(draft.opcodeWord, names));
  return true;
}

bool readParameterNumber(ParseState& state, Draft& draft) {
  if (!state.reader.expect('(')) return false;
  const char* at = state.lexer.here();
  Attribute number{.key = Attr::ParameterNumber};
  if (!state.reader.readInt(number.integer) || !state.reader.expect(')')) return false;
  if (number.integer < 0)
    return state.reader.errorAt(at, "bad-parameter-number", "a parameter number is not negative");
  draft.attributes.push_back(number);
  return true;
}

bool readConstantValue(ParseState& state, Draft& draft) {
  if (!state.reader.expect('(')) return false;
  if (!draft.shape) {
    return state.reader.errorAt(draft.at, "missing-shape",
                                "a constant needs its shape in front of the opcode");
  }
  Literal literal;
  if (!readLiteral(state.reader, *draft.shape, literal) || !state.reader.expect(')')) return false;
  Attribute value{.key = Attr::Literal};
  value.pointer = state.module.own(std::move(literal));
  draft.attributes.push_back(value);
  return true;
}

// The operands of an opcode that is not known: instructions if that is what they are, else the raw text.
bool readOpaqueOperands(ParseState& state, Computation& computation, Draft& draft) {
  const char* at = state.lexer.here();
  if (*at != '(') return state.reader.expected("'('");
  Lexer ahead = state.lexer;
  ahead.eat('(');
  bool areNames = true;
  while (areNames && ahead.peek() != ')') {
    const std::string_view name = ahead.name();
    areNames = !name.empty() && state.names->find(name) != nullptr && (ahead.eat(',') || ahead.peek() == ')');
  }
  if (areNames || state.style.operandShapes) return readOperands(state, computation, draft.operands);
  state.lexer.moveTo(at + 1);
  const char* start = state.lexer.here();
  while (state.lexer.peek() != ')') {
    const std::optional<std::string_view> value = state.lexer.opaqueValue();
    if (!value) {
      return state.reader.error("unterminated-value",
                                "a string or a bracket of this operand is never closed");
    }
    if (value->empty()) break;
    state.lexer.eat(',');
  }
  const std::string_view text(start, static_cast<size_t>(state.lexer.position() - start));
  Attribute raw{.key = Attr::Opaque};
  raw.pointer = state.reader.arena.create<OpaqueAttribute>(OpaqueAttribute{"", text});
  draft.attributes.push_back(raw);
  return state.reader.expect(')');
}

bool readOperandsOf(ParseState& state, Computation& computation, Draft& draft) {
  switch (draft.opcode) {
    case Opcode::Parameter:
      return readParameterNumber(state, draft);
    case Opcode::Constant:
      return readConstantValue(state, draft);
    case Opcode::Opaque:
      return readOpaqueOperands(state, computation, draft);
    default:
      return readOperands(state, computation, draft.operands);
  }
}

// The rest of an instruction after its name and '='.
bool readBody(ParseState& state, Computation& computation, Draft& draft, bool attributesAllowed) {
  if (atShape(state.reader) && !readShape(state.reader, draft.shape.emplace())) {
    draft.shape.reset();
    return false;
  }
  if (!readOpcode(state, draft)) return false;
  if (draft.opcode == Opcode::Opaque) {
    Attribute word{.key = Attr::OpaqueOpcode, .count = static_cast<uint32_t>(draft.opcodeWord.size())};
    word.pointer = draft.opcodeWord.data();
    draft.attributes.push_back(word);
  }
  if (!readOperandsOf(state, computation, draft)) return false;
  if (!attributesAllowed) return true;
  return readInstructionAttributes(
      state, {draft.opcode, &draft.attributes, draft.wrapped, &draft.wrappedAttributes, draft.name});
}

bool isAsyncChain(const Instruction* instruction) {
  return instruction->opcode() == Opcode::AsyncStart || instruction->opcode() == Opcode::AsyncUpdate;
}

// What "foo-start" implies, and what "foo-update" and "foo-done" promise about their operand.
bool finishAsync(ParseState& state, Computation& computation, Draft& draft) {
  if (!draft.wrapped) {
    // Where there is sugar, one without it runs more than one instruction.
    if (draft.opcode == Opcode::AsyncStart) state.style.syntaxSugarAsyncOps = state.sawAsyncSugar;
    return true;
  }
  state.style.syntaxSugarAsyncOps = state.sawAsyncSugar = true;
  if (draft.opcode != Opcode::AsyncStart) {
    for (const Attribute& attribute : draft.wrappedAttributes) draft.attributes.push_back(attribute);
    if (!draft.operands.empty() &&
        (isAsyncChain(draft.operands[0]) || draft.operands[0]->opcode() == Opcode::Opaque)) {
      return true;
    }
    return state.reader.errorAt(
        draft.at, "bad-async",
        fmt::format("the first operand of {} must be an async start or update", draft.opcodeWord));
  }
  if (!draft.shape) {
    return state.reader.errorAt(draft.at, "missing-shape",
                                fmt::format("{} needs its shape", draft.opcodeWord));
  }
  Attribute calls{.key = Attr::Calls};
  Computation* wrapped = makeAsyncComputation(state, computation, draft.name, *draft.wrapped, *draft.shape,
                                              draft.wrappedAttributes, draft.at);
  if (wrapped == nullptr) return false;
  calls.pointer = wrapped;
  // The computation runs where the start says.
  for (Attribute attribute : draft.attributes) {
    if (attribute.key != Attr::AsyncExecutionThread) continue;
    attribute.key = Attr::ExecutionThread;
    wrapped->attributes().append(state.reader.arena, attribute);
  }
  draft.attributes.push_back(calls);
  return true;
}

Instruction* make(ParseState& state, Computation& computation, const Draft& draft) {
  Instruction* instruction =
      computation.create(draft.opcode, draft.shape.value_or(Shape()), draft.operands, draft.name);
  AttributeList& list = instruction->attributeList();
  list.reserve(state.reader.arena, static_cast<uint32_t>(draft.attributes.size()));
  for (const Attribute& attribute : draft.attributes) list.append(state.reader.arena, attribute);
  instruction->setSourceOffset(state.offsetOf(draft.at));
  if (draft.opcode == Opcode::Parameter && !draft.attributes.empty()) {
    state.parameters.push_back(instruction);
    // The parameters that are made up for bare instructions are numbered after those there are.
    if (state.createMissingOperands && state.names == &state.topLevelNames)
      computation.registerParameter(instruction, draft.attributes[0].integer);
  }
  if (draft.wrapped && draft.opcode != Opcode::AsyncStart) bindAsyncComputation(*instruction);
  return instruction;
}

// The shape of an instruction that was written without one.
bool infer(ParseState& state, const Draft& draft, Instruction& instruction) {
  if (draft.shape) return true;
  if (draft.opcode == Opcode::Opaque || state.options.inferShape == nullptr) {
    return state.reader.errorAt(draft.at, "missing-shape",
                                fmt::format("{} needs its shape in front of the opcode", draft.opcodeWord));
  }
  const auto shape = state.options.inferShape(instruction);
  if (shape) {
    instruction.setShape(*shape);
    return true;
  }
  return state.reader.errorAt(draft.at, "missing-shape",
                              fmt::format("{} is written without a shape and none can be inferred: {}",
                                          draft.opcodeWord, shape.error().message));
}

bool startsInstruction(const char* p) {
  while (*p == ' ' || *p == '\t') ++p;
  if (*p == '%' || *p == '}') return true;
  if (!hasClass(*p, kCharNameStart)) return false;
  const char* word = p;
  while (hasClass(*p, kCharName)) ++p;
  const std::string_view first(word, static_cast<size_t>(p - word));
  if (first == "ROOT" || first == "ENTRY" || first == "HloModule") return true;
  while (*p == ' ') ++p;
  return *p == '=' && p[1] == ' ';
}

// To the start of the next line that an instruction or the end of the computation can start on.
void skipToNextInstruction(ParseState& state) {
  const char* p = state.lexer.position();
  const char* end = state.lexer.end();
  // What was skipped before the error showed may be the end of the instruction's own line.
  while (p > state.lexer.begin() && hasClass(p[-1], kCharSpace)) --p;
  while (p < end) {
    const void* newline = std::memchr(p, '\n', static_cast<size_t>(end - p));
    if (newline == nullptr) break;
    p = static_cast<const char*>(newline) + 1;
    if (startsInstruction(p)) {
      state.lexer.moveTo(p);
      return;
    }
  }
  state.lexer.moveTo(end);
}

// Stands for an instruction with an error, so that what uses it can still be read.
void makePlaceholder(ParseState& state, Computation& computation, Draft& draft) {
  draft.opcode = Opcode::Opaque;
  draft.attributes.clear();
  const std::string_view word = draft.opcodeWord.empty() ? std::string_view("unreadable") : draft.opcodeWord;
  Attribute opcode{.key = Attr::OpaqueOpcode, .count = static_cast<uint32_t>(word.size())};
  opcode.pointer = word.data();
  draft.attributes.push_back(opcode);
  Instruction* placeholder = make(state, computation, draft);
  state.names->insert(draft.name, placeholder);
  completeMissing(state, *placeholder);
}

void markRoot(ParseState& state, Computation& computation, const char* at, Instruction* instruction) {
  if (computation.root() != nullptr) {
    state.reader.errorAt(at, "duplicate-root", "a computation has one ROOT; this is the second");
    return;
  }
  computation.setRoot(instruction);
}

}  // namespace

Instruction* readUnnamedInstruction(ParseState& state, Computation& computation) {
  Reader::DepthGuard guard(state.reader);
  if (!guard) return nullptr;
  Draft draft;
  draft.at = state.lexer.here();
  if (!readBody(state, computation, draft, false) || !finishAsync(state, computation, draft)) return nullptr;
  std::string name = fmt::format("{}.anon", draft.opcodeWord);
  for (int i = 1; state.names->find(name) != nullptr; ++i)
    name = fmt::format("{}.anon.{}", draft.opcodeWord, i);
  draft.name = state.reader.arena.copy(std::string_view(name));
  Instruction* instruction = make(state, computation, draft);
  state.names->insert(draft.name, instruction);
  return infer(state, draft, *instruction) ? instruction : nullptr;
}

void readInstruction(ParseState& state, Computation& computation) {
  Draft draft;
  draft.at = state.lexer.here();
  const bool isRoot = *draft.at == 'R' && state.lexer.eatWord("ROOT");
  const char* rootAt = draft.at;
  if (isRoot) draft.at = state.lexer.here();
  const bool bareShape = state.createMissingOperands && atShape(state.reader);
  if (bareShape) {
    draft.name = "instruction";
  } else {
    if (!state.sawInstruction) {
      state.style.percent = *draft.at == '%';
      state.sawInstruction = true;
    }
    if (!state.reader.readName(draft.name)) return skipToNextInstruction(state);
  }
  if ((!bareShape && !state.reader.expect('=')) || !readBody(state, computation, draft, true) ||
      !finishAsync(state, computation, draft)) {
    makePlaceholder(state, computation, draft);
    return skipToNextInstruction(state);
  }
  Instruction* instruction = make(state, computation, draft);
  if (!state.names->insert(draft.name, instruction)) {
    state.reader.errorAt(draft.at, "duplicate-name",
                         fmt::format("there is an instruction '{}' in this computation already", draft.name));
  }
  if (!state.missing.empty()) completeMissing(state, *instruction);
  infer(state, draft, *instruction);
  if (isRoot) markRoot(state, computation, rootAt, instruction);
}

}  // namespace hilo
