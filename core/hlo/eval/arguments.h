// Makes arguments for a module from a seed: values a run can make sense of, found by following each parameter
// to where it is used. Floats are small normal numbers (positive where a logarithm or root is taken);
// integers are small, in range where they index, shift or choose a branch; group sizes share out their rows.
// The same module and seed give the same values everywhere. Elided constants get values the same way, chosen
// by their sizes without those of 1: two stages of one module get the same ones, whatever passes did to a
// constant's name, element type and rank, and constants that passes made one were equal all along.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <functional>
#include <string>
#include <vector>

#include "core/base/cancel.h"
#include "core/base/result.h"
#include "core/hlo/ir/module.h"

namespace hilo {

struct GeneratedArguments {
  std::vector<Literal> arguments;  // one a parameter of the entry computation
  // Values for EvalOptions::constants.
  absl::flat_hash_map<const Instruction*, Literal> constants;
  std::vector<std::string> notes;  // "constant.3 was elided: filled from seed 7"
};

struct MakingOptions {
  int64_t limitBytes = int64_t{1} << 34;
  CancelToken cancel = {};
  // Told now and then, on the calling thread, how much is made: 0 to 1.
  std::function<void(double fraction)> progress = {};
};

// Error kinds: "malformed-module", "literal-too-large", "unsupported-type", "unbounded-shape", "cancelled".
Result<GeneratedArguments> makeArguments(const Module& module, uint64_t seed,
                                         const MakingOptions& options = {});

// The same for shapes alone, where nothing tells what they are for.
Result<std::vector<Literal>> makeArguments(std::span<const Shape> parameters, uint64_t seed,
                                           const MakingOptions& options = {});

// Only the values of elided constants, for runs whose arguments come from elsewhere.
Result<GeneratedArguments> fillElidedConstants(const Module& module, uint64_t seed,
                                               const MakingOptions& options = {});

}  // namespace hilo
