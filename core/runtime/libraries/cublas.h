// cuBLAS: triangular systems, and factors of transforms. Any thread, one call at a time.
#pragma once

#include <mutex>

#include "core/runtime/libraries/files/loaded_library.h"
#include "core/runtime/libraries/library_arguments.h"
#include "core/runtime/program/library_call.h"

namespace hilo {

struct CublasFunctions {
#define LIBRARY_FUNCTION HILO_LIBRARY_MEMBER
#include "core/runtime/libraries/cublas_functions.def"
};

class Cublas {
 public:
  // Error kinds: "missing-library", "old-library", "library-failed".
  static Result<std::unique_ptr<Cublas>> open(const LibrarySearch& search);

  // Error kinds besides: those of the stream.
  Status solve(const TriangularSolveCall& call, const LibraryArrays& arrays, Stream& stream);
  // Multiplies `count` elements of `type` by a real factor.
  Status scale(ElementType type, double factor, void* elements, int64_t count, Stream& stream);

 private:
  Cublas(LoadedLibrary library, CublasFunctions functions)
      : library_(std::move(library)), functions_(functions) {}

  LoadedLibrary library_;
  CublasFunctions functions_;
  void* handle_ = nullptr;  // stays, as the library does
  std::mutex mutex_;
};

}  // namespace hilo
