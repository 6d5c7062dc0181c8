#include "core/compiler/codegen/cpu/dot_side.h"

namespace hilo::cpu {

using llvm::Value;
using tiles::DotTileForm;
using tiles::Place;
using tiles::TileEmitter;
using tiles::TileRoom;

namespace {
int64_t roundedUp(int64_t count, int64_t multiple) { return (count + multiple - 1) / multiple * multiple; }
}  // namespace

DotSide::DotSide(TileEmitter& tiles, DotTileForm& form, size_t side, int64_t lines, int64_t lanes,
                 HostWorker& worker)
    : tiles_(tiles),
      k_(tiles.kernel()),
      b_(k_.b()),
      form_(form),
      side_(side),
      lines_(lines),
      depth_(form.depth()),
      lanes_(lanes),
      element_(k_.scalars().valueType(form.sumType())),
      there_(stridesWhereItLies()) {
  if (isReadableThere()) {
    strides_ = *there_;
    return;
  }
  const bool isRight = side_ == 1;
  strides_ = isRight || !isAlongSum() ? Strides{1, lines} : Strides{depth_, 1};
  const int64_t all = form.batch() * roundedUp(form.lines(side), lines) * depth_;
  isBroughtAhead_ = isRight && isSameForAllTiles() &&
                    worker.hasRoomAhead(all * static_cast<int64_t>(element_->getScalarSizeInBits()) / 8);
  room_ = isBroughtAhead_ ? worker.allocateAhead(element_, all) : worker.allocate(element_, lines * depth_);
  if (isBroughtAhead_) worker.beforeTiles([&] { bringAll(k_.int64(form_.batch())); });
  if (isRight && isAlongSum() && !there_) lineRoom_ = worker.allocate(element_, lanes_ * depth_);
}

// What lies evenly in memory, in one step, where no tile's number says.
bool DotSide::isSameForAllTiles() const {
  const TileOperation& of = tiles_.operation(form_.dot().operands[side_].operation);
  if (!there_ || of.op != TileOp::Load || form_.dot().loop || form_.dot().block != 0) return false;
  return std::ranges::all_of(of.tile.dimensions, [&](const TileDimension& d) {
    for (size_t v = 0; v < tiles_.fusion().space.variables.size(); ++v) {
      if (d.offset.uses(v) && !tiles_.isAtZero(v)) return false;
    }
    return true;
  });
}

std::optional<DotSide::Strides> DotSide::stridesWhereItLies() {
  const TileUse& use = form_.dot().operands[side_];
  const TileOperation& of = tiles_.operation(use.operation);
  const bool isSame = form_.dot().op == TileOp::Dot && of.type(use.result) == form_.sumType() &&
                      k_.scalars().storageType(form_.sumType()) == element_;
  if (!isSame || !form_.isWhole(side_) || of.tile.isMasked()) return std::nullopt;
  std::vector<int64_t> strides(of.tile.dimensions.size());
  if (tiles_.held(use) != nullptr) {
    int64_t stride = 1;
    for (size_t d = strides.size(); d-- > 0; stride *= of.tile.dimensions[d].size) strides[d] = stride;
  } else {
    const auto leaf = of.op == TileOp::Load ? tiles_.applied().leafOf(*of.instruction) : std::nullopt;
    if (!leaf) return std::nullopt;
    strides = layoutStrides(leaf->shape);
    for (size_t d = 0; d < strides.size(); ++d) strides[d] *= of.tile.dimensions[d].stride;
  }
  const auto line = form_.lineStride(side_, strides), sum = form_.sumStride(side_, strides);
  if (!line || !sum) return std::nullopt;
  return Strides{*line, *sum};
}

bool DotSide::isReadableThere() const {
  constexpr int64_t kMostBytes = 16'384;  // of the near cache, for as much as the columns lie within
  if (!there_) return false;
  if (side_ == 0) return there_->sum == 1 || depth_ == 1;
  const auto bytes =
      std::abs(there_->sum) * depth_ * static_cast<int64_t>(element_->getScalarSizeInBits()) / 8;
  return (there_->line == 1 || form_.lines(1) == 1) && bytes <= kMostBytes;
}

// Whether neighbours in memory are neighbours in the sum.
bool DotSide::isAlongSum() const {
  if (there_) return there_->sum == 1 && there_->line != 1;
  return form_.isAlongSum(side_);
}

Value* DotSide::place(Value* start, const Strides& strides, Value* line, Value* summed) {
  Value* number = b_.CreateAdd(b_.CreateMul(line, k_.int64(strides.line), "", true, true),
                               b_.CreateMul(summed, k_.int64(strides.sum), "", true, true), "", true, true);
  return b_.CreateInBoundsGEP(element_, start, {number});
}

Value* DotSide::at(Value* line, Value* summed) { return place(start_, strides_, line, summed); }

Value* DotSide::startWhereItLies() {
  const TileUse& use = form_.dot().operands[side_];
  const Place first = form_.place(side_, batch_, first_, k_.int64(0));
  const TileRoom* room = tiles_.held(use);
  if (room == nullptr) return tiles_.addressOf(use, first);
  return room->address(tiles_.numberIn(tiles_.operation(use.operation).sizes(), first));
}

void DotSide::bring(Value* batch, Value* first, int64_t lines) {
  batch_ = batch;
  first_ = first;
  start_ = room_ != nullptr ? roomOf(batch, first) : startWhereItLies();
  if (room_ != nullptr && !isBroughtAhead_) fillRoom(lines);
}

void DotSide::bringAll(Value* batches) {
  const int64_t whole = form_.lines(side_) / lines_, rest = form_.lines(side_) % lines_;
  k_.loop(k_.int64(0), batches, [&](Value* batch) {
    const auto bringOne = [&](Value* number, int64_t lines) {
      batch_ = batch;
      first_ = b_.CreateMul(number, k_.int64(lines_), "", true, true);
      start_ = roomOf(batch_, first_);
      fillRoom(lines);
    };
    k_.loop(k_.int64(0), k_.int64(whole), [&](Value* number) { bringOne(number, lines_); });
    if (rest > 0) bringOne(k_.int64(whole), rest);
  });
}

// Where the lines from this one on are brought to.
Value* DotSide::roomOf(Value* batch, Value* first) {
  if (!isBroughtAhead_) return room_;
  const int64_t ofBatch = roundedUp(form_.lines(side_), lines_);
  Value* line = b_.CreateAdd(b_.CreateMul(batch, k_.int64(ofBatch), "", true, true), first, "", true, true);
  return b_.CreateInBoundsGEP(element_, room_, {b_.CreateMul(line, k_.int64(depth_), "", true, true)});
}

void DotSide::fillRoom(int64_t lines) {
  if (side_ == 1 && isAlongSum()) return fillTurned(lines);
  fill(start_, strides_, k_.int64(0), lines);
}

// `lines` of those that are brought, from this one on, into a room that has these strides.
void DotSide::fill(Value* room, const Strides& strides, Value* firstLine, int64_t lines) {
  const bool isByLine = strides.sum == 1;
  k_.loop(k_.int64(0), k_.int64(isByLine ? lines : depth_), [&](Value* i) {
    k_.lineLoop(k_.int64(0), k_.int64(isByLine ? depth_ : lines), [&](Value* j) {
      Value *line = isByLine ? i : j, *summed = isByLine ? j : i;
      write(b_.CreateAdd(firstLine, line, "", true, true), summed, place(room, strides, line, summed));
    });
  });
}

void DotSide::write(Value* line, Value* summed, Value* to) {
  Value* inTile = b_.CreateAdd(first_, line, "", true, true);
  const auto copy = [&] {
    tiles_.inFrame([&] { b_.CreateStore(form_.addend(side_, batch_, inTile, summed), to); });
  };
  Value* isIn = form_.isWhole(side_) ? nullptr : form_.isIn(side_, batch_, inTile, summed);
  if (isIn == nullptr) return copy();
  k_.branch(isIn, copy, [&] { b_.CreateStore(llvm::Constant::getNullValue(element_), to); });
}

// Columns that lie along the sum, as many at a time as a vector has lanes: read, or computed, as they lie and
// turned in registers.
void DotSide::fillTurned(int64_t lines) {
  const int64_t whole = lines / lanes_;
  Value* there = there_ ? startWhereItLies() : nullptr;
  k_.loop(k_.int64(0), k_.int64(whole), [&](Value* i) {
    Value* column = b_.CreateMul(i, k_.int64(lanes_), "", true, true);
    if (there != nullptr) return turn(place(there, *there_, column, k_.int64(0)), there_->line, column);
    fill(lineRoom_, {depth_, 1}, column, lanes_);
    turn(lineRoom_, depth_, column);
  });
  k_.loop(k_.int64(whole * lanes_), k_.int64(lines), [&](Value* line) {
    k_.lineLoop(k_.int64(0), k_.int64(depth_),
                [&](Value* summed) { write(line, summed, place(start_, strides_, line, summed)); });
  });
}

namespace {

// Squares of them across their diagonal: first neighbours change places, then pairs, then fours.
void transpose(llvm::IRBuilder<>& b, llvm::SmallVector<Value*, 16>& rows) {
  const auto count = static_cast<int>(rows.size());
  for (int half = 1; half < count; half *= 2) {
    llvm::SmallVector<int, 16> lower, upper;
    for (int lane = 0; lane < count; ++lane) {
      const bool isFirst = (lane & half) == 0;
      lower.push_back(isFirst ? lane : count + lane - half);
      upper.push_back(isFirst ? lane + half : count + lane);
    }
    for (int i = 0; i < count; ++i) {
      if ((i & half) != 0) continue;
      auto &first = rows[static_cast<size_t>(i)], &second = rows[static_cast<size_t>(i + half)];
      Value* above = b.CreateShuffleVector(first, second, lower);
      second = b.CreateShuffleVector(first, second, upper);
      first = above;
    }
  }
}

}  // namespace

// A line for each lane from `from` on, so far apart, to the columns from this one on.
void DotSide::turn(Value* from, int64_t stride, Value* column) {
  auto* vector = llvm::FixedVectorType::get(element_, static_cast<unsigned>(lanes_));
  const llvm::Align alignment(element_->getScalarSizeInBits() / 8);
  const int64_t whole = depth_ / lanes_;
  k_.loop(k_.int64(0), k_.int64(whole), [&](Value* i) {
    Value* first = b_.CreateMul(i, k_.int64(lanes_), "", true, true);
    llvm::SmallVector<Value*, 16> rows;
    for (int64_t lane = 0; lane < lanes_; ++lane)
      rows.push_back(
          b_.CreateAlignedLoad(vector, place(from, {stride, 1}, k_.int64(lane), first), alignment));
    transpose(b_, rows);
    for (int64_t j = 0; j < lanes_; ++j)
      b_.CreateAlignedStore(rows[static_cast<size_t>(j)],
                            place(start_, strides_, column, b_.CreateAdd(first, k_.int64(j))), alignment);
  });
  k_.loop(k_.int64(whole * lanes_), k_.int64(depth_), [&](Value* summed) {
    k_.loop(k_.int64(0), k_.int64(lanes_), [&](Value* lane) {
      Value* element = b_.CreateLoad(element_, place(from, {stride, 1}, lane, summed));
      b_.CreateStore(element, place(start_, strides_, b_.CreateAdd(column, lane), summed));
    });
  });
}

}  // namespace hilo::cpu
