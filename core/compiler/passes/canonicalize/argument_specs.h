// What the arguments of a module with open sizes will be.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/hlo/ir/module.h"

namespace hilo {

// What an argument will be.
struct ArgumentSpec {
  Shape shape;
  // Its value, where it is an integer that sizes may depend on. The refined module no longer looks
  // at the argument.
  std::optional<Literal> value;
};

// "3,f32[3,2],_": one entry a parameter of the entry computation, each a shape, a number (the
// value of a scalar parameter), a shape and a number ("s32[]=3"), or "_" for the parameter's own
// shape. Kind "wrong-argument".
Result<std::vector<ArgumentSpec>> parseArgumentSpecs(std::string_view text, const Module& module);

}  // namespace hilo
