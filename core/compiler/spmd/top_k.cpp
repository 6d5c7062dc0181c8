#include "core/compiler/spmd/top_k.h"

#include "core/compiler/spmd/reshard_steps.h"
#include "core/compiler/spmd/tile_pieces.h"
#include "core/compiler/spmd/tiling_steps.h"

namespace hilo {
namespace {

// Of pairs of a value and its place: the larger value first.
Computation* largestFirst(LocalBuilder& builder, ElementType type) {
  Module& module = builder.module();
  Computation* made =
      module.createComputation(module.uniqueName("compare.spmd"), module.computations().front());
  const bool hasLayouts = builder.at().operand(0)->shape().layout() != nullptr;
  const auto scalar = [&](ElementType of) {
    return hasLayouts ? Shape::scalar(of).withDefaultLayout() : Shape::scalar(of);
  };
  Instruction* a = made->createParameter(0, scalar(type));
  Instruction* b = made->createParameter(1, scalar(type));
  made->createParameter(2, scalar(ElementType::S32));
  made->createParameter(3, scalar(ElementType::S32));
  Instruction* compare = made->create(Opcode::Compare, scalar(ElementType::Pred), {a, b});
  compare->set<Attr::Direction>(ComparisonDirection::Gt);
  if (isFloat(type)) compare->set<Attr::ComparisonTypeKind>(ComparisonType::TotalOrder);
  made->setRoot(compare);
  return made;
}

Instruction* elementOf(LocalBuilder& builder, Instruction* tuple, size_t index) {
  Instruction* made = builder.make(Opcode::GetTupleElement, tuple->shape().tupleShapes()[index], {tuple});
  made->set<Attr::Index>(static_cast<int64_t>(index));
  return made;
}

// The call of one part.
Instruction* callOfPart(LocalBuilder& builder, const Instruction& call, const Part& array) {
  const Shape shape = localShape(
      call.shape(),
      Tilings(2, wholeIn(array.tiling, std::array{static_cast<int64_t>(array.tiling.rank()) - 1})));
  Instruction* made = builder.makeLike(call, std::vector{array.local}, shape);
  std::vector<Shape> constraints;
  for (const Shape had : made->get<Attr::OperandLayoutConstraints>())
    constraints.push_back(shapeLike(had, array.local->shape().dimensions()));
  if (!constraints.empty()) made->set<Attr::OperandLayoutConstraints>(constraints);
  return made;
}

Shape withSize(Shape array, size_t dimension, int64_t size) {
  std::vector<int64_t> sizes(array.dimensions().begin(), array.dimensions().end());
  sizes[dimension] = size;
  return shapeLike(array, sizes);
}

}  // namespace

Value firstOfAll(LocalBuilder& builder, std::span<const Part> firsts, size_t along, int64_t k,
                 Computation* comparator) {
  builder.setCause(moveWithin(builder.at(), "takes the first of all parts of a sharded dimension"));
  std::vector<Instruction*> gathered, kept;
  std::vector<Shape> shapes, wholes;
  const int64_t tiles = firsts[0].tiling.tiles[along];
  for (const Part& part : firsts) {
    gathered.push_back(gatherDimension(builder, part, along, tiles).local);
    shapes.push_back(gathered.back()->shape());
  }
  Instruction* sorted = builder.make(Opcode::Sort, Shape::tuple(shapes), {});
  for (Instruction* array : gathered) sorted->appendOperand(array);
  const auto dimension = static_cast<int64_t>(along);
  sorted->set<Attr::Dimensions>(std::span(&dimension, 1));
  sorted->set<Attr::IsStable>(true);
  sorted->set<Attr::ToApply>(comparator);
  const Tiling tiling = wholeIn(firsts[0].tiling, std::span(&dimension, 1));
  shapes.clear();
  for (size_t i = 0; i < firsts.size(); ++i) {
    kept.push_back(sliceAlong(builder, elementOf(builder, sorted, i), along, 0, k));
    shapes.push_back(kept.back()->shape());
    wholes.push_back(withSize(firsts[i].global, along, k));
  }
  Instruction* tuple = builder.make(Opcode::Tuple, Shape::tuple(shapes), {});
  for (Instruction* array : kept) tuple->appendOperand(array);
  return {tuple, Shape::tuple(wholes), Tilings(firsts.size(), tiling)};
}

bool isTopKOfParts(const Partitioner& partitioner, const Instruction& call) {
  if (call.get<Attr::CustomCallTarget>() != "TopK" || call.operandCount() != 1 || !call.shape().isTuple())
    return false;
  const Part array = partitioner.partOf(call.operand(0));
  const Tiling& tiling = array.tiling;
  if (!array.global.isArray() || array.global.rank() == 0 || tiling.manual > 1 || tiling.copies > 1 ||
      tiling.isOneDevice || call.shape().tupleShapes()[1].elementType() != ElementType::S32)
    return false;
  const int64_t size = array.global.dimensions().back(), tiles = tiling.tiles.back();
  const int64_t k = call.shape().tupleShapes()[0].dimensions().back();
  return tiles > 1 && !isUneven(size, tiles) && k < size / tiles;
}

Status partitionTopK(Partitioner& partitioner, Instruction& call) {
  LocalBuilder& builder = partitioner.builder();
  const Part array = partitioner.partOf(call.operand(0));
  const size_t along = array.global.rank() - 1;
  const int64_t k = call.shape().tupleShapes()[0].dimensions().back(), tiles = array.tiling.tiles[along];
  Instruction* made = callOfPart(builder, call, array);
  Instruction* places = elementOf(builder, made, 1);
  const DeviceNumbers start = tileOfDevice(array.tiling, along).times(array.local->shape().dimension(along));
  places = builder.make(Opcode::Add, places->shape(),
                        {places, builder.splat(builder.byPartition(start), places->shape())});
  const std::vector<Part> firsts = {
      {elementOf(builder, made, 0), withSize(call.shape().tupleShapes()[0], along, k * tiles), array.tiling},
      {places, withSize(call.shape().tupleShapes()[1], along, k * tiles), array.tiling}};
  Computation* comparator = largestFirst(builder, array.global.elementType());
  return partitioner.finish(call, firstOfAll(builder, firsts, along, k, comparator));
}

}  // namespace hilo
