// PJRT's C API, between a framework and a library that compiles and runs: our own declarations, of the same
// layout in memory as version 0.114 of xla/pjrt/c/pjrt_c_api.h. Every struct begins with its size and a list
// of extensions; who reads one reads no further than the size covers, so that a library and a program of
// other versions understand each other. Objects are opaque: whoever gives one knows what it is.
// pjrt_arguments.h has the calls.
#pragma once

#include <cstddef>
#include <cstdint>

namespace hilo {

inline constexpr int kPjrtMajor = 0, kPjrtMinor = 114;
// The oldest whose structs have the fields that are used here.
inline constexpr int kPjrtOldestMinor = 40;

struct PjrtError;
struct PjrtEvent;
struct PjrtClient;
struct PjrtDevice;
struct PjrtMemory;
struct PjrtDescription;
struct PjrtTopology;
struct PjrtExecutable;
struct PjrtLoaded;
struct PjrtBuffer;
struct PjrtContext;

// What every struct begins with.
struct PjrtHead {
  size_t structBytes;
  void* extensions;
};

struct PjrtVersion : PjrtHead {
  int32_t major, minor;
};

// The codes of absl::Status.
enum class PjrtCode : int32_t {
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

enum class PjrtValueKind : int32_t { Text, Integer, Integers, Float, Bool };
struct PjrtNamedValue : PjrtHead {
  const char* name;
  size_t nameSize;
  PjrtValueKind kind;
  union {
    const char* text;
    int64_t integer;
    const int64_t* integers;
    float number;
    bool flag;
  };
  size_t size;  // of a text or a list; 1 else
};

// Numbers of element types; those are of PJRT alone.
enum class PjrtType : int32_t {
  Invalid,
  Pred,
  S8,
  S16,
  S32,
  S64,
  U8,
  U16,
  U32,
  U64,
  F16,
  F32,
  F64,
  BF16,
  C64,
  C128,
  F8E5M2,
  F8E4M3FN,
  F8E4M3B11FNUZ,
  F8E5M2FNUZ,
  F8E4M3FNUZ,
  S4,
  U4,
  Token,
  S2,
  U2,
  F8E4M3,
  F8E3M4,
  F8E8M0FNU,
  F4E2M1FN,
  S1,
  U1,
  F6E2M3FN,
  F6E3M2FN
};

// A program to compile, or one that was compiled: format "hlo" (HloModuleProto), "hlo_with_config", "mlir".
struct PjrtProgram : PjrtHead {
  char* code;
  size_t codeSize;
  const char* format;
  size_t formatSize;
};

struct PjrtTiledLayout : PjrtHead {
  const int64_t* minorToMajor;
  size_t minorToMajorSize;
  const int64_t* tileDimensions;
  const size_t* tileSizes;
  size_t tileCount;
};
struct PjrtStrides : PjrtHead {
  const int64_t* byteStrides;
  size_t count;
};
enum class PjrtLayoutKind : int32_t { Tiled, Strides };
struct PjrtLayout : PjrtHead {
  union {
    PjrtTiledLayout tiled;
    PjrtStrides strides;
  };
  PjrtLayoutKind kind;
};

// The functions, by their place in the table.
enum class PjrtFunction : uint16_t {
#define PJRT_FUNCTION(name, arguments) name,
#include "core/runtime/pjrt/pjrt_functions.def"
};
inline constexpr size_t kPjrtFunctionCount = 0
#define PJRT_FUNCTION(name, arguments) +1
#include "core/runtime/pjrt/pjrt_functions.def"
    ;
// "Client_Create"
const char* pjrtFunctionName(PjrtFunction function);

using PjrtFunctionPointer = PjrtError* (*)(void* arguments);
// What GetPjrtApi() gives. A library may have fewer functions, as its size says.
struct PjrtApi : PjrtHead {
  PjrtVersion version;
  PjrtFunctionPointer functions[kPjrtFunctionCount];
};
inline constexpr const char* kPjrtEntry = "GetPjrtApi";

}  // namespace hilo
