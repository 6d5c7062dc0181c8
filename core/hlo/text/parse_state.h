// What the parts of the module parser share while one text is being parsed. Internal to hlo/text.
#pragma once

#include "core/hlo/text/name_table.h"
#include "core/hlo/text/parse.h"
#include "core/hlo/text/reader.h"

namespace hilo {

// Payloads by the text they were read from: the same metadata, shardings and frontend attributes come again
// and again, and payloads are immutable, so equal text can share one.
class PayloadCache {
 public:
  const Attribute* find(std::string_view text) {
    if (!useful()) return nullptr;
    ++lookUps_;
    const auto found = byText_.find(text);
    if (found == byText_.end()) return nullptr;
    ++hits_;
    return &found->second;
  }
  void insert(std::string_view text, const Attribute& attribute) {
    if (useful()) byText_.emplace(text, attribute);
  }
  // Texts that hardly repeat (metadata with a unique scheduling name) are not worth the look-ups.
  bool useful() const { return lookUps_ < 1024 || hits_ * 4 > lookUps_; }

 private:
  absl::flat_hash_map<std::string_view, Attribute, TextHash, TextEqual> byText_;
  size_t lookUps_ = 0;
  size_t hits_ = 0;
};

struct ParseState {
  ParseState(std::string_view text, Module& module, const ParseOptions& options)
      : reader(text, module.arena()),
        lexer(reader.lexer),
        module(module),
        options(options),
        style(module.textStyle()),
        topLevelNames(text.size() / kBytesPerInstruction) {}

  // About what the text of an instruction without metadata takes; the tables start at that size.
  static constexpr size_t kBytesPerInstruction = 128;

  Reader reader;
  Lexer& lexer;
  Module& module;
  const ParseOptions& options;
  TextStyle& style;

  absl::flat_hash_map<std::string_view, Computation*, TextHash, TextEqual> computations;
  // The names in scope. A nested computation has a table of its own while it is read.
  NameTable topLevelNames;
  NameTable* names = &topLevelNames;
  // The parameters of the computation that is being read, to be registered when it is whole.
  absl::InlinedVector<Instruction*, 8> parameters;
  // Set while bare instructions are read: an operand that is not there becomes a parameter if it has a shape.
  bool createMissingOperands = false;
  // The text is cut out of a larger one: it has no header, or lines of it are left out.
  bool isPart = false;
  // Computations of the instruction that is being read which the text does not have.
  absl::InlinedVector<Computation*, 1> missing;
  // What style detection has seen so far.
  bool sawOperand = false;
  bool sawLongOperandList = false;
  bool sawSignature = false;
  bool sawInstruction = false;
  bool sawAsyncSugar = false;

  PayloadCache metadataCache;
  PayloadCache shardingCache;
  PayloadCache frontendCache;

  uint32_t offsetOf(const char* at) const {
    const size_t offset = static_cast<size_t>(at - lexer.begin());
    return offset < Instruction::kNoOffset ? static_cast<uint32_t>(offset) : Instruction::kNoOffset;
  }
};

// header_parser.cpp: "HloModule name, attribute=value, ..." and the stack frame tables.
bool readHeader(ParseState& state);
bool readStackFrameTables(ParseState& state);

// computation_parser.cpp. Reads one computation; false when it stopped at something that is none.
bool readComputation(ParseState& state);
// A computation written in place, "{ ... }", as an attribute's value. `hint` names it.
Computation* readNestedComputation(ParseState& state, std::string_view hint);
// Bare instructions to the end of the text, as one entry computation.
void readBareInstructions(ParseState& state);

// instruction_parser.cpp: one instruction, "ROOT" to its last attribute. Errors leave an Opaque instruction
// where the name was read, and the lexer on the line the next one may start on.
void readInstruction(ParseState& state, Computation& computation);
// The part after '=', for an operand written in place. Null after an error.
Instruction* readUnnamedInstruction(ParseState& state, Computation& computation);

// operand_parser.cpp: "(%a, f32[2] %b, add(c, d))".
using OperandList = absl::InlinedVector<Instruction*, 8>;
bool readOperands(ParseState& state, Computation& computation, OperandList& operands);

// attribute_parser.cpp.
using AttributeItems = absl::InlinedVector<Attribute, 8>;
// Reads ", name=value" as long as there are any, by the opcode's attributes first. `wrapped` takes the ones
// that belong to the operation a sugared async-start wraps (null when there is none).
struct AttributeTarget {
  Opcode opcode;
  AttributeItems* own;
  std::optional<Opcode> wrappedOpcode;
  AttributeItems* wrapped = nullptr;
  std::string_view instructionName;
};
bool readInstructionAttributes(ParseState& state, const AttributeTarget& target);
// Whether an instruction, computation or module of `count` attributes may have one more; reports it when not.
bool roomForAttribute(ParseState& state, size_t count);
// One attribute's value after its '='.
bool readAttributeValue(ParseState& state, Attr attr, std::string_view hint, Attribute& attribute);
// Of the module header and of computations.
std::optional<Attr> headerAttribute(std::string_view name);
// An attribute that is not known, as written, with a warning that names the closest of `alternatives`.
bool readOpaqueAttribute(ParseState& state, const char* at, std::string_view name, std::string_view owner,
                         Attribute& attribute, std::span<const std::string_view> alternatives = {});

// async_parser.cpp: the computation that a sugared "foo-start" implies.
Computation* makeAsyncComputation(ParseState& state, Computation& before, std::string_view startName,
                                  Opcode wrapped, Shape startShape, const AttributeItems& attributes,
                                  const char* at);
// A sugared "foo-update" or "foo-done" may bind operands, and say the result, that the start left open: what
// it binds is added to the computation the chain wraps.
void bindAsyncComputation(const Instruction& link);

// missing_parts.cpp: what a part of a text names without having it.
// "..." where instructions or computations are left out; the text is a part from there on.
bool eatLeftOutLines(ParseState& state);
// An opaque computation, to be given parameters and a result by completeMissing().
Computation* missingComputation(ParseState& state, const char* at, std::string_view name);
void completeMissing(ParseState& state, const Instruction& caller);
Instruction* missingOperand(ParseState& state, Computation& computation, const char* at, Shape shape,
                            std::string_view name);

// did_you_mean.cpp: a note naming the closest of `candidates`, or nothing.
std::vector<std::string> didYouMean(std::string_view name, std::span<const std::string_view> candidates);

}  // namespace hilo
