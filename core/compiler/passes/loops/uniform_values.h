// Values of a loop's body that are the same on every device: computed from constants and from what the loop
// starts with at constants. What is not known to be is not.
#pragma once

#include <absl/container/flat_hash_set.h>

#include "core/compiler/passes/loops/loop_parts.h"

namespace hilo {

class UniformValues {
 public:
  explicit UniformValues(const Instruction& loop);
  bool isUniform(const Instruction* inBody) const { return uniform_.contains(inBody); }

 private:
  absl::flat_hash_set<const Instruction*> uniform_;
};

}  // namespace hilo
