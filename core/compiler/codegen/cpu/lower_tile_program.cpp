// Fusions by tiles that were chosen for them (analysis/tile_program): a thread does a tile at a time, what
// folds give lies on its stack.
#include "core/analysis/tile_program/configured_tiles.h"
#include "core/compiler/codegen/cpu/lowerings.h"
#include "core/compiler/codegen/tiles/dot_tile.h"
#include "core/compiler/codegen/tiles/lower_tiled_fusion.h"

#include <fmt/format.h>

namespace hilo::cpu {

using llvm::Value;
using tiles::Place;
using tiles::PlacedTile;
using tiles::TileEmitter;
using tiles::TileRoom;

namespace {

constexpr int64_t kMostBytes = 1 << 20;  // of a thread's stack

class HostWorker final : public tiles::TileWorkers {
 public:
  HostWorker(KernelBuilder& kernel, const VectorRegisters& registers)
      : k_(kernel), b_(kernel.b()), registers_(registers) {}

  Value* allocate(llvm::Type* type, int64_t count) override {
    bytes_ += count * type->getScalarSizeInBits() / 8;
    return k_.room(type, bytes_ > kMostBytes ? 1 : std::max<int64_t>(1, count));
  }
  Status fits() const {
    if (bytes_ <= kMostBytes) return {};
    return fail(
        "tile-too-large",
        fmt::format(
            "what the tiles fold takes {} bytes of a thread's stack, {} at most: choose smaller tiles",
            bytes_, kMostBytes));
  }

  void meet() override {}

  // The dimension that varies fastest in memory innermost, where LLVM makes vectors of it.
  void forEach(const PlacedTile& tile, const std::function<void(const Place&)>& body) override {
    Place place(tile.sizes.size());
    const auto enter = [&](auto&& self, size_t depth) -> void {
      if (depth == tile.order.size()) return body(place);
      const auto d = static_cast<size_t>(tile.order[depth]);
      const auto inner = [&](Value* i) {
        place[d] = i;
        self(self, depth + 1);
      };
      if (tile.sizes[d] == 1 && !tile.isMasked[d]) return inner(k_.int64(0));
      const auto [from, to] = insideOf(tile, d);
      depth + 1 == tile.order.size() ? k_.lineLoop(from, to, inner) : k_.loop(from, to, inner);
    };
    enter(enter, 0);
  }

  Status reduce(TileEmitter& tiles, size_t operation) override {
    Fold fold(tiles.applied(), *tiles.operation(operation).instruction);
    Totals totals = beginTotals(tiles, operation, fold);
    TRY_STATUS(
        tiles.forEachStep(tiles.operation(operation), [&] { foldStep(tiles, operation, fold, totals); }));
    return endTotals(tiles, operation, fold, totals);
  }

  Status dot(TileEmitter& tiles, size_t operation) override;

 private:
  struct Range {
    Value *from, *to;
  };
  // The places of a dimension that lie in the array.
  Range insideOf(const PlacedTile& tile, size_t d) {
    Value *from = k_.int64(0), *to = k_.int64(tile.sizes[d]);
    if (!tile.isMasked[d]) return {from, to};
    const int64_t stride = std::max<int64_t>(1, std::abs(tile.strides[d]));
    // Ahead of `left` elements, where the walk goes up; where it goes down, as many as are behind.
    const auto stepsIn = [&](Value* elements) {
      Value* steps = b_.CreateSDiv(b_.CreateAdd(elements, k_.int64(stride - 1)), k_.int64(stride));
      return atMost(atLeast(steps, k_.int64(0)), k_.int64(tile.sizes[d]));
    };
    Value *first = tile.firsts[d], *end = k_.int64(tile.bounds[d]);
    if (tile.strides[d] >= 0)
      return {tile.mayBeBefore[d] ? stepsIn(b_.CreateNeg(first)) : from, stepsIn(b_.CreateSub(end, first))};
    Value* above = b_.CreateAdd(b_.CreateSub(first, end), k_.int64(1));
    return {stepsIn(above), stepsIn(b_.CreateAdd(first, k_.int64(1)))};
  }
  Value* atLeast(Value* a, Value* b) { return b_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, a, b); }
  Value* atMost(Value* a, Value* b) { return b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, a, b); }

  // One a value that the fold has.
  using Totals = std::vector<TileRoom>;

