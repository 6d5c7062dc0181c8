// Instructions of one computation made into a fusion.
#pragma once

#include <absl/container/flat_hash_map.h>

#include "core/hlo/ir/module.h"

namespace hilo {

// For each fusion that was made, the instruction whose value it stores.
using FusedRoots = absl::flat_hash_map<const Instruction*, const Instruction*>;

// Makes a fusion of `members`, users before their operands, the first the one whose value it stores, and
// gives it in place of that. Members stay where they are; those that nothing uses any more are for dce.
// `roots` tells values that were fused before and are computed in this one too; the new fusion is added.
// Kind: kInput where a member reduces or is the hero of a kernel of its own shape, else kLoop.
Instruction* makeFusion(std::span<Instruction* const> members, FusedRoots& roots);

// kLoop where the kernel is a loop over its results, else kInput (kernel_emitter.h).
FusionKind fusionKindOf(const Computation& fused);

}  // namespace hilo
