#include "core/hlo/text/text_index.h"

#include <algorithm>
#include <cstring>

namespace hilo {

ComputationId TextIndex::computationAt(uint32_t line) const {
  const auto after =
      std::ranges::upper_bound(computationLines_, line, {}, [](const auto& item) { return item.first; });
  return after == computationLines_.begin() ? ComputationId() : std::prev(after)->second;
}

void TextIndex::finish(std::string_view text) {
  lineStarts_.assign(1, 0);
  for (size_t at = 0; (at = text.find('\n', at)) != text.npos;) lineStarts_.push_back(++at);

  const auto place = [&](const std::vector<Note>& notes, std::vector<uint32_t>& lines, auto&& visit) {
    size_t line = 0;
    for (const Note& note : notes) {
      while (line + 1 < lineStarts_.size() && lineStarts_[line + 1] <= note.offset) ++line;
      if (note.id >= lines.size()) lines.resize(note.id + 1, kNoLine);
      lines[note.id] = static_cast<uint32_t>(line);
      visit(note.id, static_cast<uint32_t>(line));
    }
  };
  instructionOfLine_.assign(lineStarts_.size(), InstructionId());
  place(instructions_, lineOfInstruction_,
        [&](uint32_t id, uint32_t line) { instructionOfLine_[line] = InstructionId{id}; });
  place(computations_, lineOfComputation_,
        [&](uint32_t id, uint32_t line) { computationLines_.emplace_back(line, ComputationId{id}); });
  instructions_.clear();
  computations_.clear();
}

}  // namespace hilo
