#include "core/compiler/codegen/cpu/kept_values.h"
#include "core/compiler/codegen/emit/minor_fold.h"

namespace hilo::cpu {

using llvm::Value;
using tiles::Place;
using tiles::PlacedTile;
using tiles::TileEmitter;
using tiles::TileRoom;

namespace {

constexpr int64_t kShortestLineBytes = 128;

class LineFold {
 public:
  LineFold(TileEmitter& tiles, size_t operation, HostWorker& worker)
      : tiles_(tiles),
        k_(tiles.kernel()),
        b_(k_.b()),
        worker_(worker),
        number_(operation),
        reduce_(tiles.operation(operation)),
        use_(reduce_.operands[0]),
        operand_(tiles.operation(use_.operation)),
        sizes_(operand_.sizes()),
        folded_(foldedDimensions(*reduce_.instruction, 0)),
        order_(majorToMinor(reduce_.instruction->operand(0)->shape())) {}

  bool isPossible() {
    const Computation& applied = *reduce_.instruction->get<Attr::ToApply>();
    const auto opcode = singleBinaryOpcode(applied);
    const ElementType type =
        reduce_.instruction->operand(0)->shape().isArray() ? operand_.type(use_.result) : ElementType::Tuple;
    if (reduce_.operands.size() != 1 || !opcode || !MinorFold::canFold(*opcode, type)) return false;
    if (applied.parameters()[0]->shape().elementType() != type || reduce_.type() != type) return false;
    opcode_ = *opcode;
    type_ = type;
    element_ = k_.scalars().valueType(type);
    return findLine() && length_ * element_->getScalarSizeInBits() >= 8 * kShortestLineBytes;
  }

  Status write() {
    const std::vector<TileRoom> results = {worker_.room(type_, reduce_.tile.elements())};
    forEachLine([&](MinorFold& fold, Value* at) { results[0].store(at, fold.result()); });
    tiles_.hold(number_, results);
    return worker_.fits();
  }

  void addTo(const TileRoom& totals, Fold& fold) {
    forEachLine([&](MinorFold& line, Value* at) {
      totals.store(at, fold.combine({totals.load(at)}, {line.folded()})[0]);
    });
  }

 private:
  bool isFolded(size_t d) const { return foldedNumber(d) < folded_.size(); }
  size_t foldedNumber(size_t d) const {
    return static_cast<size_t>(std::ranges::find(folded_, static_cast<int64_t>(d)) - folded_.begin());
  }

  // The one folded dimension of several elements, nearest together in memory.
  bool findLine() {
    std::vector<size_t> several;
    for (const int64_t d : order_) {
      if (sizes_[static_cast<size_t>(d)] > 1) several.push_back(static_cast<size_t>(d));
    }
    if (several.empty() || !isFolded(several.back())) return false;
    along_ = several.back();
    length_ = sizes_[along_];
    return std::ranges::count_if(several, [&](size_t d) { return isFolded(d); }) == 1;
  }

  // Of what is read, or was kept by a fold before, the lines are folded from where they lie.
  bool liesInMemory() {
    if (k_.scalars().storageType(type_) != element_) return false;
    if (tiles_.held(use_) != nullptr) return roomStride() == 1;
    if (operand_.op != TileOp::Load || operand_.tile.dimensions[along_].stride != 1) return false;
    const auto leaf = tiles_.applied().leafOf(*operand_.instruction);
    return leaf && layoutStrides(leaf->shape)[along_] == 1;
  }

  int64_t roomStride() const {
    int64_t stride = 1;
    for (size_t d = along_ + 1; d < sizes_.size(); ++d) stride *= sizes_[d];
    return stride;
  }

  Value* lineAt(const Place& place) {
    const TileRoom* room = tiles_.held(use_);
    return room != nullptr ? room->address(tiles_.numberIn(sizes_, place)) : tiles_.addressOf(use_, place);
  }

  int64_t chunk() { return 8 * static_cast<int64_t>(k_.target().vectorBytes) * 8 / bits(); }
  int64_t bits() const { return element_->getScalarSizeInBits(); }

  Place keptOf(const Place& place) const {
    Place kept;
    for (size_t d = 0; d < place.size(); ++d) {
      if (!isFolded(d)) kept.push_back(place[d]);
    }
    return kept;
  }

  // Folds each line whose result lies in its array; `take` gets the fold, and the number of the result.
  void forEachLine(const std::function<void(MinorFold& fold, Value* at)>& take) {
    const PlacedTile result = tiles_.placedResult(number_);
    const bool isRagged = reduce_.loop && tiles_.fusion().isRagged(variable());
    isInPlace_ = liesInMemory();
    if (!isInPlace_) kept_.emplace(tiles_, number_, along_, worker_);
    if (isRagged || (!isInPlace_ && kept_->folded() == nullptr))
      line_ = worker_.allocate(element_, std::min(length_, chunk()));
    Place place(sizes_.size(), k_.int64(0));
    const auto enter = [&](auto&& self, size_t depth) -> void {
      if (depth == order_.size())
        return tiles_.inFrame(
            [&] { foldOne(place, isRagged, tiles_.numberIn(result.sizes, keptOf(place)), take); });
      const auto d = static_cast<size_t>(order_[depth]);
      if (isFolded(d)) return self(self, depth + 1);
      const size_t number = d - static_cast<size_t>(std::ranges::count_if(
                                    folded_, [&](int64_t f) { return f < static_cast<int64_t>(d); }));
      if (sizes_[d] == 1 && !result.isMasked[number]) return self(self, depth + 1);
      const auto [from, to] = worker_.insideOf(result, number);
      k_.loop(from, to, [&](Value* i) {
        place[d] = i;
        self(self, depth + 1);
      });
    };
    enter(enter, 0);
    if (kept_) kept_->hold();
  }

