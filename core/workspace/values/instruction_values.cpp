#include "core/workspace/values/list_values.h"

namespace hilo {

std::vector<InstructionValue> listValues(const Computation& computation, const ValueWalk::Values& values) {
  std::vector<InstructionValue> list;
  for (const Instruction* instruction : computation.instructions()) {
    const bool isInput =
        instruction->opcode() == Opcode::Parameter || instruction->opcode() == Opcode::Constant;
    if ((!isStep(*instruction) && !isInput) || !values.has(*instruction)) continue;
    InstructionValue& value = list.emplace_back(InstructionValue{
        .instruction = instruction->id().value,
        .name = std::string(instruction->name()),
        .opcode = std::string(instruction->opcodeText()),
        .shape = toString(instruction->shape().withoutLayout()),
    });
    value.literals = values.at(*instruction);
    for (const Literal& own : value.literals) value.devices.push_back(summarize(own));
  }
  return list;
}

Result<std::vector<InstructionValue>> instructionValues(const ValueRequest& request,
                                                        const JobContext& context) {
  TRY(const WalkedModule walked, walkedModule(request, context));
  ValueWalk walk = startWalk(walked, request, context);
  TRY(const auto values, walk.valuesOf(*walked.module->entry(), walked.arguments));
  return listValues(*walked.module->entry(), values);
}

}  // namespace hilo
