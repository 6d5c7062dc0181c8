// Folds of a tile by the threads of a block.
#include <bit>

#include "core/compiler/codegen/gpu/accumulator.h"
#include "core/compiler/codegen/gpu/block_worker.h"
#include "core/compiler/codegen/gpu/places.h"

namespace hilo::gpu {

using llvm::Value;
using tiles::Place;
using tiles::TileEmitter;
using tiles::TileRoom;

namespace {

// How the threads share a fold: a group of them for each kept element, pass after pass.
struct FoldPlan {
  int64_t kept, folded;  // elements of a step
  int64_t threads = 1;   // of a group, a power of two

  int64_t groups() const { return kBlockThreads / threads; }
  int64_t passes() const { return (kept + groups() - 1) / groups(); }
  int64_t rounds() const { return (folded + threads - 1) / threads; }
};

FoldPlan planOf(int64_t kept, int64_t folded, bool keepsOrder) {
  FoldPlan plan{.kept = kept, .folded = folded};
  const auto wanted = std::bit_ceil(static_cast<uint64_t>(folded)),
             there = std::bit_floor(static_cast<uint64_t>(std::max<int64_t>(1, kBlockThreads / kept)));
  if (!keepsOrder) plan.threads = static_cast<int64_t>(std::min(wanted, there));
  return plan;
}

// A reduce: each thread folds elements of its own over all steps, and then those of a group meet.
class BlockFold {
 public:
  BlockFold(TileEmitter& tiles, size_t operation, BlockWorker& worker)
      : tiles_(tiles),
        k_(tiles.kernel()),
        b_(k_.b()),
        worker_(worker),
        number_(operation),
        reduce_(tiles.operation(operation)),
        fold_(tiles.applied(), *reduce_.instruction),
        folded_(foldedDimensions(*reduce_.instruction, 0)) {
    const auto sizes = tiles.operation(reduce_.operands[0].operation).sizes();
    const DimensionOrder order = majorToMinor(reduce_.instruction->operand(0)->shape());
    // In the order of memory, so that neighbouring threads read neighbours.
    for (const int64_t d : order) {
      const bool isFolded = std::ranges::find(folded_, d) != folded_.end();
      (isFolded ? foldedOrder_ : keptOrder_).push_back(d);
      (isFolded ? foldedSizes_ : keptSizes_).push_back(sizes[static_cast<size_t>(d)]);
    }
    rank_ = sizes.size();
    plan_ = planOf(count(keptSizes_), count(foldedSizes_), fold_.keepsOrder());
    lane_ = b_.CreateURem(worker.block().thread(), k_.int64(plan_.threads));
    group_ = b_.CreateUDiv(worker.block().thread(), k_.int64(plan_.threads));
    // Of this thread, one a pass.
    const auto own = [&](llvm::Type* type, int64_t n) { return static_cast<Value*>(k_.room(type, n)); };
    for (const ElementType type : fold_.types()) totals_.emplace_back(k_, type, plan_.passes(), own);
  }

  Status write() {
    begin();
    TRY_STATUS(tiles_.forEachStep(reduce_, [&] {
      k_.loop(k_.int64(0), k_.int64(plan_.passes()), [&](Value* pass) { addStep(pass); });
    }));
    std::vector<TileRoom> results;
    for (size_t r = 0; r < totals_.size(); ++r) results.push_back(worker_.room(reduce_.type(r), plan_.kept));
    worker_.meet();  // the fold of the step or piece before has been read
    k_.loop(k_.int64(0), k_.int64(plan_.passes()), [&](Value* pass) { end(pass, results); });
    worker_.meet();
    tiles_.hold(number_, std::move(results));
    return worker_.fits();
  }

 private:
  static int64_t count(const std::vector<int64_t>& sizes) {
    int64_t all = 1;
    for (const int64_t size : sizes) all *= size;
    return all;
  }

  void begin() {
    tiles_.applied().inFrame([&] {
      const Scalars start = fold_.keepsOrder() ? fold_.initial() : fold_.neutral();
      k_.loop(k_.int64(0), k_.int64(plan_.passes()), [&](Value* pass) {
        for (size_t r = 0; r < totals_.size(); ++r) totals_[r].store(pass, start[r]);
      });
    });
  }

  Value* keptNumber(Value* pass) {
    return b_.CreateAdd(b_.CreateMul(pass, k_.int64(plan_.groups())), group_);
  }

  // The place in the operand's tile; also those of the kept and of the folded dimensions,
  // in their order there.
  struct At {
    Place place, kept;
    llvm::SmallVector<Value*, 4> folded;
  };
  At at(Value* keptNumber, Value* foldedNumber) {
    At at{.place = Place(rank_)};
    const auto put = [&](const std::vector<int64_t>& dims, const Places& places) {
      for (size_t i = 0; i < dims.size(); ++i) at.place[static_cast<size_t>(dims[i])] = places[i];
    };
    put(keptOrder_, placesOf(k_, keptNumber, keptSizes_));
    put(foldedOrder_, placesOf(k_, foldedNumber, foldedSizes_));
    for (size_t d = 0; d < rank_; ++d) {
      const bool isFolded = std::ranges::find(folded_, static_cast<int64_t>(d)) != folded_.end();
      if (isFolded) {
        at.folded.push_back(at.place[d]);
      } else {
        at.kept.push_back(at.place[d]);
      }
    }
    return at;
  }

