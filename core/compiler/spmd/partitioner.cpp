#include "core/compiler/spmd/partitioner.h"

#include "core/compiler/spmd/tiling_steps.h"

namespace hilo {

std::unexpected<Diagnostic> refuse(const Instruction& instruction, std::string kind, std::string message,
                                   std::vector<std::string> notes) {
  return fail(std::move(kind), std::move(message),
              {.computation = std::string(instruction.parent().name()),
               .instruction = std::string(instruction.name())},
              std::move(notes));
}

Part Partitioner::partOf(const Instruction* original) const {
  const Value& value = valueOf(original);
  return {value.local, value.global, value.tilings[0]};
}

Result<Tilings> Partitioner::wantedTilings(const Instruction& instruction) const {
  const auto leaves = leavesOf(instruction.shape());
  Tilings tilings;
  const Sharding* sharding = instruction.get<Attr::Sharding>();
  // What an outfeed states is of what goes out.
  if (sharding != nullptr && instruction.opcode() != Opcode::Outfeed) {
    TRY(tilings, tilingsOf(*sharding, instruction.shape(), partitions(), instruction));
  } else {
    for (Shape leaf : leaves)
      tilings.push_back(replicatedTiling(leaf.isArray() ? leaf.rank() : 0, partitions()));
  }
  for (size_t i = 0; i < leaves.size(); ++i) {
    if (!leaves[i].isDynamic() || tilings[i].isWhole()) continue;
    return refuse(instruction, "spmd-unsupported",
                  fmt::format("{} is {} and cut: arrays with dynamic dimensions are not", instruction.name(),
                              toString(leaves[i])),
                  {"make it replicated, or its dimensions static"});
  }
  return tilings;
}

namespace {

// What is whole in each of several manual groups of devices counts as replicated.
bool leavesSubgroups(const Tiling& from, const Tiling& to) {
  return from.manual > 1 && !from.isManual() && to.isReplicated() && !to.isOneDevice;
}

// What is whole may become anything; else the manual groups must be the same.
bool canReshard(const Tiling& from, const Tiling& to) {
  return from.isReplicated() || from.manual == to.manual || leavesSubgroups(from, to);
}

Part resharded(LocalBuilder& builder, const Part& part, const Tiling& target) {
  if (!leavesSubgroups(part.tiling, target)) return reshard(builder, part, target);
  Part whole = reshard(builder, part, wholeTiling(part.tiling, part.tiling.rank()));
  whole.tiling = target;
  return whole;
}

std::string describe(const Tiling& from, const Tiling& to) {
  return fmt::format("from {} to {}", toString(from), toString(to));
}

MoveRemark between(MoveRemark move, const Tiling& from, const Tiling& to) {
  move.from = toString(from);
  move.to = toString(to);
  return move;
}

std::unexpected<Diagnostic> mismatch(const Instruction& at, const Instruction& value, const Tiling& from,
                                     const Tiling& to) {
  return refuse(
      at, "spmd-manual-mismatch",
      fmt::format("{} needs {} {}: only SPMDFullToShardShape and SPMDShardToFullShape lead into and out of "
                  "manual sharding",
                  at.name(), value.name(), describe(from, to)),
      {"put the conversion between them, or give both the same manual sharding"});
}

}  // namespace

Result<Part> Partitioner::operandAs(const Instruction& user, size_t index, const Tiling& tiling) {
  const Part part = partOf(user.operand(index));
  if (!canReshard(part.tiling, tiling)) return mismatch(user, *user.operand(index), part.tiling, tiling);
  builder_.setCause(between(moveOfOperand(user, index), part.tiling, tiling));
  return resharded(builder_, part, tiling);
}

Result<Value> Partitioner::valueAs(const Value& value, const Tilings& tilings, const MoveRemark& cause) {
  if (value.tilings == tilings) return value;
  for (size_t i = 0; i < tilings.size(); ++i) {
    if (!canReshard(value.tilings[i], tilings[i]))
      return mismatch(builder_.at(), *value.local, value.tilings[i], tilings[i]);
  }
  if (!value.global.isTuple()) {
    builder_.setCause(between(cause, value.tilings[0], tilings[0]));
    const Part part = resharded(builder_, {value.local, value.global, value.tilings[0]}, tilings[0]);
    return Value{part.local, value.global, tilings};
  }
  std::vector<Instruction*> elements;
  size_t leaf = 0;
  for (size_t i = 0; i < value.global.tupleShapes().size(); ++i) {
    const Shape shape = value.global.tupleShapes()[i];
    const size_t count = leavesOf(shape).size();
    const auto part = [&](const Tilings& all) {
      return Tilings(all.begin() + static_cast<int64_t>(leaf),
                     all.begin() + static_cast<int64_t>(leaf + count));
    };
    Instruction* element =
        builder_.make(Opcode::GetTupleElement, value.local->shape().tupleShapes()[i], {value.local});
    element->set<Attr::Index>(static_cast<int64_t>(i));
    TRY(const Value placed, valueAs({element, shape, part(value.tilings)}, part(tilings), cause));
    elements.push_back(placed.local);
    leaf += count;
  }
  Instruction* tuple = builder_.make(Opcode::Tuple, localShape(value.global, tilings), {});
  for (Instruction* element : elements) tuple->appendOperand(element);
  return Value{tuple, value.global, tilings};
}

Status Partitioner::finish(const Instruction& original, const Part& made) {
  return finish(original, Value{made.local, made.global, {made.tiling}});
}

Status Partitioner::finish(const Instruction& original, Value made) {
  TRY(const Tilings wanted, wantedTilings(original));
  TRY(Value placed, valueAs(made, wanted, moveOfResult(original, "the result of")));
  values_[&original] = std::move(placed);
  return {};
}

Result<Tilings> Partitioner::rootTilings(const Computation& callee, const Tilings& otherwise) const {
  const auto found = done_.find(&callee);
  if (found != done_.end()) return found->second.root;
  return callee.root()->has(Attr::Sharding) ? wantedTilings(*callee.root()) : Result<Tilings>(otherwise);
}

Result<Tilings> Partitioner::parameterTilings(const Computation& callee, size_t index,
                                              const Tilings& otherwise) const {
  const auto found = done_.find(&callee);
  if (found != done_.end()) return found->second.parameters[index];
  const Instruction& parameter = *callee.parameters()[index];
  return parameter.has(Attr::Sharding) ? wantedTilings(parameter) : Result<Tilings>(otherwise);
}

// Until all is partitioned the originals keep their shapes, which handlers look at: a stand-in is the part.
void Partitioner::enterParameters(Computation& computation, const std::vector<Tilings>& parameters) {
  for (size_t i = computation.parameters().size(); i-- > 0;) {
    Instruction* parameter = computation.parameters()[i];
    const Shape local = localShape(parameter->shape(), parameters[i]);
    Instruction* standIn = computation.create(Opcode::Parameter, local, {}, {}, computation.first());
    const auto attributes = parameter->get<Attr::FrontendAttributes>();
    if (!attributes.empty()) standIn->set<Attr::FrontendAttributes>(attributes);
    values_[parameter] = {standIn, parameter->shape(), parameters[i]};
  }
}

Status Partitioner::partitionComputation(Computation& computation, const std::vector<Tilings>& parameters,
                                         const Tilings& root) {
  const auto found = done_.find(&computation);
  if (found != done_.end()) {
    if (found->second.parameters == parameters && found->second.root == root) return {};
    return refuse(*computation.root(), "spmd-conflict",
                  fmt::format("{} is called with different shardings", computation.name()),
                  {"run flatten-call-graph first: then each caller has its own"});
  }
  done_[&computation] = {parameters, root};
  std::vector<Instruction*> originals;
  for (Instruction* instruction : computation.instructions()) originals.push_back(instruction);
  enterParameters(computation, parameters);
  for (Instruction* instruction : originals) {
    if (instruction->opcode() == Opcode::Parameter) continue;
    TRY_STATUS(partitionInstruction(*instruction));
  }
  Instruction* oldRoot = computation.root();
  const Value& value = valueOf(oldRoot);
  builder_.moveTo(oldRoot->opcode() == Opcode::Parameter ? *originals.back() : *oldRoot);
  TRY(Value placed,
      valueAs(value, root,
              {.what = fmt::format("the result %{} of %{}", oldRoot->name(), computation.name()),
               .producer = std::string(oldRoot->name()),
               .consumer = std::string(oldRoot->name())}));
  computation.setRoot(placed.local);
  leave(computation, originals);
  return {};
}

Status Partitioner::partitionInstruction(Instruction& instruction) {
  builder_.moveTo(instruction);
  switch (instruction.opcode()) {
#define HANDLER(opcode, function) \
  case Opcode::opcode:            \
    return function(*this, instruction);
#include "core/compiler/spmd/handlers.def"
    default:
      return partitionByFactors(*this, instruction);
  }
}

// Removes what was partitioned, users first. Control edges between the old ones hold between the new ones.
void Partitioner::leave(Computation& computation, std::span<Instruction* const> originals) {
  std::vector<Instruction*> old;
  for (size_t i = originals.size(); i-- > 0;) {
    Instruction* original = originals[i];
    if (original->opcode() == Opcode::Parameter) continue;
    std::vector<Instruction*> predecessors;
    for (Instruction* before : original->get<Attr::ControlPredecessors>())
      predecessors.push_back(valueOf(before).local);
    Instruction* local = valueOf(original).local;
    std::erase(predecessors, local);
    if (!predecessors.empty() && local->opcode() != Opcode::Parameter)
      local->set<Attr::ControlPredecessors>(predecessors);
    original->erase(Attr::ControlPredecessors);
    old.push_back(original);
  }
  computation.removeAll(old);
  for (const Instruction* original : old) {
    Instruction* local = valueOf(original).local;
    if (local->opcode() == original->opcode() && &local->parent() == &computation)
      local->setName(original->name());
  }
  std::vector<Instruction*> standIns;
  for (Instruction* parameter : computation.parameters()) {
    Instruction* standIn = valueOf(parameter).local;
    parameter->setShape(standIn->shape());
    if (!computation.isEntry()) parameter->erase(Attr::Sharding);
    computation.moveBefore(parameter, standIn);
    computation.replaceAllUses(standIn, parameter);
    standIns.push_back(standIn);
  }
  computation.removeAll(standIns);
  for (Instruction* original : originals) values_.erase(original);
}

void Partitioner::updateEntryLayout() {
  Module& module = builder_.module();
  const ProgramShape* had = module.get<Attr::EntryComputationLayout>();
  if (had == nullptr) return;
  const auto sized = [](Shape like, Shape actual, auto&& self) -> Shape {
    if (actual.isTuple() && like.isTuple() && like.tupleShapes().size() == actual.tupleShapes().size()) {
      std::vector<Shape> elements;
      for (size_t i = 0; i < actual.tupleShapes().size(); ++i)
        elements.push_back(self(like.tupleShapes()[i], actual.tupleShapes()[i], self));
      return Shape::tuple(elements);
    }
    return actual.isArray() && like.isArray() && like.layout() != nullptr ? actual.withLayout(like.layout())
                                                                          : actual;
  };
  std::vector<Shape> parameters;
  for (size_t i = 0; i < module.entry()->parameters().size(); ++i) {
    const Shape actual = module.entry()->parameters()[i]->shape();
    parameters.push_back(i < had->parameters.size() ? sized(had->parameters[i], actual, sized) : actual);
  }
  const ProgramShape shape{.parameters = parameters,
                           .result = sized(had->result, module.entry()->root()->shape(), sized)};
  module.set<Attr::EntryComputationLayout>(&shape);
}

Status Partitioner::run() {
  Computation& entry = *builder_.module().entry();
  std::vector<Tilings> parameters;
  for (const Instruction* parameter : entry.parameters()) {
    TRY(Tilings tilings, wantedTilings(*parameter));
    parameters.push_back(std::move(tilings));
  }
  TRY(const Tilings root, wantedTilings(*entry.root()));
  const Shape result = entry.root()->shape();
  TRY_STATUS(partitionComputation(entry, parameters, root));
  Arena arena;
  const Sharding sharding = toSharding(root, result, arena);
  const Opcode opcode = entry.root()->opcode();
  if (opcode != Opcode::Parameter && opcode != Opcode::Outfeed && !root.empty())
    entry.root()->set<Attr::Sharding>(&sharding);
  updateEntryLayout();
  return {};
}

}  // namespace hilo
