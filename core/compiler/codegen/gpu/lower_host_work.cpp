// Computations on the execution thread "host": a program for this machine's processor, which the host runs
// beside what the streams are at. As XLA's host offloading, whose start and done this is.
#include "core/analysis/extract.h"
#include "core/base/check.h"
#include "core/compiler/codegen/gpu/lowerings.h"
#include "core/compiler/codegen/lower/lowerings.h"

namespace hilo::gpu {
namespace {

void append(LeafValues& all, const LeafValues& more) { all.insert(all.end(), more.begin(), more.end()); }

std::unique_ptr<Module> moduleOf(const Module& whole, const Computation& entry) {
  auto module = whole.clone();
  for (Computation* computation : module->computations()) {
    if (computation->name() != entry.name()) continue;
    makeEntry(*module, *computation);
    return module;
  }
  CHECK(false, entry.name());
  return nullptr;
}

bool isForHost(const Instruction& start, const LoweringContext& context) {
  return context.draft.deviceWork.compileForHost != nullptr && start.get<Attr::Calls>() != nullptr &&
         start.get<Attr::AsyncExecutionThread>() == "host";
}

}  // namespace

// What travels to the done is (operands, result, context...), the context being zeros.
Status lowerAsyncStartOrHost(const Instruction& instruction, LoweringContext& context) {
  if (!isForHost(instruction, context)) return lowerAsyncStart(instruction, context);
  const Computation& work = *instruction.get<Attr::Calls>();
  const auto parts = instruction.shape().tupleShapes();
  HostedThunk thunk{.isHostWork = true};
  TRY(thunk.program, context.addHosted(*moduleOf(context.draft.module, work)));
  LeafValues all;
  for (size_t i = 0; i < instruction.operandCount(); ++i) {
    const Instruction& operand = *instruction.operand(i);
    const Shape taken = work.parameters()[i]->shape();
    for (const LeafValue& leaf :
         context.arranged(instruction, context.valuesOf(operand), operand.shape(), taken))
      thunk.operands.emplace_back(leaf.slab->slice);
    append(all, context.arranged(instruction, context.valuesOf(operand), operand.shape(),
                                 parts[0].tupleShapes()[i]));
  }
  const LeafValues results = context.newLeaves(work.root()->shape());
  for (const LeafValue& leaf : results) thunk.results.emplace_back(leaf.slab->slice);
  context.addThunk(instruction, std::move(thunk), 100'000);
  append(all, context.arranged(instruction, results, work.root()->shape(), parts[1]));
  for (size_t i = 2; i < parts.size(); ++i) append(all, zeros(parts[i], context));
  context.values[&instruction] = std::move(all);
  return {};
}

}  // namespace hilo::gpu
