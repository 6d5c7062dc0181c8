#include "core/compiler/codegen/tiles/tile_emitter.h"

#include "core/base/check.h"
#include "core/compiler/codegen/emit/index_emitter.h"
#include "core/compiler/codegen/tiles/peer_elements.h"

namespace hilo::tiles {

using llvm::Value;
using Kind = IndexVariable::Kind;

namespace {
constexpr int kMostEmitted = 20'000;  // elements written into one kernel
}

TileEmitter::TileEmitter(KernelDraft& draft, const TiledFusion& fusion, const TileProgram& program,
                         TileWorkers& workers, std::vector<Result> results)
    : draft_(draft),
      k_(draft.builder()),
      b_(k_.b()),
      fusion_(fusion),
      program_(program),
      workers_(workers),
      results_(std::move(results)),
      firsts_(fusion.space.variables.size()) {
  frames_.emplace_back();
  for (size_t v = 0; v < firsts_.size(); ++v) {
    const VariableTile& tile = fusion.tiling.variables[v];
    const bool isRead = fusion.space.variables[v].index.kind == Kind::Runtime;
    ranges_.push_back(isRead ? fusion.space.variables[v].index.range
                             : IndexRange{0, std::max<int64_t>(0, (fusion.steps(v) - 1) * tile.tile)});
    if (!isRead && fusion.steps(v) <= 1) firsts_[v] = k_.int64(0);
  }
}

Status TileEmitter::write(Value* number) {
  tellAddress(number);
  findTile(number);
  TRY_STATUS(writeBlock(0));
  storeResults();
  if (emitted_ > kMostEmitted) return fail("too-large", "the kernel of the tile program grew too large");
  return {};
}

// The last variable fastest.
void TileEmitter::findTile(Value* number) {
  for (size_t i = program_.variables.size(); i-- > 0;) {
    const size_t v = program_.variables[i];
    const int64_t steps = fusion_.steps(v);
    if (steps <= 1) continue;
    Value* at = i == 0 ? number : b_.CreateURem(number, k_.int64(steps));
    number = b_.CreateUDiv(number, k_.int64(steps));
    firsts_[v] = b_.CreateMul(at, k_.int64(fusion_.tiling.variables[v].tile), "", true, true);
  }
}

// Those that can be read here: what says where they lie stands still.
void TileEmitter::readIndices(size_t block) {
  for (size_t v = 0; v < firsts_.size(); ++v) {
    const IndexVariable& read = fusion_.space.variables[v].index;
    if (read.kind != Kind::Runtime) continue;
    bool isKnown = true, isOfBlock = block == 0;
    for (const AffineExpression& place : read.place) {
      for (size_t other = 0; other < firsts_.size(); ++other) {
        if (!place.uses(other)) continue;
        isKnown &= firsts_[other] != nullptr;
        isOfBlock |= std::ranges::find(program_.blocks[block].variables, other) !=
                     program_.blocks[block].variables.end();
      }
    }
    if (!isKnown || !isOfBlock) continue;
    Place place;
    for (const AffineExpression& at : read.place) place.push_back(valueOf(at));
    draft_.elements().inFrame([&] {
      Value* index = draft_.elements().integerAt(*read.read, k_.indexAt(place));
      Value* atLeast = b_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, index, k_.int64(read.range.lower));
      firsts_[v] = b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, atLeast, k_.int64(read.range.upper));
    });
  }
}

Status TileEmitter::writeBlock(size_t block) {
  readIndices(block);
  for (const size_t number : program_.blocks[block].operations) {
    const TileOperation& operation = program_.operations[number];
    if (operation.op == TileOp::Reduce) TRY_STATUS(workers_.reduce(*this, number));
    if (operation.op == TileOp::Dot || operation.op == TileOp::ScaledDot)
      TRY_STATUS(workers_.dot(*this, number));
  }
  return {};
}

Status TileEmitter::forEachStep(const TileOperation& fold, const std::function<void()>& body) {
  if (!fold.loop) {
    inFrame(body);
    return {};
  }
  const TileBlock& block = program_.blocks[*fold.loop];
  llvm::SmallVector<int64_t, 2> steps;
  for (const size_t v : block.variables) steps.push_back(fusion_.steps(v));
  Status status;
  k_.nest(steps, [&](llvm::ArrayRef<Value*> at) {
    inFrame([&] {
      for (size_t i = 0; i < at.size(); ++i)
        firsts_[block.variables[i]] =
            b_.CreateMul(at[i], k_.int64(fusion_.tiling.variables[block.variables[i]].tile), "", true, true);
      status = writeBlock(*fold.loop);
      if (status) body();
      for (const size_t v : block.variables) firsts_[v] = nullptr;
    });
  });
  return status;
}

