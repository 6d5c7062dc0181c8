// A module as text for a viewer, joined to the module line by line.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/hlo/ir/module.h"

namespace hilo {

enum class TextForm : uint8_t {
  AsRead,     // the style it was read in; XLA's dump form when it came from a proto
  Short,      // no metadata, no backend_config, short form of names
  Semantic,   // as read, without header, metadata, shardings, layouts and backend_config
  Canonical,  // names and details that do not matter left out: equal text for equal modules
};

// What a line belongs to. An instruction's line has both ids, a computation's head and closing brace the
// computation's alone, a header or table line none.
struct TextLine {
  ComputationId computation;
  InstructionId instruction;
};

struct PrintedModule {
  std::shared_ptr<const Module> module;
  std::string text;
  std::vector<size_t> lineStarts;  // byte offset of each line
  std::vector<TextLine> lines;     // one a line

  size_t lineCount() const { return lines.size(); }
  std::string_view line(size_t index) const;  // without its newline
  // The line (from 0) of an instruction, or of the head of a computation; npos when it has none.
  static constexpr size_t npos = static_cast<size_t>(-1);
  size_t lineOf(InstructionId id) const {
    return id.value < instructionLines.size() ? instructionLines[id.value] : npos;
  }
  size_t lineOf(ComputationId id) const {
    return id.value < computationLines.size() ? computationLines[id.value] : npos;
  }

  std::vector<size_t> instructionLines;  // by id
  std::vector<size_t> computationLines;  // by id
};

// Prints `module` and its line table. Takes about as long as printing (tens of ms for 4 MB): run it in a job.
PrintedModule printForView(std::shared_ptr<const Module> module, TextForm form = TextForm::AsRead);
// One instruction's line in the style its module was read in.
std::string printedLine(const Instruction& instruction);

}  // namespace hilo
