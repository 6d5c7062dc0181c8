#include "core/compiler/spmd/rotations.h"

#include <absl/strings/numbers.h>
#include <absl/strings/str_split.h>

#include "core/compiler/spmd/tile_pieces.h"

namespace hilo {
namespace {

constexpr std::string_view kRotateRight = "_SPMDInternalOp_RotateRight";

// Elements [begin, end) of `array` along a dimension, all of it along others.
struct ArrayRange {
  Instruction* array = nullptr;
  int64_t begin = 0, end = 0;
};

std::optional<ArrayRange> rangeAlong(Instruction* slice, int64_t dimension) {
  if (slice->opcode() != Opcode::Slice || slice->users().size() != 1) return std::nullopt;
  ArrayRange range{.array = slice->operand(0)};
  const auto all = slice->get<Attr::Slice>();
  for (int64_t d = 0; d < static_cast<int64_t>(all.size()); ++d) {
    const SliceRange& one = all[static_cast<size_t>(d)];
    const int64_t size = range.array->shape().dimension(static_cast<size_t>(d));
    if (one.stride != 1 || (d != dimension && (one.start != 0 || one.limit != size))) return std::nullopt;
    if (d == dimension) range.begin = one.start, range.end = one.limit;
  }
  return range;
}

bool isCutAlong(const Instruction& instruction, int64_t dimension, int64_t partitions) {
  const Sharding* sharding = instruction.get<Attr::Sharding>();
  if (sharding == nullptr) return false;
  const auto tiling = tilingOf(*sharding, instruction.shape(), partitions, instruction);
  return tiling && tiling->tiles[static_cast<size_t>(dimension)] > 1;
}

// The array and by how much it is rotated.
std::optional<std::pair<Instruction*, int64_t>> rotatedArray(const Instruction& concatenate) {
  if (concatenate.operandCount() != 2 || concatenate.shape().isDynamic()) return std::nullopt;
  const int64_t dimension = concatenate.dimensions()[0];
  const auto last = rangeAlong(concatenate.operand(0), dimension),
             first = rangeAlong(concatenate.operand(1), dimension);
  if (!last || !first || last->array != first->array) return std::nullopt;
  const int64_t size = last->array->shape().dimension(static_cast<size_t>(dimension));
  if (first->begin != 0 || first->end != last->begin || last->end != size) return std::nullopt;
  return std::pair(last->array, size - last->begin);
}

// The tiles of a ring of whole tiles, `amount` elements further.
Instruction* rotatedTiles(LocalBuilder& builder, const Part& part, size_t dimension, int64_t tiles,
                          int64_t amount) {
  const int64_t size = part.local->shape().dimension(dimension);
  const int64_t rest = amount % size;
  const auto from = [&](int64_t distance, int64_t begin, int64_t end) {
    TilePiece piece{.sources = {}, .begin = begin, .end = end};
    for (int64_t t = 0; t < part.tiling.tiles[dimension]; ++t)
      piece.sources.push_back(t < tiles ? (t - distance % tiles + tiles) % tiles : -1);
    return takePiece(builder, part, dimension, piece);
  };
  std::vector<Instruction*> pieces;
  if (rest > 0) pieces.push_back(from(amount / size + 1, size - rest, size));
  pieces.push_back(from(amount / size, 0, size - rest));
  return sideBySide(builder, pieces, dimension);
}

// Whether an element lies in front of `limit` of the whole array.
Instruction* isBefore(LocalBuilder& builder, const Part& part, size_t dimension, int64_t limit) {
  const Shape shape = part.local->shape().withElementType(ElementType::S32);
  Instruction* place = builder.make(Opcode::Iota, shape, {});
  place->set<Attr::IotaDimension>(static_cast<int64_t>(dimension));
  Instruction* start =
      builder.byPartition(tileOfDevice(part.tiling, dimension).times(shape.dimension(dimension)));
  place = builder.make(Opcode::Add, shape, {place, builder.splat(start, shape)});
  Instruction* made = builder.make(Opcode::Compare, shape.withElementType(ElementType::Pred),
                                   {place, builder.splat(builder.integer(limit), shape)});
  made->set<Attr::Direction>(ComparisonDirection::Lt);
  return made;
}

// What fills up the last tile goes round as well: elements that come from behind the end are so much further.
Instruction* rotated(LocalBuilder& builder, const Part& part, const Rotation& rotation) {
  const size_t dimension = rotation.dimension;
  const int64_t size = part.global.dimension(dimension), tile = part.local->shape().dimension(dimension);
  const int64_t tiles = ceilDiv(size, tile), beside = tiles * tile - size;
  Instruction* plain = rotatedTiles(builder, part, dimension, tiles, rotation.amount);
  if (beside == 0) return plain;
  Instruction* wrapped =
      rotatedTiles(builder, part, dimension, tiles, (rotation.amount + beside) % (tiles * tile));
  return builder.make(Opcode::Select, plain->shape(),
                      {isBefore(builder, part, dimension, rotation.amount), wrapped, plain});
}

}  // namespace

void markRotations(Module& module) {
  for (Computation* computation : module.computations()) {
    std::vector<Instruction*> all;
    for (Instruction* i : computation->instructions()) all.push_back(i);
    for (Instruction* i : all) {
      if (i->opcode() != Opcode::Concatenate) continue;
      const auto found = rotatedArray(*i);
      const int64_t dimension = i->dimensions()[0];
      if (!found || !isCutAlong(*i, dimension, module.partitionCount())) continue;
      std::vector<Instruction*> slices(i->operands().begin(), i->operands().end());
      i->become(Opcode::CustomCall, std::vector{found->first});
      i->set<Attr::CustomCallTarget>(kRotateRight);
      i->set<Attr::BackendConfig>(fmt::format("dimension={},amount={}", dimension, found->second));
      computation->removeAll(slices);
    }
  }
}

std::optional<Rotation> rotationOf(const Instruction& call) {
  if (call.get<Attr::CustomCallTarget>() != kRotateRight || call.operandCount() != 1) return std::nullopt;
  const Shape shape = call.shape();
  if (!shape.isArray() || call.operand(0)->shape().withoutLayout() != shape.withoutLayout())
    return std::nullopt;
  int64_t dimension = -1, amount = -1;
  const std::string config(call.get<Attr::BackendConfig>());
  for (const std::string& entry : std::vector<std::string>(absl::StrSplit(config, ','))) {
    const std::vector<std::string> sides = absl::StrSplit(entry, '=');
    int64_t value = -1;
    if (sides.size() != 2 || !absl::SimpleAtoi(sides[1], &value)) return std::nullopt;
    (sides[0] == "dimension" ? dimension : amount) = value;
  }
  if (dimension < 0 || dimension >= static_cast<int64_t>(shape.rank()) || amount < 0) return std::nullopt;
  const int64_t size = shape.dimension(static_cast<size_t>(dimension));
  if (size == 0) return std::nullopt;
  return Rotation{.dimension = static_cast<size_t>(dimension), .amount = amount % size};
}

Status partitionRotation(Partitioner& partitioner, Instruction& call, const Rotation& rotation) {
  TRY(const Tilings wanted, partitioner.wantedTilings(call));
  TRY(Part part, partitioner.operandAs(call, 0, summedUp(wanted[0])));
  LocalBuilder& builder = partitioner.builder();
  builder.setCause(
      moveWithin(call, "goes round along a dimension that is cut: tiles take what lies before them"));
  if (part.tiling.tiles[rotation.dimension] == 1) {
    const int64_t size = part.local->shape().dimension(rotation.dimension), begin = size - rotation.amount;
    std::vector<Instruction*> pieces;
    if (rotation.amount > 0)
      pieces.push_back(sliceAlong(builder, part.local, rotation.dimension, begin, size));
    pieces.push_back(sliceAlong(builder, part.local, rotation.dimension, 0, begin));
    part.local = sideBySide(builder, pieces, rotation.dimension);
  } else {
    part.local = rotated(builder, part, rotation);
  }
  return partitioner.finish(call, part);
}

}  // namespace hilo
