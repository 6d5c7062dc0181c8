// cuSOLVER: factors of matrices (Cholesky). Any thread, one call at a time.
#pragma once

#include <mutex>

#include "core/runtime/libraries/files/loaded_library.h"
#include "core/runtime/libraries/library_arguments.h"
#include "core/runtime/program/library_call.h"

namespace hilo {

struct CusolverFunctions {
#define LIBRARY_FUNCTION HILO_LIBRARY_MEMBER
#include "core/runtime/libraries/cusolver_functions.def"
};

class Cusolver {
 public:
  // Error kinds: "missing-library", "old-library", "library-failed".
  static Result<std::unique_ptr<Cusolver>> open(const LibrarySearch& search);

  // Error kinds besides: those of the stream.
  Status factor(const CholeskyCall& call, const LibraryArrays& arrays, Stream& stream);

 private:
  Cusolver(LoadedLibrary library, CusolverFunctions functions)
      : library_(std::move(library)), functions_(functions) {}

  LoadedLibrary library_;
  CusolverFunctions functions_;
  void* handle_ = nullptr;  // stays, as the library does
  std::mutex mutex_;
};

}  // namespace hilo
