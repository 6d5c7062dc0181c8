#include "core/runtime/ffi/ffi_functions.h"

#include <fmt/format.h>

#include <chrono>
#include <map>
#include <memory>

#include "core/runtime/ffi/ffi_handler.h"

namespace hilo {
namespace {

FfiError* error(FfiCode code, std::string message) {
  return new FfiError{.code = code, .message = std::move(message)};
}

// Types that handlers keep states of: by number, and by name, so that a library that is asked twice gets one.
struct FfiTypes {
  std::mutex mutex;
  std::map<std::string, int64_t> numbers;
  std::map<int64_t, void (*)(void*)> destroyers;
};
FfiTypes& ffiTypes() {
  static auto& types = *new FfiTypes();
  return types;
}

// A struct that is smaller than its fields was made for another version.
template <typename T>
FfiError* tooSmall(const T* args, size_t lastEnd, const char* name) {
  if (args->structBytes >= lastEnd) return nullptr;
  return error(FfiCode::InvalidArgument, fmt::format("{}: a struct of {} bytes was given where {} are needed",
                                                     name, args->structBytes, lastEnd));
}
#define HILO_FFI_TAKE(args, last, name)                                                             \
  if (FfiError* small = tooSmall(args,                                                              \
                                 static_cast<size_t>(reinterpret_cast<const char*>(&(args)->last) - \
                                                     reinterpret_cast<const char*>(args)) +         \
                                     sizeof((args)->last),                                          \
                                 name))                                                             \
  return small

FfiError* errorCreate(FfiErrorCreate* args) {
  HILO_FFI_TAKE(args, code, "XLA_FFI_Error_Create");
  return error(args->code, args->message != nullptr ? args->message : "");
}
void errorDetails(FfiErrorDetails* args) {
  args->message = args->error->message.c_str();
  args->code = args->error->code;
}
void errorDestroy(FfiErrorDestroy* args) { delete args->error; }

std::string_view viewOf(FfiByteSpan span) {
  return span.data == nullptr ? std::string_view() : std::string_view(span.data, span.size);
}

FfiError* handlerRegister(FfiRegister* args) {
  HILO_FFI_TAKE(args, traits, "XLA_FFI_Handler_Register");
  const Status done = registerFfiHandler(viewOf(args->name), viewOf(args->platform), args->bundle);
  return done ? nullptr : error(FfiCode::InvalidArgument, done.error().message);
}

FfiError* streamGet(FfiStreamGet* args) {
  HILO_FFI_TAKE(args, stream, "XLA_FFI_Stream_Get");
  args->stream = args->context->stream;
  if (args->stream != nullptr) return nullptr;
  return error(FfiCode::Unimplemented, "this custom call runs on the host, which has no streams");
}

FfiError* typeRegister(FfiTypeRegister* args) {
  HILO_FFI_TAKE(args, id, "XLA_FFI_Type_Register");
  FfiTypes& types = ffiTypes();
  const std::scoped_lock lock(types.mutex);
  const auto [entry, isNew] = types.numbers.try_emplace(std::string(viewOf(args->name)),
                                                        static_cast<int64_t>(types.numbers.size()) + 1);
  if (args->id->number != 0 && args->id->number != entry->second)
    return error(FfiCode::InvalidArgument,
                 fmt::format("the type {} has another number already", entry->first));
  args->id->number = entry->second;
  const bool hasInfo = args->structBytes >= sizeof(FfiTypeRegister) && args->info != nullptr;
  if (isNew) types.destroyers[entry->second] = hasInfo ? args->info->destroy : nullptr;
  return nullptr;
}

FfiError* contextGet(FfiContextGet* args) {
  HILO_FFI_TAKE(args, data, "XLA_FFI_InvokeContext_Get");
  return error(FfiCode::NotFound, "the caller of the program gave no data of this type");
}

FfiError* stateOf(FfiStateArgs* args, FfiState** state) {
  HILO_FFI_TAKE(args, state, "XLA_FFI_State");
  const auto stage = static_cast<int32_t>(args->stage);
  if (stage < 0 || stage >= 3 || args->context->states[stage] == nullptr)
    return error(FfiCode::InvalidArgument, fmt::format("stage {} keeps no state here", stage));
  *state = args->context->states[stage];
  return nullptr;
}
FfiError* stateSet(FfiStateArgs* args) {
  FfiState* state = nullptr;
  if (FfiError* wrong = stateOf(args, &state)) return wrong;
  return state->set(*args->type, args->state);
}
FfiError* stateGet(FfiStateArgs* args) {
  FfiState* state = nullptr;
  if (FfiError* wrong = stateOf(args, &state)) return wrong;
  return state->get(*args->type, &args->state);
}

FfiError* memoryAllocate(FfiAllocate* args) {
  HILO_FFI_TAKE(args, data, "XLA_FFI_DeviceMemory_Allocate");
  args->data = nullptr;
  if (args->size == 0) return nullptr;
  auto memory = args->context->memory->allocate(args->size, args->alignment);
  if (!memory) return error(FfiCode::ResourceExhausted, memory.error().message);
  args->data = *memory;
  return nullptr;
}
FfiError* memoryFree(FfiFree* args) {
  HILO_FFI_TAKE(args, data, "XLA_FFI_DeviceMemory_Free");
  if (args->data == nullptr) return nullptr;
  const Status done = args->context->memory->free(args->data);
  return done ? nullptr : error(FfiCode::Internal, done.error().message);
}

FfiError* schedule(FfiSchedule* args) {
  HILO_FFI_TAKE(args, data, "XLA_FFI_ThreadPool_Schedule");
  args->context->tasks->add([task = args->task, data = args->data] { task(data); });
  return nullptr;
}
FfiError* threadCount(FfiThreadCount* args) {
  HILO_FFI_TAKE(args, threads, "XLA_FFI_ThreadPool_NumThreads");
  *args->threads = args->context->tasks->threads();
  return nullptr;
}

FfiError* futureCreate(FfiFutureCreate* args) {
  HILO_FFI_TAKE(args, extensions, "XLA_FFI_Future_Create");
  args->future = new FfiFuture();
  return nullptr;
}
FfiError* futureSet(FfiFutureSet* args) {
  HILO_FFI_TAKE(args, future, "XLA_FFI_Future_SetAvailable");
  args->future->set(nullptr);
  return nullptr;
}
FfiError* futureFail(FfiFutureFail* args) {
  HILO_FFI_TAKE(args, error, "XLA_FFI_Future_SetError");
  args->future->set(args->error != nullptr ? args->error : error(FfiCode::Unknown, ""));
  return nullptr;
}

FfiError* runIdGet(FfiRunId* args) {
  HILO_FFI_TAKE(args, id, "XLA_FFI_RunId_Get");
  args->id = args->context->runId;
  return nullptr;
}
FfiError* deviceOrdinal(FfiDeviceOrdinal* args) {
  HILO_FFI_TAKE(args, ordinal, "XLA_FFI_DeviceOrdinal_Get");
  args->ordinal = args->context->device;
  return nullptr;
}
FfiError* findExtension(FfiFindExtension* args) {
  HILO_FFI_TAKE(args, extension, "XLA_FFI_InvokeContext_FindExtension");
  args->extension = nullptr;
  return nullptr;
}

FfiApi makeApi() {
  FfiApi api{};
  api.structBytes = kFfiApiBytes;
  api.version.structBytes = kFfiVersionBytes;
  api.version.major = kFfiMajor;
  api.version.minor = kFfiMinor;
  api.errorCreate = errorCreate;
  api.errorDetails = errorDetails;
  api.errorDestroy = errorDestroy;
  api.handlerRegister = handlerRegister;
  api.streamGet = streamGet;
  api.typeRegister = typeRegister;
  api.contextGet = contextGet;
  api.stateSet = stateSet;
  api.stateGet = stateGet;
  api.memoryAllocate = memoryAllocate;
  api.memoryFree = memoryFree;
  api.schedule = schedule;
  api.threadCount = threadCount;
  api.futureCreate = futureCreate;
  api.futureSet = futureSet;
  api.futureFail = futureFail;
  api.runId = runIdGet;
  api.deviceOrdinal = deviceOrdinal;
  api.findExtension = findExtension;
  return api;
}

}  // namespace

const FfiApi& ffiApi() {
  static const FfiApi api = makeApi();
  return api;
}

FfiFailure takeFfiError(FfiError* error) {
  const std::unique_ptr<FfiError> taken(error);
  return {.code = taken->code, .message = std::move(taken->message)};
}

std::string ffiCodeName(FfiCode code) {
  static constexpr const char* kNames[] = {
      "OK",        "CANCELLED",      "UNKNOWN",           "INVALID_ARGUMENT",   "DEADLINE_EXCEEDED",
      "NOT_FOUND", "ALREADY_EXISTS", "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION",
      "ABORTED",   "OUT_OF_RANGE",   "UNIMPLEMENTED",     "INTERNAL",           "UNAVAILABLE",
      "DATA_LOSS", "UNAUTHENTICATED"};
  static_assert(std::size(kNames) == static_cast<size_t>(FfiCode::Unauthenticated) + 1);
  const auto number = static_cast<int32_t>(code);
  if (number < 0 || number >= static_cast<int32_t>(std::size(kNames))) return fmt::format("code {}", number);
  return kNames[number];
}

FfiError* FfiState::set(FfiTypeId type, void* object) {
  if (object_ != nullptr) return error(FfiCode::AlreadyExists, "the stage has set its state already");
  FfiTypes& types = ffiTypes();
  const std::scoped_lock lock(types.mutex);
  if (!types.destroyers.contains(type.number))
    return error(FfiCode::NotFound, fmt::format("no type was registered as {}", type.number));
  type_ = type;
  object_ = object;
  return nullptr;
}

FfiError* FfiState::get(FfiTypeId type, void** object) const {
  if (object_ == nullptr) return error(FfiCode::NotFound, "the stage has set no state");
  if (type.number != type_.number)
    return error(FfiCode::InvalidArgument,
                 fmt::format("the state is of type {}, and {} was asked for", type_.number, type.number));
  *object = object_;
  return nullptr;
}

FfiState::~FfiState() {
  if (object_ == nullptr) return;
  void (*destroy)(void*) = nullptr;
  {
    FfiTypes& types = ffiTypes();
    const std::scoped_lock lock(types.mutex);
    destroy = types.destroyers[type_.number];
  }
  if (destroy != nullptr) destroy(object_);
}

FfiTasks::~FfiTasks() {
  {
    const std::scoped_lock lock(mutex_);
    ends_ = true;
  }
  wake_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

void FfiTasks::add(std::function<void()> task) {
  const std::scoped_lock lock(mutex_);
  tasks_.push_back(std::move(task));
  if (std::ssize(workers_) < threads_) workers_.emplace_back([this] { work(); });
  wake_.notify_one();
}

void FfiTasks::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    wake_.wait(lock, [this] { return ends_ || !tasks_.empty(); });
    if (tasks_.empty()) return;
    const std::function<void()> task = std::move(tasks_.front());
    tasks_.pop_front();
    lock.unlock();
    task();
    lock.lock();
  }
}

FfiError* FfiFuture::wait(const CancelToken& cancel) {
  std::unique_lock lock(mutex_);
  while (!wake_.wait_for(lock, std::chrono::milliseconds(50), [this] { return isSet_; })) {
    if (cancel.cancelled()) return error(FfiCode::Cancelled, "the run was cancelled");
  }
  return error_;
}

void FfiFuture::set(FfiError* error) {
  const std::scoped_lock lock(mutex_);
  isSet_ = true;
  error_ = error;
  wake_.notify_all();
}

}  // namespace hilo

extern "C" __attribute__((visibility("default"), used)) const hilo::FfiApi* XLA_FFI_GetApi() {
  return &hilo::ffiApi();
}
