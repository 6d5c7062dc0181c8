#include "core/runtime/libraries/cufft.h"

namespace hilo {
namespace {

// cufftType, the same number of letters apart for f64.
int typeOf(const FourierCall& call) {
  constexpr int kFromReal = 0x2a, kToReal = 0x2c, kComplex = 0x29, kDoubles = 0x40;
  const int type = call.kind == FftType::Rfft ? kFromReal : call.kind == FftType::Irfft ? kToReal : kComplex;
  return call.isDouble ? type + kDoubles : type;
}

int64_t product(const std::vector<int64_t>& sizes) {
  int64_t all = 1;
  for (const int64_t size : sizes) all *= size;
  return all;
}

// Elements of one transform's operand, or result.
int64_t elementsOf(const FourierCall& call, bool isResult) {
  std::vector<int64_t> sizes = call.lengths;
  const bool isHalf = call.kind == (isResult ? FftType::Rfft : FftType::Irfft);
  if (isHalf) sizes.back() = sizes.back() / 2 + 1;
  return product(sizes);
}

}  // namespace

Result<std::unique_ptr<Cufft>> Cufft::open(const LibrarySearch& search) {
  TRY(LoadedLibrary library,
      LoadedLibrary::open("Cufft", "cuFFT", "the CUDA toolkit (libcufft), or the Python package nvidia-cufft",
                          search));
  CufftFunctions functions;
#define LIBRARY_FUNCTION HILO_LIBRARY_FIND
#include "core/runtime/libraries/cufft_functions.def"
  return std::unique_ptr<Cufft>(new Cufft(std::move(library), functions));
}

Cufft::~Cufft() {
  for (const auto& [call, plan] : plans_) functions_.forget.pointer(plan);
}

Result<int> Cufft::planFor(const FourierCall& call) {
  const auto known = plans_.find(&call);
  if (known != plans_.end()) return known->second;
  std::vector<int> lengths(call.lengths.begin(), call.lengths.end());
  int plan = 0;
  int* const dense = nullptr;
  TRY_STATUS(library_.call(functions_.plan, &plan, static_cast<int>(lengths.size()), lengths.data(), dense, 1,
                           static_cast<int>(elementsOf(call, false)), dense, 1,
                           static_cast<int>(elementsOf(call, true)), typeOf(call),
                           static_cast<int>(call.batch)));
  plans_.emplace(&call, plan);
  return plan;
}

Status Cufft::execute(const FourierCall& call, int plan, void* from, void* to) const {
  const auto& f = functions_;
  switch (call.kind) {
    case FftType::Rfft:
      return library_.call(call.isDouble ? f.fromRealF64 : f.fromRealF32, plan, from, to);
    case FftType::Irfft:
      return library_.call(call.isDouble ? f.toRealF64 : f.toRealF32, plan, from, to);
    case FftType::Fft:
    case FftType::Ifft:
      return library_.call(call.isDouble ? f.complexF64 : f.complexF32, plan, from, to,
                           call.kind == FftType::Fft ? -1 : 1);
  }
  return {};
}

Status Cufft::transform(const FourierCall& call, const LibraryArrays& arrays, Stream& stream,
                        Cublas& scaler) {
  const std::scoped_lock lock(mutex_);
  TRY(const int plan, planFor(call));
  TRY_STATUS(library_.call(functions_.setStream, plan, stream.native()));
  const bool toReal = call.kind == FftType::Irfft, isInverse = toReal || call.kind == FftType::Ifft;
  const ElementType complex = call.isDouble ? ElementType::C128 : ElementType::C64;
  // A transform to real numbers may write over what it reads.
  const int64_t fromBytes = call.batch * elementsOf(call, false) * elementStorageBytes(complex);
  TRY(const Workspace copied, Workspace::take(stream, toReal ? fromBytes : 0));
  if (toReal)
    TRY_STATUS(stream.copy(static_cast<DeviceAddress>(reinterpret_cast<uintptr_t>(copied.address())),
                           arrays.operands[0], fromBytes));
  TRY_STATUS(execute(call, plan, toReal ? copied.address() : arrays.operand(0), arrays.result(0)));
  if (!isInverse) return {};
  const ElementType real = call.isDouble ? ElementType::F64 : ElementType::F32;
  return scaler.scale(toReal ? real : complex, 1.0 / static_cast<double>(product(call.lengths)),
                      arrays.result(0), call.batch * elementsOf(call, true), stream);
}

}  // namespace hilo
