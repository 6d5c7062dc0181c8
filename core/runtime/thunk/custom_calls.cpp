#include "core/runtime/thunk/custom_calls.h"

#include <fmt/format.h>

namespace hilo {

Result<CustomCalls> findCustomCalls(const Program& program, const FindCustomCall& findCustomCall) {
  CustomCalls calls;
  for (const ThunkSequence& sequence : program.sequences) {
    for (const Thunk& thunk : sequence) {
      const auto* call = std::get_if<CustomCallThunk>(&thunk.body);
      if (call == nullptr) continue;
      const HiloCustomCall* handler = findCustomCall ? findCustomCall(call->target) : nullptr;
      if (handler == nullptr) {
        return fail("unknown-custom-call",
                    fmt::format("no plug-in has a handler for the custom call \"{}\" of {}", call->target,
                                thunk.name));
      }
      calls[call->target] = handler;
    }
  }
  return calls;
}

}  // namespace hilo
