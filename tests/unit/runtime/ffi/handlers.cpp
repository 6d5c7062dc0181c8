// A library of handlers of XLA's FFI, for tests. It has nothing of the runtime but the interface.
#include <cstdlib>
#include <cstring>
#include <string>

#include "core/runtime/ffi/ffi_api.h"

using namespace hilo;

namespace {

FfiError* fails(const FfiCallFrame* frame, FfiCode code, const char* message) {
  FfiErrorCreate args{};
  args.structBytes = sizeof(args);
  args.message = message;
  args.code = code;
  return frame->api->errorCreate(&args);
}

// Whether only the version is asked for, which is then told.
bool tellsVersion(FfiCallFrame* frame, int minor = kFfiMinor, uint32_t traits = 0) {
  if (frame->extensions == nullptr || frame->extensions->type != FfiExtensionType::Metadata) return false;
  FfiMetadata* metadata = reinterpret_cast<FfiMetadataExtension*>(frame->extensions)->metadata;
  metadata->version.major = kFfiMajor;
  metadata->version.minor = minor;
  metadata->traits = traits;
  return true;
}

const FfiBuffer& argument(const FfiCallFrame* frame, int64_t i) {
  return *static_cast<FfiBuffer*>(frame->arguments.buffers[i]);
}
const FfiBuffer& result(const FfiCallFrame* frame, int64_t i) {
  return *static_cast<FfiBuffer*>(frame->results.buffers[i]);
}
const void* attribute(const FfiAttributes& attributes, const char* name) {
  for (int64_t i = 0; i < attributes.size; ++i) {
    if (std::string_view(attributes.names[i]->data, attributes.names[i]->size) == name)
      return attributes.values[i];
  }
  return nullptr;
}
int64_t elements(const FfiBuffer& buffer) {
  int64_t count = 1;
  for (int64_t d = 0; d < buffer.rank; ++d) count *= buffer.dimensions[d];
  return count;
}

FfiTypeId counterType(const FfiCallFrame* frame) {
  static FfiTypeId id{};
  static const FfiTypeInfo info = [] {
    FfiTypeInfo made{};
    made.structBytes = sizeof(made);
    made.destroy = [](void* counter) { delete static_cast<int64_t*>(counter); };
    return made;
  }();
  FfiTypeRegister args{};
  args.structBytes = sizeof(args);
  args.name = {"test.counter", 12};
  args.id = &id;
  args.info = &info;
  if (frame->api->typeRegister(&args) != nullptr) std::abort();
  return id;
}

FfiError* setCounter(FfiCallFrame* frame, FfiStage stage, int64_t value) {
  FfiTypeId id = counterType(frame);
  FfiStateArgs args{};
  args.structBytes = sizeof(args);
  args.context = frame->context;
  args.stage = stage;
  args.type = &id;
  args.state = new int64_t(value);
  return frame->api->stateSet(&args);
}

FfiError* getCounter(FfiCallFrame* frame, FfiStage stage, int64_t** counter) {
  FfiTypeId id = counterType(frame);
  FfiStateArgs args{};
  args.structBytes = sizeof(args);
  args.context = frame->context;
  args.stage = stage;
  args.type = &id;
  FfiError* error = frame->api->stateGet(&args);
  *counter = static_cast<int64_t*>(args.state);
  return error;
}

}  // namespace