Value* TileEmitter::valueOf(const AffineExpression& expression) {
  llvm::SmallVector<Value*, 8> values(firsts_.begin(), firsts_.end());
  return IndexEmitter::emit(k_, expression, values, ranges_);
}

PlacedTile TileEmitter::placed(const InstructionTile& tile, Shape array) {
  PlacedTile out;
  for (size_t d = 0; d < tile.dimensions.size(); ++d) {
    const TileDimension& dimension = tile.dimensions[d];
    out.sizes.push_back(dimension.size);
    out.strides.push_back(dimension.stride);
    out.bounds.push_back(array.dimension(d));
    out.isMasked.push_back(dimension.isMasked);
    out.mayBeBefore.push_back(dimension.stride < 0 || dimension.offset.range(ranges_).lower < 0);
    out.firsts.push_back(valueOf(dimension.offset));
  }
  out.order = majorToMinor(array);
  return out;
}

namespace {

Shape arrayOf(const Instruction& instruction) {
  const Shape shape = instruction.shape();
  return shape.isTuple() ? shape.tupleShapes()[0] : shape;
}

}  // namespace

PlacedTile TileEmitter::placedResult(size_t number) {
  return placed(operation(number).tile, arrayOf(*operation(number).instruction));
}

Value* TileEmitter::indexIn(KernelBuilder& k, const PlacedTile& tile, const Place& place, size_t d) {
  if (tile.sizes[d] == 1) return tile.firsts[d];
  llvm::IRBuilder<>& b = k.b();
  Value* along = place[d];
  if (tile.strides[d] != 1) along = b.CreateMul(along, k.int64(tile.strides[d]), "", true, true);
  return b.CreateAdd(tile.firsts[d], along);
}

Value* TileEmitter::isInside(KernelBuilder& k, const PlacedTile& tile, const Place& place) {
  Value* all = nullptr;
  for (size_t d = 0; d < tile.sizes.size(); ++d) {
    if (!tile.isMasked[d]) continue;
    // Below zero is a large unsigned number.
    Value* isIn = k.b().CreateICmpULT(indexIn(k, tile, place, d), k.int64(tile.bounds[d]));
    all = all == nullptr ? isIn : k.b().CreateAnd(all, isIn);
  }
  return all;
}

Value* TileEmitter::isFolded(const TileOperation& fold, llvm::ArrayRef<Value*> places) {
  Value* all = nullptr;
  const auto variables = fusion_.folded(fold);
  for (size_t i = 0; i < variables.size(); ++i) {
    const size_t v = variables[i];
    if (!fusion_.isRagged(v)) continue;
    Value* index = b_.CreateAdd(firsts_[v], places[i]);
    Value* isIn = b_.CreateICmpULT(index, k_.int64(fusion_.tiling.variables[v].size));
    all = all == nullptr ? isIn : b_.CreateAnd(all, isIn);
  }
  return all;
}

const TileRoom* TileEmitter::held(const TileUse& use) const {
  const auto known = rooms_.find(use.operation);
  return known == rooms_.end() ? nullptr : &known->second[use.result];
}

Value* TileEmitter::stepBegin(const TileOperation& fold, size_t i) {
  return firsts_[fusion_.folded(fold)[i]];
}

Value* TileEmitter::stepEnd(const TileOperation& fold, size_t i) {
  const size_t v = fusion_.folded(fold)[i];
  const VariableTile& tile = fusion_.tiling.variables[v];
  if (!fusion_.isRagged(v)) return k_.int64(tile.count());
  Value* left = b_.CreateSub(k_.int64(tile.size), firsts_[v]);
  return b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, left, k_.int64(tile.tile));
}

bool TileEmitter::canDeal(size_t number) const {
  if (operation(number).block != 0) return false;
  std::vector<bool> isAlike(program_.operations.size());
  isAlike[number] = true;
  for (size_t i = number + 1; i < program_.operations.size(); ++i) {
    const TileOperation& other = program_.operations[i];
    const bool uses =
        std::ranges::any_of(other.operands, [&](const TileUse& use) { return isAlike[use.operation]; });
    if (!uses) continue;
    if (other.op != TileOp::Elementwise || other.block != 0 || other.sizes() != operation(number).sizes())
      return false;
    isAlike[i] = true;
  }
  for (const TileStore& store : program_.stores) {
    for (const auto& [known, give] : dealt_) {
      if (isAlike[store.value.operation] && storesFrom(store, known)) return false;
    }
  }
  return true;
}

