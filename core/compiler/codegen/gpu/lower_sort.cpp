// Sorts by a comparator that orders all there is: bitonic, in memory that a block shares as far as that goes,
// and then between pieces in global memory. What is sorted are the places of elements, which makes it stable;
// the arrays are gathered by them at the end.
//
// Rule: the comparator orders by keys in total order (lower/sort_keys.h), lines have two elements or more.
// Other sorts are the host's.
#include "core/compiler/codegen/gpu/block.h"
#include "core/compiler/codegen/gpu/lowerings.h"
#include "core/compiler/codegen/gpu/places.h"
#include "core/compiler/codegen/lower/kernel_draft.h"
#include "core/compiler/codegen/lower/lowerings.h"
#include "core/compiler/codegen/lower/sort_keys.h"

namespace hilo::gpu {

using llvm::Value;

namespace {

constexpr int64_t kTile = 2 * kBlockThreads;  // of places that a block sorts, a pair a thread
constexpr int64_t kLongest = int64_t{1} << 30;

struct SortForm {
  explicit SortForm(const Instruction& sort)
      : sort(sort),
        shape(sort.operand(0)->shape()),
        along(static_cast<size_t>(sort.dimensions()[0])),
        length(shape.dimension(along)),
        padded(std::max(kTile, static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(length))))) {}

  int64_t lines() const { return shape.elementCount() / length; }
  Shape places() const { return Shape::array(ElementType::S32, {lines() * padded}); }

  const Instruction& sort;
  const Shape shape;
  const size_t along;
  const int64_t length, padded;
};

bool isOrdered(const Instruction& sort) {
  const auto keys = sortKeysOf(*sort.get<Attr::ToApply>());
  return !keys.empty() && std::ranges::all_of(keys, &SortKey::totalOrder);
}

// One kernel that brings places nearer to their order.
class SortKernel {
 public:
  SortKernel(KernelDraft& draft, const SortForm& form)
      : draft_(draft), elements_(draft.elements()), k_(draft.builder()), b_(k_.b()), form_(form) {}

  // Each tile becomes sorted, upwards and downwards by turns.
  void sortTiles() {
    beginTile();
    forBoth([&](Value* i) { block_->store(*tile_, i, b_.CreateAdd(first_, i)); });
    k_.loop(k_.int64(1), k_.int64(std::countr_zero(static_cast<uint64_t>(kTile)) + 1),
            [&](Value* stage) { mergeTile(b_.CreateShl(k_.int64(1), stage), stage); });
    endTile();
  }

  // The steps of a merge of `run` places that are within a tile.
  void mergeTiles(Value* run) {
    beginTile();
    forBoth([&](Value* i) {
      block_->store(*tile_, i, placeAt(b_.CreateAdd(line_.start, b_.CreateAdd(first_, i))));
    });
    mergeTile(run, k_.int64(std::countr_zero(static_cast<uint64_t>(kTile))));
    endTile();
  }

  // One step: pairs that are `apart`, a thread each.
  void mergeFar(Value* run, Value* apart) {
    Value* half = k_.int64(form_.padded / 2);
    findLine(b_.CreateUDiv(k_.begin(), half));
    Value* i = lowerOf(b_.CreateURem(k_.begin(), half), apart);
    Value *at = b_.CreateAdd(line_.start, i), *farAt = b_.CreateAdd(at, apart);
    const auto [low, high] = inOrder(placeAt(at), placeAt(farAt), i, run);
    setPlace(at, low);
    setPlace(farAt, high);
  }

 private:
  struct Line {
    Places place;  // in the other dimensions
    Value* start;  // of its places
  };
  void findLine(Value* number) {
    line_ = {lineAt(k_, form_.shape, form_.along, number), b_.CreateMul(number, k_.int64(form_.padded))};
  }

