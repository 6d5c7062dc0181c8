// Kernels of CUB, launched as its host code does for small inputs, and the same by the host. nvcc compiles
// them when the test runs; where there is none nothing is tried.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <numeric>

#include "core/base/files.h"
#include "core/compiler/codegen/simulate/load_ptx.h"

namespace hilo {
namespace {

namespace fs = std::filesystem;

std::string nvcc() {
  const char* named = std::getenv("HILO_NVCC");
  const std::string usual = "/usr/local/cuda/bin/nvcc";
  return named != nullptr ? named : fs::exists(usual) ? usual : "";
}

// The PTX of cub.cu; "" where it cannot be made.
const std::string& cubPtx() {
  static const std::string text = [] {
    const fs::path to = fs::path(testing::TempDir()) / "hilo_cub.ptx";
    const std::string command =
        nvcc() + " -ptx -O3 -std=c++17 -arch=sm_80 tests/conformance/ptx/cub.cu -o " + to.string() + " 2>&1";
    const bool isMade = !nvcc().empty() && std::system(command.c_str()) == 0;
    const auto read = isMade ? readBytes(to.string()) : Result<std::string>("");
    fs::remove(to);
    return read ? *read : std::string();
  }();
  return text;
}

class CubKernels : public testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    if (cubPtx().empty()) GTEST_SKIP() << "no nvcc, or no CUB: nothing to compile";
  }

  // The kernel whose name has `part`; `params` one after the other, as the kernel lays them out.
  void launch(const std::string& part, uint32_t blocks, uint32_t threads,
              const std::vector<std::vector<std::byte>>& params) {
    const auto begin = cubPtx().find(".entry ");
    std::string name;
    for (size_t at = begin; at != std::string::npos && name.empty(); at = cubPtx().find(".entry ", at + 1)) {
      const std::string found = cubPtx().substr(at + 7, cubPtx().find('(', at) - at - 7);
      if (found.find(part) != std::string::npos) name = found;
    }
    ASSERT_NE(name, "") << part;
    const auto module = loadPtx(cubPtx(), {.file = "cub.ptx", .isChecked = GetParam(), .kernels = {name}});
    ASSERT_TRUE(module) << toString(module.error());
    const SimulatedKernel& kernel = *module->kernel(name);
    ASSERT_EQ(params.size(), kernel.params.size());
    std::vector<std::byte> bytes(kernel.paramBytes);
    for (size_t i = 0; i < params.size(); ++i) {
      ASSERT_LE(params[i].size(), kernel.params[i].bytes) << i;
      std::ranges::copy(params[i], bytes.begin() + kernel.params[i].offset);
    }
    if (threads == 0) threads = kernel.mostThreads;
    const auto report =
        module->launch({.kernel = name, .grid = {blocks}, .block = {threads}, .params = bytes}, &memory_);
    ASSERT_TRUE(report) << toString(report.error());
    for (const Diagnostic& finding : report->findings) ADD_FAILURE() << toString(finding);
  }
  template <typename T>
  static std::vector<std::byte> param(const T& value) {
    std::vector<std::byte> bytes(sizeof(T));
    std::memcpy(bytes.data(), &value, sizeof(T));
    return bytes;
  }
  template <typename T>
  std::vector<std::byte> array(std::vector<T>& values, bool isWritten = true) {
    if (memory_.find(reinterpret_cast<std::byte*>(values.data())) == nullptr)
      memory_.add("array", std::as_writable_bytes(std::span(values)), isWritten);
    return param(values.data());
  }
  static std::vector<std::byte> nothing() { return {}; }

  SimulatedMemory memory_;
};
INSTANTIATE_TEST_SUITE_P(Modes, CubKernels, testing::Bool());

std::vector<int> numbers(size_t count) {
  std::vector<int> values(count);
  for (size_t i = 0; i < count; ++i) values[i] = static_cast<int>(i * 2654435761u % 4001) - 2000;
  return values;
}

TEST_P(CubKernels, Reduce) {
  auto in = numbers(3000);
  std::vector<int> out(1);
  launch("DeviceReduceSingleTileKernel", 1, 0,
         {array(in), array(out, false), param(3000), nothing(), param(5), nothing()});
  EXPECT_EQ(out[0], std::accumulate(in.begin(), in.end(), 5));
}

// Tiles look back at what those before them published. How large one is, the first by itself tells.
TEST_P(CubKernels, Scan) {
  constexpr int kUnset = 1 << 30;
  auto in = numbers(20000);
  std::vector<int> out(in.size(), kUnset), expected(in.size());
  std::vector<uint64_t> states(2 * (200 + 32));
  const auto scan = [&](uint32_t tiles) {
    launch("DeviceScanInitKernel", 2, 128, {array(states), param(static_cast<int>(tiles))});
    launch("DeviceScanKernel", tiles, 0,
           {array(in), array(out, true), array(states), param(0), nothing(), nothing(), param(20000)});
  };
  scan(1);
  const auto tile = static_cast<size_t>(std::ranges::find(out, kUnset) - out.begin());
  ASSERT_GE(tile, 128u);
  ASSERT_LT(tile, in.size());
  scan(static_cast<uint32_t>((in.size() + tile - 1) / tile));
  std::partial_sum(in.begin(), in.end(), expected.begin());
  EXPECT_EQ(out, expected);
}

TEST_P(CubKernels, RadixSort) {
  std::vector<unsigned> in(1500), out(in.size());
  for (size_t i = 0; i < in.size(); ++i) in[i] = static_cast<unsigned>(i * 2654435761u);
  launch("DeviceRadixSortSingleTileKernel", 1, 0,
         {array(in), array(out, false), param(uint64_t{0}), param(uint64_t{0}), param(1500), param(0),
          param(32), nothing()});
  std::ranges::sort(in);
  EXPECT_EQ(out, in);
}

// 10 bins of 0 .. 250.
TEST_P(CubKernels, Histogram) {
  std::vector<uint8_t> in(10000);
  for (size_t i = 0; i < in.size(); ++i) in[i] = static_cast<uint8_t>(i * 2654435761u % 251);
  std::vector<int> bins(10), privatized(4 * 256), expected(10);
  std::vector<int> queue(4);
  const int scale[4] = {250, 0, 10, 250};  // most, least, bins over range
  launch("DeviceHistogramSweepKernel", 3, 0,
         {array(in), param(10), param(256), array(bins), array(privatized), param(scale), nothing(),
          param(10000), param(1), param(10000), param(3), array(queue)});
  for (const uint8_t value : in) {
    if (value < 250) ++expected[value / 25u];
  }
  EXPECT_EQ(bins, expected);
}

}  // namespace
}  // namespace hilo
