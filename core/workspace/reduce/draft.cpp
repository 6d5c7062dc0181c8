#include "core/workspace/reduce/draft.h"

#include <algorithm>

#include "core/compiler/passes/simplify/dead_code_elimination.h"
#include "core/hlo/eval/arguments.h"
#include "core/hlo/eval/evaluate.h"

namespace hilo {

bool isValueShape(Shape shape) {
  if (shape.isTuple()) return std::ranges::all_of(shape.tupleShapes(), isValueShape);
  return shape.isArray() && !shape.isDynamic();
}

Literal Draft::valueOf(const Instruction& instruction) const {
  if (instruction.opcode() == Opcode::Parameter && &instruction.parent() == module->entry())
    return arguments[static_cast<size_t>(instruction.parameterNumber())];
  if (values != nullptr) {
    if (const auto known = values->find(instruction.id()); known != values->end()) return known->second;
  }
  const Shape shapes[] = {instruction.shape()};
  auto made = makeArguments(shapes, /*seed=*/1);
  return made ? std::move(made->front()) : Literal(instruction.shape().withoutLayout());
}

Instruction* Draft::addParameterFor(const Instruction& instruction) {
  Computation& entry = *module->entry();
  arguments.push_back(valueOf(instruction));
  Instruction* parameter =
      entry.createParameter(static_cast<int64_t>(entry.parameters().size()), instruction.shape());
  if (entry.first() != parameter) entry.moveBefore(parameter, entry.first());
  return parameter;
}

EntryValues entryValues(const Module& module, std::span<const Literal> arguments, int64_t roomBytes,
                        const CancelToken& cancel) {
  EntryValues values;
  if (arguments.size() != module.entry()->parameters().size()) return values;
  EvalOptions options{.cancel = cancel};
  options.observe = [&](const Instruction& instruction, const Literal& value) {
    const int64_t bytes = instruction.shape().byteSize();
    if (!isValueShape(instruction.shape()) || bytes > roomBytes) return;
    roomBytes -= bytes;
    values.emplace(instruction.id(), value);
  };
  // Where it ends early there are values up to there.
  (void)evaluate(module, arguments, options);
  return values;
}

void tidy(Draft& draft) {
  PassContext unheard;
  (void)eliminateDeadCode(*draft.module, unheard);
  for (const Attr key :
       {Attr::EntryComputationLayout, Attr::HostProgramShape, Attr::InputOutputAlias, Attr::BufferDonor,
        Attr::AllowSpmdShardingPropagationToParameters, Attr::AllowSpmdShardingPropagationToOutput})
    draft.module->attributes().erase(key);
}

}  // namespace hilo
