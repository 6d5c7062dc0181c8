// Sorts: a kernel that compares two elements, and a thunk that asks it.
#include "core/compiler/codegen/kernel_draft.h"

namespace hilo {

using llvm::Value;

void Lowering::addSort(const Instruction& instruction, Shape shape, size_t along, uint32_t comparator,
                       std::span<const ElementType> types, const LeafValues& inputs,
                       const LeafValues& outputs, uint32_t sequence) {
  if (shape.elementCount() == 0) return;
  SortThunk thunk;
  thunk.comparator = comparator;
  thunk.length = shape.dimension(along);
  thunk.lines = shape.elementCount() / thunk.length;
  thunk.stride = layoutStrides(shape)[along];
  for (size_t i = 0; i < types.size(); ++i) {
    thunk.elementBytes.push_back(elementStorageBytes(types[i]));
    thunk.inputs.emplace_back(inputs[i].slab->slice);
    thunk.outputs.emplace_back(outputs[i].slab->slice);
  }
  addThunk(instruction, std::move(thunk), 50 * shape.elementCount(), sequence);
}

Status Lowering::lowerSort(const Instruction& instruction, Scope& scope) {
  const Shape shape = instruction.operand(0)->shape();
  const Computation& comparator = *instruction.get<Attr::ToApply>();
  llvm::LLVMContext context;
  KernelBuilder kernel(context, target_);
  startKernel(instruction, kernel);
  ElementEmitter elements(kernel);
  std::vector<Scalar> arguments;
  for (size_t i = 0; i < comparator.parameters().size(); ++i)
    arguments.push_back(kernel.load(static_cast<int>(1 + i), comparator.parameters()[i]->shape(), {}));
  kernel.store(0, comparator.root()->shape(), {}, elements.apply(comparator, arguments)[0]);
  const uint32_t number = addKernel(instruction.name(), kernel);
  // All arrays in the memory order of the first.
  std::vector<ElementType> types;
  LeafValues inputs, sorted, results;
  const auto resultShapes = arrayLeaves(instruction.shape());
  for (const Instruction* operand : instruction.operands()) {
    types.push_back(operand->shape().elementType());
    const Shape own = shape.withElementType(types.back());
    inputs.push_back(
        arranged(instruction, {leafOf(*operand, scope)}, operand->shape(), own, scope.sequence)[0]);
    sorted.push_back(newLeaf(own));
  }
  addSort(instruction, shape, static_cast<size_t>(instruction.dimensions()[0]), number, types, inputs, sorted,
          scope.sequence);
  for (size_t i = 0; i < types.size(); ++i) {
    results.push_back(arranged(instruction, {sorted[i]}, shape.withElementType(types[i]), resultShapes[i],
                               scope.sequence)[0]);
  }
  scope.values[&instruction] = std::move(results);
  return {};
}

namespace {

// Whether the left of two elements comes before the right one: floats in total order, so that NaN has a
// place; their positions are sorted with them and not looked at.
void writeOrder(KernelBuilder& k, ElementType type, bool largest) {
  const Shape scalar = Shape::scalar(type);
  const Scalar left = k.load(1, scalar, {}), right = k.load(2, scalar, {});
  const auto direction = largest ? ComparisonDirection::Gt : ComparisonDirection::Lt;
  k.store(0, Shape::scalar(ElementType::Pred), {},
          {k.scalars().compare(direction, isFloat(type), type, left, right)});
}

}  // namespace

// The first k of each line sorted together with its positions.
Status Lowering::lowerTopK(const Instruction& instruction, Scope& scope, int64_t k, bool largest) {
  const Instruction& operand = *instruction.operand(0);
  const Shape shape = operand.shape(), places = shape.withElementType(ElementType::S32);
  const auto resultShapes = arrayLeaves(instruction.shape());
  const size_t last = shape.rank() - 1;
  const LeafValue positions = newLeaf(places), sorted = newLeaf(shape);
  LeafValues results = newLeaves(instruction.shape());
  const auto everyElement = [](KernelBuilder& kernel, Shape of, const auto& body) {
    kernel.loop(kernel.begin(), kernel.end(), [&](Value* i) { body(ElementIndex{{}, i, of}); });
  };
  if (k > 0 && shape.elementCount() > 0) {
    addKernelOn(instruction, {}, {positions}, shape.elementCount(), shape.elementCount(), scope.sequence,
                [&](KernelBuilder& kernel) {
                  everyElement(kernel, places, [&](ElementIndex index) {
                    Value* at = kernel.dimsOf(index)[last];
                    kernel.store(0, places, index, {kernel.b().CreateTrunc(at, kernel.b().getInt32Ty())});
                  });
                });
    llvm::LLVMContext context;
    KernelBuilder order(context, target_);
    startKernel(instruction, order);
    writeOrder(order, shape.elementType(), largest);
    const ElementType types[] = {shape.elementType(), ElementType::S32};
    addSort(instruction, shape, last, addKernel(instruction.name(), order), types,
            {leafOf(operand, scope), positions}, {sorted, positions}, scope.sequence);
    const LeafValues from = {sorted, positions};
    const Shape fromShapes[] = {shape, places};
    for (size_t i = 0; i < 2; ++i) {
      addKernelOn(instruction, {from[i]}, {results[i]}, resultShapes[i].elementCount(),
                  resultShapes[i].elementCount(), scope.sequence, [&](KernelBuilder& kernel) {
                    everyElement(kernel, resultShapes[i], [&](ElementIndex index) {
                      const ElementIndex place = kernel.indexAt(kernel.dimsOf(index));
                      kernel.store(1, resultShapes[i], index, kernel.load(0, fromShapes[i], place));
                    });
                  });
    }
  }
  scope.values[&instruction] = std::move(results);
  return {};
}

}  // namespace hilo