  Value* both(Value* a, Value* b) {
    if (a == nullptr || b == nullptr) return a == nullptr ? b : a;
    return b_.CreateAnd(a, b);
  }

  void addStep(Value* pass) {
    k_.loop(k_.int64(0), k_.int64(plan_.rounds()), [&](Value* round) {
      Value* kept = keptNumber(pass);
      Value* folded = b_.CreateAdd(b_.CreateMul(round, k_.int64(plan_.threads)), lane_);
      Value* isThere = nullptr;
      if (plan_.kept % plan_.groups() != 0) isThere = b_.CreateICmpULT(kept, k_.int64(plan_.kept));
      if (plan_.folded % plan_.threads != 0)
        isThere = both(isThere, b_.CreateICmpULT(folded, k_.int64(plan_.folded)));
      const At at = this->at(kept, folded);
      isThere = both(isThere, tiles_.isInside(tiles_.placedResult(number_), at.kept));
      isThere = both(isThere, tiles_.isFolded(reduce_, at.folded));
      const auto add = [&] { tiles_.inFrame([&] { addElement(pass, at.place); }); };
      isThere == nullptr ? add() : k_.branch(isThere, add);
    });
  }

  void addElement(Value* pass, const Place& place) {
    Scalars values, before;
    for (const TileUse& use : reduce_.operands) values.push_back(tiles_.element(use, place));
    for (const TileRoom& total : totals_) before.push_back(total.load(pass));
    const Scalars after = fold_.combine(before, fold_.widened(std::move(values)));
    for (size_t r = 0; r < totals_.size(); ++r) totals_[r].store(pass, after[r]);
  }

  void end(Value* pass, const std::vector<TileRoom>& results) {
    Scalars total;
    for (const TileRoom& own : totals_) total.push_back(own.load(pass));
    total = combineGroup(std::move(total));
    if (!fold_.keepsOrder()) tiles_.applied().inFrame([&] { total = fold_.combine(fold_.initial(), total); });
    Value* kept = keptNumber(pass);
    Value* stores = b_.CreateICmpEQ(lane_, k_.int64(0));
    if (plan_.kept % plan_.groups() != 0)
      stores = b_.CreateAnd(stores, b_.CreateICmpULT(kept, k_.int64(plan_.kept)));
    const Scalars values = fold_.result(total);
    k_.branch(stores, [&] {
      Value* place = tiles_.numberIn(reduce_.sizes(), at(kept, k_.int64(0)).kept);
      for (size_t r = 0; r < results.size(); ++r) results[r].store(place, values[r]);
    });
  }

  // Of all threads of a group, for its first.
  Scalars combineGroup(Scalars own) {
    const int width = static_cast<int>(std::min<int64_t>(plan_.threads, kWarpThreads));
    Scalars total = fold_.combineLanes(worker_.block(), std::move(own), width);
    if (plan_.threads <= kWarpThreads) return total;
    // Groups of several warps: each warp's first thread leaves what it has.
    constexpr int64_t kWarps = kBlockThreads / kWarpThreads;
    if (!warps_) warps_.emplace(worker_.block(), k_, fold_.types(), kWarps);
    Value* thread = worker_.block().thread();
    Value* isFirst = b_.CreateICmpEQ(b_.CreateURem(thread, k_.int64(kWarpThreads)), k_.int64(0));
    worker_.meet();
    k_.branch(isFirst, [&] { warps_->store(b_.CreateUDiv(thread, k_.int64(kWarpThreads)), total); });
    worker_.meet();
    const int64_t warpsOfGroup = plan_.threads / kWarpThreads;
    Value* first = b_.CreateMul(group_, k_.int64(warpsOfGroup));
    total = warps_->load(first);
    for (int64_t w = 1; w < warpsOfGroup; ++w)
      total = fold_.combine(total, warps_->load(b_.CreateAdd(first, k_.int64(w))));
    return total;
  }

  TileEmitter& tiles_;
  KernelBuilder& k_;
  llvm::IRBuilder<>& b_;
  BlockWorker& worker_;
  const size_t number_;
  const TileOperation& reduce_;
  Accumulator fold_;
  const std::vector<int64_t> folded_;
  std::vector<int64_t> keptOrder_, foldedOrder_, keptSizes_, foldedSizes_;
  size_t rank_ = 0;
  FoldPlan plan_{};
  Value *lane_ = nullptr, *group_ = nullptr;
  std::vector<TileRoom> totals_;
  std::optional<SharedAccumulators> warps_;
};

}  // namespace

Status BlockWorker::reduce(TileEmitter& tiles, size_t operation) {
  return BlockFold(tiles, operation, *this).write();
}

}  // namespace hilo::gpu