  void beginTile() {
    block_.emplace(k_);
    tile_ = block_->shared(b_.getInt64Ty(), kTile);
    block_->barrier();  // the tile before has been read
    const int64_t tiles = form_.padded / kTile;
    findLine(b_.CreateUDiv(block_->piece(), k_.int64(tiles)));
    first_ = b_.CreateMul(b_.CreateURem(block_->piece(), k_.int64(tiles)), k_.int64(kTile));
  }

  void forBoth(const std::function<void(Value*)>& body) {
    for (int64_t n = 0; n < 2; ++n) body(b_.CreateAdd(block_->thread(), k_.int64(n * kBlockThreads)));
  }

  void endTile() {
    block_->barrier();
    forBoth([&](Value* i) {
      setPlace(b_.CreateAdd(line_.start, b_.CreateAdd(first_, i)), block_->load(*tile_, i));
    });
  }

  // `steps` steps, the last between neighbours.
  void mergeTile(Value* run, Value* steps) {
    k_.loop(k_.int64(0), steps, [&](Value* step) {
      Value* apart = b_.CreateShl(k_.int64(1), b_.CreateSub(b_.CreateSub(steps, step), k_.int64(1)));
      block_->barrier();
      Value *i = lowerOf(block_->thread(), apart), *far = b_.CreateAdd(i, apart);
      const auto [low, high] =
          inOrder(block_->load(*tile_, i), block_->load(*tile_, far), b_.CreateAdd(first_, i), run);
      block_->store(*tile_, i, low);
      block_->store(*tile_, far, high);
    });
  }

  // The lower one of pair `number` of those that are `apart`, a power of two.
  Value* lowerOf(Value* number, Value* apart) {
    Value* inside = b_.CreateAnd(number, b_.CreateSub(apart, k_.int64(1)));
    return b_.CreateAdd(b_.CreateMul(b_.CreateSub(number, inside), k_.int64(2)), inside);
  }

  // Upwards in every other run.
  std::pair<Value*, Value*> inOrder(Value* a, Value* b, Value* i, Value* run) {
    Value* isUp = b_.CreateICmpEQ(b_.CreateAnd(i, run), k_.int64(0));
    Value* swaps = nullptr;
    elements_.inFrame([&] { swaps = b_.CreateICmpEQ(isBefore(b, a), isUp); });
    return {b_.CreateSelect(swaps, b, a), b_.CreateSelect(swaps, a, b)};
  }

  // Of two places that differ. Those past the end are after all others.
  Value* isBefore(Value* a, Value* b) {
    Value* isLower = b_.CreateICmpULT(a, b);
    if (form_.padded != form_.length) {
      const auto within = [&](Value* x) {
        return b_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, x, k_.int64(form_.length - 1));
      };
      Value* areReal =
          b_.CreateICmpULT(b_.CreateBinaryIntrinsic(llvm::Intrinsic::umax, a, b), k_.int64(form_.length));
      a = within(a), b = within(b);
      return b_.CreateSelect(areReal, comesBefore(a, b, isLower), isLower);
    }
    return comesBefore(a, b, isLower);
  }

  Value* comesBefore(Value* a, Value* b, Value* isLower) {
    return b_.CreateOr(compare(a, b), b_.CreateAnd(b_.CreateNot(compare(b, a)), isLower));
  }

  Value* compare(Value* a, Value* b) {
    std::vector<Scalar> arguments;
    for (const Instruction* operand : form_.sort.operands()) {
      for (Value* at : {a, b}) {
        Places place = line_.place;
        place[form_.along] = at;
        arguments.push_back(elements_.at(*operand, k_.indexAt(place)));
      }
    }
    return elements_.apply(*form_.sort.get<Attr::ToApply>(), arguments)[0].value;
  }

  ElementIndex linear(Value* at) { return {{}, at, form_.places()}; }
  Value* placeAt(Value* at) {
    return b_.CreateZExt(k_.load(draft_.resultBuffer(0), form_.places(), linear(at)).value, b_.getInt64Ty());
  }
  void setPlace(Value* at, Value* place) {
    k_.store(draft_.resultBuffer(0), form_.places(), linear(at), {b_.CreateTrunc(place, b_.getInt32Ty())});
  }

  KernelDraft& draft_;
  ElementEmitter& elements_;
  KernelBuilder& k_;
  llvm::IRBuilder<>& b_;
  const SortForm& form_;
  std::optional<Block> block_;
  std::optional<SharedArray> tile_;
  Value* first_ = nullptr;  // place of the tile in its line
  Line line_;
};

