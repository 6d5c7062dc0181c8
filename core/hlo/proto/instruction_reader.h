// One HloInstructionProto to an Instruction.
#pragma once

#include "core/hlo/proto/attribute_codec.h"

namespace hilo {

// What an instruction may refer to.
struct InstructionScope {
  Computation& computation;
  const absl::flat_hash_map<int64_t, Computation*>& callees;  // computations before this one, by proto id
  InstructionsById instructions;                              // those read so far
  size_t instructionCount = 0;                                // of the whole computation
  std::span<const std::string> payloads;
  ProtoProblems& problems;
  std::vector<Instruction*> parameters;  // of those read so far
};

// Makes the instruction at the end of the computation. What cannot be read right is reported, and the
// instruction then becomes an Opaque one that keeps the message. `proto` is used up.
Instruction* readInstruction(pb::HloInstructionProto& proto, InstructionScope& scope);

}  // namespace hilo
