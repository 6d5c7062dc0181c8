#include <fmt/format.h>

#include <algorithm>

#include "core/analysis/tiling/tiling_space.h"
#include "core/hlo/ir/instruction.h"

namespace hilo {
namespace {

using Expression = AffineExpression;

class Sentences {
 public:
  explicit Sentences(const TilingSpace& space) : names_(space.names()) {
    for (const TiledInstruction& tiled : space.instructions) {
      for (const Expression& index : tiled.place) addDivisions(*tiled.instruction, index);
      for (const auto& within : tiled.within) addWithin(within);
      for (const auto& gathered : tiled.gathered)
        add(*gathered.allGather, fmt::format("a tile has to be of one device, of {} {}", gathered.devices,
                                             gathered.device.text(names_)));
      if (tiled.instruction->opcode() == Opcode::Scan)
        add(*tiled.instruction,
            fmt::format("the tile of {} has to be whole",
                        tiled.place[static_cast<size_t>(tiled.instruction->dimensions()[0])].text(names_)));
    }
  }
  std::vector<std::string> take() { return std::move(sentences_); }

 private:
  void add(const Instruction& instruction, const std::string& what) {
    std::string sentence = fmt::format("%{}: {}", instruction.name(), what);
    if (std::ranges::find(sentences_, sentence) == sentences_.end())
      sentences_.push_back(std::move(sentence));
  }

  void addDivisions(const Instruction& instruction, const Expression& expression) {
    const auto terms = expression.terms();
    size_t moving = 0;
    for (const Expression::Term& term : terms) {
      if (term.atom.kind == Expression::Kind::Variable) {
        moving += names_[static_cast<size_t>(term.atom.number)].starts_with("rt") ? 0 : 1;
        continue;
      }
      ++moving;
      const Expression& inner = *term.atom.inner;
      addDivisions(instruction, inner);
      const bool isVariable = inner.asVariable().has_value();
      add(instruction, isVariable
                           ? fmt::format("the tile of {} has to divide {} or to be a multiple of it",
                                         inner.text(names_), term.atom.number)
                           : fmt::format("tiles of {} may not cross multiples of {}, or have to start there",
                                         inner.text(names_), term.atom.number));
    }
    if (moving > 1)
      add(instruction, fmt::format("the values of {} have to be evenly apart", expression.text(names_)));
  }

  void addWithin(const TiledInstruction::Within& within) {
    if (within.isFirst && within.isLast) return;
    add(*within.concatenate, fmt::format("a tile of {} from 0 up to {} has to lie in one operand",
                                         within.index.text(names_), within.size));
  }

  std::vector<std::string> names_;
  std::vector<std::string> sentences_;
};

}  // namespace

std::vector<std::string> tilingConstraints(const TilingSpace& space) { return Sentences(space).take(); }

}  // namespace hilo
