#include "core/analysis/tiling/result_tile.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/hlo/ir/instruction.h"

namespace hilo {
namespace {

using Expression = AffineExpression;
using Kind = IndexVariable::Kind;
using Place = std::vector<Expression>;

bool contains(std::span<const int64_t> list, size_t d) {
  return std::ranges::find(list, static_cast<int64_t>(d)) != list.end();
}

// Where the operand's element at `at` goes; nullopt: it does not follow.
class Followed {
 public:
  Followed(const Instruction& instruction, size_t operand, TilingSpace& space)
      : instruction_(instruction), operand_(operand), space_(space) {
    const Shape shape = instruction.operand(operand)->shape();
    for (size_t d = 0; d < shape.rank(); ++d) at_.push_back(add(Kind::Dimension, shape.dimension(d)));
  }

  std::optional<Place> place() {
    switch (instruction_.opcode()) {
      case Opcode::AllReduce:
      case Opcode::Copy:
        return at_;
      case Opcode::Broadcast:
        return broadcast();
      case Opcode::Concatenate:
        return concatenate();
      case Opcode::Pad:
        return pad();
      case Opcode::Reduce:
        return reduce();
      case Opcode::Reverse:
        return reverse();
      case Opcode::Scan:
        return scan();
      case Opcode::Transpose:
        return transpose();
      default:
        if (isElementwise(instruction_.opcode()) && instruction_.operand(operand_)->shape().rank() == rank())
          return at_;
        return std::nullopt;
    }
  }

 private:
  size_t rank() const { return instruction_.shape().isArray() ? instruction_.shape().rank() : 0; }

  Expression add(Kind kind, int64_t size) {
    space_.variables.push_back({{kind, {0, size - 1}}, &instruction_, space_.variables.size()});
    return Expression::variable(space_.variables.size() - 1);
  }

  Place broadcast() {
    const auto dimensions = instruction_.dimensions();
    Place place;
    for (size_t d = 0; d < rank(); ++d) {
      const auto from = std::ranges::find(dimensions, static_cast<int64_t>(d));
      place.push_back(from == dimensions.end() ? add(Kind::Symbol, instruction_.shape().dimension(d))
                                               : at_[static_cast<size_t>(from - dimensions.begin())]);
    }
    return place;
  }

  Place concatenate() const {
    const auto along = static_cast<size_t>(instruction_.dimensions()[0]);
    Place place = at_;
    for (size_t i = 0; i < operand_; ++i)
      place[along] = place[along] + Expression(instruction_.operand(i)->shape().dimension(along));
    return place;
  }

  std::optional<Place> pad() const {
    if (operand_ != 0) return std::nullopt;
    const auto padding = instruction_.get<Attr::Padding>();
    Place place;
    for (size_t d = 0; d < padding.size(); ++d)
      place.push_back(at_[d] * (padding[d].interior + 1) + Expression(padding[d].low));
    return place;
  }

  std::optional<Place> reduce() const {
    if (operand_ >= instruction_.operandCount() / 2) return std::nullopt;
    Place place;
    for (size_t d = 0; d < at_.size(); ++d) {
      if (!contains(instruction_.dimensions(), d)) place.push_back(at_[d]);
    }
    return place;
  }

  Place reverse() const {
    Place place = at_;
    for (const int64_t dimension : instruction_.dimensions()) {
      const auto d = static_cast<size_t>(dimension);
      place[d] = Expression(instruction_.shape().dimension(d) - 1) - place[d];
    }
    return place;
  }

  std::optional<Place> scan() const {
    const auto carries = static_cast<size_t>(instruction_.get<Attr::NumCarries>().value_or(0));
    if (operand_ + carries >= instruction_.operandCount()) return std::nullopt;
    return at_;
  }

  Place transpose() const {
    Place place;
    for (const int64_t d : instruction_.dimensions()) place.push_back(at_[static_cast<size_t>(d)]);
    return place;
  }

  const Instruction& instruction_;
  const size_t operand_;
  TilingSpace& space_;
  Place at_;
};

}  // namespace

Result<InstructionTile> resultTile(const Instruction& instruction, size_t operand,
                                   std::span<const int64_t> sizes) {
  TilingSpace space;
  if (!instruction.operand(operand)->shape().isArray())
    return fail("not-tileable", fmt::format("%{}: its operand is no array", instruction.name()));
  auto place = Followed(instruction, operand, space).place();
  if (!place)
    return fail("not-tileable",
                fmt::format("%{} ({}): where an element of operand {} goes does not follow from its index",
                            instruction.name(), instruction.opcodeText(), operand));
  std::vector<int64_t> all(sizes.begin(), sizes.end());
  for (size_t i = all.size(); i < space.variables.size(); ++i)
    all.push_back(space.variables[i].index.range.upper + 1);
  space.instructions.push_back({.instruction = &instruction, .place = *std::move(place)});
  TRY(FusionTiling tiling, tilingWith(space, all));
  return std::move(tiling.tiles[0]);
}

}  // namespace hilo
