// The search within a pass. Private to the room.
#pragma once

#include "core/workspace/bisect/steps.h"

namespace hilo {

// Looks at a case and keeps what it saw: bad is what fails as the end does.
using LookAt = std::function<Result<Sight>(const WatchedCase& watched, int64_t fuel)>;

// Fills in the rewrite of `found.firstBad`, or why there is none, and the modules around it. `apart`: the
// pass may end the process it runs in.
Status findBadRewrite(const BisectRequest& request, const BisectSteps& steps, bool apart, const LookAt& look,
                      const JobContext& context, Bisection& found);

}  // namespace hilo
