#include "core/runtime/ffi/ffi_call.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

namespace hilo {
namespace {

// Operands or results of a call as the interface has them.
struct BufferList {
  std::vector<FfiBuffer> buffers;
  std::vector<void*> pointers;
  std::vector<int32_t> kinds;
  FfiBuffers list{};

  BufferList(std::span<const CustomCallArray> arrays, std::span<void* const> memory) {
    buffers.resize(arrays.size());
    kinds.assign(arrays.size(), kFfiKindBuffer);
    for (size_t i = 0; i < arrays.size(); ++i) {
      FfiBuffer& buffer = buffers[i];
      buffer.structBytes = kFfiBufferBytes;
      buffer.type = elementTypeNumber(arrays[i].type);
      buffer.data = memory[i];
      buffer.rank = std::ssize(arrays[i].dimensions);
      buffer.dimensions = const_cast<int64_t*>(arrays[i].dimensions.data());
      pointers.push_back(&buffer);
    }
    list.structBytes = kFfiBuffersBytes;
    list.size = std::ssize(arrays);
    list.kinds = kinds.data();
    list.buffers = pointers.data();
  }
};

// Memory of the host for the time of a call: what is not freed by the handler is freed with it.
class HostScratch {
 public:
  ~HostScratch() {
    for (void* memory : taken_) std::free(memory);
  }
  const FfiMemory& memory() const { return memory_; }

 private:
  Result<void*> allocate(size_t size, size_t alignment) {
    constexpr size_t kLeast = 64;
    const size_t unit = std::max(alignment, kLeast);
    if ((unit & (unit - 1)) != 0 || size > SIZE_MAX - unit)
      return fail("custom-call-failed", fmt::format("{} bytes at multiples of {}", size, alignment));
    void* memory = std::aligned_alloc(unit, (size + unit - 1) / unit * unit);
    if (memory == nullptr) return fail("out-of-memory", fmt::format("no room for {} bytes", size));
    const std::scoped_lock lock(mutex_);
    taken_.push_back(memory);
    return memory;
  }
  Status free(void* memory) {
    const std::scoped_lock lock(mutex_);
    const auto found = std::ranges::find(taken_, memory);
    if (found == taken_.end()) return fail("custom-call-failed", "memory is freed that was not given");
    taken_.erase(found);
    std::free(memory);
    return {};
  }

  std::mutex mutex_;
  std::vector<void*> taken_;
  const FfiMemory memory_{
      .allocate = [this](size_t size, size_t alignment) { return allocate(size, alignment); },
      .free = [this](void* memory) { return free(memory); }};
};

constexpr int64_t kTaskThreads = 8;

}  // namespace

FfiRun::States& FfiRun::of(const FfiCall& call) {
  const std::scoped_lock lock(mutex_);
  return states_[&call];
}

Result<std::shared_ptr<FfiCall>> FfiCall::make(const CustomCallThunk& thunk, const std::string& name,
                                               const FfiBundle& bundle, bool isForGpu) {
  for (const auto* arrays : {&thunk.operandArrays, &thunk.resultArrays}) {
    for (const CustomCallArray& array : *arrays) {
      if (elementBits(array.type) >= 8) continue;
      return fail(
          "unsupported-type",
          fmt::format("custom call \"{}\" of {}: {} takes a byte an element here, and handlers of XLA's FFI "
                      "take them packed",
                      thunk.target, name, elementTypeName(array.type)));
    }
  }
  TRY(auto attributes, parseCallAttributes(thunk.backendConfig));
  std::shared_ptr<FfiCall> call(new FfiCall(thunk, name, bundle, std::move(attributes), isForGpu));
  TRY(const FfiMetadata metadata, ffiMetadataOf(thunk.target, bundle.execute));
  call->traits_ = metadata.traits;
  if (bundle.instantiate == nullptr) return call;
  const std::vector<void*> none(thunk.operands.size() + thunk.results.size());
  FfiTasks tasks(kTaskThreads);
  HostScratch scratch;
  FfiInvokeContext context{.states = {&call->instantiated_}, .tasks = &tasks, .memory = &scratch.memory()};
  TRY_STATUS(call->call(bundle.instantiate, FfiStage::Instantiate, none, context, CancelToken()));
  return call;
}

Status FfiCall::call(FfiHandlerFunction* function, FfiStage stage, std::span<void* const> buffers,
                     FfiInvokeContext& context, const CancelToken& cancel) const {
  BufferList arguments(thunk_.operandArrays, buffers.first(thunk_.operands.size()));
  BufferList results(thunk_.resultArrays, buffers.subspan(thunk_.operands.size()));
  FfiCallFrame frame{};
  frame.structBytes = kFfiCallFrameBytes;
  frame.api = &ffiApi();
  frame.context = &context;
  frame.stage = stage;
  frame.arguments = arguments.list;
  frame.results = results.list;
  frame.attributes = attributes_.top();
  FfiError* error = function(&frame);
  if (error == nullptr && frame.future != nullptr) {
    error = frame.future->wait(cancel);
    // A handler that is still at work sets it later: of a run that was cancelled it stays.
    if (!cancel.cancelled()) delete frame.future;
  }
  if (error == nullptr) return {};
  const FfiFailure failure = takeFfiError(error);
  if (cancel.cancelled()) return fail("cancelled", "the run was cancelled");
  static constexpr const char* kStages[kFfiStageCount] = {"instantiate: ", "prepare: ", "initialize: ", "",
                                                          "record: "};
  auto failed = fail("custom-call-failed", fmt::format("custom call \"{}\" of {}: {}{}: {}", thunk_.target,
                                                       name_, kStages[static_cast<int32_t>(stage)],
                                                       ffiCodeName(failure.code), failure.message));
  failed.error().place.instruction = name_;
  return failed;
}

Status FfiCall::callInRun(FfiHandlerFunction* function, FfiStage stage, FfiRun::States& states,
                          std::span<void* const> buffers, const FfiPlace& place) {
  if (function == nullptr) return {};
  HostScratch scratch;
  FfiTasks tasks(kTaskThreads);
  FfiInvokeContext context{.states = {&instantiated_, &states.prepare.state, &states.initialize.state},
                           .tasks = &tasks,
                           .memory = place.memory != nullptr ? place.memory : &scratch.memory(),
                           .stream = place.stream,
                           .runId = place.runId,
                           .device = static_cast<int32_t>(place.device)};
  return call(function, stage, buffers, context, place.cancel);
}

Status FfiCall::prepare(FfiRun& run, std::span<void* const> buffers, const FfiPlace& place) {
  FfiRun::States& states = run.of(*this);
  std::call_once(states.prepare.called, [&] {
    states.prepare.done = callInRun(bundle_.prepare, FfiStage::Prepare, states, buffers, place);
  });
  return states.prepare.done;
}

Status FfiCall::initialize(FfiRun& run, std::span<void* const> buffers, const FfiPlace& place) {
  TRY_STATUS(prepare(run, buffers, place));
  FfiRun::States& states = run.of(*this);
  std::call_once(states.initialize.called, [&] {
    states.initialize.done = callInRun(bundle_.initialize, FfiStage::Initialize, states, buffers, place);
  });
  return states.initialize.done;
}

Status FfiCall::execute(FfiRun& run, std::span<void* const> buffers, const FfiPlace& place) {
  TRY_STATUS(initialize(run, buffers, place));
  return callInRun(bundle_.execute, FfiStage::Execute, run.of(*this), buffers, place);
}

}  // namespace hilo
