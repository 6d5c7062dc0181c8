// PTX instructions that the simulated device does a second on one core, by CPU time: ten kernels of
// tests/data/ptx, plain and in check mode, and the median of each mode. Instructions are those that threads
// execute; a launch that counts them says how many. Names on the command line choose kernels.
#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <cstring>
#include <span>
#include <string_view>

#include "core/base/check.h"
#include "core/base/files.h"
#include "core/compiler/codegen/simulate/load_ptx.h"

namespace hilo {
namespace {

constexpr int kSize = 256;  // of a matrix
struct Work {
  const char* file;
  const char* kernel;
  SimDim grid, block;
  const char*
      params;  // x, y, z: arrays; a: a float; the others numbers: n of elements, s of a matrix, w of a row
};
constexpr Work kWorks[] = {
    {"basic", "saxpy", {4096}, {256}, "axyn"},
    {"basic", "blockReduce", {256}, {256}, "xyn"},
    {"basic", "warpScan", {4096}, {256}, "xy"},
    {"basic", "matmul", {kSize / 16, kSize / 16}, {16, 16}, "xyzs"},
    {"basic", "transpose", {32, 32}, {32, 8}, "xyw"},
    {"basic", "histogram", {64}, {256}, "xyn"},
    {"basic", "stencil", {32, 128}, {32, 8}, "xyw"},
    {"basic", "softmax", {1024}, {256}, "xyw"},
    {"basic", "votes", {1024}, {256}, "xy"},
    {"tensor", "productBf16", {1024}, {32}, "xyz"},
};

double cpuSeconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

class Arrays {
 public:
  Arrays() {
    for (auto& array : arrays_) {
      array.assign(1 << 20, 0);
      memory.add("array", std::as_writable_bytes(std::span(array)), true);
    }
  }
  std::vector<std::byte> paramsOf(const Work& work) {
    std::vector<std::byte> params;
    const auto add = [&](const auto& value) {
      params.resize((params.size() + sizeof(value) - 1) / sizeof(value) * sizeof(value));
      const auto* bytes = reinterpret_cast<const std::byte*>(&value);
      params.insert(params.end(), bytes, bytes + sizeof(value));
    };
    for (const char* at = work.params; *at != 0; ++at) {
      if (*at >= 'x') add(arrays_[*at - 'x'].data());
      if (*at == 'a') add(2.0f);
      if (*at == 'n') add(1 << 20);
      if (*at == 's') add(kSize);
      if (*at == 'w') add(1024);
    }
    return params;
  }
  SimulatedMemory memory;

 private:
  std::vector<int> arrays_[3];
};

SimulatedModule load(const Work& work, SimulateOptions options) {
  const auto text = readBytes(fmt::format("tests/data/ptx/{}.ptx", work.file));
  CHECK(text.has_value(), "run in the folder of the repository");
  options.kernels = {work.kernel};
  auto module = loadPtx(*text, options);
  CHECK(module.has_value(), module ? "" : toString(module.error()));
  return std::move(*module);
}

SimulatedReport launch(const SimulatedModule& module, const Work& work, Arrays& arrays) {
  const auto params = arrays.paramsOf(work);
  auto report = module.launch(
      {.kernel = work.kernel, .grid = work.grid, .block = work.block, .params = params}, &arrays.memory);
  CHECK(report.has_value(), report ? "" : toString(report.error()));
  return std::move(*report);
}

// The best of several runs, in instructions a second.
double rate(const Work& work, bool isChecked, uint64_t instructions) {
  const SimulatedModule module = load(work, {.isChecked = isChecked});
  Arrays arrays;
  double best = 1e9;
  const double begin = cpuSeconds();
  do {
    const double before = cpuSeconds();
    launch(module, work, arrays);
    best = std::min(best, cpuSeconds() - before);
  } while (cpuSeconds() - begin < 0.3);
  return static_cast<double>(instructions) / best;
}

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  return (values[(values.size() - 1) / 2] + values[values.size() / 2]) / 2;
}

void run(std::span<char*> names) {
  std::vector<double> plain, checked;
  fmt::print("{:12} {:>14} {:>10} {:>10}\n", "kernel", "instructions", "plain G/s", "checked");
  for (const Work& work : kWorks) {
    if (!names.empty() && std::ranges::find(names, std::string_view(work.kernel)) == names.end()) continue;
    Arrays arrays;
    const uint64_t count = launch(load(work, {.isCounted = true}), work, arrays).counters.instructions;
    plain.push_back(rate(work, false, count));
    checked.push_back(rate(work, true, count));
    fmt::print("{:12} {:14} {:10.2f} {:10.3f}\n", work.kernel, count, plain.back() / 1e9,
               checked.back() / 1e9);
  }
  fmt::print("{:12} {:>14} {:10.2f} {:10.3f}\n", "median", "", median(plain) / 1e9, median(checked) / 1e9);
}

}  // namespace
}  // namespace hilo

int main(int count, char** words) { hilo::run({words + 1, words + count}); }
