#include "core/base/check.h"
#include "core/compiler/codegen/emit/element_emitter.h"
#include "core/compiler/codegen/lower/control_flow.h"
#include "core/compiler/codegen/lower/lowerings.h"
#include "core/compiler/codegen/lower/real_sizes.h"

namespace hilo {

// A called computation is lowered in its caller's place; its values are the caller's to free.
Result<LeafValues> lowerCalled(const Instruction& why, const Computation& called,
                               std::vector<LeafValues> arguments, std::span<const Shape> shapes,
                               Shape resultShape, LoweringContext& context) {
  LoweringContext inner(context.draft, called, context.sequence);
  for (size_t i = 0; i < called.parameters().size(); ++i) {
    const Instruction* parameter = called.parameters()[i];
    inner.values[parameter] = inner.arranged(why, readOnly(arguments[i]), shapes[i], parameter->shape());
  }
  arguments.clear();
  TRY(LeafValues result, inner.lowerComputation());
  return context.arranged(why, std::move(result), called.root()->shape(), resultShape);
}

Status lowerInline(const Instruction& instruction, const Computation& called, LoweringContext& context) {
  std::vector<LeafValues> arguments;
  std::vector<Shape> shapes;
  for (const Instruction* operand : instruction.operands()) {
    arguments.push_back(context.valuesOf(*operand));
    shapes.push_back(operand->shape());
  }
  TRY(LeafValues result,
      lowerCalled(instruction, called, std::move(arguments), shapes, instruction.shape(), context));
  context.values[&instruction] = std::move(result);
  return {};
}

Status lowerCall(const Instruction& instruction, LoweringContext& context) {
  return lowerInline(instruction, *instruction.get<Attr::ToApply>(), context);
}

// The state has memory of its own: the initial value's, when nothing else needs that. Condition and body read
// it there, and the body's result is copied over it where it is not already in place.
Status lowerWhile(const Instruction& instruction, LoweringContext& context) {
  const Instruction& initial = *instruction.operand(0);
  const Shape shape = instruction.shape();
  const auto shapes = arrayLeaves(shape);
  const LeafValues first = context.arranged(instruction, context.valuesOf(initial), initial.shape(), shape);
  // `first` holds them too.
  for (const LeafValue& leaf : first) ++leaf.slab->permissive;
  LeafValues state;
  for (size_t i = 0; i < first.size(); ++i) {
    if (context.isLastUse(first[i], instruction)) {
      state.push_back(first[i]);
      continue;
    }
    state.push_back(context.newLeaf(shapes[i]));
    context.copy(instruction, first[i], state.back());
  }
  for (const LeafValue& leaf : first) --leaf.slab->permissive;
  TRY_STATUS(checkSizesFit(instruction, first));
  for (size_t i = 0; i < state.size(); ++i) {
    state[i].sizes = newSizes(shapes[i], context);
    copySizes(instruction, first[i], shapes[i], state[i].sizes, context);
  }
  // Each slab is held by the initial value (if it is its own), by `state`, and inside by the parameter.
  WhileThunk loop;
  loop.condition = context.addSequence();
  loop.body = context.addSequence();
  {
    const Computation& condition = *instruction.get<Attr::Condition>();
    LoweringContext inner(context.draft, condition, loop.condition);
    inner.values[condition.parameters()[0]] =
        inner.arranged(instruction, readOnly(state), shape, condition.parameters()[0]->shape());
    TRY(const LeafValues test, inner.lowerComputation());
    // The test must outlive the body, which runs before it is written again: its own memory.
    const LeafValue kept = inner.newLeaf(condition.root()->shape());
    inner.copy(instruction, test[0], kept);
    loop.test = ReadSlice(kept.slab->slice);
    const Computation& body = *instruction.get<Attr::Body>();
    LoweringContext inBody(context.draft, body, loop.body);
    inBody.values[body.parameters()[0]] =
        inBody.arranged(instruction, state, shape, body.parameters()[0]->shape());
    // Whoever holds the state outside allows the body, which holds it once, to write over it.
    std::vector<int> before;
    for (const LeafValue& leaf : state)
      before.push_back(std::exchange(leaf.slab->permissive, static_cast<int>(leaf.slab.use_count()) - 1));
    TRY(LeafValues next, inBody.lowerComputation());
    TRY_STATUS(checkSizesFit(instruction, next));
    inBody.values.clear();
    next = inBody.arranged(instruction, std::move(next), body.root()->shape(), shape);
    storeState(instruction, next, state, inBody);
    for (size_t i = 0; i < state.size(); ++i) state[i].slab->permissive = before[i];
  }
  context.addThunk(instruction, std::move(loop), 1'000'000);
  for (LeafValue& leaf : state) leaf.mayWrite = true;
  context.values[&instruction] = std::move(state);
  return {};
}

void storeState(const Instruction& loop, const LeafValues& next, const LeafValues& state,
                LoweringContext& context) {
  std::vector<std::pair<LeafValue, size_t>> moves;
  for (size_t i = 0; i < state.size(); ++i) {
    if (next[i].slab == state[i].slab) continue;
    // What is another part of the state may be overwritten before it is read.
    const bool isState =
        std::ranges::any_of(state, [&](const LeafValue& other) { return other.slab == next[i].slab; });
    if (!isState) {
      moves.emplace_back(next[i], i);
      continue;
    }
    LeafValue kept{std::make_shared<Slab>(context.draft.temporaries, next[i].slab->slice.sizeBytes)};
    context.copy(loop, next[i], kept);
    moves.emplace_back(kept, i);
  }
  for (const auto& [from, i] : moves) context.copy(loop, from, state[i]);
  // Sizes by way of others, as one may be what another was.
  const auto shapes = arrayLeaves(loop.shape());
  std::vector<std::vector<SlabPointer>> kept;
  for (size_t i = 0; i < state.size(); ++i) {
    kept.push_back(state[i].sizes.empty() ? std::vector<SlabPointer>() : newSizes(shapes[i], context));
    copySizes(loop, next[i], shapes[i], kept[i], context);
  }
  for (size_t i = 0; i < state.size(); ++i)
    copySizes(loop, {nullptr, false, kept[i]}, shapes[i], state[i].sizes, context);
}

Status lowerConditional(const Instruction& instruction, LoweringContext& context) {
  const Instruction& selector = *instruction.operand(0);
  ConditionalThunk choice;
  choice.byPred = selector.shape().elementType() == ElementType::Pred;
  choice.selector = ReadSlice(context.leafOf(selector).slab->slice);
  LeafValues result = context.newLeaves(instruction.shape());
  const auto shapes = arrayLeaves(instruction.shape());
  for (size_t i = 0; i < result.size(); ++i) result[i].sizes = newSizes(shapes[i], context);
  const auto branches = instruction.calledComputations();
  for (size_t i = 0; i < branches.size(); ++i) {
    LoweringContext inner(context.draft, *branches[i], context.addSequence());
    choice.branches.push_back(inner.sequence);
    const Instruction& operand = *instruction.operand(i + 1);
    const Instruction* parameter = branches[i]->parameters()[0];
    inner.values[parameter] =
        inner.arranged(instruction, readOnly(context.valuesOf(operand)), operand.shape(), parameter->shape());
    TRY(LeafValues values, inner.lowerComputation());
    TRY_STATUS(checkSizesFit(instruction, values));
    values =
        inner.arranged(instruction, std::move(values), branches[i]->root()->shape(), instruction.shape());
    for (size_t leaf = 0; leaf < values.size(); ++leaf) {
      inner.copy(instruction, values[leaf], result[leaf]);
      copySizes(instruction, values[leaf], shapes[leaf], result[leaf].sizes, inner);
    }
  }
  context.addThunk(instruction, std::move(choice), 10'000);
  context.values[&instruction] = std::move(result);
  return {};
}

}  // namespace hilo
