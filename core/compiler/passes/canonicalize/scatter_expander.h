// Writes scatters of one update (or one a batch of none) as a dynamic-update-slice: what is there is read,
// combined and written where the whole window lies inside; of several arrays, as a loop. As XLA's
// service/scatter_expander.cc. Its other modes are settings: all scatters become loops, or those whose result
// depends on the order of updates: of one combined by an operation that rounds.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

enum class ScatterMode : uint8_t { Simple, All, Indeterministic };
struct ScatterSettings {
  ScatterMode mode = ScatterMode::Simple;
};
Result<bool> expandSimpleScatters(Module& module, PassContext& context, const ScatterSettings& settings = {});

// Whether the order of its updates shows: it may combine several at one place, by an operation that rounds.
bool dependsOnOrder(const Instruction& scatter);

}  // namespace hilo
