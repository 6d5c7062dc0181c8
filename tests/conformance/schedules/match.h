// Is an instruction computed this way? "add(_, reshape(while))": opcodes by their text names, operands where
// they are given, `_` for any.
#pragma once

#include <string_view>

#include "core/hlo/ir/module.h"

namespace hilo {

class Pattern {
 public:
  explicit Pattern(std::string_view text) : text_(text) {}
  bool matches(const Instruction& instruction) {
    at_ = 0;
    return match(&instruction);
  }

 private:
  // Reads the pattern to its end even when it does not match. A null instruction matches nothing.
  bool match(const Instruction* instruction) {
    skipSpace();
    const size_t start = at_;
    while (at_ < text_.size() &&
           (std::isalnum(static_cast<unsigned char>(text_[at_])) || text_[at_] == '-' || text_[at_] == '_'))
      ++at_;
    const std::string_view name = text_.substr(start, at_ - start);
    bool fits = instruction != nullptr && (name == "_" || instruction->opcodeText() == name);
    skipSpace();
    if (at_ >= text_.size() || text_[at_] != '(') return fits;
    size_t operand = 0;
    do {
      ++at_;
      const bool has = instruction != nullptr && operand < instruction->operandCount();
      fits &= match(has ? instruction->operand(operand) : nullptr);
      ++operand;
      skipSpace();
    } while (at_ < text_.size() && text_[at_] == ',');
    ++at_;
    return fits && operand == instruction->operandCount();
  }
  void skipSpace() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }

  std::string_view text_;
  size_t at_ = 0;
};

inline Instruction* findOpcode(const Computation& computation, Opcode opcode) {
  for (Instruction* i : computation.instructions()) {
    if (i->opcode() == opcode) return i;
  }
  return nullptr;
}

inline Instruction* findOpcode(const Module& module, Opcode opcode) {
  for (const Computation* computation : module.computations()) {
    if (Instruction* found = findOpcode(*computation, opcode)) return found;
  }
  return nullptr;
}

inline int64_t countOpcode(const Computation& computation, Opcode opcode) {
  return std::ranges::count_if(computation.instructions(),
                               [&](const Instruction* i) { return i->opcode() == opcode; });
}

}  // namespace hilo
