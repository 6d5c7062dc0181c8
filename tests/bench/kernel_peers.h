// What benchmarks of the cpu engine's kernels share: a module run by the engine, and what else does the same,
// run in turn and on as many threads.
#pragma once

#include <benchmark/benchmark.h>

#include "core/runtime/executor/executor.h"

namespace hilo {

// A module compiled and loaded, its f32 arguments filled.
class OurKernel {
 public:
  // The instructions of the entry computation; reductions may apply `add` and `max`.
  explicit OurKernel(const std::string& entry);
  // One run, in microseconds from the first thunk's start to the last one's end; arguments are in place.
  double runUs();

 private:
  std::unique_ptr<Executor> executor_;
  std::vector<Literal> arguments_;
};

// Values all sides work on.
inline void fillForBench(std::span<float> values) {
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 1013) / 1013.0F - 0.5F;
}

// Another library doing the same work.
struct Peer {
  std::string name;
  std::function<double()> runUs;
};

// Each iteration runs all in turn. The counters are the shortest times in microseconds (ours_us, NAME_us) and
// `speed`: the quickest peer's time over ours (2: twice as fast as the best of them).
void compare(benchmark::State& state, OurKernel& ours, std::span<const Peer> peers);

}  // namespace hilo
