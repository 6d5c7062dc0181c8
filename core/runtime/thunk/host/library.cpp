#include "core/runtime/thunk/host/library.h"

#include <fmt/format.h>

#include <mutex>

#include "core/base/check.h"

// Of the OpenMP runtime that oneDNN runs on: for the calling thread alone.
extern "C" void omp_set_num_threads(int threads);
extern "C" int omp_get_max_threads();

namespace hilo {

const dnnl::engine& libraryEngine() {
  static const dnnl::engine& engine = *new dnnl::engine(dnnl::engine::kind::cpu, 0);
  return engine;
}

dnnl::memory::data_type libraryType(ElementType type) {
  CHECK(type == ElementType::F32 || type == ElementType::BF16);
  return type == ElementType::F32 ? dnnl::memory::data_type::f32 : dnnl::memory::data_type::bf16;
}

dnnl::memory::desc stridedArray(ElementType type, dnnl::memory::dims sizes, dnnl::memory::dims strides) {
  return {sizes, libraryType(type), strides};
}

namespace {
struct Free {
  void operator()(void* memory) const { std::free(memory); }
};
}  // namespace

void* libraryScratch(size_t bytes) {
  constexpr size_t kAlignment = 64;
  thread_local std::unique_ptr<void, Free> memory;
  thread_local size_t size = 0;
  if (size < bytes) {
    memory.reset();
    size = (bytes + kAlignment - 1) / kAlignment * kAlignment;
    memory.reset(std::aligned_alloc(kAlignment, size));
    if (memory == nullptr) {
      size = 0;
      throw std::bad_alloc();
    }
  }
  return memory.get();
}

int64_t pieceStart(int64_t count, int64_t pieces, int64_t unit, int64_t i) {
  const int64_t units = (count + unit - 1) / unit;
  return std::min(count, units * i / pieces * unit);
}

void setLibraryThreads(int threads) { omp_set_num_threads(threads); }
int libraryThreads() { return omp_get_max_threads(); }

void inPieces(ThreadPool& threads, int64_t pieces, const std::function<void(int64_t)>& work) {
  if (pieces == 1) {
    setLibraryThreads(threads.threads());
    return work(0);
  }
  std::mutex mutex;
  std::exception_ptr failure;
  threads.parallelFor(pieces, 1, [&](int64_t begin, int64_t end) {
    setLibraryThreads(1);
    try {
      for (int64_t i = begin; i < end; ++i) work(i);
    } catch (...) {
      const std::lock_guard lock(mutex);
      failure = std::current_exception();
    }
  });
  if (failure) std::rethrow_exception(failure);
}

void runLibrary(const dnnl::primitive& primitive, const std::unordered_map<int, dnnl::memory>& arguments) {
  thread_local dnnl::stream& stream = *new dnnl::stream(libraryEngine());
  primitive.execute(stream, arguments);
  stream.wait();
}

Status guardLibrary(const std::string& what, const std::function<void()>& work) {
  try {
    work();
  } catch (const dnnl::error& error) {
    return fail("library-failed", fmt::format("oneDNN cannot {}: {}", what, error.what()));
  } catch (const std::bad_alloc&) {
    return fail("too-large", fmt::format("there is no memory to {}", what));
  }
  return {};
}

}  // namespace hilo
