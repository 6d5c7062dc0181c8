// cuFFT: Fourier transforms of one to three dimensions. Any thread, one call at a time.
#pragma once

#include <map>
#include <mutex>

#include "core/runtime/libraries/cublas.h"

namespace hilo {

struct CufftFunctions {
#define LIBRARY_FUNCTION HILO_LIBRARY_MEMBER
#include "core/runtime/libraries/cufft_functions.def"
};

class Cufft {
 public:
  // Error kinds: "missing-library", "old-library".
  static Result<std::unique_ptr<Cufft>> open(const LibrarySearch& search);
  ~Cufft();

  // `call` stays where it is: its plan is kept. `scaler` divides what an inverse transform gives, which cuFFT
  // does not. Error kinds: "library-failed", those of the stream.
  Status transform(const FourierCall& call, const LibraryArrays& arrays, Stream& stream, Cublas& scaler);

 private:
  Cufft(LoadedLibrary library, CufftFunctions functions)
      : library_(std::move(library)), functions_(functions) {}
  Result<int> planFor(const FourierCall& call);
  Status execute(const FourierCall& call, int plan, void* from, void* to) const;

  LoadedLibrary library_;
  CufftFunctions functions_;
  std::mutex mutex_;
  std::map<const FourierCall*, int> plans_;
};

}  // namespace hilo
