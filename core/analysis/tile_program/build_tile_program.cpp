#include "core/analysis/tile_program/build_tile_program.h"

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "core/analysis/tile_program/tile_legality.h"
#include "core/hlo/ir/module.h"

namespace hilo {
namespace {

using Kind = IndexVariable::Kind;

bool sameTile(const InstructionTile& a, const InstructionTile& b) {
  return std::ranges::equal(a.dimensions, b.dimensions, [](const TileDimension& x, const TileDimension& y) {
    return x.offset == y.offset && x.size == y.size && x.stride == y.stride;
  });
}

std::vector<size_t> independentVariables(const TilingSpace& space, size_t instruction) {
  std::vector<size_t> all;
  for (size_t i = 0; i < space.variables.size(); ++i) {
    const bool isUsed = std::ranges::any_of(space.instructions[instruction].place,
                                            [&](const AffineExpression& place) { return place.uses(i); });
    if (space.variables[i].index.kind == Kind::Dimension && isUsed) all.push_back(i);
  }
  return all;
}

// One program: from stores to what they need, each operation in the outermost block that it can lie in; and
// those that an all-reduce has before it.
class ProgramBuilder {
 public:
  explicit ProgramBuilder(const TiledFusion& fusion) : fusion_(fusion), space_(fusion.space) {
    program_.blocks.emplace_back();
  }

  // `root` of the space is result `result` of the fusion.
  Status store(size_t root, size_t element, size_t result) {
    TRY(const TileUse value, use(root, 0));
    program_.stores.push_back(
        {elementOf(value, element), space_.instructions[root].instruction, tileOf(root), result});
    return {};
  }

  const std::optional<AllReduceKernel>& allReduce() const { return allReduce_; }

  void take(std::vector<size_t> variables, std::vector<TileProgram>& programs) {
    program_.variables = std::move(variables);
    std::ranges::move(before_, std::back_inserter(programs));
    programs.push_back(std::move(program_));
  }

 private:
  const InstructionTile& tileOf(size_t number) const { return fusion_.tiling.tiles[number]; }

  // An index that is read counts as what it is read by.
  bool uses(const AffineExpression& expression, size_t variable) const {
    if (expression.uses(variable)) return true;
    for (size_t i = 0; i < space_.variables.size(); ++i) {
      const IndexVariable& read = space_.variables[i].index;
      if (read.kind != Kind::Runtime || !expression.uses(i)) continue;
      if (std::ranges::any_of(read.place, [&](const auto& place) { return uses(place, variable); }))
        return true;
    }
    return false;
  }

  bool moves(size_t number, const TileBlock& block) const {
    return std::ranges::any_of(tileOf(number).dimensions, [&](const TileDimension& dimension) {
      return std::ranges::any_of(block.variables,
                                 [&](size_t variable) { return uses(dimension.offset, variable); });
    });
  }

  size_t outermost(size_t number, size_t block) const {
    while (block != 0 && !moves(number, program_.blocks[block])) block = program_.blocks[block].parent;
    return block;
  }

  Result<TileUse> use(size_t number, size_t within) {
    const size_t block = outermost(number, within);
    if (const auto known = known_.find({number, block}); known != known_.end()) return known->second;
    TRY_STATUS(checkReads(number));
    TRY(const TileForm form, formOf(space_.instructions[number]));
    TRY(const TileUse made, make(number, block, form));
    known_[{number, block}] = made;
    return made;
  }
  Result<TileUse> make(size_t number, size_t block, const TileForm& form) {
    if (form.op == TileOp::AllReduce) return addAllReduce(number, block);
    return form.op ? add(number, block, *form.op) : operandOf(number, 0, block);
  }

  // All ranks have to share the same tiles.
  Status checkShared(size_t number, size_t block) const {
    const Instruction& instruction = *space_.instructions[number].instruction;
    if (block != 0)
      return notATileProgram(instruction, "it is folded in steps: choose the whole of what is folded");
    for (size_t v = 0; v < space_.variables.size(); ++v) {
      const auto isAt = [&](const TileDimension& d) { return d.offset.uses(v); };
      if (space_.variables[v].index.kind == Kind::Runtime &&
          std::ranges::any_of(tileOf(number).dimensions, isAt))
        return notATileProgram(instruction, "where its tile lies is known only when it runs");
    }
    return {};
  }