  size_t variable() const { return tiles_.fusion().folded(reduce_)[foldedNumber(along_)]; }

  void foldOne(const Place& place, bool isRagged, Value* at,
               const std::function<void(MinorFold& fold, Value* at)>& take) {
    Scalar start;
    tiles_.applied().inFrame([&] { start = tiles_.applied().at(*reduce_.instruction->operand(1), {}); });
    MinorFold fold(k_, opcode_, type_, start);
    const auto foldWhole = [&] { isInPlace_ ? fold.add(lineAt(place), length_) : foldPieces(fold, place); };
    if (isRagged) {
      Value* end = tiles_.stepEnd(reduce_, foldedNumber(along_));
      k_.branch(b_.CreateICmpEQ(end, k_.int64(length_)), foldWhole, [&] { foldCut(fold, place, end); });
    } else {
      foldWhole();
    }
    take(fold, at);
  }

  // As much of the line at a time as is folded at once.
  void foldPieces(MinorFold& fold, const Place& line) {
    const int64_t most = std::min(length_, chunk());
    const auto piece = [&](Value* first, int64_t count) {
      Value* room = line_;
      if (const TileRoom* kept = kept_->folded())
        room = kept->address(tiles_.numberIn(sizes_, along(line, first)));
      k_.shortLineLoop(count, [&](Value* i) { computeOne(line, first, i); });
      fold.add(room, count);
    };
    k_.loop(k_.int64(0), k_.int64(length_ / most),
            [&](Value* i) { piece(b_.CreateMul(i, k_.int64(most), "", true, true), most); });
    if (length_ % most != 0) piece(k_.int64(length_ / most * most), length_ % most);
  }

  // Of a step that reaches past the end: what lies there is made to change nothing.
  void foldCut(MinorFold& fold, const Place& line, Value* end) {
    const int64_t most = std::min(length_, chunk());
    Value *none = k_.int64(0), *all = k_.int64(most);
    k_.loop(none, k_.int64((length_ + most - 1) / most), [&](Value* piece) {
      Value* first = b_.CreateMul(piece, all, "", true, true);
      Value* left = b_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, b_.CreateSub(end, first), none);
      Value* there = b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, left, all);
      k_.lineLoop(none, there, [&](Value* i) { computeOne(line, first, i); });
      k_.lineLoop(there, all, [&](Value* i) { writeDown(fold.neutral(), i); });
      fold.add(line_, most);
    });
  }

  Place along(const Place& line, Value* at) const {
    Place place = line;
    place[along_] = at;
    return place;
  }

  void computeOne(const Place& line, Value* first, Value* inPiece) {
    tiles_.inFrame([&] {
      const Place place = along(line, b_.CreateAdd(first, inPiece, "", true, true));
      const Scalar folded = tiles_.element(use_, place);
      if (line_ != nullptr) writeDown(folded.value, inPiece);
      if (kept_) kept_->keep(place);
    });
  }

  void writeDown(Value* value, Value* inPiece) {
    b_.CreateStore(value, b_.CreateInBoundsGEP(element_, line_, {inPiece}));
  }

  TileEmitter& tiles_;
  KernelBuilder& k_;
  llvm::IRBuilder<>& b_;
  HostWorker& worker_;
  const size_t number_;
  const TileOperation& reduce_;
  const TileUse use_;
  const TileOperation& operand_;
  const std::vector<int64_t> sizes_, folded_;
  const DimensionOrder order_;
  Opcode opcode_ = Opcode::Add;
  ElementType type_ = ElementType::F32;
  llvm::Type* element_ = nullptr;
  size_t along_ = 0;
  int64_t length_ = 0;
  bool isInPlace_ = false;
  std::optional<KeptValues> kept_;  // of what is computed
  Value* line_ = nullptr;           // room for a piece of a line, where it is computed and not kept
};

}  // namespace

Result<bool> foldLines(TileEmitter& tiles, size_t operation, HostWorker& worker) {
  if (tiles.operation(operation).loop) return false;
  LineFold fold(tiles, operation, worker);
  if (!fold.isPossible()) return false;
  TRY_STATUS(fold.write());
  return true;
}

bool addLines(TileEmitter& tiles, size_t operation, HostWorker& worker, Fold& fold, const TileRoom& totals) {
  if (!tiles.operation(operation).loop) return false;
  LineFold lines(tiles, operation, worker);
  if (!lines.isPossible()) return false;
  lines.addTo(totals, fold);
  return true;
}

}  // namespace hilo::cpu