  TileRoom room(ElementType type, int64_t count) {
    return {k_, type, count, [&](llvm::Type* held, int64_t n) { return allocate(held, n); }};
  }

  Totals beginTotals(TileEmitter& tiles, size_t operation, Fold& fold) {
    const int64_t count = tiles.operation(operation).tile.elements();
    Totals totals;
    for (const ElementType type : fold.types()) totals.push_back(room(type, count));
    Scalars initial;
    tiles.applied().inFrame([&] { initial = fold.initial(); });
    k_.lineLoop(k_.int64(0), k_.int64(count), [&](Value* i) {
      for (size_t r = 0; r < totals.size(); ++r) totals[r].store(i, initial[r]);
    });
    return totals;
  }

  // Dimensions of the operand in the order of memory: kept ones lead to a total, folded ones are added to it.
  void foldStep(TileEmitter& tiles, size_t operation, Fold& fold, const Totals& totals) {
    const TileOperation& reduce = tiles.operation(operation);
    const auto folded = foldedDimensions(*reduce.instruction, 0);
    const PlacedTile result = tiles.placedResult(operation);
    const auto sizes = tiles.operation(reduce.operands[0].operation).sizes();
    const DimensionOrder order = majorToMinor(reduce.instruction->operand(0)->shape());
    Place place(sizes.size());
    const auto add = [&] { tiles.inFrame([&] { addElement(tiles, reduce, fold, totals, result, place); }); };
    const auto enter = [&](auto&& self, size_t depth) -> void {
      if (depth == order.size()) return add();
      const auto d = static_cast<size_t>(order[depth]);
      const auto inner = [&](Value* i) {
        place[d] = i;
        self(self, depth + 1);
      };
      if (sizes[d] == 1) return inner(k_.int64(0));
      const auto at = std::ranges::find(folded, static_cast<int64_t>(d));
      const Range range =
          at == folded.end()
              ? insideOf(result, keptBefore(folded, d))
              : Range{k_.int64(0), tiles.stepEnd(reduce, static_cast<size_t>(at - folded.begin()))};
      depth + 1 == order.size() ? k_.lineLoop(range.from, range.to, inner)
                                : k_.loop(range.from, range.to, inner);
    };
    enter(enter, 0);
  }

  static size_t keptBefore(const std::vector<int64_t>& folded, size_t d) {
    return d - static_cast<size_t>(std::ranges::count_if(
                   folded, [&](int64_t other) { return other < static_cast<int64_t>(d); }));
  }

  void addElement(TileEmitter& tiles, const TileOperation& reduce, Fold& fold, const Totals& totals,
                  const PlacedTile& result, const Place& place) {
    const auto folded = foldedDimensions(*reduce.instruction, 0);
    Place kept;
    for (size_t d = 0; d < place.size(); ++d) {
      if (std::ranges::find(folded, static_cast<int64_t>(d)) == folded.end()) kept.push_back(place[d]);
    }
    // Kept dimensions of one element have no loop that leaves out what lies outside.
    const auto add = [&] {
      Value* at = tiles.numberIn(result.sizes, kept);
      Scalars values, before;
      for (const TileUse& use : reduce.operands) values.push_back(tiles.element(use, place));
      for (const TileRoom& total : totals) before.push_back(total.load(at));
      const Scalars after = fold.combine(before, fold.widened(std::move(values)));
      for (size_t r = 0; r < totals.size(); ++r) totals[r].store(at, after[r]);
    };
    PlacedTile single = result;
    for (size_t d = 0; d < single.sizes.size(); ++d)
      single.isMasked[d] = single.isMasked[d] && single.sizes[d] == 1;
    Value* isIn = tiles.isInside(single, kept);
    isIn == nullptr ? add() : k_.branch(isIn, add);
  }

  Status endTotals(TileEmitter& tiles, size_t operation, Fold& fold, const Totals& totals) {
    const TileOperation& reduce = tiles.operation(operation);
    const int64_t count = reduce.tile.elements();
    std::vector<TileRoom> results;
    for (size_t r = 0; r < totals.size(); ++r) results.push_back(room(reduce.type(r), count));
    k_.lineLoop(k_.int64(0), k_.int64(count), [&](Value* i) {
      Scalars total;
      for (const TileRoom& each : totals) total.push_back(each.load(i));
      const Scalars result = fold.result(total);
      for (size_t r = 0; r < results.size(); ++r) results[r].store(i, result[r]);
    });
    tiles.hold(operation, std::move(results));
    return fits();
  }

