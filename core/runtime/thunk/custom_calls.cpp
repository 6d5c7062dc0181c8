#include "core/runtime/thunk/custom_calls.h"

#include <fmt/format.h>

namespace hilo {
namespace {

struct Binder {
  const CustomCallThunk& call;
  const std::string& name;
  bool onGpu;

  Result<BoundCall> operator()(std::monostate) const {
    return fail("unknown-custom-call",
                fmt::format("no plug-in and no FFI library has a handler for the custom call \"{}\" of {}",
                            call.target, name));
  }
  Result<BoundCall> operator()(const HiloCustomCall* handler) const { return handler; }
  Result<BoundCall> operator()(const FfiHandler* handler) const {
    const bool isForGpu = onGpu && handler->cuda.execute != nullptr;
    if (!isForGpu && handler->host.execute == nullptr) {
      return fail(
          "unknown-custom-call",
          fmt::format(
              "the handler of the custom call \"{}\" of {} is for CUDA alone, and it runs on the host",
              call.target, name));
    }
    TRY(auto bound, FfiCall::make(call, name, isForGpu ? handler->cuda : handler->host, isForGpu));
    return bound;
  }
};

}  // namespace

Result<CustomCalls> findCustomCalls(const Program& program, const FindCustomCall& findCustomCall,
                                    bool onGpu) {
  CustomCalls calls;
  for (const ThunkSequence& sequence : program.sequences) {
    for (const Thunk& thunk : sequence) {
      const auto* call = std::get_if<CustomCallThunk>(&thunk.body);
      if (call == nullptr) continue;
      const CallHandler handler = findCustomCall ? findCustomCall(call->target) : CallHandler();
      TRY(calls[call], std::visit(Binder{*call, thunk.name, onGpu}, handler));
    }
  }
  return calls;
}

Status startFfiCalls(
    const Program& program, const CustomCalls& calls, FfiRun& run,
    const std::function<std::optional<FfiStart>(FfiCall&, const CustomCallThunk&)>& startOf) {
  if (calls.empty()) return {};
  const auto each =
      [&](Status (FfiCall::*stage)(FfiRun&, std::span<void* const>, const FfiPlace&)) -> Status {
    for (const ThunkSequence& sequence : program.sequences) {
      for (const Thunk& thunk : sequence) {
        const auto* call = std::get_if<CustomCallThunk>(&thunk.body);
        const auto* bound =
            call == nullptr ? nullptr : std::get_if<std::shared_ptr<FfiCall>>(&calls.at(call));
        if (bound == nullptr) continue;
        if (const auto start = startOf(**bound, *call))
          TRY_STATUS(((**bound).*stage)(run, start->buffers, start->place));
      }
    }
    return {};
  };
  TRY_STATUS(each(&FfiCall::prepare));
  return each(&FfiCall::initialize);
}

FfiCall* gpuCallOf(const CustomCalls& calls, const Thunk& thunk) {
  const auto* call = std::get_if<CustomCallThunk>(&thunk.body);
  if (call == nullptr) return nullptr;
  const auto* bound = std::get_if<std::shared_ptr<FfiCall>>(&calls.at(call));
  return bound != nullptr && (*bound)->isForGpu() ? bound->get() : nullptr;
}

}  // namespace hilo
