// The functions of the table: each is a plain function on its arguments, and answer() stands between it and
// the caller, whose struct may be smaller or larger than ours.
#pragma once

#include <algorithm>
#include <cstring>
#include <new>
#include <span>

#include "app/pjrt/objects.h"

namespace hilo {

// How many bytes of a struct a caller must know of. What came with later versions may be missing.
template <typename Arguments>
inline constexpr size_t kLeastBytes = sizeof(Arguments) - (alignof(Arguments) - 1);
template <>
inline constexpr size_t kLeastBytes<PjrtClientCreate> = sizeof(PjrtClientCreate) - 2 * sizeof(void*);
template <>
inline constexpr size_t kLeastBytes<PjrtExecute> = sizeof(PjrtExecute) - sizeof(PjrtDevice*);
template <>
inline constexpr size_t kLeastBytes<PjrtDeserialize> =
    sizeof(PjrtDeserialize) - sizeof(PjrtText) - sizeof(void*);
template <>
inline constexpr size_t kLeastBytes<PjrtExecutableMemory> = sizeof(PjrtExecutableArgs) + 5 * sizeof(int64_t);

template <typename Arguments, Status (*kDo)(Arguments&)>
PjrtError* answer(void* given) {
  const size_t known = std::min(static_cast<PjrtHead*>(given)->structBytes, sizeof(Arguments));
  if (known < kLeastBytes<Arguments>)
    return makeError(PjrtCode::InvalidArgument, "the struct of arguments is smaller than it ever was");
  Arguments arguments{};
  std::memcpy(static_cast<void*>(&arguments), given, known);
  try {
    if (const Status done = kDo(arguments); !done) return makeError(done.error());
  } catch (const std::bad_alloc&) {
    return makeError(PjrtCode::ResourceExhausted, "out of memory");
  }
  std::memcpy(given, static_cast<const void*>(&arguments), known);
  return nullptr;
}

struct PjrtFunctionRow {
  PjrtFunction function;
  PjrtFunctionPointer pointer;
};
template <PjrtFunction kFunction, Status (*kDo)(typename PjrtArgumentsOf<kFunction>::Type&)>
constexpr PjrtFunctionRow row() {
  return {kFunction, answer<typename PjrtArgumentsOf<kFunction>::Type, kDo>};
}

// By topic; api.cpp puts them into the table.
std::span<const PjrtFunctionRow> errorRows();
std::span<const PjrtFunctionRow> eventRows();
std::span<const PjrtFunctionRow> clientRows();
std::span<const PjrtFunctionRow> deviceRows();
std::span<const PjrtFunctionRow> topologyRows();
std::span<const PjrtFunctionRow> executableRows();
std::span<const PjrtFunctionRow> loadedRows();
std::span<const PjrtFunctionRow> bufferRows();
std::span<const PjrtFunctionRow> copyRows();

inline PjrtText textOf(const std::string& text) { return {text.data(), text.size()}; }

}  // namespace hilo
