// Which functions of shared libraries are handlers of XLA's FFI: found by their names, by names that were
// told, or registered by the libraries themselves.
//
// A library is code and runs with the rights of this program: none is loaded but those that
// HILO_FFI_LIBRARIES names, separated by ':'. A custom call's function has the name of its target;
// HILO_FFI_HANDLERS says others, separated by
// ',': TARGET=SYMBOL, TARGET@STAGE=SYMBOL, TARGET@cuda=SYMBOL. Functions of @cuda, and those that a library
// registers for the platform CUDA, take addresses of a GPU and its stream; all others memory of the host.
//
// Threads: any. Libraries stay until the process ends.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/runtime/ffi/ffi_api.h"

namespace hilo {

struct FfiHandler {
  std::string target, library;
  FfiBundle host = {}, cuda = {};  // null throughout where there is none
};

struct FfiLibrary {
  std::string path;
  // Kinds "ffi-not-loadable", "ffi-malformed".
  std::optional<Diagnostic> refused;
};

// What the environment names, loaded at the first call.
const std::vector<FfiLibrary>& ffiLibraries();
// What is wrong with what HILO_FFI_HANDLERS says. Kinds "malformed-ffi-handler", "no-symbol".
const Diagnostics& ffiHandlerProblems();
// Null where no library has one.
const FfiHandler* findFfiHandler(std::string_view target);

// Takes what a library registers by itself. Kind "ffi-malformed".
Status registerFfiHandler(std::string_view target, std::string_view platform, const FfiBundle& bundle);

// Asks a handler which version of the interface it was built for, and its traits. Calls it. Kinds
// "ffi-version", by the numbers of both sides, and "ffi-malformed".
Result<FfiMetadata> ffiMetadataOf(const std::string& target, FfiHandlerFunction* function);

}  // namespace hilo
