#include "core/compiler/passes/loops/scan_expander.h"

#include <algorithm>

#include "core/compiler/passes/constants.h"
#include "core/compiler/passes/loops/loop_writer.h"
#include "core/compiler/passes/rewrite_each.h"
#include "core/compiler/passes/shape_ops.h"

namespace hilo {
namespace {

// Operands: inputs, then the first of what is carried. Results: arrays, then the last of it.
struct Scan {
  explicit Scan(const Instruction& scan)
      : carries(static_cast<size_t>(scan.get<Attr::NumCarries>().value_or(0))),
        inputs(scan.operandCount() - carries),
        dimension(static_cast<size_t>(scan.dimensions()[0])),
        results(scan.shape().isTuple()
                    ? std::vector<Shape>(scan.shape().tupleShapes().begin(), scan.shape().tupleShapes().end())
                    : std::vector{scan.shape()}),
        outputs(results.size() - carries),
        length((inputs > 0 ? scan.operand(0)->shape() : results[0]).dimension(dimension)),
        isReverse(scan.get<Attr::IsReverse>().value_or(false)) {}

  size_t carries, inputs, dimension;
  std::vector<Shape> results;
  size_t outputs;
  int64_t length;
  bool isReverse;
};

bool liesPlain(Shape shape) {
  return shape.isTuple() ? std::ranges::all_of(shape.tupleShapes(), liesRowMajor) : liesRowMajor(shape);
}

bool applies(const Instruction& i, const ExpandedScans& which) {
  if (i.opcode() != Opcode::Scan || !liesPlain(i.shape()) ||
      !std::ranges::all_of(i.operands(), [](const Instruction* o) { return liesRowMajor(o->shape()); }))
    return false;
  return which.associative || !i.get<Attr::IsAssociative>().value_or(false) || Scan(i).length == 1;
}

std::vector<int64_t> withoutDimension(Shape shape, size_t dimension) {
  std::vector<int64_t> sizes(shape.dimensions().begin(), shape.dimensions().end());
  sizes.erase(sizes.begin() + static_cast<ptrdiff_t>(dimension));
  return sizes;
}

// What the step gives, written in front of `before` (default: at the end).
std::vector<Instruction*> steppedWith(Computation& in, const Computation& step,
                                      std::span<Instruction* const> operands, Instruction* before = nullptr) {
  absl::flat_hash_map<const Instruction*, Instruction*> made;
  for (const Instruction* i : step.instructions()) {
    std::vector<Instruction*> inner;
    for (const Instruction* operand : i->operands()) inner.push_back(made.at(operand));
    if (i->isRoot() && i->opcode() == Opcode::Tuple) return inner;
    made[i] = i->opcode() == Opcode::Parameter ? operands[static_cast<size_t>(i->parameterNumber())]
                                               : in.createLike(*i, inner, before);
  }
  return {made.at(step.root())};
}

Instruction* asResult(Instruction& scan, std::span<Instruction* const> results) {
  return scan.shape().isTuple() ? scan.parent().create(Opcode::Tuple, scan.shape(), results, {}, &scan)
                                : results[0];
}

Instruction* oneStep(Instruction& i) {
  const Scan scan(i);
  std::vector<Instruction*> operands(i.operands().begin(), i.operands().end());
  for (size_t k = 0; k < scan.inputs; ++k)
    operands[k] = reshapeTo(operands[k], withoutDimension(operands[k]->shape(), scan.dimension), i);
  std::vector<Instruction*> results = steppedWith(i.parent(), *i.get<Attr::ToApply>(), operands, &i);
  for (size_t k = 0; k < scan.outputs; ++k)
    results[k] = reshapeTo(results[k], scan.results[k].dimensions(), i);
  return asResult(i, results);
}

// What the loop carries: the count, the scan's own carries, its inputs, and its results so far.
std::vector<Instruction*> firstState(Instruction& i, const Scan& scan) {
  std::vector<Instruction*> state = {
      i.parent().createConstant(Literal::scalar<int64_t>(ElementType::S64, 0), &i)};
  const auto operands = i.operands();
  state.insert(state.end(), operands.begin() + static_cast<ptrdiff_t>(scan.inputs), operands.end());
  state.insert(state.end(), operands.begin(), operands.begin() + static_cast<ptrdiff_t>(scan.inputs));
  for (size_t k = 0; k < scan.outputs; ++k) state.push_back(algebra::makeSplat(i, scan.results[k], 0));
  return state;
}

// An iteration: the state after it.
std::vector<Instruction*> nextState(Computation& body, const Scan& scan, Shape state,
                                    const Computation& step) {
  const LoopWriter write(body);
  Instruction* before = body.createParameter(0, state);
  std::vector<Instruction*> values;
  for (size_t k = 0; k < state.tupleShapes().size(); ++k)
    values.push_back(write.element(before, static_cast<int64_t>(k)));
  Instruction* at = values[0];
  if (scan.isReverse) at = write.make(Opcode::Subtract, write.number(scan.length - 1), at);
  const auto places = [&](const Instruction* array) {
    std::vector<Instruction*> starts(array->shape().rank(), write.number(0));
    starts[scan.dimension] = at;
    return starts;
  };
  const auto inputs = std::span(values).subspan(1 + scan.carries, scan.inputs);
  const auto outputs = std::span(values).subspan(1 + scan.carries + scan.inputs);
  std::vector<Instruction*> operands;
  for (Instruction* input : inputs) {
    std::vector<int64_t> sizes(input->shape().dimensions().begin(), input->shape().dimensions().end());
    sizes[scan.dimension] = 1;
    Instruction* part = write.slice(input, places(input), sizes);
    operands.push_back(write.reshape(part, withoutDimension(part->shape(), scan.dimension)));
  }
  operands.insert(operands.end(), values.begin() + 1,
                  values.begin() + 1 + static_cast<ptrdiff_t>(scan.carries));
  const std::vector<Instruction*> results = steppedWith(body, step, operands);
  for (size_t k = 0; k < scan.outputs; ++k) {
    std::vector<int64_t> sizes(outputs[k]->shape().dimensions().begin(),
                               outputs[k]->shape().dimensions().end());
    sizes[scan.dimension] = 1;
    outputs[k] = write.update(outputs[k], write.reshape(results[k], sizes), places(outputs[k]));
  }
  for (size_t k = 0; k < scan.carries; ++k) values[1 + k] = results[scan.outputs + k];
  values[0] = write.make(Opcode::Add, values[0], write.number(1));
  return values;
}

Instruction* asLoop(Instruction& i) {
  const Scan scan(i);
  const std::vector<Instruction*> first = firstState(i, scan);
  Computation* body = nullptr;
  Instruction* loop =
      countedLoop(first, scan.length, i.module().uniqueName(fmt::format("{}_body", i.name())), i, body);
  const auto next = nextState(*body, scan, loop->shape(), *i.get<Attr::ToApply>());
  body->setRoot(body->create(Opcode::Tuple, loop->shape(), next));
  std::vector<Instruction*> results;
  for (size_t k = 0; k < scan.outputs; ++k)
    results.push_back(elementOfTuple(loop, static_cast<int64_t>(1 + scan.carries + scan.inputs + k), i));
  for (size_t k = 0; k < scan.carries; ++k)
    results.push_back(elementOfTuple(loop, static_cast<int64_t>(1 + k), i));
  return asResult(i, results);
}

}  // namespace

Result<bool> expandScans(Module& module, PassContext& context, const ExpandedScans& which) {
  return rewriteEach(
      module, context, "expanded", [&](const Instruction& i) { return applies(i, which); },
      [](Instruction& i) { return Scan(i).length == 1 ? oneStep(i) : asLoop(i); });
}

}  // namespace hilo
