// The libraries that a program's LibraryThunks ask, each opened once for all its runs.
#pragma once

#include <memory>

#include "core/runtime/libraries/cublas.h"
#include "core/runtime/libraries/cublaslt.h"
#include "core/runtime/libraries/cudnn.h"
#include "core/runtime/libraries/cufft.h"
#include "core/runtime/libraries/cusolver.h"
#include "core/runtime/program/program.h"

namespace hilo {

class GpuLibraries {
 public:
  // Opens what the program needs; its calls stay where they are. Error kinds: "missing-library",
  // "old-library", "library-failed", with the thunk as the place's instruction. The context of the GPU is
  // that of the calling thread.
  static Result<GpuLibraries> open(const Program& program, const LibrarySearch& search);

  // Gives the work to a stream of the maker's. Error kinds: those of the library and of the stream.
  Status run(const LibraryCall& call, const LibraryArrays& arrays, Stream& stream) const;

 private:
  Status openFor(const LibraryCall& call, const LibrarySearch& search);

  std::unique_ptr<CublasLt> cublasLt_;
  std::unique_ptr<Cublas> cublas_;
  std::unique_ptr<Cudnn> cudnn_;
  std::unique_ptr<Cufft> cufft_;
  std::unique_ptr<Cusolver> cusolver_;
};

// Which kinds of LibraryCall, by their index, this machine has the libraries for: they load. No GPU is
// asked anything.
std::vector<bool> libraryCallsHere(const LibrarySearch& search);

}  // namespace hilo
