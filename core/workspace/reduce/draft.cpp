#include "core/workspace/reduce/draft.h"

#include <algorithm>

#include "core/compiler/passes/simplify/dead_code_elimination.h"
#include "core/hlo/eval/arguments.h"
#include "core/hlo/eval/evaluate.h"
#include "core/workspace/run/time_limit.h"

namespace hilo {

bool isValueShape(Shape shape) {
  if (shape.isTuple()) return std::ranges::all_of(shape.tupleShapes(), isValueShape);
  return shape.isArray() && !shape.isDynamic();
}

Literal Draft::valueOf(const Instruction& instruction) const {
  if (hasValues && instruction.opcode() == Opcode::Parameter && &instruction.parent() == module->entry())
    return arguments[static_cast<size_t>(instruction.parameterNumber())];
  if (const Literal* known = values == nullptr ? nullptr : values->of(instruction.id())) return *known;
  const Shape shapes[] = {instruction.shape()};
  auto made = makeArguments(shapes, /*seed=*/1);
  return made ? std::move(made->front()) : Literal(instruction.shape().withoutLayout());
}

Instruction* Draft::addParameterFor(const Instruction& instruction) {
  if (hasValues) arguments.push_back(valueOf(instruction));
  return addParameter(instruction.shape());
}

Instruction* Draft::addParameter(Shape shape) {
  Computation& entry = *module->entry();
  Instruction* parameter = entry.createParameter(static_cast<int64_t>(entry.parameters().size()), shape);
  if (entry.first() != parameter) entry.moveBefore(parameter, entry.first());
  return parameter;
}

const Literal* EntryValues::of(InstructionId id) const {
  if (!isKnown_) workOut();
  const auto known = values_.find(id);
  return known == values_.end() ? nullptr : &known->second;
}

// Where it ends early there are values up to there.
void EntryValues::workOut() const {
  isKnown_ = true;
  if (arguments_.size() != module_->entry()->parameters().size()) return;
  const TimeLimit limit(int64_t{10} * 1'000'000'000, cancel_);
  int64_t room = int64_t{4} << 30;
  EvalOptions options{.cancel = limit.token()};
  options.observe = [&](const Instruction& instruction, const Literal& value) {
    const int64_t bytes = instruction.shape().byteSize();
    if (!isValueShape(instruction.shape()) || bytes > room) return;
    room -= bytes;
    values_.emplace(instruction.id(), value);
  };
  (void)evaluate(*module_, arguments_, options);
}

void splitParameter(Draft& draft, Instruction& parameter) {
  Computation& entry = *draft.module->entry();
  if (draft.hasValues) {
    const Literal value = draft.valueOf(parameter);
    draft.arguments.insert(draft.arguments.end(), value.elements().begin(), value.elements().end());
  }
  const auto shapes = parameter.shape().tupleShapes();
  std::vector<Instruction*> elements(shapes.size());
  for (size_t i = 0; i < shapes.size(); ++i) elements[i] = draft.addParameter(shapes[i]);
  const std::vector<Instruction*> users(parameter.users().begin(), parameter.users().end());
  for (Instruction* user : users) {
    if (user->opcode() != Opcode::GetTupleElement) continue;
    entry.replaceAllUses(user, elements[static_cast<size_t>(user->tupleIndex())]);
    entry.remove(user);
  }
  if (parameter.users().empty() && !parameter.isRoot()) return;
  Instruction* tuple = entry.create(Opcode::Tuple, parameter.shape(), elements, {},
                                    elements.empty() ? &parameter : parameter.next());
  entry.replaceAllUses(&parameter, tuple);
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
