// Makes one fusion of two dots and what is done to the rows between them, such as the scores of an
// attention (core/compiler/codegen/cpu/choices/dot_chain.h says which). After loop-fusion, which makes
// one operation of what lies between.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> fuseDotChains(Module& module, PassContext& context);

// Inside: the weights of a softmax, which only the second dot sees, are multiplied by one over the sum of
// their row instead of divided by it: a division a row. The sum is at least one, being of powers of which the
// largest is one; a weight is off by one and a half units in its last place at most. Whether there were any.
bool multiplyByReciprocals(Computation& fused);

}  // namespace hilo
