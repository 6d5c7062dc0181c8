// A dot with a collective as a loop of smaller dots, each beside a permute that brings what the next one
// needs: an all-gather of an operand, or a reduce-scatter of the result. XLA's windowed einsum
// (service/spmd/dot_handler.cc).
#pragma once

#include "core/compiler/spmd/loop_nest.h"
#include "core/compiler/spmd/partition_settings.h"

namespace hilo {

// The result in nest.wanted[0], or nullopt where the nest is no such dot or too small, or its frontend
// attribute _xla_collective_matmul="none" forbids it. Causes for the remarks of the permutes are set.
std::optional<Part> windowedDot(LocalBuilder& builder, const LoopNest& nest, const Tiling& tiling,
                                const PartitionSettings& settings);

}  // namespace hilo
