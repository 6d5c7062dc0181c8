#include "tests/bench/kernel_peers.h"

#include <fmt/format.h>
#include <malloc.h>

#include <chrono>

#include "core/base/check.h"
#include "core/base/float_formats.h"
#include "core/hlo/text/parse.h"
#include "core/runtime/device/host/thread_pool.h"
#include "core/workspace/run/compile_program.h"

// Of the OpenMP runtime that peers run on: for the calling thread alone.
extern "C" void omp_set_num_threads(int threads);

namespace hilo {
namespace {

int64_t bytesOf(Shape shape) { return elementStorageBytes(shape.elementType()) * shape.elementCount(); }
size_t roundUp(size_t bytes) { return (bytes + 63) / 64 * 64; }

// Threads of OpenMP and OpenBLAS look for work for tens of milliseconds after their last, and would take a
// processor from whoever runs next. Awake, so that the benchmark counts it as time of its iterations.
void waitTillThreadsSleep() {
  if (usableProcessors() == 1) return;
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(50);
  while (std::chrono::steady_clock::now() < end) {
  }
}

constexpr std::string_view kComputations = R"(
add {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}
max {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] maximum(a, b)
}
)";

void fill(void* array, Shape shape) {
  const int64_t count = shape.elementCount();
  switch (shape.elementType()) {
    case ElementType::F32:
      return fillForBench(static_cast<float*>(array), count);
    case ElementType::F64:
      return fillForBench(static_cast<double*>(array), count);
    case ElementType::BF16:
      return fillForBench(static_cast<BF16*>(array), count);
    case ElementType::S32:
      return fillForBench(static_cast<int32_t*>(array), count);
    default:
      CHECK(false, elementTypeName(shape.elementType()));
  }
}

}  // namespace

OurKernel::OurKernel(const std::string& entry) {
  // Memory one run frees serves the next, as peers write the same memory each time.
  mallopt(M_MMAP_THRESHOLD, 1 << 30);
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
  ParseResult parsed =
      parseModule(fmt::format("HloModule bench\n{}ENTRY e {{\n{}}}\n", kComputations, entry));
  CHECK(parsed.module != nullptr && !hasErrors(parsed.diagnostics), entry);
  auto compiled = compileProgram(std::move(parsed.module), {.usesCache = false}, {});
  CHECK(compiled.has_value(), toString(compiled.error()));
  executor_ = *Executor::make(std::make_shared<const Program>(std::move(compiled->program)));
  const auto arrayOf = [&](Shape shape) {
    void* array = std::aligned_alloc(64, roundUp(static_cast<size_t>(bytesOf(shape))));
    memory_.emplace_back(array);
    return array;
  };
  for (const Shape shape : executor_->program().parameters) {
    void* argument = arrayOf(shape);
    fill(argument, shape);
    device_.arguments.push_back(static_cast<const std::byte*>(argument));
  }
  device_.results.push_back(static_cast<std::byte*>(arrayOf(executor_->program().result)));
}

double OurKernel::runUs() {
  ThunkTrace trace;
  CHECK(executor_->runOnMemory({}, {&device_, 1}, {.trace = &trace}).has_value());
  int64_t begin = INT64_MAX, end = 0;
  for (const ThunkEvent& timing : trace.events()) {
    begin = std::min(begin, timing.startNs);
    end = std::max(end, timing.startNs + timing.durationNs);
  }
  return static_cast<double>(end - begin) / 1000;
}

std::vector<int64_t> OurKernel::operandBytes() const {
  std::vector<int64_t> bytes;
  for (const Shape shape : executor_->program().parameters) bytes.push_back(bytesOf(shape));
  return bytes;
}

int64_t OurKernel::resultBytes() const { return bytesOf(executor_->program().result); }

void compare(benchmark::State& state, OurKernel& ours, std::span<const Peer> peers) {
  constexpr int kWarmUps = 3, kInARow = 4;
  constexpr double kInARowUs = 1000;
  constexpr double kNever = std::numeric_limits<double>::infinity();
  double oursUs = kNever;
  std::vector<double> peersUs(peers.size(), kNever);
  const auto runSide = [&](double& shortestUs, const std::function<double()>& runUs) {
    waitTillThreadsSleep();
    double allUs = 0;
    for (int i = 0; i < kInARow || allUs < kInARowUs; ++i) {
      const double us = runUs();
      allUs += us;
      shortestUs = std::min(shortestUs, us);
    }
  };
  const auto runAll = [&] {
    runSide(oursUs, [&] { return ours.runUs(); });
    // Our thunks leave the calling thread with one.
    omp_set_num_threads(usableProcessors());
    for (size_t i = 0; i < peers.size(); ++i) runSide(peersUs[i], peers[i].runUs);
  };
  for (int i = 0; i < kWarmUps; ++i) runAll();
  for (auto _ : state) runAll();
  state.counters["ours_us"] = oursUs;
  for (size_t i = 0; i < peers.size(); ++i) state.counters[peers[i].name + "_us"] = peersUs[i];
  if (!peers.empty()) state.counters["speed"] = std::ranges::min(peersUs) / oursUs;
}

}  // namespace hilo
