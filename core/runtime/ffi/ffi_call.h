// A custom call whose handler speaks XLA's FFI: its stages, each in its time. Instantiate is called once for
// a call of a program, with buffers that have no memory. In a run, for each device, prepare is called once
// and then initialize; execute each time. As in XLA, all calls of the program are prepared, then all
// initialized, before the first executes (xla/backends/gpu/runtime/thunk.h); but for those whose arrays are
// copied to the host when their turn comes, of which nobody knows the addresses earlier.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <span>

#include "core/base/cancel.h"
#include "core/base/result.h"
#include "core/runtime/ffi/ffi_attributes.h"
#include "core/runtime/ffi/ffi_functions.h"
#include "core/runtime/ffi/ffi_handler.h"
#include "core/runtime/program/thunks.h"

namespace hilo {

class FfiCall;

// One device of one run: what its calls keep from stage to stage.
class FfiRun {
 public:
  struct Stage {
    std::once_flag called;
    Status done;
    FfiState state;
  };
  struct States {
    Stage prepare, initialize;
  };
  States& of(const FfiCall& call);

 private:
  std::mutex mutex_;
  std::map<const FfiCall*, States> states_;
};

// Where and for whom it is executed.
struct FfiPlace {
  int64_t runId = 0, device = 0;
  void* stream = nullptr;             // of a GPU: buffers and memory are its own then
  const FfiMemory* memory = nullptr;  // null: of the host
  const CancelToken& cancel;
};

// Threads: any; several at once.
class FfiCall {
 public:
  // Asks the handler for its version and instantiates it. `name`: the instruction's, for messages. Error
  // kinds: "ffi-version", "ffi-malformed", "malformed-attributes", "unsupported-type" (elements of less than
  // a byte, which XLA packs and Hilo does not), and "custom-call-failed".
  static Result<std::shared_ptr<FfiCall>> make(const CustomCallThunk& thunk, const std::string& name,
                                               const FfiBundle& bundle, bool isForGpu = false);

  // `buffers`: of the operands and then of the results. Error kinds "custom-call-failed", with the handler's
  // words, and "cancelled". The first two do nothing where it was done in this run; the later stages do what
  // comes before them where nobody has.
  Status prepare(FfiRun& run, std::span<void* const> buffers, const FfiPlace& place);
  Status initialize(FfiRun& run, std::span<void* const> buffers, const FfiPlace& place);
  Status execute(FfiRun& run, std::span<void* const> buffers, const FfiPlace& place);

  // Whether its buffers are addresses of a GPU, and its place has the stream.
  bool isForGpu() const { return isForGpu_; }

  // Whether it says that its work may be captured in a graph of commands.
  bool canBeCaptured() const { return (traits_ & kFfiCommandBufferCompatible) != 0; }

 private:
  FfiCall(const CustomCallThunk& thunk, const std::string& name, const FfiBundle& bundle,
          std::vector<CallAttribute> attributes, bool isForGpu)
      : thunk_(thunk),
        name_(name),
        bundle_(bundle),
        isForGpu_(isForGpu),
        attributes_(std::move(attributes)) {}
  Status call(FfiHandlerFunction* function, FfiStage stage, std::span<void* const> buffers,
              FfiInvokeContext& context, const CancelToken& cancel) const;
  Status callInRun(FfiHandlerFunction* function, FfiStage stage, FfiRun::States& states,
                   std::span<void* const> buffers, const FfiPlace& place);

  const CustomCallThunk& thunk_;  // of the program
  const std::string name_;
  const FfiBundle bundle_;
  const bool isForGpu_;
  const FfiAttributeTree attributes_;
  uint32_t traits_ = 0;
  FfiState instantiated_;
};

}  // namespace hilo
