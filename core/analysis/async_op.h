// Asynchronous operations seen as one kind of pair: a start, a done, and what runs between them. Facts about
// single instructions that schedulers, cost models and simulations share. Matches CanonicalAsyncOp of XLA's
// service/latency_hiding_scheduler.cc and gpu/gpu_latency_hiding_scheduler.cc.
#pragma once

#include <optional>
#include <string_view>

#include "core/hlo/ir/module.h"
#include "core/hlo/ir/op_facts.h"

namespace hilo {

enum class AsyncRole : uint8_t { None, Start, Done };

struct CanonicalAsyncOp {
  AsyncRole role = AsyncRole::None;
  Opcode inner = Opcode::Opaque;  // what runs; the instruction's own opcode when it has no role
};

// send, recv and their dones have a role only with `p2pIsAsync` (XLA for GPU).
CanonicalAsyncOp canonicalAsyncOp(const Instruction& instruction, bool p2pIsAsync);

// Done's start, when the done's first operand is one; null when it comes through a loop or from elsewhere.
const Instruction* startOfDone(const Instruction& done);
// The collective itself: the wrapped instruction of an async-start, else the instruction.
const Instruction& asyncOperation(const Instruction& start);
// What the collective gives: the shape of its done, where starts of some opcodes name operands too.
Shape resultOfStart(const Instruction& start);

std::optional<std::string_view> frontendAttribute(const Instruction& instruction, std::string_view name);
bool hasFrontendAttribute(const Instruction& instruction, std::string_view name, std::string_view value);
// "main" when nothing else is said.
std::string_view executionThread(const Computation& computation);
// The thread an asynchronous operation's computation runs on.
std::string_view asyncExecutionThread(const Instruction& link);

// Marked to run in place: collective_backend_config.is_sync of the GPU backend configuration.
bool isSyncCollective(const Instruction& start);

// Nothing happens at run time: get-tuple-element, bitcast, constant, parameter, broadcast, iota, a transpose
// that only renames dimensions, the tuple a single loop reads. XLA schedules them as soon as they are ready.
bool isNopForScheduling(const Instruction& instruction);

// True when layouts make the transpose move nothing.
bool transposeIsBitcast(const Instruction& transpose);

}  // namespace hilo
