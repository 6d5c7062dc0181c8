#include "core/runtime/libraries/cusolver.h"

namespace hilo {
namespace {

template <typename Function>
const Function& ofType(ElementType type, const Function& f32, const Function& f64, const Function& c64,
                       const Function& c128) {
  return type == ElementType::F32   ? f32
         : type == ElementType::F64 ? f64
         : type == ElementType::C64 ? c64
                                    : c128;
}

std::byte* at(void* array, int64_t bytes) { return static_cast<std::byte*>(array) + bytes; }

}  // namespace

Result<std::unique_ptr<Cusolver>> Cusolver::open(const LibrarySearch& search) {
  TRY(LoadedLibrary library,
      LoadedLibrary::open("Cusolver", "cuSOLVER",
                          "the CUDA toolkit (libcusolver), or the Python package nvidia-cusolver", search));
  CusolverFunctions functions;
#define LIBRARY_FUNCTION HILO_LIBRARY_FIND
#include "core/runtime/libraries/cusolver_functions.def"
  std::unique_ptr<Cusolver> made(new Cusolver(std::move(library), functions));
  TRY_STATUS(made->library_.call(functions.create, &made->handle_));
  return made;
}

// The lower half of a row-major matrix is the upper one of the column-major matrix that lies there.
Status Cusolver::factor(const CholeskyCall& call, const LibraryArrays& arrays, Stream& stream) {
  const std::scoped_lock lock(mutex_);
  const auto& f = functions_;
  const auto& roomOf = ofType(call.type, f.factorRoomF32, f.factorRoomF64, f.factorRoomC64, f.factorRoomC128);
  const auto& factor = ofType(call.type, f.factorF32, f.factorF64, f.factorC64, f.factorC128);
  TRY_STATUS(library_.call(f.setStream, handle_, stream.native()));
  const int64_t bytes = call.size * call.size * elementStorageBytes(call.type);
  TRY_STATUS(stream.copy(arrays.results[0], arrays.operands[0], bytes * call.batch));
  const int half = call.isLower ? 1 : 0, size = static_cast<int>(call.size);
  int elements = 0;
  TRY_STATUS(library_.call(roomOf, handle_, half, size, arrays.result(0), size, &elements));
  TRY(const Workspace room, Workspace::take(stream, elements * elementStorageBytes(call.type)));
  for (int64_t i = 0; i < call.batch; ++i)
    TRY_STATUS(library_.call(factor, handle_, half, size, static_cast<void*>(at(arrays.result(0), i * bytes)),
                             size, room.address(), elements, static_cast<int*>(arrays.result(1)) + i));
  return {};
}

}  // namespace hilo
