// Arrays that go round along a dimension: element p of the result is element p - amount, modulo the size.
// Each device sends what the next one lacks, as in XLA's spmd_partitioner.cc (PreprocessHlos).
#pragma once

#include "core/compiler/spmd/partitioner.h"

namespace hilo {

// Two slices of one array put together in the other order, cut along that dimension, become a custom call to
// XLA's "_SPMDInternalOp_RotateRight".
void markRotations(Module& module);

struct Rotation {
  size_t dimension = 0;
  int64_t amount = 0;  // 0 to the size - 1
};
// Of such a call; nullopt of others, and where its numbers do not fit its operand.
std::optional<Rotation> rotationOf(const Instruction& call);
Status partitionRotation(Partitioner& partitioner, Instruction& call, const Rotation& rotation);

}  // namespace hilo
