// Which function each custom call of a program runs: one of a plug-in, or a handler of XLA's FFI.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <variant>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "core/base/result.h"
#include "core/runtime/ffi/ffi_call.h"
#include "core/runtime/program/program.h"
#include "plugins/sdk/custom_call.h"

namespace hilo {

// They belong to their libraries.
using CallHandler = std::variant<std::monostate, const HiloCustomCall*, const FfiHandler*>;
// What there is for a target. Any thread.
using FindCustomCall = std::function<CallHandler(std::string_view target)>;

// A handler that is ready for the calls of one thunk.
using BoundCall = std::variant<const HiloCustomCall*, std::shared_ptr<FfiCall>>;
using CustomCalls = absl::flat_hash_map<const CustomCallThunk*, BoundCall>;

// All that the program has, which outlives them; handlers of the FFI are instantiated. `onGpu`: one for CUDA
// is taken where there is one, and given addresses and a stream of the GPU. Kind "unknown-custom-call": a
// target nobody has a handler for, by name, or one for CUDA alone; and those of FfiCall::make.
Result<CustomCalls> findCustomCalls(const Program& program, const FindCustomCall& findCustomCall,
                                    bool onGpu = false);

// All calls that a handler of the FFI runs, in the order of the program's text, are prepared, and then all
// initialized, with what `startOf` gives for each: buffers, operands first, and the place; nothing for one
// whose arrays are not there yet. The first that fails ends it.
struct FfiStart {
  std::vector<void*> buffers;
  FfiPlace place;
};
Status startFfiCalls(const Program& program, const CustomCalls& calls, FfiRun& run,
                     const std::function<std::optional<FfiStart>(FfiCall&, const CustomCallThunk&)>& startOf);

// The handler where it takes addresses of a GPU; null for all that the host runs.
FfiCall* gpuCallOf(const CustomCalls& calls, const Thunk& thunk);

}  // namespace hilo
