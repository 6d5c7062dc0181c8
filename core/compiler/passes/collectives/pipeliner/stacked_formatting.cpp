#include "core/compiler/passes/collectives/pipeliner/stacked_formatting.h"

#include "core/compiler/passes/collectives/pipeliner/body_facts.h"

namespace hilo {
namespace {

constexpr std::string_view kLayoutConstraint = "LayoutConstraint";

std::vector<int64_t> shifted(std::span<const int64_t> dimensions, bool withFirst) {
  std::vector<int64_t> result;
  if (withFirst) result.push_back(0);
  for (const int64_t d : dimensions) result.push_back(d + 1);
  return result;
}

// How many operands, from the end, keep their number of dimensions.
size_t sharedOperands(const Instruction& formatting) {
  switch (formatting.opcode()) {
    case Opcode::Pad:
    case Opcode::Reduce:
      return 1;
    case Opcode::DynamicSlice:
      return formatting.operandCount() - 1;
    default:
      return 0;
  }
}

}  // namespace

bool canFormatForAllIterations(const Instruction& i) {
  switch (i.opcode()) {
    case Opcode::Slice:
    case Opcode::DynamicSlice:
    case Opcode::Pad:
    case Opcode::CollectivePermute:
    case Opcode::Reshape:
    case Opcode::AllReduce:
    case Opcode::Transpose:
    case Opcode::Broadcast:
    case Opcode::AllGather:
    case Opcode::Concatenate:
    case Opcode::DynamicUpdateSlice:
      return i.shape().isArray();
    case Opcode::Reduce:
      return i.shape().isArray() && i.operandCount() == 2;
    case Opcode::CustomCall:
      return isCustomCall(i, kLayoutConstraint) || isCustomCall(i, kSunkByPreviousStep);
    default:
      return isElementwise(i.opcode()) && i.shape().isArray();
  }
}

Shape stackedShape(Shape shape, int64_t trips) {
  std::vector<int64_t> dimensions = {trips};
  dimensions.insert(dimensions.end(), shape.dimensions().begin(), shape.dimensions().end());
  if (shape.layout() == nullptr) return Shape::array(shape.elementType(), dimensions);
  Layout layout = *shape.layout();
  for (int64_t& d : layout.minorToMajor) ++d;
  layout.minorToMajor.push_back(0);
  return Shape::array(shape.elementType(), dimensions, &layout);
}

Instruction* StackedFormatting::broadcast(Instruction* value, Shape shape,
                                          std::span<const int64_t> dimensions) {
  Instruction* all = outside_.create(Opcode::Broadcast, shape, {value});
  all->set<Attr::Dimensions>(dimensions);
  return all;
}

Result<Instruction*> StackedFormatting::shared(const Instruction* original) {
  if (Instruction* known = plain_.find(original)) return known;
  if (original->opcode() == Opcode::Constant) return plain_.copy(*original);
  return fail("unsupported-formatting",
              fmt::format("%{} is not the same in all iterations", original->name()));
}

Result<Instruction*> StackedFormatting::stacked(const Instruction* original) {
  if (Instruction* known = copies_.find(original)) return known;
  TRY(Instruction * value, shared(original));
  std::vector<int64_t> dimensions(value->shape().rank());
  std::iota(dimensions.begin(), dimensions.end(), 1);
  Instruction* all = broadcast(value, stackedShape(value->shape(), trips_), dimensions);
  copies_.map(original, all);
  return all;
}

Status StackedFormatting::add(const Instruction& formatting, bool isInvariant) {
  if (copies_.find(&formatting) != nullptr || plain_.find(&formatting) != nullptr) return {};
  if (formatting.opcode() == Opcode::Broadcast) return addBroadcast(formatting, isInvariant);
  if (isInvariant) {
    for (const Instruction* operand : formatting.operands()) TRY_STATUS(shared(operand));
    TRY_STATUS(plain_.copy(formatting));
    return {};
  }
  if (isCustomCall(formatting, kSunkByPreviousStep)) {
    TRY(Instruction * marked, stacked(formatting.operand(0)));
    copies_.map(&formatting, marked);
    return {};
  }
  if (formatting.opcode() == Opcode::DynamicUpdateSlice) return addStore(formatting);
  std::vector<Instruction*> operands;
  const size_t stackedCount = formatting.operandCount() - sharedOperands(formatting);
  for (size_t i = 0; i < formatting.operandCount(); ++i) {
    TRY(operands.emplace_back(),
        i < stackedCount ? stacked(formatting.operand(i)) : shared(formatting.operand(i)));
  }
  Instruction* copy = outside_.createLike(formatting, operands);
  copy->setShape(stackedShape(formatting.shape(), trips_));
  copies_.map(&formatting, copy);
  return adjust(formatting, *copy);
}

Status StackedFormatting::addBroadcast(const Instruction& formatting, bool isInvariant) {
  const Shape shape = stackedShape(formatting.shape(), trips_);
  const Instruction* operand = formatting.operand(0);
  if (isInvariant || copies_.find(operand) == nullptr) {
    TRY(Instruction * value, shared(operand));
    copies_.map(&formatting, broadcast(value, shape, shifted(formatting.dimensions(), false)));
    return {};
  }
  TRY(Instruction * value, stacked(operand));
  copies_.map(&formatting, broadcast(value, shape, shifted(formatting.dimensions(), true)));
  return {};
}

// Attributes that name dimensions.
Status StackedFormatting::adjust(const Instruction& formatting, Instruction& copy) {
  const auto withFirst = [](const auto& list, auto first) {
    std::vector<decltype(first)> result = {first};
    result.insert(result.end(), list.begin(), list.end());
    return result;
  };
  switch (formatting.opcode()) {
    case Opcode::Slice:
      copy.set<Attr::Slice>(withFirst(formatting.get<Attr::Slice>(), SliceRange{0, trips_, 1}));
      return {};
    case Opcode::Pad:
      copy.set<Attr::Padding>(withFirst(formatting.get<Attr::Padding>(), PaddingDimension{}));
      return {};
    case Opcode::Transpose:
      copy.set<Attr::Dimensions>(shifted(formatting.dimensions(), true));
      return {};
    case Opcode::Reduce:
    case Opcode::Concatenate:
    case Opcode::AllGather:
      copy.set<Attr::Dimensions>(shifted(formatting.dimensions(), false));
      return {};
    case Opcode::DynamicSlice: {
      copy.set<Attr::DynamicSliceSizes>(withFirst(formatting.get<Attr::DynamicSliceSizes>(), trips_));
      Instruction* zero = outside_.createConstant(Literal(copy.operand(1)->shape()));
      std::vector<Instruction*> operands(copy.operands().begin(), copy.operands().end());
      operands.insert(operands.begin() + 1, zero);
      copy.appendOperand(zero);
      for (size_t i = 1; i < operands.size(); ++i) copy.setOperand(i, operands[i]);
      return {};
    }
    case Opcode::CustomCall: {
      std::vector<Shape> constraints;
      for (const Shape shape : formatting.get<Attr::OperandLayoutConstraints>())
        constraints.push_back(stackedShape(shape, trips_));
      if (!constraints.empty()) copy.set<Attr::OperandLayoutConstraints>(std::span<const Shape>(constraints));
      return {};
    }
    default:
      return {};
  }
}

// A store within each iteration's value, at a place of its own each: one scatter that stores row by row.
Status StackedFormatting::addStore(const Instruction& store) {
  size_t sliced = 0;
  while (store.operand(2 + sliced)->opcode() == Opcode::Constant) ++sliced;
  TRY(Instruction * into, stacked(store.operand(0)));
  TRY(Instruction * update, stacked(store.operand(1)));
  TRY(Instruction * places, stacked(store.operand(2 + sliced)));
  const ElementType indexType = places->shape().elementType();
  const Shape column = Shape::array(indexType, {trips_, 1});
  Instruction* iterations = outside_.create(Opcode::Iota, column, std::span<Instruction* const>());
  iterations->set<Attr::IotaDimension>(0);
  Instruction* placeColumn = outside_.create(Opcode::Reshape, column, {places});
  Instruction* indices =
      outside_.create(Opcode::Concatenate, Shape::array(indexType, {trips_, 2}), {iterations, placeColumn});
  indices->set<Attr::Dimensions>(std::vector<int64_t>{1});

  std::vector<int64_t> kept, window;
  for (size_t d = 0; d < update->shape().rank(); ++d) {
    if (d == sliced + 1) continue;
    if (d > 0) window.push_back(static_cast<int64_t>(kept.size()));
    kept.push_back(update->shape().dimension(d));
  }
  const ElementType type = update->shape().elementType();
  Instruction* rows = outside_.create(Opcode::Reshape, Shape::array(type, kept), {update});

  Module& module = outside_.module();
  Computation* assign = module.createComputation(module.uniqueName("assign"), &outside_);
  assign->createParameter(0, Shape::scalar(type), module.uniqueName("old"));
  assign->setRoot(assign->createParameter(1, Shape::scalar(type), module.uniqueName("new")));

  Instruction* scatter = outside_.create(Opcode::Scatter, into->shape(), {into, indices, rows});
  const std::vector<int64_t> scattered = {0, static_cast<int64_t>(sliced) + 1};
  scatter->set<Attr::UpdateWindowDims>(window);
  scatter->set<Attr::InsertedWindowDims>(scattered);
  scatter->set<Attr::ScatterDimsToOperandDims>(scattered);
  scatter->set<Attr::IndexVectorDim>(1);
  scatter->set<Attr::IndicesAreSorted>(true);
  scatter->set<Attr::UniqueIndices>(true);
  scatter->set<Attr::ToApply>(assign);
  copies_.map(&store, scatter);
  return {};
}

}  // namespace hilo