// Whether the operation is one of those that the stored value is made of.
bool TileEmitter::storesFrom(const TileStore& store, size_t number) const {
  std::vector<bool> isNeeded(program_.operations.size());
  isNeeded[store.value.operation] = true;
  for (size_t i = store.value.operation; i > number; --i) {
    if (!isNeeded[i]) continue;
    for (const TileUse& operand : program_.operations[i].operands) isNeeded[operand.operation] = true;
  }
  return isNeeded[number];
}

void TileEmitter::store(const TileStore& store, const Place& place) {
  const Result& result = placeOf(store);
  const PlacedTile tile = placed(store.tile, result.shape);
  llvm::SmallVector<Value*, 6> index;
  for (size_t d = 0; d < place.size(); ++d) index.push_back(indexIn(k_, tile, place, d));
  k_.store(result.buffer, result.shape, k_.indexAt(index), element(store.value, place));
}

// Each worker stores what is made of the elements that it has.
void TileEmitter::storeDealt(size_t number, std::vector<bool>& isDone) {
  const PlacedTile tile = placedResult(number);
  std::vector<size_t> own;
  for (size_t i = 0; i < program_.stores.size(); ++i) {
    if (!storesFrom(program_.stores[i], number)) continue;
    own.push_back(i);
    isDone[i] = true;
  }
  dealt_[number]([&](const Place& place, const Scalar& value) {
    const auto storeAll = [&] {
      inFrame([&] {
        frames_.back()[{number, 0, place}] = value;
        for (const size_t i : own) store(program_.stores[i], place);
      });
    };
    Value* isIn = isInside(tile, place);
    isIn == nullptr ? storeAll() : k_.branch(isIn, storeAll);
  });
}

static bool lieAlike(const TileStore& a, const TileStore& b) {
  return std::ranges::equal(
      a.tile.dimensions, b.tile.dimensions, [](const TileDimension& x, const TileDimension& y) {
        return x.offset == y.offset && x.size == y.size && x.stride == y.stride && x.isMasked == y.isMasked;
      });
}

// Where it lies is told by one worker of one tile.
void TileEmitter::tellAddress(Value* number) {
  const auto shared = std::ranges::find_if(
      program_.stores, [](const TileStore& store) { return store.where != TileStore::Where::Result; });
  if (shared == program_.stores.end()) return;
  const Result& array = placeOf(*shared);
  k_.branch(b_.CreateICmpEQ(number, k_.int64(0)), [&] {
    workers_.forEach(PlacedTile(), [&](const Place&) { tiles::tellAddress(k_, array.buffer, array.shape); });
  });
}

// Of a part places are counted from where the tile begins.
void TileEmitter::forEachStored(const TileStore& store, const std::function<void(const Place&)>& body) {
  PlacedTile tile = placed(store.tile, placeOf(store).shape);
  if (store.where != TileStore::Where::OwnPart) return workers_.forEach(tile, body);
  const Place first = ownPart(k_, *fusion_.allReduce, tile);
  workers_.forEach(tile, [&](const Place& place) {
    Place inTile;
    for (size_t d = 0; d < place.size(); ++d)
      inTile.push_back(b_.CreateAdd(first[d], place[d], "", true, true));
    body(inTile);
  });
}

// Those that lie alike are stored together.
void TileEmitter::storeResults() {
  std::vector<bool> isDone(program_.stores.size());
  for (const auto& [number, give] : dealt_) storeDealt(number, isDone);
  for (size_t i = 0; i < program_.stores.size(); ++i) {
    if (isDone[i]) continue;
    std::vector<const TileStore*> together;
    for (size_t j = i; j < program_.stores.size(); ++j) {
      if (isDone[j] || !lieAlike(program_.stores[i], program_.stores[j])) continue;
      together.push_back(&program_.stores[j]);
      isDone[j] = true;
    }
    forEachStored(program_.stores[i], [&](const Place& place) {
      inFrame([&] {
        for (const TileStore* each : together) store(*each, place);
      });
    });
  }
}

}  // namespace hilo::tiles
