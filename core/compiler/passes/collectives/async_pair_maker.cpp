#include "core/compiler/passes/collectives/async_pair_maker.h"

#include <fmt/format.h>

namespace hilo {

AsyncPair wrappedAsync(Instruction& operation, std::span<const Shape> contexts) {
  Module& module = operation.module();
  Computation& computation = operation.parent();
  Computation* wrapped = module.createComputation(
      module.uniqueName(fmt::format("async_computation.{}", operation.name())), &computation);
  std::vector<Instruction*> parameters;
  std::vector<Shape> operands;
  for (const Instruction* operand : operation.operands()) {
    parameters.push_back(wrapped->createParameter(static_cast<int64_t>(parameters.size()), operand->shape()));
    operands.push_back(operand->shape());
  }
  wrapped->setRoot(wrapped->createLike(operation, parameters));
  std::vector<Shape> given = {Shape::tuple(operands), operation.shape()};
  given.insert(given.end(), contexts.begin(), contexts.end());
  Instruction* start =
      computation.create(Opcode::AsyncStart, Shape::tuple(given), operation.operands(), {}, &operation);
  start->set<Attr::Calls>(wrapped);
  Instruction* done = computation.create(Opcode::AsyncDone, operation.shape(), {start}, {}, &operation);
  if (const auto attributes = operation.get<Attr::FrontendAttributes>(); !attributes.empty()) {
    start->set<Attr::FrontendAttributes>(attributes);
    done->set<Attr::FrontendAttributes>(attributes);
  }
  return {start, done};
}

}  // namespace hilo
