// What each function of PJRT's C API takes and gives, as pjrt_functions.def names it. Functions of one layout
// share a struct. Lists and texts belong to whoever gave them.
#pragma once

#include "core/runtime/pjrt/pjrt_api.h"

namespace hilo {

struct PjrtText {
  const char* data;
  size_t size;
};

struct PjrtErrorArgs : PjrtHead {
  PjrtError* error;
};
struct PjrtErrorMessage : PjrtHead {
  const PjrtError* error;
  PjrtText message;
};
struct PjrtErrorCode : PjrtHead {
  const PjrtError* error;
  PjrtCode code;
};
using PjrtPayloadVisitor = void (*)(const char* key, size_t keySize, const char* value, size_t valueSize,
                                    void*);
struct PjrtErrorPayload : PjrtHead {
  const PjrtError* error;
  PjrtPayloadVisitor visitor;
  void* user;
};

struct PjrtPluginAttributes : PjrtHead {
  const PjrtNamedValue* attributes;
  size_t count;
};

struct PjrtEventArgs : PjrtHead {
  PjrtEvent* event;
};
struct PjrtEventReady : PjrtEventArgs {
  bool isReady;
};
using PjrtEventCallback = void (*)(PjrtError* error, void* user);
struct PjrtEventOnReady : PjrtEventArgs {
  PjrtEventCallback callback;
  void* user;
};
struct PjrtEventSet : PjrtEventArgs {
  PjrtCode code;
  PjrtText message;
};

struct PjrtClientCreate : PjrtHead {
  const PjrtNamedValue* options;
  size_t optionCount;
  void *getValue, *getUser, *putValue, *putUser;
  PjrtClient* client;
  void *tryGetValue, *tryGetUser;
};
struct PjrtClientArgs : PjrtHead {
  PjrtClient* client;
};
struct PjrtClientText : PjrtClientArgs {
  PjrtText text;
};
struct PjrtClientIndex : PjrtClientArgs {
  int32_t index;
};
struct PjrtClientTopology : PjrtClientArgs {
  PjrtTopology* topology;
};
struct PjrtClientDevices : PjrtClientArgs {
  PjrtDevice* const* devices;
  size_t count;
};
struct PjrtClientMemories : PjrtClientArgs {
  PjrtMemory* const* memories;
  size_t count;
};
struct PjrtLookupDevice : PjrtClientArgs {
  int32_t number;
  PjrtDevice* device;
};
struct PjrtClientCompile : PjrtClientArgs {
  const PjrtProgram* program;
  PjrtText options;  // CompileOptionsProto
  PjrtLoaded* executable;
};
struct PjrtDeviceAssignment : PjrtClientArgs {
  int32_t replicas, partitions;
  size_t size;
  int32_t* assignment;
};
enum class PjrtHostSemantics : int32_t { DuringCall, UntilTransferred, ZeroCopy, MutableZeroCopy };
struct PjrtFromHost : PjrtClientArgs {
  const void* data;
  PjrtType type;
  const int64_t* dimensions;
  size_t rank;
  const int64_t* byteStrides;
  size_t strideCount;
  PjrtHostSemantics semantics;
  PjrtDevice* device;
  PjrtMemory* memory;
  PjrtLayout* layout;
  PjrtEvent* doneWithHost;
  PjrtBuffer* buffer;
};
struct PjrtUninitialized : PjrtClientArgs {
  const int64_t* dimensions;
  size_t rank;
  PjrtType type;
  PjrtLayout* layout;
  PjrtDevice* device;
  PjrtMemory* memory;
  PjrtBuffer* buffer;
};

struct PjrtDescriptionArgs : PjrtHead {
  PjrtDescription* description;
};
struct PjrtDescriptionNumber : PjrtDescriptionArgs {
  int32_t number;
};
struct PjrtDescriptionText : PjrtDescriptionArgs {
  PjrtText text;
};
struct PjrtDescriptionAttributes : PjrtDescriptionArgs {
  size_t count;
  const PjrtNamedValue* attributes;
};

struct PjrtDeviceArgs : PjrtHead {
  PjrtDevice* device;
};
struct PjrtDeviceDescription : PjrtDeviceArgs {
  PjrtDescription* description;
};
struct PjrtDeviceFlag : PjrtDeviceArgs {
  bool value;
};
struct PjrtDeviceNumber : PjrtDeviceArgs {
  int32_t number;
};
struct PjrtDeviceMemories : PjrtDeviceArgs {
  PjrtMemory* const* memories;
  size_t count;
};
struct PjrtDeviceMemory : PjrtDeviceArgs {
  PjrtMemory* memory;
};
struct PjrtDeviceAttributes : PjrtDeviceArgs {
  const PjrtNamedValue* attributes;
  size_t count;
  void* holder;
  void (*destroy)(void* holder);
};

struct PjrtMemoryArgs : PjrtHead {
  PjrtMemory* memory;
};
struct PjrtMemoryNumber : PjrtMemoryArgs {
  int32_t number;
};
struct PjrtMemoryText : PjrtMemoryArgs {
  PjrtText text;
};
struct PjrtMemoryDevices : PjrtMemoryArgs {
  PjrtDevice* const* devices;
  size_t count;
};

struct PjrtExecutableArgs : PjrtHead {
  PjrtExecutable* executable;
};
struct PjrtExecutableText : PjrtExecutableArgs {
  PjrtText text;
};
struct PjrtExecutableCount : PjrtExecutableArgs {
  size_t count;
};
struct PjrtExecutableBytes : PjrtExecutableArgs {
  int64_t bytes;
};
struct PjrtExecutableCost : PjrtExecutableArgs {
  size_t count;
  const PjrtNamedValue* properties;
};
struct PjrtExecutableMemory : PjrtExecutableArgs {
  int64_t code, arguments, outputs, aliases, temporaries;
  int64_t hostCode, hostArguments, hostOutputs, hostAliases, hostTemporaries;
  int64_t peak, total, allocations, indefinite, peakUnpadded;
};
struct PjrtOutputTypes : PjrtExecutableArgs {
  const PjrtType* types;
  size_t count;
};
struct PjrtOutputDimensions : PjrtExecutableArgs {
  size_t count;
  const int64_t* dimensions;  // of all outputs, one after the other
  const size_t* ranks;
};
struct PjrtMemoryKinds : PjrtExecutableArgs {
  size_t count;
  const char* const* kinds;
  const size_t* sizes;
};
struct PjrtOptimizedProgram : PjrtExecutableArgs {
  PjrtProgram* program;  // with room for as many bytes as a call without room gave
};
struct PjrtSerialize : PjrtExecutableArgs {
  PjrtText bytes;
  void* holder;
  void (*destroy)(void* holder);
};
struct PjrtDeserialize : PjrtClientArgs {
  PjrtText bytes;
  PjrtLoaded* executable;
  PjrtText options;
  void* loadOptions;
};

struct PjrtLoadedArgs : PjrtHead {
  PjrtLoaded* executable;
};
struct PjrtLoadedExecutable : PjrtLoadedArgs {
  PjrtExecutable* inner;
};
struct PjrtLoadedDevices : PjrtLoadedArgs {
  PjrtDevice* const* devices;
  size_t count;
};
struct PjrtLogicalId {
  int32_t replica, partition;
};
struct PjrtLogicalIds : PjrtLoadedArgs {
  const PjrtLogicalId* ids;
  size_t count;
};
struct PjrtLoadedFlag : PjrtLoadedArgs {
  bool value;
};
struct PjrtLoadedText : PjrtLoadedArgs {
  PjrtText text;
};
struct PjrtLoadedAssignment : PjrtLoadedArgs {
  PjrtText bytes;  // DeviceAssignmentProto
  void* holder;
  void (*destroy)(void* holder);
};
struct PjrtExecuteOptions : PjrtHead {
  void **sends, **receives;
  size_t sendCount, receiveCount;
  int32_t launchId;
  const int64_t* notDonatable;
  size_t notDonatableCount;
  PjrtContext* context;
  const char* callLocation;
  size_t taskCount;
  int32_t* tasks;
  int64_t* incarnations;
  void* multiSlice;
  bool rowMajorCallbacks;
  void* outputCallbacks;
  size_t outputCallbackCount;
};
// Lists by device.
struct PjrtExecute : PjrtLoadedArgs {
  PjrtExecuteOptions* options;
  PjrtBuffer* const* const* arguments;
  size_t deviceCount;
  size_t argumentCount;
  PjrtBuffer** const* outputs;
  PjrtEvent** completed;
  PjrtDevice* device;  // of a program for one device, compiled for any
};

struct PjrtBufferArgs : PjrtHead {
  PjrtBuffer* buffer;
};
struct PjrtBufferType : PjrtBufferArgs {
  PjrtType type;
};
struct PjrtBufferDimensions : PjrtBufferArgs {
  const int64_t* dimensions;
  size_t rank;
};
struct PjrtBufferDynamic : PjrtBufferArgs {
  const size_t* indices;
  size_t count;
};
struct PjrtBufferLayout : PjrtBufferArgs {
  PjrtLayout layout;
};
struct PjrtBufferBytes : PjrtBufferArgs {
  size_t bytes;
};
struct PjrtBufferDevice : PjrtBufferArgs {
  PjrtDevice* device;
};
struct PjrtBufferMemory : PjrtBufferArgs {
  PjrtMemory* memory;
};
struct PjrtBufferFlag : PjrtBufferArgs {
  bool value;
};
struct PjrtCopyToDevice : PjrtBufferArgs {
  PjrtDevice* device;
  PjrtBuffer* copy;
};
struct PjrtCopyToMemory : PjrtBufferArgs {
  PjrtMemory* memory;
  PjrtBuffer* copy;
};
struct PjrtToHost : PjrtBufferArgs {
  PjrtLayout* layout;
  void* data;  // null: says how many bytes it takes
  size_t size;
  PjrtEvent* event;
};
struct PjrtRawToHost : PjrtBufferArgs {
  void* data;
  int64_t offset, size;
  PjrtEvent* event;
};
struct PjrtBufferEvent : PjrtBufferArgs {
  PjrtEvent* event;
};
struct PjrtBufferAddress : PjrtBufferArgs {
  uintptr_t address;
};
struct PjrtBufferPointer : PjrtBufferArgs {
  void* data;
};

struct PjrtTopologyCreate : PjrtHead {
  PjrtText name;
  const PjrtNamedValue* options;
  size_t optionCount;
  PjrtTopology* topology;
};
struct PjrtTopologyArgs : PjrtHead {
  PjrtTopology* topology;
};
struct PjrtTopologyText : PjrtTopologyArgs {
  PjrtText text;
};
struct PjrtTopologyDevices : PjrtTopologyArgs {
  PjrtDescription* const* descriptions;
  size_t count;
};
struct PjrtTopologyAttributes : PjrtTopologyArgs {
  const PjrtNamedValue* attributes;
  size_t count;
};
struct PjrtTopologyFingerprint : PjrtTopologyArgs {
  uint64_t fingerprint;
};
struct PjrtCompile : PjrtTopologyArgs {
  const PjrtProgram* program;
  PjrtText options;
  PjrtClient* client;  // may be null
  PjrtExecutable* executable;
};
struct PjrtContextArgs : PjrtHead {
  PjrtContext* context;
};

template <PjrtFunction kFunction>
struct PjrtArgumentsOf;
#define PJRT_FUNCTION(name, arguments)         \
  template <>                                  \
  struct PjrtArgumentsOf<PjrtFunction::name> { \
    using Type = arguments;                    \
  };
#include "core/runtime/pjrt/pjrt_functions.def"

}  // namespace hilo
