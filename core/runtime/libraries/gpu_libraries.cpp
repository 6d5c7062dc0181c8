#include "core/runtime/libraries/gpu_libraries.h"

namespace hilo {
namespace {

template <typename Library>
Status openOnce(std::unique_ptr<Library>& library, const LibrarySearch& search) {
  if (library != nullptr) return {};
  TRY(library, Library::open(search));
  return {};
}

struct CallRunner {
  const LibraryArrays& arrays;
  Stream& stream;
  CublasLt* cublasLt;
  Cublas* cublas;
  Cudnn* cudnn;
  Cufft* cufft;
  Cusolver* cusolver;

  Status operator()(const MatrixProductCall& call) const { return cublasLt->multiply(call, arrays, stream); }
  Status operator()(const ConvolutionCall& call) const { return cudnn->convolve(call, arrays, stream); }
  Status operator()(const FourierCall& call) const { return cufft->transform(call, arrays, stream, *cublas); }
  Status operator()(const CholeskyCall& call) const { return cusolver->factor(call, arrays, stream); }
  Status operator()(const TriangularSolveCall& call) const { return cublas->solve(call, arrays, stream); }
};

// By the index of the call.
constexpr std::array<std::array<const char*, 2>, kLibraryCallCount> kFilesOf = {{{"CublasLt", nullptr},
                                                                                 {"Cudnn", nullptr},
                                                                                 {"Cufft", "Cublas"},
                                                                                 {"Cusolver", nullptr},
                                                                                 {"Cublas", nullptr}}};

}  // namespace

Status GpuLibraries::openFor(const LibraryCall& call, const LibrarySearch& search) {
  struct Opener {
    GpuLibraries& libraries;
    const LibrarySearch& search;
    Status operator()(const MatrixProductCall&) const { return openOnce(libraries.cublasLt_, search); }
    Status operator()(const ConvolutionCall&) const { return openOnce(libraries.cudnn_, search); }
    Status operator()(const FourierCall&) const {
      TRY_STATUS(openOnce(libraries.cublas_, search));
      return openOnce(libraries.cufft_, search);
    }
    Status operator()(const CholeskyCall&) const { return openOnce(libraries.cusolver_, search); }
    Status operator()(const TriangularSolveCall&) const { return openOnce(libraries.cublas_, search); }
  };
  return std::visit(Opener{*this, search}, call);
}

Result<GpuLibraries> GpuLibraries::open(const Program& program, const LibrarySearch& search) {
  GpuLibraries libraries;
  for (const ThunkSequence& sequence : program.sequences) {
    for (const Thunk& thunk : sequence) {
      const auto* asked = std::get_if<LibraryThunk>(&thunk.body);
      if (asked == nullptr) continue;
      auto opened = libraries.openFor(asked->call, search);
      if (opened) continue;
      opened.error().place.instruction = thunk.name;
      return std::unexpected(std::move(opened).error());
    }
  }
  return libraries;
}

Status GpuLibraries::run(const LibraryCall& call, const LibraryArrays& arrays, Stream& stream) const {
  return std::visit(
      CallRunner{arrays, stream, cublasLt_.get(), cublas_.get(), cudnn_.get(), cufft_.get(), cusolver_.get()},
      call);
}

std::vector<bool> libraryCallsHere(const LibrarySearch& search) {
  std::vector<bool> there;
  for (const auto& files : kFilesOf) {
    there.push_back(std::ranges::all_of(files, [&](const char* id) {
      return id == nullptr || LoadedLibrary::open(id, id, "", search).has_value();
    }));
  }
  return there;
}

}  // namespace hilo
