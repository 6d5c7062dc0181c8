// The element of each operation at its place in the tile.
#include "core/base/check.h"
#include "core/compiler/codegen/emit/elementwise.h"
#include "core/compiler/codegen/tiles/peer_elements.h"
#include "core/compiler/codegen/tiles/tile_emitter.h"
#include "core/hlo/ir/module.h"

namespace hilo::tiles {

using llvm::Value;

Scalar TileEmitter::element(const TileUse& use, const Place& place) {
  const Key key{use.operation, use.result, place};
  for (auto frame = frames_.rbegin(); frame != frames_.rend(); ++frame) {
    if (const auto known = frame->find(key); known != frame->end()) return known->second;
  }
  ++emitted_;
  const KernelBuilder::LinesOf lines(k_, operation(use.operation).instruction->id().value);
  const Scalar made = emit(use, place);
  frames_.back()[key] = made;
  return made;
}

llvm::SmallVector<Value*, 6> TileEmitter::arrayIndex(const TileOperation& of, const Place& place) {
  const PlacedTile tile = placed(of.tile, of.instruction->shape());
  llvm::SmallVector<Value*, 6> index;
  for (size_t d = 0; d < place.size(); ++d) index.push_back(indexIn(k_, tile, place, d));
  return index;
}

Value* TileEmitter::addressOf(const TileUse& load, const Place& place) {
  const TileOperation& of = operation(load.operation);
  const auto leaf = draft_.elements().leafOf(*of.instruction);
  CHECK(leaf.has_value());
  return k_.pointerTo(leaf->buffer, leaf->shape, k_.indexAt(arrayIndex(of, place)));
}

Scalar TileEmitter::emit(const TileUse& use, const Place& place) {
  const TileOperation& of = operation(use.operation);
  const Instruction& instruction = *of.instruction;
  const auto operandAt = [&](size_t i, const Place& at) {
    const bool isOne = operation(of.operands[i].operation).tile.dimensions.empty();
    return element(of.operands[i], isOne ? Place() : at);
  };
  if (const TileRoom* room = held(use)) return room->load(numberIn(of.sizes(), place));
  switch (of.op) {
    case TileOp::Load: {
      const auto leaf = draft_.elements().leafOf(instruction);
      if (!leaf) return draft_.elements().at(instruction, k_.indexAt(arrayIndex(of, place)));
      return k_.load(leaf->buffer, leaf->shape, k_.indexAt(arrayIndex(of, place)));
    }
    case TileOp::Constant:
      return k_.scalars().constant(of.type(), instruction.literal().bytes().data());
    case TileOp::Iota: {
      const auto d = static_cast<size_t>(*instruction.get<Attr::IotaDimension>());
      return k_.scalars().convert(ElementType::S64, of.type(), {arrayIndex(of, place)[d]});
    }
    case TileOp::Elementwise: {
      llvm::SmallVector<Scalar, 3> operands;
      for (size_t i = 0; i < of.operands.size(); ++i) operands.push_back(operandAt(i, place));
      return elementwise(instruction, operands, k_);
    }
    case TileOp::Broadcast: {
      Place at;
      for (const int64_t d : instruction.dimensions()) at.push_back(place[static_cast<size_t>(d)]);
      return operandAt(0, at);
    }
    case TileOp::Transpose: {
      Place at(place.size());
      for (size_t d = 0; d < place.size(); ++d)
        at[static_cast<size_t>(instruction.dimensions()[d])] = place[d];
      return operandAt(0, at);
    }
    case TileOp::Reshape: {
      const ElementType from = operation(of.operands[0].operation).type(of.operands[0].result),
                        to = of.type();
      const Scalar x = operandAt(0, throughReshape(of, place));
      return from == to ? x : k_.scalars().fromBits(to, k_.scalars().toBits(from, x));
    }
    case TileOp::Choose:
      return chosen(of, place, 0);
    case TileOp::AllReduce:
      return combined(k_, draft_.elements(), *fusion_.allReduce, k_.indexAt(arrayIndex(of, place)));
    case TileOp::Collect:
      return collected(k_, *fusion_.allReduce, of.tile, place, k_.indexAt(arrayIndex(of, place)));
    case TileOp::Reduce:
    case TileOp::Dot:
    case TileOp::ScaledDot:
      CHECK(false, "a fold is held before it is asked for");
  }
  return {};
}

// The last one is asked for all that none before has.
Scalar TileEmitter::chosen(const TileOperation& choose, const Place& place, size_t candidate) {
  const Instruction& instruction = *choose.instruction;
  const bool isUpdate = instruction.opcode() == Opcode::DynamicUpdateSlice;
  const TileUse& use = choose.operands[candidate];
  const bool isOne = operation(use.operation).tile.dimensions.empty();
  if (candidate + 1 == choose.operands.size()) return element(use, isOne ? Place() : place);
  const Instruction& operand = *instruction.operand(isUpdate ? 1 - candidate : candidate);
  const PlacedTile tile = placed(choose.candidates[candidate], operand.shape());
  Value* has = isInside(tile, place);
  if (has == nullptr) return element(use, isOne ? Place() : place);
  const auto variable = k_.variable(k_.scalars().zero(choose.type()));
  const auto set = [&](const Scalar& x) { k_.set(variable, {x.value, x.imaginary}); };
  k_.branch(
      has, [&] { inFrame([&] { set(element(use, isOne ? Place() : place)); }); },
      [&] { inFrame([&] { set(chosen(choose, place, candidate + 1)); }); });
  return k_.get(variable);
}

Value* TileEmitter::numberIn(const std::vector<int64_t>& sizes, const Place& place) {
  Value* linear = k_.int64(0);
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (sizes[d] == 1) continue;
    linear = b_.CreateAdd(b_.CreateMul(linear, k_.int64(sizes[d]), "", true, true), place[d], "", true, true);
  }
  return linear;
}