  KernelBuilder& k_;
  llvm::IRBuilder<>& b_;
  const VectorRegisters registers_;
  int64_t bytes_ = 0;
};

// Both sides in room of their own in the type of the sums, the left by rows and the right by places in
// the sum, so that neighbours of the right are vectors. As many sums as fit into registers go through
// the sum at once.
class DotOnHost {
 public:
  DotOnHost(TileEmitter& tiles, size_t operation, HostWorker& worker, const VectorRegisters& registers)
      : tiles_(tiles),
        k_(tiles.kernel()),
        b_(k_.b()),
        form_(tiles, operation),
        element_(k_.scalars().valueType(form_.sumType())),
        rows_(form_.lines(0)),
        columns_(form_.lines(1)),
        depth_(form_.depth()),
        lanes_(std::max<int64_t>(1, registers.bytes * 8 / element_->getScalarSizeInBits())),
        left_(worker.allocate(element_, rows_ * depth_)),
        right_(worker.allocate(element_, depth_ * columns_)),
        sums_(worker.allocate(element_, form_.batch() * rows_ * columns_)) {}

  Status write() {
    k_.lineLoop(k_.int64(0), k_.int64(form_.batch() * rows_ * columns_),
                [&](Value* i) { b_.CreateStore(llvm::Constant::getNullValue(element_), at(sums_, i)); });
    return tiles_.forEachStep(form_.dot(), [&] {
      k_.loop(k_.int64(0), k_.int64(form_.batch()), [&](Value* batch) {
        tiles_.inFrame([&] {
          fill(0, batch);
          fill(1, batch);
          multiply(b_.CreateMul(batch, k_.int64(rows_ * columns_)));
        });
      });
    });
  }

  void give(const TileRoom& room) {
    k_.lineLoop(k_.int64(0), k_.int64(form_.batch() * rows_ * columns_),
                [&](Value* i) { room.store(i, form_.result(b_.CreateLoad(element_, at(sums_, i)))); });
  }

 private:
  Value* at(Value* room, Value* place) { return b_.CreateInBoundsGEP(element_, room, {place}); }

  void fill(size_t side, Value* batch) {
    const bool isLeft = side == 0;
    const int64_t outer = isLeft ? rows_ : depth_, inner = isLeft ? depth_ : columns_;
    k_.loop(k_.int64(0), k_.int64(outer), [&](Value* i) {
      k_.lineLoop(k_.int64(0), k_.int64(inner), [&](Value* j) {
        Value *line = isLeft ? i : j, *summed = isLeft ? j : i;
        Value* to = at(isLeft ? left_ : right_, b_.CreateAdd(b_.CreateMul(i, k_.int64(inner)), j));
        const auto copy = [&] {
          tiles_.inFrame([&] { b_.CreateStore(form_.addend(side, batch, line, summed), to); });
        };
        Value* isIn = form_.isWhole(side) ? nullptr : form_.isIn(side, batch, line, summed);
        if (isIn == nullptr) return copy();
        k_.branch(isIn, copy, [&] { b_.CreateStore(llvm::Constant::getNullValue(element_), to); });
      });
    });
  }

  // By pieces of kRows rows and two vectors; what is left over is narrower.
  void multiply(Value* firstSum) {
    constexpr int64_t kRows = 6;
    const int64_t wide = 2 * lanes_;
    const auto pieces = [&](int64_t size, int64_t by, const std::function<void(Value*, int64_t)>& body) {
      k_.loop(k_.int64(0), k_.int64(size / by), [&](Value* i) { body(b_.CreateMul(i, k_.int64(by)), by); });
      if (size % by != 0) body(k_.int64(size / by * by), size % by);
    };
    pieces(columns_, wide, [&](Value* column, int64_t width) {
      pieces(rows_, kRows,
             [&](Value* row, int64_t height) { multiplyPiece(firstSum, row, height, column, width); });
    });
  }

