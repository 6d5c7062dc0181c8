// What operations do, by opcode: op_facts.def. Ask here instead of listing opcodes, so that a new opcode
// states each fact in one row.
#pragma once

#include "core/hlo/ir/opcode.h"

namespace hilo {

enum class OpFact : uint8_t {
  Accurate,        // computed to an accuracy that result_accuracy may state
  Calls,           // runs the computations it names as a caller does; others apply theirs to elements
  Commutative,     // a binary operation whose operands may change places with the same bits as result
  Contracts,       // dots and convolutions: sums of products
  ExactLayout,     // its written shape is the inferred one, layout and all
  ExactOrder,      // the same but for the tiles and memory space of its layout
  ExactType,       // the same but for its layout; of others floats may be written wider or narrower
  Forwards,        // the result is operand 0 itself; the instruction only orders or marks it
  HeedsSizes,      // right on arrays with fewer elements than their bounds: padding is never taken for data
  MixesPrecision,  // its floating operands and result may differ in width
  MovesElements,   // a value it gives is an element of an operand, perhaps converted or clamped
  NoTraffic,       // reads and writes no memory: it names a value, orders others, or its start was counted
  PicksNumbers,    // computes, yet every number it gives is one of an operand, or its negative
  RenamesBytes,    // the bytes of the operand, unmoved where layouts agree: bitcast, reshape
  SideEffect,      // always matters, used or not. Others may have one too: side_effects.h
  Transcendental,  // counted as one transcendental an element, not as flops, as XLA's cost analysis does
};

bool hasFact(Opcode opcode, OpFact fact);

// Which step of an asynchronous operation an opcode is. Whole: none, the operation runs where it stands.
enum class AsyncStep : uint8_t { Whole, Start, Update, Done };

struct AsyncFacts {
  AsyncStep step = AsyncStep::Whole;
  // What is started or done: all-gather for all-gather-start. Of async-start, -update and -done Opaque: what
  // their computation holds. Of a whole operation the opcode itself.
  Opcode whole;
};
AsyncFacts asyncFacts(Opcode opcode);

// Whether an opcode is the start or done of a pair that has opcodes of its own, such as copy-start; send and
// recv are their own starts.
bool hasOwnStart(Opcode whole);

// A collective written whole: all-gather, all-reduce, all-to-all, collective-broadcast, collective-permute,
// ragged-all-to-all, reduce-scatter.
inline bool isCollectiveCommunication(Opcode opcode) {
  return opcodeClass(opcode) == OpcodeClass::Collective && asyncFacts(opcode).step == AsyncStep::Whole;
}
// The same, or the start of one.
inline bool startsCollective(Opcode opcode) {
  const AsyncStep step = asyncFacts(opcode).step;
  return opcodeClass(opcode) == OpcodeClass::Collective &&
         (step == AsyncStep::Whole || step == AsyncStep::Start);
}

}  // namespace hilo
