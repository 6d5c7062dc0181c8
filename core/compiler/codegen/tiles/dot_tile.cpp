#include "core/compiler/codegen/tiles/dot_tile.h"

#include <algorithm>

namespace hilo::tiles {

using llvm::Value;

ElementType dotSumType(const Instruction& dot) {
  const ElementType result = dot.shape().elementType();
  if (!isFloat(result)) return elementBits(result) <= 32 ? ElementType::S32 : ElementType::S64;
  const auto isWide = [](const Instruction* of) { return of->shape().elementType() == ElementType::F64; };
  const bool hasWide = isWide(&dot) || isWide(dot.operand(0)) || isWide(dot.operand(1));
  return hasWide ? ElementType::F64 : ElementType::F32;
}

DotTileForm::DotTileForm(TileEmitter& tiles, size_t operation)
    : tiles_(tiles),
      k_(tiles.kernel()),
      b_(k_.b()),
      dot_(tiles.operation(operation)),
      sumType_(dotSumType(*dot_.instruction)) {
  const Instruction& dot = *dot_.instruction;
  for (const size_t side : {size_t{0}, size_t{1}}) {
    const auto batch = side == 0 ? dot.get<Attr::LhsBatchDims>() : dot.get<Attr::RhsBatchDims>();
    batchDims_[side].assign(batch.begin(), batch.end());
    summedDims_[side] = foldedDimensions(dot, side);
    const auto sizes = tiles.operation(dot_.operands[side].operation).sizes();
    const auto isIn = [](const std::vector<int64_t>& list, size_t d) {
      return std::ranges::find(list, static_cast<int64_t>(d)) != list.end();
    };
    for (size_t d = 0; d < sizes.size(); ++d) {
      if (isIn(batchDims_[side], d) || isIn(summedDims_[side], d)) continue;
      freeDims_[side].push_back(static_cast<int64_t>(d));
      free_[side].push_back(sizes[d]);
    }
    if (side != 0) continue;
    for (const int64_t d : batchDims_[0]) batch_.push_back(sizes[static_cast<size_t>(d)]);
    for (const int64_t d : summedDims_[0]) summed_.push_back(sizes[static_cast<size_t>(d)]);
  }
}

int64_t DotTileForm::count(const Sizes& sizes) {
  int64_t all = 1;
  for (const int64_t size : sizes) all *= size;
  return all;
}

Place DotTileForm::split(const Sizes& sizes, Value* number) {
  Place places(sizes.size());
  for (size_t i = sizes.size(); i-- > 0;) {
    const bool isFirst = std::all_of(sizes.begin(), sizes.begin() + static_cast<ptrdiff_t>(i),
                                     [](int64_t size) { return size == 1; });
    if (sizes[i] == 1) {
      places[i] = k_.int64(0);
    } else if (isFirst) {
      places[i] = number;
    } else {
      places[i] = b_.CreateURem(number, k_.int64(sizes[i]));
      number = b_.CreateUDiv(number, k_.int64(sizes[i]));
    }
  }
  return places;
}

bool DotTileForm::isWhole(size_t side) const {
  const auto folded = tiles_.fusion().folded(dot_);
  const auto isRagged = [&](size_t v) { return tiles_.fusion().isRagged(v); };
  if (std::ranges::any_of(folded, isRagged)) return false;
  const size_t from = side == 0 ? 0 : batch_.size() + free_[0].size();
  const size_t to = side == 0 ? batch_.size() + free_[0].size() : dot_.tile.dimensions.size();
  for (size_t d = 0; d < dot_.tile.dimensions.size(); ++d) {
    const bool isOwn = d < batch_.size() || (d >= from && d < to);
    if (isOwn && dot_.tile.dimensions[d].isMasked) return false;
  }
  return true;
}

Value* DotTileForm::isIn(size_t side, Value* batch, Value* line, Value* summed) {
  // The other side's dimensions are asked for at an element that there always is: the first.
  Value *row = side == 0 ? line : k_.int64(0), *column = side == 1 ? line : k_.int64(0);
  PlacedTile tile = tiles_.placed(dot_.tile, dot_.instruction->shape());
  const size_t rows = batch_.size(), columns = rows + free_[0].size();
  for (size_t d = 0; d < tile.isMasked.size(); ++d) {
    const bool isOther = side == 0 ? d >= columns : d >= rows && d < columns;
    if (isOther) tile.isMasked[d] = false;
  }
  Value* isInResult = tiles_.isInside(tile, resultAt(batch, row, column));
  Value* isSummed = tiles_.isFolded(dot_, split(summed_, summed));
  if (isInResult == nullptr || isSummed == nullptr) return isInResult == nullptr ? isSummed : isInResult;
  return b_.CreateAnd(isInResult, isSummed);
}

ElementType DotTileForm::elementType(size_t side) const {
  if (dot_.op == TileOp::ScaledDot) return ElementType::F32;
  const TileUse& use = dot_.operands[side];
  return tiles_.operation(use.operation).type(use.result);
}

namespace {

std::optional<int64_t> evenStride(std::span<const int64_t> dims, std::span<const int64_t> sizes,
                                  std::span<const int64_t> strides) {
  int64_t stride = 1, count = 1;
  for (size_t i = dims.size(); i-- > 0;) {
    if (sizes[i] == 1) continue;
    const int64_t own = strides[static_cast<size_t>(dims[i])];
    if (count == 1) stride = own;
    if (own != stride * count) return std::nullopt;
    count *= sizes[i];
  }
  return stride;
}

}  // namespace

std::optional<int64_t> DotTileForm::lineStride(size_t side, std::span<const int64_t> strides) const {
  return evenStride(freeDims_[side], free_[side], strides);
}

std::optional<int64_t> DotTileForm::sumStride(size_t side, std::span<const int64_t> strides) const {
  return evenStride(summedDims_[side], summed_, strides);
}

bool DotTileForm::isAlongSum(size_t side) const {
  const auto sizes = tiles_.operation(dot_.operands[side].operation).sizes();
  DimensionOrder order = majorToMinor(dot_.instruction->operand(side)->shape());
  std::erase_if(order, [&](int64_t d) { return sizes[static_cast<size_t>(d)] == 1; });
  return !order.empty() && std::ranges::find(summedDims_[side], order.back()) != summedDims_[side].end();
}

Place DotTileForm::place(size_t side, Value* batch, Value* line, Value* summed) {
  Place at(batchDims_[side].size() + freeDims_[side].size() + summedDims_[side].size());
  const auto set = [&](const std::vector<int64_t>& dims, const Place& places) {
    for (size_t i = 0; i < dims.size(); ++i) at[static_cast<size_t>(dims[i])] = places[i];
  };
  set(batchDims_[side], split(batch_, batch));
  set(freeDims_[side], split(free_[side], line));
  set(summedDims_[side], split(summed_, summed));
  return at;
}

Scalar DotTileForm::element(size_t side, Value* batch, Value* line, Value* summed) {
  const TileUse& use = dot_.operands[side];
  const Place at = place(side, batch, line, summed);
  const Scalar x = tiles_.element(use, at);
  if (dot_.op != TileOp::ScaledDot) return x;
  const ElementType type = tiles_.operation(use.operation).type(use.result);
  Value* value = k_.scalars().convert(type, ElementType::F32, x).value;
  const bool isScaled = dot_.instruction->operand(side + 2)->shape().rank() > 0;
  return {isScaled ? b_.CreateFMul(value, scale(side, at).value) : value};
}

// One scale for so many elements in a row: where that of the element lies in the tile of scales. A tile of
// elements begins where a scale does, or has one scale.
Scalar DotTileForm::scale(size_t side, const Place& place) {
  const TileUse& use = dot_.operands[side + 2];
  const Shape values = dot_.instruction->operand(side)->shape(),
              scales = dot_.instruction->operand(side + 2)->shape();
  const TileOperation& of = tiles_.operation(use.operation);
  const PlacedTile its = tiles_.placed(of.tile, scales);
  Place at(place.size());
  for (size_t d = 0; d < place.size(); ++d) {
    const int64_t block =
        std::max<int64_t>(1, values.dimension(d) / std::max<int64_t>(1, scales.dimension(d)));
    at[d] = its.sizes[d] == 1 ? k_.int64(0) : b_.CreateUDiv(place[d], k_.int64(block));
  }
  return k_.scalars().convert(of.type(use.result), ElementType::F32, tiles_.element(use, at));
}

Value* DotTileForm::addend(size_t side, Value* batch, Value* line, Value* summed) {
  return k_.scalars().convert(elementType(side), sumType_, element(side, batch, line, summed)).value;
}

Place DotTileForm::resultAt(Value* batch, Value* row, Value* column) {
  Place place = split(batch_, batch);
  place.append(split(free_[0], row));
  place.append(split(free_[1], column));
  return place;
}

Scalar DotTileForm::result(Value* sum) {
  return k_.scalars().convert(sumType_, dot_.instruction->shape().elementType(), {sum});
}

}  // namespace hilo::tiles
