#include "core/compiler/codegen/cpu/written_over.h"

namespace hilo::cpu {

using tiles::TileEmitter;
using tiles::TileRoom;

std::vector<size_t> madeForOne(const TileEmitter& tiles, size_t operation) {
  const TileProgram& program = tiles.program();
  std::vector<size_t> all = {operation};
  const auto sizes = program.operations[operation].sizes();
  for (size_t i = 0; i < all.size(); ++i) {
    for (const TileUse& use : program.operations[all[i]].operands) {
      const TileOperation& operand = program.operations[use.operation];
      const bool isOne = std::ranges::find(all, use.operation) == all.end() &&
                         operand.op == TileOp::Elementwise && operand.sizes() == sizes &&
                         tiles.held(use) == nullptr;
      if (isOne) all.push_back(use.operation);
    }
  }
  return all;
}

bool isAskedBeside(const TileProgram& program, size_t operation, const std::vector<size_t>& made,
                   std::optional<size_t> reader) {
  const auto isIt = [&](const TileUse& use) { return use.operation == operation; };
  for (size_t i = 0; i < program.operations.size(); ++i) {
    if (i != reader && std::ranges::find(made, i) == made.end() &&
        std::ranges::any_of(program.operations[i].operands, isIt))
      return true;
  }
  return std::ranges::any_of(program.stores, isIt, &TileStore::value);
}

namespace {

class WrittenOver {
 public:
  WrittenOver(TileEmitter& tiles, size_t operation, size_t reader)
      : tiles_(tiles),
        program_(tiles.program()),
        operation_(operation),
        reader_(reader),
        made_(madeForOne(tiles, operation)) {}

  const TileRoom* room() const {
    const TileOperation& of = program_.operations[operation_];
    const bool isHere = of.op == TileOp::Elementwise && of.block == program_.operations[reader_].block;
    if (!isHere || tiles_.held({operation_, 0}) != nullptr || isPartAsked()) return nullptr;
    for (const size_t one : made_) {
      for (const TileUse& use : program_.operations[one].operands) {
        if (mayBeLost(use)) return tiles_.held(use);
      }
    }
    return nullptr;
  }

 private:
  // Of what lies on the way: it could not be computed again.
  bool isPartAsked() const {
    return std::ranges::any_of(
        made_, [&](size_t i) { return i != operation_ && isAskedBeside(program_, i, made_, std::nullopt); });
  }

  bool mayBeLost(const TileUse& use) const {
    const TileOperation &from = program_.operations[use.operation], &to = program_.operations[operation_];
    if (tiles_.held(use) == nullptr || std::ranges::find(made_, use.operation) != made_.end()) return false;
    return from.type(use.result) == to.type() && from.sizes() == to.sizes() && from.block == to.block &&
           !isAskedLater(use.operation);
  }

  // What is held was written: it asks no more.
  bool isAskedLater(size_t from) const {
    const auto isIt = [&](const TileUse& use) { return use.operation == from; };
    for (size_t i = 0; i < program_.operations.size(); ++i) {
      const TileOperation& user = program_.operations[i];
      const bool isOver = std::ranges::find(made_, i) != made_.end() || tiles_.held({i, 0}) != nullptr;
      if (!isOver && std::ranges::any_of(user.operands, isIt)) return true;
    }
    return std::ranges::any_of(program_.stores, isIt, &TileStore::value);
  }

  TileEmitter& tiles_;
  const TileProgram& program_;
  const size_t operation_, reader_;
  const std::vector<size_t> made_;
};

}  // namespace

const TileRoom* roomToWriteOver(TileEmitter& tiles, size_t operation, size_t reader) {
  return WrittenOver(tiles, operation, reader).room();
}

}  // namespace hilo::cpu
