// scan: a loop over one dimension. A step gives the computation one slice of each input and the carries; it
// gives one slice of each output and the next carries.
#include "core/compiler/codegen/lower/control_flow.h"
#include "core/compiler/codegen/lower/lowerings.h"

namespace hilo {

using llvm::Value;

namespace {

Shape counterShape() { return Shape::scalar(ElementType::S64); }

// Copies between slice `at` of an array and an array of one dimension fewer. Buffers: the counter, where
// from, where to.
void writeSlice(KernelBuilder& k, Shape array, size_t dimension, Shape slice, bool isOut, bool reverse) {
  auto& b = k.b();
  Value* at = k.load(0, counterShape(), {}).value;
  if (reverse) at = b.CreateSub(k.int64(array.dimension(dimension) - 1), at);
  k.loop(k.begin(), k.end(), [&](Value* i) {
    ElementIndex inSlice{{}, i, slice};
    llvm::SmallVector<Value*, 6> place;
    if (slice.rank() > 0) place = k.dimsOf(inSlice);
    ElementIndex here = slice.rank() > 0 ? inSlice : ElementIndex{};
    place.insert(place.begin() + static_cast<ptrdiff_t>(dimension), at);
    const ElementIndex inArray = k.indexAt(place);
    isOut ? k.store(2, array, inArray, k.load(1, slice, here))
          : k.store(2, slice, here, k.load(1, array, inArray));
  });
}

}  // namespace

Status lowerScan(const Instruction& instruction, LoweringContext& context) {
  const Computation& step = *instruction.get<Attr::ToApply>();
  const auto dimension = static_cast<size_t>(instruction.dimensions()[0]);
  const auto carries = static_cast<size_t>(instruction.get<Attr::NumCarries>().value_or(0));
  const bool reverse = instruction.get<Attr::IsReverse>().value_or(false);
  const size_t inputs = instruction.operandCount() - carries;
  const auto resultShapes = arrayLeaves(instruction.shape());
  const size_t outputs = resultShapes.size() - carries;
  const Shape sized = inputs > 0 ? instruction.operand(0)->shape() : resultShapes[0];
  const int64_t length = sized.dimension(dimension);

  LeafValues results;
  for (size_t i = 0; i < outputs; ++i) results.push_back(context.newLeaf(resultShapes[i]));
  for (size_t i = 0; i < carries; ++i) {
    const Instruction& initial = *instruction.operand(inputs + i);
    results.push_back(context.newLeaf(resultShapes[outputs + i]));
    context.copy(instruction,
                 context.arranged(instruction, {context.leafOf(initial)}, initial.shape(),
                                  resultShapes[outputs + i])[0],
                 results.back());
  }
  const LeafValue counter = context.newLeaf(counterShape()),
                  test = context.newLeaf(Shape::scalar(ElementType::Pred));
  context.copy(instruction, zeros(counterShape(), context)[0], counter);
  WhileThunk loop;
  loop.test = ReadSlice(test.slab->slice);
  loop.condition = context.addSequence();
  loop.body = context.addSequence();
  LoweringContext(context.draft, step, loop.condition)
      .addKernelOn(instruction, {counter}, {test}, 1, 100, [&](KernelBuilder& k) {
        Value* goesOn = k.b().CreateICmpSLT(k.load(0, counterShape(), {}).value, k.int64(length));
        k.store(1, Shape::scalar(ElementType::Pred), {}, {goesOn});
      });
  LoweringContext inner(context.draft, step, loop.body);
  for (size_t i = 0; i < inputs; ++i) {
    const Shape array = instruction.operand(i)->shape(), slice = step.parameters()[i]->shape();
    const LeafValue made = context.newLeaf(slice);
    inner.addKernelOn(instruction, {counter, context.leafOf(*instruction.operand(i))}, {made},
                      slice.elementCount(), slice.elementCount(),
                      [&](KernelBuilder& k) { writeSlice(k, array, dimension, slice, false, reverse); });
    inner.values[step.parameters()[i]] = {made};
  }
  const LeafValues state(results.begin() + static_cast<ptrdiff_t>(outputs), results.end());
  for (size_t i = 0; i < carries; ++i) {
    const Instruction* parameter = step.parameters()[inputs + i];
    inner.values[parameter] =
        inner.arranged(instruction, readOnly({state[i]}), resultShapes[outputs + i], parameter->shape());
  }
  TRY(LeafValues made, inner.lowerComputation());
  const auto madeShapes = arrayLeaves(step.root()->shape());
  for (size_t i = 0; i < outputs; ++i) {
    inner.addKernelOn(instruction, {counter, made[i]}, {results[i]}, madeShapes[i].elementCount(),
                      madeShapes[i].elementCount(), [&](KernelBuilder& k) {
                        writeSlice(k, resultShapes[i], dimension, madeShapes[i], true, reverse);
                      });
  }
  LeafValues next;
  for (size_t i = outputs; i < made.size(); ++i)
    next.push_back(inner.arranged(instruction, {made[i]}, madeShapes[i], resultShapes[i])[0]);
  storeState(instruction, next, state, inner);
  inner.addKernelOn(instruction, {}, {counter}, 1, 100, [&](KernelBuilder& k) {
    Value* at = k.load(0, counterShape(), {}).value;
    k.store(0, counterShape(), {}, {k.b().CreateAdd(at, k.int64(1))});
  });
  context.addThunk(instruction, std::move(loop), 1000 * length);
  context.values[&instruction] = std::move(results);
  return {};
}

}  // namespace hilo
