// The verifier's rules, one a function; what each demands stands in verify.h under the kind it reports. Rules
// on an instruction are called only when its operands exist.
#pragma once

#include "core/hlo/verify/verify_context.h"

namespace hilo {

// Module (rules_module.cpp).
void verifyModuleName(VerifyContext& context);
void verifyEntry(VerifyContext& context);
void verifyEntryLayout(VerifyContext& context);
void verifyInputOutputAlias(VerifyContext& context);
void verifyBufferDonors(VerifyContext& context);
void verifyModuleDevices(VerifyContext& context);
void verifyConstrainLayoutMix(VerifyContext& context);
void verifyNoCallCycle(VerifyContext& context);

// Computations (rules_computation.cpp).
void verifyNames(VerifyContext& context);
void verifyRoot(const Computation& computation, VerifyContext& context);
void verifyParameterNumbers(const Computation& computation, VerifyContext& context);
// Operands and control predecessors of all instructions. False when an operand does not exist.
bool verifyOrder(const Computation& computation, VerifyContext& context);
void verifyFusionComputation(const Computation& computation, VerifyContext& context);
void verifyAsyncComputation(const Computation& computation, VerifyContext& context);

// Calls (rules_calls.cpp).
void verifyCalledComputations(const Instruction& instruction, VerifyContext& context);
void verifyExecutionThreads(const Instruction& instruction, VerifyContext& context);
void verifyCompositeCall(const Instruction& instruction, VerifyContext& context);
void verifyLayoutsAcrossCalls(const Instruction& instruction, VerifyContext& context);

// Attributes (rules_attributes.cpp).
void verifyNeededAttributes(const Instruction& instruction, VerifyContext& context);

// Shapes (rules_shape.cpp).
ShapeFacts shapeFacts(Shape shape);
void verifyResultShape(const Instruction& instruction, VerifyContext& context);
void verifyLayouts(const Instruction& instruction, VerifyContext& context);
void verifyOnePrecision(const Instruction& instruction, VerifyContext& context);
void verifyComparisonType(const Instruction& instruction, VerifyContext& context);
void verifyResultAccuracy(const Instruction& instruction, VerifyContext& context);
void verifyOriginalValue(const Instruction& instruction, VerifyContext& context);
void verifyBitcast(const Instruction& instruction, VerifyContext& context);

// Aliases, custom calls and buffers (rules_alias.cpp, rules_buffer.cpp).
void verifyOperandAliasing(const Instruction& instruction, VerifyContext& context);
void verifyCustomCall(const Instruction& instruction, VerifyContext& context);
void verifyBuffers(const Computation& computation, VerifyContext& context);

// Gather and scatter (rules_gather.cpp).
void verifyIndexedBatch(const Instruction& instruction, VerifyContext& context);

// Chains (rules_async.cpp).
void verifyAsyncChain(const Instruction& instruction, VerifyContext& context);
void verifyChannel(const Instruction& instruction, VerifyContext& context);

// Devices (rules_devices.cpp, rules_sharding.cpp).
void verifyReplicaGroups(const Instruction& instruction, VerifyContext& context);
void verifySourceTargetPairs(const Instruction& instruction, VerifyContext& context);
void verifySharding(const Instruction& instruction, VerifyContext& context);
void verifyConsistentSharding(const Instruction& instruction, VerifyContext& context);

}  // namespace hilo
