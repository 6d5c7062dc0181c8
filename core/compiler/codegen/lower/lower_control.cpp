#include "core/base/check.h"
#include "core/compiler/codegen/lower/lowering.h"

namespace hilo {

LeafValues Lowering::readOnly(const LeafValues& values) const {
  LeafValues views = values;
  for (LeafValue& view : views) view.mayWrite = false;
  return views;
}

// A called computation is lowered in its caller's place; its values are the caller's to free.
Result<LeafValues> Lowering::lowerCalled(const Instruction& why, const Computation& called,
                                         std::vector<LeafValues> arguments, std::span<const Shape> shapes,
                                         Shape resultShape, uint32_t sequence) {
  Scope inner{called, sequence};
  for (size_t i = 0; i < called.parameters().size(); ++i) {
    const Instruction* parameter = called.parameters()[i];
    inner.values[parameter] = arranged(why, readOnly(arguments[i]), shapes[i], parameter->shape(), sequence);
  }
  arguments.clear();
  TRY(LeafValues result, lowerComputation(inner));
  return arranged(why, std::move(result), called.root()->shape(), resultShape, sequence);
}

Status Lowering::lowerCall(const Instruction& instruction, const Computation& called, Scope& scope) {
  std::vector<LeafValues> arguments;
  std::vector<Shape> shapes;
  for (const Instruction* operand : instruction.operands()) {
    arguments.push_back(valuesOf(*operand, scope));
    shapes.push_back(operand->shape());
  }
  TRY(LeafValues result,
      lowerCalled(instruction, called, std::move(arguments), shapes, instruction.shape(), scope.sequence));
  scope.values[&instruction] = std::move(result);
  return {};
}

// The state has memory of its own: the initial value's, when nothing else needs that. Condition and body read
// it there, and the body's result is copied over it where it is not already in place.
Status Lowering::lowerWhile(const Instruction& instruction, Scope& scope) {
  const Instruction& initial = *instruction.operand(0);
  const Shape shape = instruction.shape();
  const auto shapes = arrayLeaves(shape);
  const LeafValues first =
      arranged(instruction, valuesOf(initial, scope), initial.shape(), shape, scope.sequence);
  // `first` holds them too.
  for (const LeafValue& leaf : first) ++leaf.slab->permissive;
  LeafValues state;
  for (size_t i = 0; i < first.size(); ++i) {
    if (isLastUse(first[i], instruction, scope)) {
      state.push_back(first[i]);
      continue;
    }
    state.push_back(newLeaf(shapes[i]));
    copy(instruction, first[i], state.back(), scope.sequence);
  }
  for (const LeafValue& leaf : first) --leaf.slab->permissive;
  TRY_STATUS(checkSizesFit(instruction, first));
  for (size_t i = 0; i < state.size(); ++i) {
    state[i].sizes = newSizes(shapes[i]);
    copySizes(instruction, first[i], shapes[i], state[i].sizes, scope.sequence);
  }
  // Each slab is held by the initial value (if it is its own), by `state`, and inside by the parameter.
  WhileThunk loop;
  loop.condition = addSequence();
  loop.body = addSequence();
  {
    const Computation& condition = *instruction.get<Attr::Condition>();
    Scope inner{condition, loop.condition};
    inner.values[condition.parameters()[0]] =
        arranged(instruction, readOnly(state), shape, condition.parameters()[0]->shape(), loop.condition);
    TRY(const LeafValues test, lowerComputation(inner));
    // The test must outlive the body, which runs before it is written again: its own memory.
    const LeafValue kept = newLeaf(condition.root()->shape());
    copy(instruction, test[0], kept, loop.condition);
    loop.test = ReadSlice(kept.slab->slice);
    const Computation& body = *instruction.get<Attr::Body>();
    Scope bodyScope{body, loop.body};
    bodyScope.values[body.parameters()[0]] =
        arranged(instruction, state, shape, body.parameters()[0]->shape(), loop.body);
    // Whoever holds the state outside allows the body, which holds it once, to write over it.
    std::vector<int> before;
    for (const LeafValue& leaf : state)
      before.push_back(std::exchange(leaf.slab->permissive, static_cast<int>(leaf.slab.use_count()) - 1));
    TRY(LeafValues next, lowerComputation(bodyScope));
    TRY_STATUS(checkSizesFit(instruction, next));
    bodyScope.values.clear();
    next = arranged(instruction, std::move(next), body.root()->shape(), shape, loop.body);
    storeState(instruction, next, state, loop.body);
    for (size_t i = 0; i < state.size(); ++i) state[i].slab->permissive = before[i];
  }
  addThunk(instruction, std::move(loop), 1'000'000, scope.sequence);
  for (LeafValue& leaf : state) leaf.mayWrite = true;
  scope.values[&instruction] = std::move(state);
  return {};
}

void Lowering::storeState(const Instruction& loop, const LeafValues& next, const LeafValues& state,
                          uint32_t sequence) {
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
    LeafValue kept{std::make_shared<Slab>(temporaries_, next[i].slab->slice.sizeBytes)};
    copy(loop, next[i], kept, sequence);
    moves.emplace_back(kept, i);
  }
  for (const auto& [from, i] : moves) copy(loop, from, state[i], sequence);
  // Sizes by way of others, as one may be what another was.
  const auto shapes = arrayLeaves(loop.shape());
  std::vector<std::vector<SlabPointer>> kept;
  for (size_t i = 0; i < state.size(); ++i) {
    kept.push_back(state[i].sizes.empty() ? std::vector<SlabPointer>() : newSizes(shapes[i]));
    copySizes(loop, next[i], shapes[i], kept[i], sequence);
  }
  for (size_t i = 0; i < state.size(); ++i)
    copySizes(loop, {nullptr, false, kept[i]}, shapes[i], state[i].sizes, sequence);
}

