#include "core/compiler/passes/collectives/async_pair_maker.h"

#include <fmt/format.h>

#include "core/compiler/passes/control_edges.h"

namespace hilo {

namespace {

AsyncPair pairRunning(Instruction& operation, Computation& runs, std::span<const Shape> contexts) {
  std::vector<Shape> operands;
  for (const Instruction* operand : operation.operands()) operands.push_back(operand->shape());
  std::vector<Shape> given = {Shape::tuple(operands), operation.shape()};
  given.insert(given.end(), contexts.begin(), contexts.end());
  Computation& computation = operation.parent();
  Instruction* start =
      computation.create(Opcode::AsyncStart, Shape::tuple(given), operation.operands(), {}, &operation);
  start->set<Attr::Calls>(&runs);
  Instruction* done = computation.create(Opcode::AsyncDone, operation.shape(), {start}, {}, &operation);
  if (const auto attributes = operation.get<Attr::FrontendAttributes>(); !attributes.empty()) {
    start->set<Attr::FrontendAttributes>(attributes);
    done->set<Attr::FrontendAttributes>(attributes);
  }
  return {start, done};
}

AsyncPair copyPair(Instruction& copy, std::span<const Shape> contexts) {
  std::vector<Shape> given = {copy.shape(), copy.operand(0)->shape()};
  given.insert(given.end(), contexts.begin(), contexts.end());
  Computation& computation = copy.parent();
  Instruction* start = computation.create(Opcode::CopyStart, Shape::tuple(given), copy.operands(), {}, &copy);
  return {start, computation.create(Opcode::CopyDone, copy.shape(), {start}, {}, &copy)};
}

AsyncPair inPlaceOf(Instruction& operation, AsyncPair pair) {
  Computation& computation = operation.parent();
  for (Instruction* each : {pair.start, pair.done}) {
    if (const OpMetadata* metadata = operation.get<Attr::Metadata>()) each->set<Attr::Metadata>(metadata);
    if (const auto config = operation.get<Attr::BackendConfig>(); !config.empty())
      each->set<Attr::BackendConfig>(config);
  }
  if (const auto before = operation.get<Attr::ControlPredecessors>(); !before.empty())
    pair.start->set<Attr::ControlPredecessors>(before);
  operation.erase(Attr::ControlPredecessors);
  computation.replaceAllUses(&operation, pair.done);
  if (operation.wasControlPredecessor()) redirectControlPredecessors(computation, {{&operation, pair.done}});
  computation.remove(&operation);
  return pair;
}

}  // namespace

AsyncPair wrappedAsync(Instruction& operation, std::span<const Shape> contexts) {
  Module& module = operation.module();
  Computation* wrapped = module.createComputation(
      module.uniqueName(fmt::format("async_computation.{}", operation.name())), &operation.parent());
  std::vector<Instruction*> parameters;
  for (const Instruction* operand : operation.operands())
    parameters.push_back(wrapped->createParameter(static_cast<int64_t>(parameters.size()), operand->shape()));
  wrapped->setRoot(wrapped->createLike(operation, parameters));
  return pairRunning(operation, *wrapped, contexts);
}

AsyncPair makeAsync(Instruction& operation, std::span<const Shape> contexts) {
  return inPlaceOf(operation, operation.opcode() == Opcode::Copy ? copyPair(operation, contexts)
                                                                 : wrappedAsync(operation, contexts));
}

AsyncPair makeAsyncRunning(Instruction& call, Computation& runs) {
  return inPlaceOf(call, pairRunning(call, runs, {}));
}

void setThread(Computation& computation, std::string_view thread) {
  Arena& arena = computation.module().arena();
  const auto rank = [](const void*, Attr attr) { return static_cast<int>(attr); };
  computation.attributes().put(arena, packAttribute<Attr::ExecutionThread>(arena, thread), rank, nullptr);
}

void runOnThread(const AsyncPair& pair, std::string_view thread) {
  pair.start->set<Attr::AsyncExecutionThread>(thread);
  setThread(*pair.start->get<Attr::Calls>(), thread);
}

}  // namespace hilo
