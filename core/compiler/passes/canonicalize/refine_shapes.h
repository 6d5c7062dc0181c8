// Gives a module whose sizes are open (`f32[?,3]`) the shapes it has with given arguments.
#pragma once

#include <memory>
#include <span>

#include "core/base/result.h"
#include "core/compiler/passes/canonicalize/argument_specs.h"
#include "core/hlo/ir/module.h"

namespace hilo {

// Whether any parameter or other value has a dimension of open size.
bool hasOpenShapes(const Module& module);

// A copy of `module` in which every size is a number. Sizes are carried from the arguments on; integers
// computed from them and from constants are computed, and operations that take their result's sizes as
// operands become those that have them fixed. A called computation is copied for each call; what nothing
// needs any more goes. Meets what XLA's and StableHLO's refinement of shapes does, shape_assertion included.
// Errors: "wrong-argument"; "shape-not-known" with the instruction whose size cannot be computed and why;
// "shape-assertion" with the program's own message; "malformed-instruction" and the verifier's where shapes
// do not fit each other.
Result<std::unique_ptr<Module>> refineShapes(const Module& module, std::span<const ArgumentSpec> arguments);

}  // namespace hilo
