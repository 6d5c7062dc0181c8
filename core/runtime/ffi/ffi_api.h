// XLA's FFI, the C interface between a runtime and the functions of custom calls: our own declarations, of
// the same layout in memory as version 0.4 of xla/ffi/api/c_api.h. Every struct begins with its size and a
// list of extensions; who reads one reads no further than the size covers. kFfi<Name>Bytes is the size that
// is announced, which leaves out padding, and of FfiCallFrame the field that came later.
#pragma once

#include <cstddef>
#include <cstdint>

namespace hilo {

inline constexpr int kFfiMajor = 0, kFfiMinor = 4;
inline constexpr int kFfiOldestMinor = 1;

struct FfiApi;
struct FfiError;          // ffi_error.h
struct FfiInvokeContext;  // ffi_context.h
struct FfiFuture;         // ffi_context.h

enum class FfiExtensionType : int32_t { Metadata = 1 };
struct FfiExtension {
  size_t structBytes;
  FfiExtensionType type;
  FfiExtension* next;
};

// What every struct of a call begins with.
struct FfiHead {
  size_t structBytes;
  FfiExtension* extensions;
};

struct FfiVersion : FfiHead {
  int32_t major, minor;
};

// The codes of absl::Status.
enum class FfiCode : int32_t {
  Ok,
  Cancelled,
  Unknown,
  InvalidArgument,
  DeadlineExceeded,
  NotFound,
  AlreadyExists,
  PermissionDenied,
  ResourceExhausted,
  FailedPrecondition,
  Aborted,
  OutOfRange,
  Unimplemented,
  Internal,
  Unavailable,
  DataLoss,
  Unauthenticated
};

// Numbers of types are those of XLA's PrimitiveType.
struct FfiBuffer : FfiHead {
  int32_t type;
  void* data;
  int64_t rank;
  int64_t* dimensions;
};
inline constexpr int32_t kFfiKindBuffer = 1;

struct FfiByteSpan {
  const char* data;
  size_t size;
};
struct FfiScalar {
  int32_t type;
  void* value;
};
struct FfiArray {
  int32_t type;
  size_t size;
  void* data;
};

enum class FfiAttributeKind : int32_t { Array = 1, Dictionary = 2, Scalar = 3, String = 4 };
// `values`: an FfiArray, FfiAttributes, FfiScalar or FfiByteSpan each. By name.
struct FfiAttributes : FfiHead {
  int64_t size;
  FfiAttributeKind* kinds;
  FfiByteSpan** names;
  void** values;
};

// Of operands and of results alike: an FfiBuffer each.
struct FfiBuffers : FfiHead {
  int64_t size;
  int32_t* kinds;
  void** buffers;
};

enum class FfiStage : int32_t { Instantiate, Prepare, Initialize, Execute, Record };
inline constexpr int kFfiStageCount = 5;

struct FfiCallFrame : FfiHead {
  const FfiApi* api;
  FfiInvokeContext* context;
  FfiStage stage;
  FfiBuffers arguments, results;
  FfiAttributes attributes;
  FfiFuture* future;  // set by a handler that is done later
};

using FfiHandlerFunction = FfiError*(FfiCallFrame*);
// By stage; null where it has none.
struct FfiBundle {
  FfiHandlerFunction *instantiate, *prepare, *initialize, *execute, *record;
};

inline constexpr uint32_t kFfiCommandBufferCompatible = 1;

struct FfiTypeId {
  int64_t number;
};
struct FfiTypeInfo : FfiHead {
  void (*destroy)(void* object);
};

struct FfiMetadata {
  size_t structBytes;
  FfiVersion version;
  uint32_t traits;
  FfiTypeId stateType;
};
// A call with this among its extensions asks for the metadata and does nothing else.
struct FfiMetadataExtension {
  FfiExtension base;
  FfiMetadata* metadata;
};

struct FfiErrorCreate : FfiHead {
  const char* message;
  FfiCode code;
};
struct FfiErrorDetails : FfiHead {
  FfiError* error;
  const char* message;
  FfiCode code;
};
struct FfiErrorDestroy : FfiHead {
  FfiError* error;
};
struct FfiRegister : FfiHead {
  FfiByteSpan name, platform;
  FfiBundle bundle;
  uint32_t traits;
};
struct FfiTypeRegister : FfiHead {
  FfiByteSpan name;
  FfiTypeId* id;
  const FfiTypeInfo* info;
};
struct FfiContextGet : FfiHead {
  FfiInvokeContext* context;
  FfiTypeId* type;
  void* data;
};
// To set and to get.
struct FfiStateArgs : FfiHead {
  FfiInvokeContext* context;
  FfiStage stage;
  FfiTypeId* type;
  void* state;
};
struct FfiStreamGet : FfiHead {
  FfiInvokeContext* context;
  void* stream;
};
struct FfiAllocate : FfiHead {
  FfiInvokeContext* context;
  size_t size, alignment;
  void* data;
};
struct FfiFree : FfiHead {
  FfiInvokeContext* context;
  size_t size;
  void* data;
};
struct FfiSchedule : FfiHead {
  FfiInvokeContext* context;
  void (*task)(void* data);
  void* data;
};
struct FfiThreadCount : FfiHead {
  FfiInvokeContext* context;
  int64_t* threads;
};
struct FfiFutureCreate : FfiHead {
  FfiFuture* future;
};
struct FfiFutureSet : FfiHead {
  FfiFuture* future;
};
struct FfiFutureFail : FfiHead {
  FfiFuture* future;
  FfiError* error;  // the host's from then on
};
struct FfiRunId : FfiHead {
  FfiInvokeContext* context;
  int64_t id;
};
struct FfiDeviceOrdinal : FfiHead {
  FfiInvokeContext* context;
  int32_t ordinal;
};
struct FfiFindExtension : FfiHead {
  FfiInvokeContext* context;
  int64_t type;
  const void* extension;
};

// The functions of the runtime, in this order.
struct FfiApi : FfiHead {
  FfiVersion version;
  const void* internal;
  FfiError* (*errorCreate)(FfiErrorCreate*);
  void (*errorDetails)(FfiErrorDetails*);
  void (*errorDestroy)(FfiErrorDestroy*);
  FfiError* (*handlerRegister)(FfiRegister*);
  FfiError* (*streamGet)(FfiStreamGet*);
  FfiError* (*typeRegister)(FfiTypeRegister*);
  FfiError* (*contextGet)(FfiContextGet*);
  FfiError* (*stateSet)(FfiStateArgs*);
  FfiError* (*stateGet)(FfiStateArgs*);
  FfiError* (*memoryAllocate)(FfiAllocate*);
  FfiError* (*memoryFree)(FfiFree*);
  FfiError* (*schedule)(FfiSchedule*);
  FfiError* (*threadCount)(FfiThreadCount*);
  FfiError* (*futureCreate)(FfiFutureCreate*);
  FfiError* (*futureSet)(FfiFutureSet*);
  FfiError* (*futureFail)(FfiFutureFail*);
  FfiError* (*runId)(FfiRunId*);
  FfiError* (*deviceOrdinal)(FfiDeviceOrdinal*);
  FfiError* (*findExtension)(FfiFindExtension*);
};

// What is announced of each struct: up to the end of its last field.
inline constexpr size_t kFfiCallFrameBytes = 168, kFfiBuffersBytes = 40, kFfiAttributesBytes = 40 + 8,
                        kFfiBufferBytes = 48, kFfiMetadataBytes = 36, kFfiMetadataExtensionBytes = 32,
                        kFfiVersionBytes = 24, kFfiApiBytes = 200;

}  // namespace hilo
