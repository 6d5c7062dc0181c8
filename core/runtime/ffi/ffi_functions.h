// The functions that this program gives to handlers of XLA's FFI.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "core/base/cancel.h"
#include "core/base/result.h"
#include "core/runtime/ffi/ffi_api.h"

namespace hilo {

struct FfiError {
  FfiCode code = FfiCode::Unknown;
  std::string message;
};
// What a handler said; the error is gone.
struct FfiFailure {
  FfiCode code = FfiCode::Unknown;
  std::string message;
};
FfiFailure takeFfiError(FfiError* error);
// "INVALID_ARGUMENT"; "code 99" of one that is none.
std::string ffiCodeName(FfiCode code);

// What a stage of a handler left for the later ones. The object ends with it.
class FfiState {
 public:
  FfiState() = default;
  ~FfiState();
  FfiState(const FfiState&) = delete;
  FfiState& operator=(const FfiState&) = delete;

  // An error where there is one already, or where the type was never registered.
  FfiError* set(FfiTypeId type, void* object);
  FfiError* get(FfiTypeId type, void** object) const;

 private:
  FfiTypeId type_{};
  void* object_ = nullptr;
};

// Threads for the tasks of one call: begun with the first, ended with it.
class FfiTasks {
 public:
  explicit FfiTasks(int64_t threads) : threads_(threads) {}
  ~FfiTasks();
  FfiTasks(const FfiTasks&) = delete;
  FfiTasks& operator=(const FfiTasks&) = delete;
  int64_t threads() const { return threads_; }
  void add(std::function<void()> task);

 private:
  void work();
  const int64_t threads_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> tasks_;
  bool ends_ = false;
  std::vector<std::thread> workers_;
};

struct FfiFuture {
  // Until it is set, or the call is cancelled; null where all went well.
  FfiError* wait(const CancelToken& cancel);
  void set(FfiError* error);

 private:
  std::mutex mutex_;
  std::condition_variable wake_;
  bool isSet_ = false;
  FfiError* error_ = nullptr;
};

// Memory that a handler asks for while it runs. On the host: from the C library.
struct FfiMemory {
  std::function<Result<void*>(size_t size, size_t alignment)> allocate;
  std::function<Status(void* memory)> free;
};

// What one call of a handler may ask for.
struct FfiInvokeContext {
  FfiState* states[3] = {};  // of the stages before Execute
  FfiTasks* tasks = nullptr;
  const FfiMemory* memory = nullptr;
  void* stream = nullptr;  // null on the host
  int64_t runId = 0;
  int32_t device = 0;
};

// The one table. It has the version of ffi_api.h.
const FfiApi& ffiApi();

}  // namespace hilo
