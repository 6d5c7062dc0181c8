// Partitions tuples, loops, branches and calls: what goes in and comes out is brought into the tilings that
// the called computation has.
#include "core/compiler/spmd/partitioner.h"
#include "core/compiler/spmd/tiling_steps.h"

namespace hilo {
namespace {

// As the sharding of an instruction says, if it has one.
Result<Tilings> tilingsOr(Partitioner& partitioner, const Instruction& instruction,
                          const Tilings& otherwise) {
  return instruction.has(Attr::Sharding) ? partitioner.wantedTilings(instruction)
                                         : Result<Tilings>(otherwise);
}

// A call into `callee` with these operands, in the tilings of its parameters; gives the local operands.
Result<std::vector<Instruction*>> enter(Partitioner& partitioner, Instruction& caller, Computation& callee,
                                        std::span<Instruction* const> operands, const Tilings& result) {
  std::vector<Tilings> parameters;
  std::vector<Instruction*> locals;
  for (size_t i = 0; i < operands.size(); ++i) {
    const Value& value = partitioner.valueOf(operands[i]);
    TRY(Tilings tilings, partitioner.parameterTilings(callee, i, value.tilings));
    TRY(const Value placed, partitioner.valueAs(value, tilings,
                                                {.what = fmt::format("operand {} of %{}, %{}", i,
                                                                     caller.name(), operands[i]->name()),
                                                 .producer = std::string(operands[i]->name()),
                                                 .consumer = std::string(caller.name())}));
    parameters.push_back(std::move(tilings));
    locals.push_back(placed.local);
  }
  TRY_STATUS(partitioner.partitionComputation(callee, parameters, result));
  partitioner.builder().moveTo(caller);
  return locals;
}

}  // namespace

Status partitionTuple(Partitioner& partitioner, Instruction& tuple) {
  TRY(const Tilings wanted, partitioner.wantedTilings(tuple));
  std::vector<Instruction*> locals;
  size_t leaf = 0;
  for (size_t i = 0; i < tuple.operandCount(); ++i) {
    const Value& value = partitioner.valueOf(tuple.operand(i));
    const Tilings part(wanted.begin() + static_cast<int64_t>(leaf),
                       wanted.begin() + static_cast<int64_t>(leaf + value.tilings.size()));
    // A tuple only names values: where its sharding is missing they stay as they are.
    const Tilings& target = tuple.has(Attr::Sharding) ? part : value.tilings;
    TRY(const Value placed, partitioner.valueAs(value, target, moveOfOperand(tuple, i, "element")));
    locals.push_back(placed.local);
    leaf += value.tilings.size();
  }
  Tilings tilings;
  if (tuple.has(Attr::Sharding)) {
    tilings = wanted;
  } else {
    for (const Instruction* operand : tuple.operands()) {
      const Tilings& of = partitioner.valueOf(operand).tilings;
      tilings.insert(tilings.end(), of.begin(), of.end());
    }
  }
  Instruction* local = partitioner.builder().makeLike(tuple, locals, localShape(tuple.shape(), tilings));
  partitioner.setValue(tuple, Value{local, tuple.shape(), tilings});
  return {};
}

Status partitionGetTupleElement(Partitioner& partitioner, Instruction& element) {
  const Value& tuple = partitioner.valueOf(element.operand(0));
  const auto index = static_cast<size_t>(element.tupleIndex());
  size_t leaf = 0;
  for (size_t i = 0; i < index; ++i) leaf += leavesOf(tuple.global.tupleShapes()[i]).size();
  const size_t count = leavesOf(tuple.global.tupleShapes()[index]).size();
  const Tilings tilings(tuple.tilings.begin() + static_cast<int64_t>(leaf),
                        tuple.tilings.begin() + static_cast<int64_t>(leaf + count));
  const Shape global = tuple.global.tupleShapes()[index];
  Instruction* local =
      partitioner.builder().makeLike(element, std::vector{tuple.local}, localShape(global, tilings));
  Value value{local, global, tilings};
  if (element.has(Attr::Sharding)) return partitioner.finish(element, std::move(value));
  partitioner.setValue(element, std::move(value));
  return {};
}

Status partitionBarrier(Partitioner& partitioner, Instruction& barrier) {
  const Value& operand = partitioner.valueOf(barrier.operand(0));
  TRY(const Tilings wanted, tilingsOr(partitioner, barrier, operand.tilings));
  TRY(const Value placed, partitioner.valueAs(operand, wanted, moveOfOperand(barrier, 0)));
  Instruction* local =
      partitioner.builder().makeLike(barrier, std::vector{placed.local}, localShape(barrier.shape(), wanted));
  partitioner.setValue(barrier, Value{local, barrier.shape(), wanted});
  return {};
}

Status partitionCall(Partitioner& partitioner, Instruction& call) {
  Computation* callee = call.get<Attr::ToApply>();
  TRY(const Tilings whole, partitioner.wantedTilings(call));
  TRY(const Tilings result, partitioner.rootTilings(*callee, whole));
  TRY(const auto locals, enter(partitioner, call, *callee, call.operands(), result));
  Instruction* local = partitioner.builder().makeLike(call, locals, localShape(call.shape(), result));
  return partitioner.finish(call, Value{local, call.shape(), result});
}

Status partitionWhile(Partitioner& partitioner, Instruction& loop) {
  Computation* body = loop.get<Attr::Body>();
  Computation* condition = loop.get<Attr::Condition>();
  LocalBuilder& builder = partitioner.builder();
  TRY(const Tilings own, partitioner.wantedTilings(loop));
  TRY(const Tilings state,
      tilingsOr(partitioner, loop.has(Attr::Sharding) ? loop : *body->parameters()[0], own));
  const Value& start = partitioner.valueOf(loop.operand(0));
  TRY(const Value placed, partitioner.valueAs(start, state, moveOfOperand(loop, 0, "state")));
  Tiling predicate = replicatedTiling(0, partitioner.partitions());
  const bool isManual =
      !state.empty() && std::ranges::all_of(state, [](const Tiling& t) { return t.isManual(); });
  if (isManual) predicate = manualTiling(0, partitioner.partitions());
  TRY_STATUS(partitioner.partitionComputation(*body, {state}, state));
  TRY_STATUS(partitioner.partitionComputation(*condition, {state}, {predicate}));
  builder.moveTo(loop);
  Instruction* local = builder.makeLike(loop, std::vector{placed.local}, localShape(loop.shape(), state));
  return partitioner.finish(loop, Value{local, loop.shape(), state});
}

Status partitionConditional(Partitioner& partitioner, Instruction& conditional) {
  TRY(const Tilings wanted, partitioner.wantedTilings(conditional));
  const Part choice = partitioner.partOf(conditional.operand(0));
  TRY(const Part predicate, partitioner.operandAs(conditional, 0, wholeTiling(choice.tiling, 0)));
  std::vector<Instruction*> locals = {predicate.local};
  const auto branches = conditional.calledComputations();
  for (size_t i = 0; i < branches.size(); ++i) {
    Instruction* operand = conditional.operand(i + 1);
    TRY(const auto entered,
        enter(partitioner, conditional, *branches[i], std::span<Instruction* const>(&operand, 1), wanted));
    locals.push_back(entered[0]);
  }
  Instruction* local =
      partitioner.builder().makeLike(conditional, locals, localShape(conditional.shape(), wanted));
  return partitioner.finish(conditional, Value{local, conditional.shape(), wanted});
}

}  // namespace hilo
