#include "core/compiler/codegen/cpu/choices/op_work.h"
#include "core/compiler/codegen/cpu/host_worker.h"

namespace hilo::cpu {

using llvm::Value;
using tiles::Place;
using tiles::PlacedTile;
using tiles::TileEmitter;
using tiles::TileRoom;

namespace {

constexpr int64_t kShortestLineBytes = 128;

// Operations that are computed for the fold alone, at the places that it folds.
std::vector<size_t> madeForFold(const TileProgram& program, const TileOperation& fold) {
  std::vector<size_t> all = {fold.operands[0].operation};
  const auto sizes = program.operations[all[0]].sizes();
  for (size_t i = 0; i < all.size(); ++i) {
    for (const TileUse& use : program.operations[all[i]].operands) {
      const TileOperation& operand = program.operations[use.operation];
      const bool isOne = std::ranges::find(all, use.operation) == all.end() &&
                         operand.op == TileOp::Elementwise && operand.sizes() == sizes;
      if (isOne) all.push_back(use.operation);
    }
  }
  return all;
}

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
    if (reduce_.operands.size() != 1 || reduce_.loop || !opcode || !MinorFold::canFold(*opcode, type))
      return false;
    if (applied.parameters()[0]->shape().elementType() != type || reduce_.type() != type) return false;
    opcode_ = *opcode;
    type_ = type;
    element_ = k_.scalars().valueType(type);
    return findLine() && length_ * element_->getScalarSizeInBits() >= 8 * kShortestLineBytes;
  }

  Status write() {
    const std::vector<TileRoom> results = {worker_.room(type_, reduce_.tile.elements())};
    makeRooms();
    result_ = tiles_.placedResult(number_);
    forEachLine([&](const Place& place) {
      Value* at = tiles_.numberIn(result_.sizes, keptOf(place));
      results[0].store(at, foldOne(place));
    });
    for (auto& [operation, room] : kept_) tiles_.hold(operation, {room});
    tiles_.hold(number_, results);
    return worker_.fits();
  }

 private:
  bool isFolded(size_t d) const {
    return std::ranges::find(folded_, static_cast<int64_t>(d)) != folded_.end();
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

  // A room has the last dimension side by side.
  bool isAlongRooms() const {
    for (size_t d = along_ + 1; d < sizes_.size(); ++d) {
      if (sizes_[d] > 1) return false;
    }
    return true;
  }

  // What is asked for again is kept: the folded elements, which are written down anyway, and what costs more
  // than reading it back.
  void makeRooms() {
    if (operand_.op == TileOp::Elementwise && isAlongRooms()) {
      const auto made = madeForFold(tiles_.program(), reduce_);
      for (const size_t operation : made) {
        const TileOperation& of = tiles_.operation(operation);
        const bool isWorthIt = operation == use_.operation || isCostly(of.instruction->opcode());
        const int64_t count = of.tile.elements(), bytes = TileRoom::bytes(k_, of.type(), count);
        if (isWorthIt && of.block == reduce_.block && isAskedAgain(operation, made) &&
            worker_.hasRoomFor(bytes))
          kept_.emplace_back(operation, worker_.room(of.type(), count));
      }
    }
    const bool isKept = !kept_.empty() && kept_[0].first == use_.operation;
    if (!isKept && !liesInMemory()) line_ = worker_.allocate(element_, std::min(length_, chunk()));
  }

  bool isAskedAgain(size_t operation, const std::vector<size_t>& made) const {
    const TileProgram& program = tiles_.program();
    const auto isIt = [&](const TileUse& use) { return use.operation == operation; };
    for (size_t i = 0; i < program.operations.size(); ++i) {
      if (i != number_ && std::ranges::find(made, i) == made.end() &&
          std::ranges::any_of(program.operations[i].operands, isIt))
        return true;
    }
    return std::ranges::any_of(program.stores, isIt, &TileStore::value);
  }

  // What is read is folded from where it lies.
  bool liesInMemory() {
    if (operand_.op != TileOp::Load || operand_.tile.dimensions[along_].stride != 1) return false;
    const auto leaf = tiles_.applied().leafOf(*operand_.instruction);
    return leaf && layoutStrides(leaf->shape)[along_] == 1 && k_.scalars().storageType(type_) == element_;
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

  // The first place of each line whose result lies in its array.
  void forEachLine(const std::function<void(const Place&)>& body) {
    Place place(sizes_.size(), k_.int64(0));
    const auto enter = [&](auto&& self, size_t depth) -> void {
      if (depth == order_.size()) return tiles_.inFrame([&] { body(place); });
      const auto d = static_cast<size_t>(order_[depth]);
      if (isFolded(d)) return self(self, depth + 1);
      const size_t kept = d - static_cast<size_t>(std::ranges::count_if(
                                  folded_, [&](int64_t f) { return f < static_cast<int64_t>(d); }));
      if (sizes_[d] == 1 && !result_.isMasked[kept]) return self(self, depth + 1);
      const auto [from, to] = worker_.insideOf(result_, kept);
      k_.loop(from, to, [&](Value* i) {
        place[d] = i;
        self(self, depth + 1);
      });
    };
    enter(enter, 0);
  }

  Scalar foldOne(const Place& place) {
    Scalar start;
    tiles_.applied().inFrame([&] { start = tiles_.applied().at(*reduce_.instruction->operand(1), {}); });
    MinorFold fold(k_, opcode_, type_, start);
    if (line_ == nullptr && kept_.empty()) {
      fold.add(tiles_.addressOf(use_, place), length_);
    } else {
      foldPieces(fold, place);
    }
    return fold.result();
  }

  // As much of the line at a time as is folded at once.
  void foldPieces(MinorFold& fold, const Place& line) {
    const int64_t most = std::min(length_, chunk());
    const auto piece = [&](Value* first, int64_t count) {
      Value* room = line_;
      if (room == nullptr) room = kept_[0].second.address(tiles_.numberIn(sizes_, along(line, first)));
      k_.shortLineLoop(count, [&](Value* i) {
        tiles_.inFrame([&] { computeOne(along(line, b_.CreateAdd(first, i, "", true, true)), i); });
      });
      fold.add(room, count);
    };
    k_.loop(k_.int64(0), k_.int64(length_ / most),
            [&](Value* i) { piece(b_.CreateMul(i, k_.int64(most), "", true, true), most); });
    if (length_ % most != 0) piece(k_.int64(length_ / most * most), length_ % most);
  }

  Place along(const Place& line, Value* at) const {
    Place place = line;
    place[along_] = at;
    return place;
  }

  void computeOne(const Place& place, Value* inPiece) {
    const Scalar folded = tiles_.element(use_, place);
    if (line_ != nullptr) b_.CreateStore(folded.value, b_.CreateInBoundsGEP(element_, line_, {inPiece}));
    for (const auto& [operation, room] : kept_)
      room.store(tiles_.numberIn(sizes_, place), tiles_.element({operation, 0}, place));
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
  PlacedTile result_;
  std::vector<std::pair<size_t, TileRoom>> kept_;  // operations; the folded one first where it is
  Value* line_ = nullptr;                          // else a piece of it, but for what lies in memory
};

}  // namespace

Result<bool> foldLines(TileEmitter& tiles, size_t operation, HostWorker& worker) {
  LineFold fold(tiles, operation, worker);
  if (!fold.isPossible()) return false;
  TRY_STATUS(fold.write());
  return true;
}

}  // namespace hilo::cpu
