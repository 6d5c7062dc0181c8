// What benchmarks of the cpu engine's kernels share: a module run by the engine, and what else does the same,
// run in turn and on as many threads.
#pragma once

#include <benchmark/benchmark.h>

#include "core/runtime/executor/executor.h"
#include "tests/bench/peer.h"

namespace hilo {

// A module compiled and loaded, its arguments, of f32, f64 or s32, filled.
class OurKernel {
 public:
  // The instructions of the entry computation; reductions may apply `add` and `max`.
  explicit OurKernel(const std::string& entry);
  // One run, in microseconds from the first thunk's start to the last one's end; arguments are in place.
  double runUs();
  std::vector<int64_t> operandBytes() const;
  int64_t resultBytes() const;

 private:
  std::unique_ptr<Executor> executor_;
  struct Free {
    void operator()(void* array) const { std::free(array); }
  };
  std::vector<std::unique_ptr<void, Free>> memory_;  // arguments, then the result
  DeviceMemory device_;
};

// Each iteration runs all in turn, each four times in a row and for a millisecond: what a cache holds then is
// its own, and its threads are awake, which takes up to a tenth of that. The counters are the shortest times
// in microseconds (ours_us, NAME_us) and `speed`: the quickest peer's time over ours (2: twice as fast as the
// best of them).
void compare(benchmark::State& state, OurKernel& ours, std::span<const Peer> peers);

}  // namespace hilo
