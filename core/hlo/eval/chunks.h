// Work in chunks that do not depend on each other.
#pragma once

#include <functional>

#include "core/hlo/eval/eval_context.h"

namespace hilo {

// Does chunks 0 to count - 1, each of so many operations, on the processor's threads where that is worth
// waking them, and polls between them, on the calling thread: an error ends it. `work` runs on several
// threads at once.
Status inChunks(int64_t count, int64_t operations, const std::function<Status()>& poll,
                const std::function<void(int64_t chunk)>& work);
Status inChunks(int64_t count, int64_t operations, EvalContext& context,
                const std::function<void(int64_t chunk)>& work);

}  // namespace hilo
