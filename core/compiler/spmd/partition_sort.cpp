// Partitions sorts. One from the largest on, of values with their places, whose first k elements alone are
// read, keeps only these: where its values are cut along the sorted dimension, each device sorts its part.
// As XLA's HandleSort. All other sorts go by their factors.
#include <absl/container/flat_hash_set.h>

#include "core/compiler/spmd/tile_pieces.h"
#include "core/compiler/spmd/tiling_steps.h"
#include "core/compiler/spmd/top_k.h"

namespace hilo {
namespace {

// Computed of this parameter and of no other.
bool isOf(const Instruction* value, const Instruction* parameter) {
  std::vector<const Instruction*> open = {value};
  absl::flat_hash_set<const Instruction*> seen;
  while (!open.empty()) {
    const Instruction* next = open.back();
    open.pop_back();
    if (next->opcode() == Opcode::Parameter && next != parameter) return false;
    for (const Instruction* operand : next->operands()) {
      if (seen.insert(operand).second) open.push_back(operand);
    }
  }
  return value == parameter || seen.contains(parameter);
}

// By the first array; what it does with equal ones does not count.
bool putsLargestFirst(const Computation& comparator) {
  const Instruction* root = comparator.root();
  if (root->opcode() == Opcode::Select) root = root->operand(2);
  return root->opcode() == Opcode::Compare && root->get<Attr::Direction>() == ComparisonDirection::Gt &&
         isOf(root->operand(0), comparator.parameters()[0]) &&
         isOf(root->operand(1), comparator.parameters()[1]);
}

bool sortsPlaces(const Instruction& sort) {
  if (sort.operandCount() != 2 || !putsLargestFirst(*sort.get<Attr::ToApply>())) return false;
  const Instruction& places = *sort.operand(1);
  constexpr ElementType kTypes[] = {ElementType::F32, ElementType::BF16, ElementType::S32, ElementType::U32};
  return places.opcode() == Opcode::Iota && places.shape().elementType() == ElementType::S32 &&
         places.get<Attr::IotaDimension>() == sort.dimensions()[0] &&
         std::ranges::find(kTypes, sort.operand(0)->shape().elementType()) != std::end(kTypes);
}

// How many elements from the front this reads along one dimension, and all along the others.
std::optional<int64_t> readByFirst(const Instruction& slice, size_t along) {
  if (slice.opcode() != Opcode::Slice) return std::nullopt;
  const auto ranges = slice.get<Attr::Slice>();
  for (size_t d = 0; d < ranges.size(); ++d) {
    const bool isAll = ranges[d].limit == slice.operand(0)->shape().dimension(d);
    if (ranges[d].start != 0 || ranges[d].stride != 1 || (d != along && !isAll)) return std::nullopt;
  }
  return ranges[along].limit;
}

// How many elements are read of both arrays; nullopt where it is not so.
std::optional<int64_t> readOf(const Instruction& sort) {
  const auto along = static_cast<size_t>(sort.dimensions()[0]);
  std::optional<int64_t> first;
  if (sort.isRoot()) return std::nullopt;
  for (const Instruction* element : sort.users()) {
    if (element->opcode() != Opcode::GetTupleElement || element->isRoot()) return std::nullopt;
    for (const Instruction* slice : element->users()) {
      const auto read = readByFirst(*slice, along);
      if (!read || (first && *first != *read)) return std::nullopt;
      first = read;
    }
  }
  return first;
}

// Parts of one size, with more elements than are read.
bool hasPartsOf(const Part& values, size_t along, int64_t read) {
  const Tiling& tiling = values.tiling;
  const int64_t size = values.global.dimension(along), tiles = tiling.tiles[along];
  return !tiling.isOneDevice && tiling.manual == 1 && tiles > 1 && tiling.tileCount() == tiles &&
         !isUneven(size, tiles) && read < size / tiles;
}

}  // namespace

Status partitionSort(Partitioner& partitioner, Instruction& sort) {
  const auto along = static_cast<size_t>(sort.dimensions()[0]);
  const auto read = sortsPlaces(sort) ? readOf(sort) : std::nullopt;
  if (!read || !hasPartsOf(partitioner.partOf(sort.operand(0)), along, *read))
    return partitionByFactors(partitioner, sort);
  LocalBuilder& builder = partitioner.builder();
  const Tiling tiling = partitioner.partOf(sort.operand(0)).tiling;
  std::vector<Instruction*> locals;
  std::vector<Part> firsts;
  for (size_t i = 0; i < 2; ++i) {
    TRY(const Part part, partitioner.operandAs(sort, i, tiling));
    locals.push_back(part.local);
  }
  Instruction* sorted = builder.makeLike(sort, locals, localShape(sort.shape(), Tilings(2, tiling)));
  for (size_t i = 0; i < 2; ++i) {
    Instruction* array = builder.make(Opcode::GetTupleElement, sorted->shape().tupleShapes()[i], {sorted});
    array->set<Attr::Index>(static_cast<int64_t>(i));
    Shape whole = sort.shape().tupleShapes()[i];
    std::vector<int64_t> sizes(whole.dimensions().begin(), whole.dimensions().end());
    sizes[along] = *read * tiling.tiles[along];
    firsts.push_back({sliceAlong(builder, array, along, 0, *read), shapeLike(whole, sizes), tiling});
  }
  return partitioner.finish(sort, firstOfAll(builder, firsts, along, *read, sort.get<Attr::ToApply>()));
}

// Of a sort that kept the first elements alone these are all there are.
Status partitionSlice(Partitioner& partitioner, Instruction& slice) {
  const Part part = partitioner.partOf(slice.operand(0));
  const bool isSliced = !std::ranges::equal(part.global.dimensions(), slice.operand(0)->shape().dimensions());
  return isSliced ? partitioner.finish(slice, part) : partitionByFactors(partitioner, slice);
}

}  // namespace hilo
