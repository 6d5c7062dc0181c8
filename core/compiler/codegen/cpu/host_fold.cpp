// Folds of a tile by one thread: dimensions of the operand in the order of memory; kept ones lead to a total,
// folded ones are added to it.
#include "core/compiler/codegen/cpu/host_worker.h"

namespace hilo::cpu {

using llvm::Value;
using tiles::Place;
using tiles::PlacedTile;
using tiles::TileEmitter;
using tiles::TileRoom;

namespace {

class HostFold {
 public:
  HostFold(TileEmitter& tiles, size_t operation, HostWorker& worker)
      : tiles_(tiles),
        k_(tiles.kernel()),
        worker_(worker),
        number_(operation),
        reduce_(tiles.operation(operation)),
        fold_(tiles.applied(), *reduce_.instruction),
        folded_(foldedDimensions(*reduce_.instruction, 0)),
        result_(tiles.placedResult(operation)) {}

  Status write() {
    begin();
    TRY_STATUS(tiles_.forEachStep(reduce_, [&] {
      if (!addLines(tiles_, number_, worker_, fold_, totals_[0])) addStep();
    }));
    return end();
  }

 private:
  void begin() {
    const int64_t count = reduce_.tile.elements();
    for (const ElementType type : fold_.types()) totals_.push_back(worker_.room(type, count));
    Scalars initial;
    tiles_.applied().inFrame([&] { initial = fold_.initial(); });
    k_.lineLoop(k_.int64(0), k_.int64(count), [&](Value* i) {
      for (size_t r = 0; r < totals_.size(); ++r) totals_[r].store(i, initial[r]);
    });
  }

  bool isFolded(size_t d) const {
    return std::ranges::find(folded_, static_cast<int64_t>(d)) != folded_.end();
  }

  HostWorker::Range rangeOf(size_t d) {
    if (!isFolded(d)) return worker_.insideOf(result_, keptBefore(d));
    const auto at = std::ranges::find(folded_, static_cast<int64_t>(d));
    return {k_.int64(0), tiles_.stepEnd(reduce_, static_cast<size_t>(at - folded_.begin()))};
  }

  size_t keptBefore(size_t d) const {
    return d - static_cast<size_t>(std::ranges::count_if(
                   folded_, [&](int64_t other) { return other < static_cast<int64_t>(d); }));
  }

  void addStep() {
    const auto sizes = tiles_.operation(reduce_.operands[0].operation).sizes();
    const DimensionOrder order = majorToMinor(reduce_.instruction->operand(0)->shape());
    Place place(sizes.size());
    const auto enter = [&](auto&& self, size_t depth) -> void {
      if (depth == order.size()) return tiles_.inFrame([&] { addElement(place); });
      const auto d = static_cast<size_t>(order[depth]);
      const auto inner = [&](Value* i) {
        place[d] = i;
        self(self, depth + 1);
      };
      if (sizes[d] == 1) return inner(k_.int64(0));
      const auto [from, to] = rangeOf(d);
      depth + 1 == order.size() ? k_.lineLoop(from, to, inner) : k_.loop(from, to, inner);
    };
    enter(enter, 0);
  }

  void addElement(const Place& place) {
    Place kept;
    for (size_t d = 0; d < place.size(); ++d) {
      if (!isFolded(d)) kept.push_back(place[d]);
    }
    const auto add = [&] {
      Value* at = tiles_.numberIn(result_.sizes, kept);
      Scalars values, before;
      for (const TileUse& use : reduce_.operands) values.push_back(tiles_.element(use, place));
      for (const TileRoom& total : totals_) before.push_back(total.load(at));
      const Scalars after = fold_.combine(before, fold_.widened(std::move(values)));
      for (size_t r = 0; r < totals_.size(); ++r) totals_[r].store(at, after[r]);
    };
    // Kept dimensions of one element have no loop that leaves out what lies outside.
    PlacedTile single = result_;
    for (size_t d = 0; d < single.sizes.size(); ++d)
      single.isMasked[d] = single.isMasked[d] && single.sizes[d] == 1;
    Value* isIn = tiles_.isInside(single, kept);
    isIn == nullptr ? add() : k_.branch(isIn, add);
  }

  Status end() {
    const int64_t count = reduce_.tile.elements();
    std::vector<TileRoom> results;
    for (size_t r = 0; r < totals_.size(); ++r) results.push_back(worker_.room(reduce_.type(r), count));
    k_.lineLoop(k_.int64(0), k_.int64(count), [&](Value* i) {
      Scalars total;
      for (const TileRoom& each : totals_) total.push_back(each.load(i));
      const Scalars result = fold_.result(total);
      for (size_t r = 0; r < results.size(); ++r) results[r].store(i, result[r]);
    });
    tiles_.hold(number_, std::move(results));
    return worker_.fits();
  }

  TileEmitter& tiles_;
  KernelBuilder& k_;
  HostWorker& worker_;
  const size_t number_;
  const TileOperation& reduce_;
  Fold fold_;
  const std::vector<int64_t> folded_;
  const PlacedTile result_;
  std::vector<TileRoom> totals_;  // one a value that the fold has
};

}  // namespace

Status HostWorker::reduce(TileEmitter& tiles, size_t operation) {
  TRY(const bool isDone, foldLines(tiles, operation, *this));
  return isDone ? Status() : HostFold(tiles, operation, *this).write();
}

}  // namespace hilo::cpu
