// cuBLASLt: products of matrices with what follows them, by the algorithm that its heuristic names. One a
// process; any thread, one call at a time.
#pragma once

#include <map>
#include <mutex>

#include "core/runtime/libraries/files/loaded_library.h"
#include "core/runtime/libraries/library_arguments.h"
#include "core/runtime/program/library_call.h"

namespace hilo {

// cublasLtMatmulHeuristicResult_t.
struct ProductAlgorithm {
  uint64_t algorithm[8] = {};
  size_t workspaceBytes = 0;
  int state = 0;
  float waves = 0;
  int reserved[4] = {};
};

struct CublasLtFunctions {
#define LIBRARY_FUNCTION HILO_LIBRARY_MEMBER
#include "core/runtime/libraries/cublaslt_functions.def"
};

class CublasLt {
 public:
  // How much memory an algorithm may want besides the matrices, as XLA allows on these GPUs.
  static constexpr uint64_t kMostWorkspaceBytes = uint64_t{32} << 20;

  // Error kinds: "missing-library", "old-library", "library-failed".
  static Result<std::unique_ptr<CublasLt>> open(const LibrarySearch& search);
  ~CublasLt();

  // `call` stays where it is: what is chosen for it is kept. Kind "no-algorithm" where the library has none,
  // and those of the stream.
  Status multiply(const MatrixProductCall& call, const LibraryArrays& arrays, Stream& stream);

 private:
  struct Product {
    void* product = nullptr;
    void* matrices[4] = {};  // A, B, C, D
    ProductAlgorithm chosen;
  };
  CublasLt(LoadedLibrary library, CublasLtFunctions functions)
      : library_(std::move(library)), functions_(functions) {}
  Result<Product*> productFor(const MatrixProductCall& call);
  Status describe(const MatrixProductCall& call, Product& product) const;
  Status choose(Product& product) const;
  void forget(const Product& product) const;

  LoadedLibrary library_;
  CublasLtFunctions functions_;
  void* handle_ = nullptr;
  std::mutex mutex_;
  std::map<const MatrixProductCall*, Product> products_;
};

}  // namespace hilo