extern "C" {

// out = scale * a + inner.shift, of f32.
FfiError* scaleShift(FfiCallFrame* frame) {
  if (tellsVersion(frame, kFfiMinor, kFfiCommandBufferCompatible)) return nullptr;
  const auto* scale = static_cast<const FfiScalar*>(attribute(frame->attributes, "scale"));
  const auto* inner = static_cast<const FfiAttributes*>(attribute(frame->attributes, "inner"));
  if (scale == nullptr || inner == nullptr)
    return fails(frame, FfiCode::InvalidArgument, "scale and inner are needed");
  if (scale->type != 11) return fails(frame, FfiCode::InvalidArgument, "scale is no f32");
  const auto* shift = static_cast<const FfiScalar*>(attribute(*inner, "shift"));
  const auto* from = static_cast<const float*>(argument(frame, 0).data);
  auto* to = static_cast<float*>(result(frame, 0).data);
  for (int64_t i = 0; i < elements(argument(frame, 0)); ++i)
    to[i] = *static_cast<float*>(scale->value) * from[i] +
            static_cast<float>(*static_cast<int16_t*>(shift->value));
  return nullptr;
}

FfiError* dies(FfiCallFrame* frame) {
  if (tellsVersion(frame)) return nullptr;
  std::abort();
}

FfiError* fromTheFuture(FfiCallFrame* frame) {
  (void)tellsVersion(frame, 99);
  return nullptr;
}

// Instantiate counts from 10, prepare from 100, initialize from 1000; execute adds one to each and gives all.
FfiError* countInstantiate(FfiCallFrame* frame) {
  if (argument(frame, 0).data != nullptr)
    return fails(frame, FfiCode::Internal, "buffers have memory already");
  return setCounter(frame, FfiStage::Instantiate, 10);
}
FfiError* countPrepare(FfiCallFrame* frame) { return setCounter(frame, FfiStage::Prepare, 100); }
FfiError* countInitialize(FfiCallFrame* frame) { return setCounter(frame, FfiStage::Initialize, 1000); }
FfiError* count(FfiCallFrame* frame) {
  if (tellsVersion(frame)) return nullptr;
  int64_t sum = 0;
  for (const FfiStage stage : {FfiStage::Instantiate, FfiStage::Prepare, FfiStage::Initialize}) {
    int64_t* counter = nullptr;
    if (FfiError* error = getCounter(frame, stage, &counter)) return error;
    sum += ++*counter;
  }
  std::memcpy(result(frame, 0).data, &sum, sizeof(sum));
  return nullptr;
}

// Two calls, one after the other: each adds 1 to its operand where both were prepared and then both
// initialized before the first of them is executed.
std::string stagesCalled;
FfiError* stagesPrepare(FfiCallFrame*) {
  stagesCalled += 'p';
  return nullptr;
}
FfiError* stagesInitialize(FfiCallFrame*) {
  stagesCalled += 'i';
  return nullptr;
}
FfiError* stages(FfiCallFrame* frame) {
  if (tellsVersion(frame)) return nullptr;
  int64_t value = 0;
  std::memcpy(&value, argument(frame, 0).data, sizeof(value));
  value += stagesCalled.starts_with("ppii") ? 1 : 0;
  std::memcpy(result(frame, 0).data, &value, sizeof(value));
  stagesCalled += 'e';
  if (stagesCalled == "ppiiee") stagesCalled.clear();
  return nullptr;
}

// Is done by a task, after it returned, in memory that it asks for.
FfiError* later(FfiCallFrame* frame) {
  if (tellsVersion(frame)) return nullptr;
  FfiAllocate memory{};
  memory.structBytes = sizeof(memory);
  memory.context = frame->context;
  memory.size = 8;
  memory.alignment = 256;
  if (FfiError* error = frame->api->memoryAllocate(&memory)) return error;
  if (reinterpret_cast<uintptr_t>(memory.data) % 256 != 0)
    return fails(frame, FfiCode::Internal, "memory lies anywhere");
  FfiFutureCreate future{};
  future.structBytes = sizeof(future);
  if (FfiError* error = frame->api->futureCreate(&future)) return error;
  struct Task {
    const FfiApi* api;
    FfiFuture* future;
    void *scratch, *to;
  };
  FfiSchedule schedule{};
  schedule.structBytes = sizeof(schedule);
  schedule.context = frame->context;
  schedule.data = new Task{frame->api, future.future, memory.data, result(frame, 0).data};
  schedule.task = [](void* data) {
    const auto* task = static_cast<Task*>(data);
    const int64_t answer = 42;
    std::memcpy(task->scratch, &answer, sizeof(answer));
    std::memcpy(task->to, task->scratch, sizeof(answer));
    FfiFutureSet set{};
    set.structBytes = sizeof(set);
    set.future = task->future;
    (void)task->api->futureSet(&set);
    delete task;
  };
  frame->future = future.future;
  return frame->api->schedule(&schedule);
}

FfiError* wantsStream(FfiCallFrame* frame) {
  if (tellsVersion(frame)) return nullptr;
  FfiStreamGet get{};
  get.structBytes = sizeof(get);
  get.context = frame->context;
  return frame->api->streamGet(&get);
}

// Was built with a struct that had fewer fields.
FfiError* smallStruct(FfiCallFrame* frame) {
  if (tellsVersion(frame)) return nullptr;
  FfiAllocate memory{};
  memory.structBytes = sizeof(memory) - 16;
  memory.context = frame->context;
  return frame->api->memoryAllocate(&memory);
}
}
