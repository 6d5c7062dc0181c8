#include "core/runtime/libraries/cublas.h"

namespace hilo {

Result<std::unique_ptr<Cublas>> Cublas::open(const LibrarySearch& search) {
  TRY(LoadedLibrary library,
      LoadedLibrary::open("Cublas", "cuBLAS",
                          "the CUDA toolkit (libcublas), or the Python package nvidia-cublas", search));
  CublasFunctions functions;
#define LIBRARY_FUNCTION HILO_LIBRARY_FIND
#include "core/runtime/libraries/cublas_functions.def"
  std::unique_ptr<Cublas> made(new Cublas(std::move(library), functions));
  TRY_STATUS(made->library_.call(functions.create, &made->handle_));
  return made;
}

// The arrays are row-major, which is the transpose of column-major: op(A) X = B is X' op(A)' = B', so that
// the side and the half change and op does not.
Status Cublas::solve(const TriangularSolveCall& call, const LibraryArrays& arrays, Stream& stream) {
  const std::scoped_lock lock(mutex_);
  TRY_STATUS(library_.call(functions_.setStream, handle_, stream.native()));
  const int64_t size = call.isLeft ? call.rows : call.columns, bytes = elementStorageBytes(call.type);
  const int64_t matrixBytes = size * size * bytes, sideBytes = call.rows * call.columns * bytes;
  TRY_STATUS(stream.copy(arrays.results[0], arrays.operands[1], sideBytes * call.batch));
  const auto& solve = call.type == ElementType::F32   ? functions_.solveF32
                      : call.type == ElementType::F64 ? functions_.solveF64
                      : call.type == ElementType::C64 ? functions_.solveC64
                                                      : functions_.solveC128;
  const int transpose = call.transpose == TransposeA::Transpose ? 1
                        : call.transpose == TransposeA::Adjoint ? 2
                                                                : 0;
  const LibraryScalar one(call.type, 1);
  for (int64_t i = 0; i < call.batch; ++i) {
    const auto* a = static_cast<const std::byte*>(arrays.operand(0)) + i * matrixBytes;
    auto* x = static_cast<std::byte*>(arrays.result(0)) + i * sideBytes;
    TRY_STATUS(library_.call(solve, handle_, int{call.isLeft}, int{call.isLower}, transpose, int{call.isUnit},
                             static_cast<int>(call.columns), static_cast<int>(call.rows), one.data(),
                             static_cast<const void*>(a), static_cast<int>(size), static_cast<void*>(x),
                             static_cast<int>(call.columns)));
  }
  return {};
}

Status Cublas::scale(ElementType type, double factor, void* elements, int64_t count, Stream& stream) {
  const std::scoped_lock lock(mutex_);
  TRY_STATUS(library_.call(functions_.setStream, handle_, stream.native()));
  const ElementType factorType =
      isComplex(type) ? (type == ElementType::C128 ? ElementType::F64 : ElementType::F32) : type;
  // Complex numbers are pairs of real ones; more than an int counts are done in parts.
  constexpr int64_t kMost = int64_t{1} << 30;
  const int64_t reals = isComplex(type) ? 2 * count : count;
  const LibraryScalar by(factorType, factor);
  auto* at = static_cast<std::byte*>(elements);
  for (int64_t begin = 0; begin < reals; begin += kMost) {
    TRY_STATUS(library_.call(functions_.scale, handle_, static_cast<int>(std::min(kMost, reals - begin)),
                             by.data(), dataTypeNumber(factorType),
                             static_cast<void*>(at + begin * elementStorageBytes(factorType)),
                             dataTypeNumber(factorType), 1, dataTypeNumber(factorType)));
  }
  return {};
}

}  // namespace hilo