  void multiplyPiece(Value* firstSum, Value* row, int64_t height, Value* column, int64_t width) {
    std::vector<llvm::Type*> vectors;
    for (int64_t w = 0; w < width; w += lanes_)
      vectors.push_back(
          llvm::FixedVectorType::get(element_, static_cast<unsigned>(std::min(lanes_, width - w))));
    const auto placeOf = [&](int64_t r, size_t v) {
      Value* line = b_.CreateMul(b_.CreateAdd(row, k_.int64(r)), k_.int64(columns_));
      Value* across = b_.CreateAdd(column, k_.int64(static_cast<int64_t>(v) * lanes_));
      return at(sums_, b_.CreateAdd(firstSum, b_.CreateAdd(line, across)));
    };
    const llvm::Align alignment(element_->getScalarSizeInBits() / 8);
    std::vector<KernelBuilder::Variable> sums;
    for (int64_t r = 0; r < height; ++r) {
      for (size_t v = 0; v < vectors.size(); ++v)
        sums.push_back(k_.variable({b_.CreateAlignedLoad(vectors[v], placeOf(r, v), alignment)}));
    }
    k_.loop(k_.int64(0), k_.int64(depth_), [&](Value* i) {
      std::vector<Value*> across;
      Value* line = b_.CreateAdd(b_.CreateMul(i, k_.int64(columns_)), column);
      for (size_t v = 0; v < vectors.size(); ++v)
        across.push_back(b_.CreateAlignedLoad(
            vectors[v], at(right_, b_.CreateAdd(line, k_.int64(static_cast<int64_t>(v) * lanes_))),
            alignment));
      for (int64_t r = 0; r < height; ++r) {
        Value* place = b_.CreateAdd(b_.CreateMul(b_.CreateAdd(row, k_.int64(r)), k_.int64(depth_)), i);
        Value* factor = b_.CreateLoad(element_, at(left_, place));
        for (size_t v = 0; v < vectors.size(); ++v) {
          const auto& sum = sums[static_cast<size_t>(r) * vectors.size() + v];
          k_.set(sum, {multiplyAdd(factor, across[v], k_.get(sum).value)});
        }
      }
    });
    for (int64_t r = 0; r < height; ++r) {
      for (size_t v = 0; v < vectors.size(); ++v)
        b_.CreateAlignedStore(k_.get(sums[static_cast<size_t>(r) * vectors.size() + v]).value, placeOf(r, v),
                              alignment);
    }
  }

  Value* multiplyAdd(Value* factor, Value* vector, Value* sum) {
    const auto* type = llvm::cast<llvm::FixedVectorType>(vector->getType());
    Value* everywhere = b_.CreateVectorSplat(type->getNumElements(), factor);
    if (!isFloat(form_.sumType())) return b_.CreateAdd(sum, b_.CreateMul(everywhere, vector));
    return b_.CreateIntrinsic(llvm::Intrinsic::fma, {vector->getType()}, {everywhere, vector, sum});
  }

  TileEmitter& tiles_;
  KernelBuilder& k_;
  llvm::IRBuilder<>& b_;
  tiles::DotTileForm form_;
  llvm::Type* element_;
  const int64_t rows_, columns_, depth_, lanes_;
  Value *left_, *right_, *sums_;
};

Status HostWorker::dot(TileEmitter& tiles, size_t operation) {
  DotOnHost dot(tiles, operation, *this, registers_);
  TRY_STATUS(dot.write());
  const TileOperation& of = tiles.operation(operation);
  std::vector<TileRoom> rooms = {room(of.type(), of.tile.elements())};
  dot.give(rooms[0]);
  tiles.hold(operation, std::move(rooms));
  return fits();
}

}  // namespace

Result<bool> lowerTileProgram(const Instruction& fusion, LoweringContext& context) {
  TRY(const auto tiled, statedTiles(fusion));
  if (!tiled) return false;
  const tiles::TileTarget target{
      .write = [&](KernelDraft& draft, const tiles::TileTarget::WriteTile& write) -> Status {
        KernelBuilder& k = draft.builder();
        HostWorker worker(k, context.draft.registers);
        Status status;
        k.loop(k.begin(), k.end(),
               [&](Value* number) { draft.elements().inFrame([&] { status = write(worker, number); }); });
        return status;
      },
      .iterations = [](int64_t tiles) { return tiles; }};
  TRY_STATUS(tiles::lowerTiledFusion(fusion, *tiled, target, context));
  return true;
}

}  // namespace hilo::cpu
