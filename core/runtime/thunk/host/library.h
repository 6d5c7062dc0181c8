// oneDNN, as the thunks use it: on one thread a call, the work shared among ours, so that nothing of its own
// runs beside them. (A team of its own threads goes on spinning behind each call.)
#pragma once

#include <functional>

#include <dnnl.hpp>

#include "core/base/result.h"
#include "core/hlo/ir/element_type.h"
#include "core/runtime/device/host/thread_pool.h"

namespace hilo {

const dnnl::engine& libraryEngine();
dnnl::memory::data_type libraryType(ElementType type);  // f32 or bf16

// An array of these strides, in elements.
dnnl::memory::desc stridedArray(ElementType type, dnnl::memory::dims sizes, dnnl::memory::dims strides);

// Memory of the calling thread, as good as new with each call, for as long as it makes no other.
void* libraryScratch(size_t bytes);

// How many threads of its own the library takes for what this thread asks of it and describes from now on.
void setLibraryThreads(int threads);
int libraryThreads();

// Calls `work` for `pieces` numbers, each on one thread and by itself. With one piece the library takes all
// of `threads` for it.
void inPieces(ThreadPool& threads, int64_t pieces, const std::function<void(int64_t)>& work);

// Where piece i of `pieces` of [0, count) begins; pieces are multiples of `unit` but for the last.
int64_t pieceStart(int64_t count, int64_t pieces, int64_t unit, int64_t i);

void runLibrary(const dnnl::primitive& primitive, const std::unordered_map<int, dnnl::memory>& arguments);

// Exceptions of the library made a Diagnostic: kind "library-failed", saying `what` it could not do.
Status guardLibrary(const std::string& what, const std::function<void()>& work);

}  // namespace hilo
