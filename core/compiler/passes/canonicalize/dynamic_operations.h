// Operations whose result's sizes are computed: StableHLO's dynamic_* operations, which a module shows as
// custom calls named after them.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <string_view>

#include "core/base/result.h"
#include "core/hlo/ir/module.h"

namespace hilo {

// What is known of values before anything runs.
using KnownValues = absl::flat_hash_map<const Instruction*, Literal>;

// The name of the operation that `call` stands for, without "stablehlo."; "" when it stands for none.
std::string_view dynamicOperationOf(const Instruction& call);

// The static operations that do what `call` does, made before it, from the values of its shape operands.
// Its operands have their final shapes. Gives the one to use in its place. Errors: "shape-not-known"
// where a shape operand is not among `known`, "malformed-instruction" where operands, shapes and
// attributes do not fit.
Result<Instruction*> makeStatic(Instruction& call, const KnownValues& known);

}  // namespace hilo
