#include "tests/bench/kernel_memory.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <limits>
#include <memory>
#include <vector>

#include "core/base/check.h"
#include "core/runtime/device/host/thread_pool.h"

namespace hilo {
namespace {

using Line = uint64_t __attribute__((vector_size(64)));
constexpr int64_t kLine = sizeof(Line);

struct Free {
  void operator()(Line* lines) const { std::free(lines); }
};
using Lines = std::unique_ptr<Line, Free>;

Lines makeLines(int64_t count) {
  const auto bytes = static_cast<size_t>(count * kLine);
  Lines lines(static_cast<Line*>(std::aligned_alloc(kLine, bytes)));
  std::memset(static_cast<void*>(lines.get()), 1, bytes);
  return lines;
}

struct Work {
  const Line *from, *other;
  Line* to;
};

// Each on lines [begin, end) of the work.
using Loop = void (*)(const Work& work, int64_t begin, int64_t end);

[[gnu::target_clones("avx512f", "avx2", "default")]] void read(const Work& work, int64_t begin, int64_t end) {
  constexpr int64_t kAtOnce = 8;
  Line sums[kAtOnce] = {};
  for (; begin + kAtOnce <= end; begin += kAtOnce) {
    for (int64_t i = 0; i < kAtOnce; ++i) sums[i] ^= work.from[begin + i];
  }
  for (Line& sum : sums) asm volatile("" : : "m"(sum));
}

void copy(const Work& work, int64_t begin, int64_t end) {
  std::memcpy(static_cast<void*>(work.to + begin), work.from + begin,
              static_cast<size_t>((end - begin) * kLine));
}

[[gnu::target_clones("avx512f", "avx2", "default")]] void copyByLines(const Work& work, int64_t begin,
                                                                      int64_t end) {
  for (int64_t i = begin; i < end; ++i) {
    work.to[i] = work.from[i];
    asm volatile("" : : : "memory");  // Else it becomes a call of memcpy.
  }
}

[[gnu::target_clones("avx512f", "avx2", "default")]] void copyPast(const Work& work, int64_t begin,
                                                                   int64_t end) {
  for (int64_t i = begin; i < end; ++i) __builtin_nontemporal_store(work.from[i], work.to + i);
}

[[gnu::target_clones("avx512f", "avx2", "default")]] void join(const Work& work, int64_t begin, int64_t end) {
  for (int64_t i = begin; i < end; ++i) work.to[i] = work.from[i] ^ work.other[i];
}

[[gnu::target_clones("avx512f", "avx2", "default")]] void joinPast(const Work& work, int64_t begin,
                                                                   int64_t end) {
  for (int64_t i = begin; i < end; ++i)
    __builtin_nontemporal_store(work.from[i] ^ work.other[i], work.to + i);
}

// In a row for a millisecond.
double shortestUs(const std::function<void()>& work) {
  double shortest = std::numeric_limits<double>::infinity(), all = 0;
  for (int i = 0; i < 4 || all < 1000; ++i) {
    const auto start = std::chrono::steady_clock::now();
    work();
    const std::chrono::duration<double, std::micro> us = std::chrono::steady_clock::now() - start;
    all += us.count();
    shortest = std::min(shortest, us.count());
  }
  return shortest;
}

std::span<const Loop> loopsFor(int operands, bool isWritten) {
  static constexpr Loop kRead[] = {read}, kCopy[] = {copy, copyByLines, copyPast}, kJoin[] = {join, joinPast};
  if (!isWritten) return kRead;
  return operands == 1 ? std::span<const Loop>(kCopy) : std::span<const Loop>(kJoin);
}

}  // namespace

double memoryAloneUs(std::span<const int64_t> operandBytes, int64_t resultBytes) {
  const int64_t largest = std::ranges::max(operandBytes);
  const auto operands = std::ranges::count(operandBytes, largest);
  const bool isWritten = resultBytes >= largest;
  CHECK(operands == 1 || (operands == 2 && isWritten));
  const int64_t count = largest / kLine;
  const Lines from = makeLines(count), other = makeLines(count), to = makeLines(count);
  const Work work = {from.get(), other.get(), to.get()};
  ThreadPool& threads = hostThreads();
  double shortest = std::numeric_limits<double>::infinity();
  constexpr int kTurns = 3;
  for (int turn = 0; turn < kTurns; ++turn) {
    for (const Loop loop : loopsFor(static_cast<int>(operands), isWritten)) {
      const auto shared = [&] {
        threads.parallelFor(count, std::max<int64_t>(count / threads.threads(), 1),
                            [&](int64_t begin, int64_t end) { loop(work, begin, end); });
      };
      shortest = std::min({shortest, shortestUs(shared), shortestUs([&] { loop(work, 0, count); })});
    }
  }
  return shortest;
}

}  // namespace hilo