  // What is shared comes before: programs of their own.
  Result<TileUse> addAllReduce(size_t number, size_t block) {
    const Instruction& instruction = *space_.instructions[number].instruction;
    TRY_STATUS(checkShared(number, block));
    if (allReduce_)
      return notATileProgram(instruction, "a tile program has one all-reduce, of which one tile is read");
    TRY(allReduce_, allReduceKernel(instruction));
    ProgramBuilder own(fusion_);
    TRY(const TileUse operand, own.operandOf(number, 0, 0));
    if (own.allReduce_) return notATileProgram(instruction, "a tile program has one all-reduce");
    own.share(operand, number, TileStore::Where::Shared, before_);
    if (allReduce_->isTwoShot) {
      TRY_STATUS(checkParts(number));
      ProgramBuilder parts(fusion_);
      parts.program_.ranksMeet = true;
      const TileUse combined = parts.place(number, TileOp::AllReduce);
      parts.share(combined, number, TileStore::Where::OwnPart, before_);
    }
    program_.ranksMeet = true;
    return place(number, allReduce_->isTwoShot ? TileOp::Collect : TileOp::AllReduce);
  }
  Status checkParts(size_t number) const {
    const Instruction& instruction = *space_.instructions[number].instruction;
    const InstructionTile& tile = tileOf(number);
    std::vector<int64_t> sizes;
    for (const TileDimension& d : tile.dimensions) sizes.push_back(d.size);
    if (partsOfTile(sizes, instruction.operand(0)->shape(), allReduce_->ranks)) return {};
    return fail("illegal-tiling",
                fmt::format("%{}: {} ranks do not divide the {} elements of its tile", instruction.name(),
                            allReduce_->ranks, tile.elements()),
                {.instruction = std::string(instruction.name())});
  }
  void share(const TileUse& value, size_t number, TileStore::Where where,
             std::vector<TileProgram>& programs) {
    program_.stores.push_back(
        {value, space_.instructions[number].instruction->operand(0), tileOf(number), 0, where});
    take(independentVariables(space_, number), programs);
  }
  TileUse place(size_t number, TileOp op) {
    return placed({.op = op, .instruction = space_.instructions[number].instruction, .tile = tileOf(number)});
  }

  // What the fusion is given lies in memory, and so do constants of more than one element.
  static Result<TileForm> formOf(const TiledInstruction& tiled) {
    const Instruction& instruction = *tiled.instruction;
    const bool isGiven = tiled.operands.empty() && instruction.operandCount() > 0;
    if (isGiven) return TileForm{TileOp::Load};
    TRY(const TileForm form, tileFormOf(instruction));
    const bool isLarge = form.op == TileOp::Constant && instruction.shape().elementCount() > 1;
    return isLarge ? TileForm{TileOp::Load} : form;
  }

  // One index is read for all of the tile.
  Status checkReads(size_t number) const {
    for (size_t i = 0; i < space_.variables.size(); ++i) {
      const IndexVariable& read = space_.variables[i].index;
      const auto isUsed = [&](const TileDimension& dimension) { return dimension.offset.uses(i); };
      if (read.kind != Kind::Runtime || std::ranges::none_of(tileOf(number).dimensions, isUsed)) continue;
      for (size_t v = 0; v < space_.variables.size(); ++v) {
        const bool varies = std::ranges::any_of(read.place, [&](const auto& place) { return place.uses(v); });
        if (varies && fusion_.tiling.variables[v].count() > 1)
          return fail("illegal-tiling",
                      fmt::format("%{}: an index is read for each {}: its tile has to be 1",
                                  space_.instructions[number].instruction->name(), space_.names()[v]));
      }
    }
    return {};
  }

  // What a reduction of several arrays gives is one of them.
  TileUse elementOf(TileUse use, size_t number) const {
    if (operation(use).op == TileOp::Reduce && operation(use).instruction->shape().isTuple())
      use.result = number;
    return use;
  }

  Result<TileUse> operandOf(size_t number, size_t i, size_t block) {
    const TiledInstruction& tiled = space_.instructions[number];
    TRY(const TileUse operand, use(tiled.operands[i], block));
    return elementOf(operand, elementNumber(*argument(tiled, i)));
  }

  // A parameter of an inner fusion is what the fusion is called with.
  static const Instruction* argument(const TiledInstruction& tiled, size_t i) {
    const Instruction* operand = tiled.instruction->operand(i);
    const bool isPassed = operand->opcode() == Opcode::Parameter && tiled.caller != nullptr;
    return isPassed ? tiled.caller->operand(static_cast<size_t>(operand->parameterNumber())) : operand;
  }

  const TileOperation& operation(const TileUse& use) const { return program_.operations[use.operation]; }

  Result<TileUse> add(size_t number, size_t block, TileOp op) {
    const TiledInstruction& tiled = space_.instructions[number];
    TileOperation made{.op = op, .instruction = tiled.instruction, .tile = tileOf(number), .block = block};
    if (made.isFold()) made.loop = loopOf(made, block);
    const size_t inside = made.loop.value_or(block);
    for (size_t i = 0; i < operandCount(op, tiled); ++i) {
      TRY(const TileUse operand, operandOf(number, i, inside));
      made.operands.push_back(operand);
      if (op == TileOp::Choose) made.candidates.push_back(tileOf(tiled.operands[i]));
    }
    if (op == TileOp::Choose && tiled.instruction->opcode() == Opcode::DynamicUpdateSlice) {
      std::swap(made.operands[0], made.operands[1]);
      std::swap(made.candidates[0], made.candidates[1]);
    }
    return placed(std::move(made));
  }