std::vector<const Computation*> branchesOf(const Instruction& conditional) {
  std::vector<const Computation*> branches;
  for (const Computation* branch : conditional.get<Attr::BranchComputations>()) branches.push_back(branch);
  if (branches.empty())
    branches = {conditional.get<Attr::TrueComputation>(), conditional.get<Attr::FalseComputation>()};
  return branches;
}

Status Lowering::lowerConditional(const Instruction& instruction, Scope& scope) {
  const Instruction& selector = *instruction.operand(0);
  ConditionalThunk choice;
  choice.byPred = selector.shape().elementType() == ElementType::Pred;
  choice.selector = ReadSlice(leafOf(selector, scope).slab->slice);
  LeafValues result = newLeaves(instruction.shape());
  const auto shapes = arrayLeaves(instruction.shape());
  for (size_t i = 0; i < result.size(); ++i) result[i].sizes = newSizes(shapes[i]);
  const auto branches = branchesOf(instruction);
  for (size_t i = 0; i < branches.size(); ++i) {
    Scope inner{*branches[i], addSequence()};
    choice.branches.push_back(inner.sequence);
    const Instruction& operand = *instruction.operand(i + 1);
    const Instruction* parameter = branches[i]->parameters()[0];
    inner.values[parameter] = arranged(instruction, readOnly(valuesOf(operand, scope)), operand.shape(),
                                       parameter->shape(), inner.sequence);
    TRY(LeafValues values, lowerComputation(inner));
    TRY_STATUS(checkSizesFit(instruction, values));
    values = arranged(instruction, std::move(values), branches[i]->root()->shape(), instruction.shape(),
                      inner.sequence);
    for (size_t leaf = 0; leaf < values.size(); ++leaf) {
      copy(instruction, values[leaf], result[leaf], inner.sequence);
      copySizes(instruction, values[leaf], shapes[leaf], result[leaf].sizes, inner.sequence);
    }
  }
  addThunk(instruction, std::move(choice), 10'000, scope.sequence);
  scope.values[&instruction] = std::move(result);
  return {};
}

}  // namespace hilo
