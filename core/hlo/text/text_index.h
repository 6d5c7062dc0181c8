// Where each instruction and computation of a printed text stands, and the reverse. Lines count from 0.
#pragma once

#include <string_view>
#include <vector>

#include "core/hlo/ir/instruction.h"

namespace hilo {

class TextIndex {
 public:
  static constexpr uint32_t kNoLine = 0xffffffff;

  size_t lineCount() const { return lineStarts_.size(); }
  // Byte offset of a line's first character.
  size_t lineStart(uint32_t line) const { return lineStarts_[line]; }

  uint32_t lineOf(InstructionId id) const {
    return id.value < lineOfInstruction_.size() ? lineOfInstruction_[id.value] : kNoLine;
  }
  // The line of its header.
  uint32_t lineOf(ComputationId id) const {
    return id.value < lineOfComputation_.size() ? lineOfComputation_[id.value] : kNoLine;
  }
  // What stands on a line; an id that is not valid() where neither does.
  InstructionId instructionAt(uint32_t line) const {
    return line < instructionOfLine_.size() ? instructionOfLine_[line] : InstructionId();
  }
  // The computation whose header, instructions or closing brace a line is.
  ComputationId computationAt(uint32_t line) const;

  // For the printer: called in printing order with the offset the item starts at, then finish with the text.
  void note(InstructionId id, size_t offset) { instructions_.push_back({id.value, offset}); }
  void note(ComputationId id, size_t offset) { computations_.push_back({id.value, offset}); }
  void finish(std::string_view text);

 private:
  struct Note {
    uint32_t id;
    size_t offset;
  };
  std::vector<Note> instructions_;
  std::vector<Note> computations_;
  std::vector<size_t> lineStarts_;
  std::vector<uint32_t> lineOfInstruction_;
  std::vector<uint32_t> lineOfComputation_;
  std::vector<InstructionId> instructionOfLine_;
  std::vector<std::pair<uint32_t, ComputationId>> computationLines_;  // first line, in order
};

}  // namespace hilo