Shape stepShape() { return Shape::array(ElementType::S64, {2}); }

// What a step is told, so that all of a kind are one kernel.
LeafValue stepOf(int64_t run, int64_t apart, LoweringContext& context) {
  Literal step(stepShape());
  step.mutableData<int64_t>()[0] = run;
  step.mutableData<int64_t>()[1] = apart;
  return context.constantLeaf(step);
}

Status addTiles(const SortForm& form, const LeafValue& places, LoweringContext& context) {
  KernelDraft draft(context, form.sort, {places});
  SortKernel(draft, form).sortTiles();
  return draft.finish(Block::iterations(form.lines() * form.padded / kTile), 50 * form.shape.elementCount());
}

Status addMerge(const SortForm& form, const LeafValue& places, int64_t run, int64_t apart,
                LoweringContext& context) {
  KernelDraft draft(context, form.sort, {places}, {stepOf(run, apart, context)});
  KernelBuilder& k = draft.builder();
  const auto told = [&](int64_t i) { return k.load(0, stepShape(), {{}, k.int64(i), stepShape()}).value; };
  const bool isFar = apart >= kTile;
  SortKernel kernel(draft, form);
  isFar ? kernel.mergeFar(told(0), told(1)) : kernel.mergeTiles(told(0));
  const int64_t pairs = form.lines() * form.padded / 2;
  return draft.finish(isFar ? pairs : Block::iterations(2 * pairs / kTile), 10 * form.shape.elementCount());
}

Status addGather(const SortForm& form, const LeafValue& places, const LeafValues& results,
                 LoweringContext& context) {
  KernelDraft draft(context, form.sort, results, {places});
  KernelBuilder& k = draft.builder();
  const auto shapes = arrayLeaves(form.sort.shape());
  Value* at = k.b().CreateURem(k.begin(), k.int64(form.length));
  Value* line = k.b().CreateUDiv(k.begin(), k.int64(form.length));
  Value* place = k.b().CreateAdd(k.b().CreateMul(line, k.int64(form.padded)), at);
  Value* from =
      k.b().CreateZExt(k.load(0, form.places(), {{}, place, form.places()}).value, k.b().getInt64Ty());
  Places to = lineAt(k, form.shape, form.along, line), source = to;
  to[form.along] = at;
  source[form.along] = from;
  for (size_t i = 0; i < shapes.size(); ++i) {
    const Scalar element = draft.elements().at(*form.sort.operand(i), k.indexAt(source));
    k.store(draft.resultBuffer(i), shapes[i], k.indexAt(to), element);
  }
  return draft.finish(form.shape.elementCount(), 4 * form.shape.elementCount());
}

}  // namespace

Status lowerSort(const Instruction& instruction, LoweringContext& context) {
  const SortForm form(instruction);
  if (form.shape.elementCount() == 0 || form.length < 2 || form.length > kLongest || !isOrdered(instruction))
    return hilo::lowerSort(instruction, context);
  const LeafValue places = context.newLeaf(form.places());
  TRY_STATUS(addTiles(form, places, context));
  for (int64_t run = 2 * kTile; run <= form.padded; run *= 2) {
    for (int64_t apart = run / 2; apart >= kTile; apart /= 2)
      TRY_STATUS(addMerge(form, places, run, apart, context));
    TRY_STATUS(addMerge(form, places, run, kTile / 2, context));
  }
  const LeafValues results = context.newLeaves(instruction.shape());
  TRY_STATUS(addGather(form, places, results, context));
  context.values[&instruction] = results;
  return {};
}

}  // namespace hilo::gpu
