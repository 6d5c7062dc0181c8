// What the opaque objects of PJRT's C API are here. Whoever gets one keeps it until it gives it back; devices
// and memories belong to their client. Everything runs at once where it is called, so that events are over
// when they are given, those of Event_Create aside.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/hlo/ir/literal.h"
#include "core/runtime/engine/engine.h"
#include "core/runtime/pjrt/pjrt_arguments.h"
#include "core/workspace/run/engines.h"

namespace hilo {

// Errors and memories begin with a pointer to functions, which newer frameworks call directly.
struct PjrtErrorFunctions {
  size_t bytes;
  void (*destroy)(PjrtError* error);
  void (*message)(const PjrtError* error, const char** text, size_t* size);
  PjrtCode (*code)(const PjrtError* error);
  void (*payloads)(const PjrtError* error, PjrtPayloadVisitor visitor, void* user);
};
struct PjrtError {
  const PjrtErrorFunctions* functions;
  PjrtCode code;
  std::string message;
};
PjrtError* makeError(PjrtCode code, std::string message);
PjrtError* makeError(const Diagnostic& diagnostic);

struct PjrtEvent {
  std::mutex mutex;
  std::condition_variable changed;
  bool isDone = false;
  std::optional<Diagnostic> error;
  std::vector<std::pair<PjrtEventCallback, void*>> waiting;
};
// An event that is over.
PjrtEvent* doneEvent();

// What programs are compiled by, and for how many devices; the same for all of a client.
struct PjrtSettings {
  std::string engine = defaultEngine();
  int64_t devices = 1;
};
// From the options of a client (engine, devices), where they are not given from HILO_PJRT_ENGINE and
// HILO_PJRT_DEVICES. Kinds "unknown-option", "wrong-option".
Result<PjrtSettings> settingsFrom(const PjrtNamedValue* options, size_t count);

struct PjrtDescription {
  int32_t number;
  std::string kind, text;
};

struct PjrtMemoryFunctions {
  size_t bytes;
  void* (*get)(PjrtMemory* memory, const void* key);
  void (*set)(PjrtMemory* memory, const void* key, void* data, void (*destroy)(void*));
};
struct PjrtMemory {
  struct UserData {
    const void* key;
    void* data;
    void (*destroy)(void*);
  };
  const PjrtMemoryFunctions* functions;
  PjrtDevice* device;
  std::string text;
  std::mutex mutex;
  std::vector<UserData> userData;
  ~PjrtMemory();
};

struct PjrtDevice {
  PjrtClient* client;
  PjrtDescription* description;
  std::unique_ptr<PjrtMemory> memory;
  PjrtMemory* memories[1];
};

struct PjrtTopology {
  PjrtSettings settings;
  std::string version;
  std::vector<std::unique_ptr<PjrtDescription>> descriptions;
  std::vector<PjrtDescription*> list;
};
std::unique_ptr<PjrtTopology> topologyOf(const PjrtSettings& settings);

struct PjrtClient {
  std::unique_ptr<PjrtTopology> topology;
  std::vector<std::unique_ptr<PjrtDevice>> devices;
  std::vector<PjrtDevice*> deviceList;
  std::vector<PjrtMemory*> memoryList;
};

struct PjrtBuffer {
  Literal value;  // an array, row-major
  PjrtDevice* device;
  PjrtType type;
  std::vector<int64_t> minorToMajor;
  bool isDeleted = false;
  std::atomic<int64_t> references = 1;
};
PjrtBuffer* makeBuffer(Literal value, PjrtDevice* device);
// Kind "buffer-deleted".
Status checkAlive(const PjrtBuffer& buffer);

}  // namespace hilo