namespace {

DimensionOrder inMemory(const Instruction& reshape, Shape shape) {
  if (reshape.opcode() == Opcode::Bitcast) return majorToMinor(shape);
  DimensionOrder order(shape.rank());
  for (size_t d = 0; d < order.size(); ++d) order[d] = static_cast<int64_t>(d);
  return order;
}

}  // namespace

// The same number among as many elements, group by group of dimensions that hold as many.
Place TileEmitter::throughReshape(const TileOperation& reshape, const Place& place) {
  const TileOperation& operand = operation(reshape.operands[0].operation);
  const auto from = reshape.sizes(), to = operand.sizes();
  const DimensionOrder fromOrder = inMemory(*reshape.instruction, reshape.instruction->shape()),
                       toOrder = inMemory(*reshape.instruction, reshape.instruction->operand(0)->shape());
  Place out(to.size(), k_.int64(0));
  size_t i = fromOrder.size(), j = toOrder.size();
  while (j > 0) {
    // The smallest group from here on.
    int64_t mine = 1, its = 1;
    size_t firstOfMine = i, firstOfIts = j;
    do {
      if (mine < its) {
        mine *= from[static_cast<size_t>(fromOrder[--firstOfMine])];
      } else {
        its *= to[static_cast<size_t>(toOrder[--firstOfIts])];
      }
    } while (mine != its);
    Value* linear = k_.int64(0);
    for (size_t n = firstOfMine; n < i; ++n) {
      const auto d = static_cast<size_t>(fromOrder[n]);
      if (from[d] == 1) continue;
      linear =
          b_.CreateAdd(b_.CreateMul(linear, k_.int64(from[d]), "", true, true), place[d], "", true, true);
    }
    int64_t left = its;
    for (size_t n = firstOfIts; n < j; ++n) {
      const auto d = static_cast<size_t>(toOrder[n]);
      left /= to[d];
      if (to[d] == 1) continue;
      Value* at = left == 1 ? linear : b_.CreateUDiv(linear, k_.int64(left));
      out[d] = left * to[d] == its ? at : b_.CreateURem(at, k_.int64(to[d]));
    }
    i = firstOfMine;
    j = firstOfIts;
  }
  return out;
}

}  // namespace hilo::tiles
