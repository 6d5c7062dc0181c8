// cuDNN: convolutions, by the algorithm that its heuristic puts first. Any thread, one call at a time.
// Gradients are not asked of it, nor is fused attention, which takes cuDNN's graphs.
#pragma once

#include <map>
#include <mutex>

#include "core/runtime/libraries/files/loaded_library.h"
#include "core/runtime/libraries/library_arguments.h"
#include "core/runtime/program/library_call.h"

namespace hilo {

// cudnnConvolutionFwdAlgoPerf_t.
struct ConvolutionAlgorithm {
  int algorithm = 0, status = 0;
  float milliseconds = 0;
  size_t workspaceBytes = 0;
  int determinism = 0, mathType = 0;
  int reserved[3] = {};
};

struct CudnnFunctions {
#define LIBRARY_FUNCTION HILO_LIBRARY_MEMBER
#include "core/runtime/libraries/cudnn_functions.def"
};

class Cudnn {
 public:
  // Error kinds: "missing-library", "old-library", "library-failed".
  static Result<std::unique_ptr<Cudnn>> open(const LibrarySearch& search);
  ~Cudnn();

  // `call` stays where it is: what is chosen for it is kept. Error kinds besides: "no-algorithm", and those
  // that the stream has.
  Status convolve(const ConvolutionCall& call, const LibraryArrays& arrays, Stream& stream);

 private:
  struct Convolution {
    void *input = nullptr, *output = nullptr, *filter = nullptr, *convolution = nullptr;
    ConvolutionAlgorithm chosen;
  };
  Cudnn(LoadedLibrary library, CudnnFunctions functions)
      : library_(std::move(library)), functions_(functions) {}
  Result<Convolution*> convolutionFor(const ConvolutionCall& call);
  Status describe(const ConvolutionCall& call, Convolution& made) const;
  Status describeTensor(const ConvolutionCall& call, int64_t features, const std::vector<int64_t>& space,
                        void** tensor) const;
  Status choose(Convolution& made) const;
  void forget(const Convolution& made) const;

  LoadedLibrary library_;
  CudnnFunctions functions_;
  void* handle_ = nullptr;  // stays, as the library does
  std::mutex mutex_;
  std::map<const ConvolutionCall*, Convolution> convolutions_;
};

}  // namespace hilo