  // Indices that are read are variables of the space.
  static size_t operandCount(TileOp op, const TiledInstruction& tiled) {
    switch (op) {
      case TileOp::Choose:
        return tiled.instruction->opcode() == Opcode::Concatenate ? tiled.operands.size() : 2;
      case TileOp::Reduce:
        return tiled.operands.size() / 2;
      case TileOp::Broadcast:
      case TileOp::Transpose:
      case TileOp::Reshape:
        return 1;
      default:
        return tiled.operands.size();
    }
  }

  std::optional<size_t> loopOf(const TileOperation& fold, size_t block) {
    std::vector<size_t> stepping;
    for (const size_t variable : fusion_.folded(fold)) {
      if (fusion_.steps(variable) != 1) stepping.push_back(variable);
    }
    if (stepping.empty()) return std::nullopt;
    program_.blocks.push_back({.parent = block, .variables = std::move(stepping), .operations = {}});
    return program_.blocks.size() - 1;
  }

  // The same one once, but for a fold with a loop of its own.
  TileUse placed(TileOperation made) {
    auto& alike = byInstruction_[made.instruction];
    for (const size_t known : alike) {
      const TileOperation& other = program_.operations[known];
      if (other.block == made.block && !made.loop && !other.loop && other.operands == made.operands &&
          sameTile(other.tile, made.tile))
        return {known, 0};
    }
    program_.blocks[made.block].operations.push_back(program_.operations.size());
    alike.push_back(program_.operations.size());
    program_.operations.push_back(std::move(made));
    return {program_.operations.size() - 1, 0};
  }

  const TiledFusion& fusion_;
  const TilingSpace& space_;
  TileProgram program_;
  std::vector<TileProgram> before_;
  std::optional<AllReduceKernel> allReduce_;
  absl::flat_hash_map<std::pair<size_t, size_t>, TileUse> known_;
  absl::flat_hash_map<const Instruction*, std::vector<size_t>> byInstruction_;
};

// Result `result` of the fusion: which root it is, and which array of it.
struct ResultPlace {
  size_t root, element;
};
std::vector<ResultPlace> resultPlaces(const TilingSpace& space) {
  std::vector<ResultPlace> all;
  for (size_t r = 0; r < space.roots.size(); ++r) {
    const Shape shape = space.instructions[space.roots[r]].instruction->shape();
    const bool isAll = shape.isTuple() && space.roots.size() == 1;
    for (size_t i = 0; i < (isAll ? shape.tupleShapes().size() : 1); ++i)
      all.push_back({space.roots[r], isAll ? i : space.rootElements[r]});
  }
  return all;
}

// Results with tiles in common are stored by one program.
Status addPrograms(TiledFusion& fusion) {
  struct Group {
    std::vector<size_t> variables;
    ProgramBuilder builder;
  };
  std::vector<std::unique_ptr<Group>> groups;
  const auto places = resultPlaces(fusion.space);
  for (size_t result = 0; result < places.size(); ++result) {
    const auto variables = independentVariables(fusion.space, places[result].root);
    const auto sharesTiles = [&](const auto& group) {
      return group->variables == variables || std::ranges::any_of(variables, [&](size_t v) {
               return std::ranges::find(group->variables, v) != group->variables.end();
             });
    };
    auto group = std::ranges::find_if(groups, sharesTiles);
    if (group == groups.end()) {
      groups.push_back(std::make_unique<Group>(variables, ProgramBuilder(fusion)));
      group = std::prev(groups.end());
    }
    if (variables.size() > (*group)->variables.size()) (*group)->variables = variables;
    TRY_STATUS((*group)->builder.store(places[result].root, places[result].element, result));
  }
  for (auto& group : groups) {
    const auto& allReduce = group->builder.allReduce();
    if (allReduce && fusion.allReduce)
      return notATileProgram(*allReduce->instruction, "results with other tiles read an all-reduce too");
    if (allReduce) fusion.allReduce = allReduce;
    group->builder.take(std::move(group->variables), fusion.programs);
  }
  return {};
}

}  // namespace

Result<TiledFusion> tiledFusion(TilingSpace space, std::span<const int64_t> sizes) {
  TiledFusion fusion{.space = std::move(space)};
  TRY(fusion.tiling, tilingWith(fusion.space, sizes));
  TRY_STATUS(addPrograms(fusion));
  return fusion;
}

Result<TiledFusion> tiledFusion(const Instruction& fusion, std::span<const int64_t> sizes) {
  TRY(TilingSpace space, tilingSpace(fusion));
  return tiledFusion(std::move(space), sizes);
}

}  // namespace hilo
