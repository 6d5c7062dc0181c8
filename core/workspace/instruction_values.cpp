#include "core/workspace/instruction_values.h"

#include "core/workspace/value_walk.h"

namespace hilo {

Result<std::vector<InstructionValue>> instructionValues(const OriginRequest& request,
                                                        const JobContext& context) {
  TRY(const WalkedModule walked, walkedModule({.module = request.module,
                                               .engine = request.engine,
                                               .arguments = request.arguments,
                                               .devices = request.devices,
                                               .worker = request.worker}));
  ValueWalk walk(walked.module, walked.grid, request.engine, request.worker, context);
  const Computation& entry = *walked.module->entry();
  TRY(const auto values, walk.valuesOf(entry, walked.arguments));
  std::vector<InstructionValue> list;
  for (const Instruction* instruction : entry.instructions()) {
    const bool isInput =
        instruction->opcode() == Opcode::Parameter || instruction->opcode() == Opcode::Constant;
    if ((!isStep(*instruction) && !isInput) || !values.has(*instruction)) continue;
    InstructionValue& value = list.emplace_back(InstructionValue{
        .instruction = instruction->id().value,
        .name = std::string(instruction->name()),
        .opcode = std::string(instruction->opcodeText()),
        .shape = toString(instruction->shape().withoutLayout()),
    });
    for (const Literal& own : values.at(*instruction)) value.devices.push_back(summarize(own));
  }
  return list;
}

}  // namespace hilo
