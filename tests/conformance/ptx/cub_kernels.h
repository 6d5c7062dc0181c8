// Kernels of CUB on the simulated GPU, plainly and in check mode, launched as its host code does. nvcc
// compiles them when the test runs; where there is none nothing is tried.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>

#include "core/base/files.h"
#include "core/compiler/codegen/simulate/load_ptx.h"

namespace hilo {

inline std::string nvccHere() {
  const char* named = std::getenv("HILO_NVCC");
  const std::string usual = "/usr/local/cuda/bin/nvcc";
  return named != nullptr ? named : std::filesystem::exists(usual) ? usual : "";
}

// The PTX of cub.cu; "" where it cannot be made.
inline const std::string& cubPtx() {
  static const std::string text = [] {
    const std::filesystem::path to = std::filesystem::path(testing::TempDir()) / "hilo_cub.ptx";
    const std::string command = nvccHere() +
                                " -ptx -O3 -std=c++17 -arch=sm_80 tests/conformance/ptx/cub.cu -o " +
                                to.string() + " 2>&1";
    const bool isMade = !nvccHere().empty() && std::system(command.c_str()) == 0;
    const auto read = isMade ? readBytes(to.string()) : Result<std::string>("");
    std::filesystem::remove(to);
    return read ? *read : std::string();
  }();
  return text;
}

// The first entry whose name has all `parts`; "" for none.
inline std::string cubEntry(const std::vector<std::string>& parts) {
  const std::string& text = cubPtx();
  for (size_t at = text.find(".entry "); at != std::string::npos; at = text.find(".entry ", at + 1)) {
    std::string name = text.substr(at + 7, text.find('(', at) - at - 7);
    if (std::ranges::all_of(parts, [&](const std::string& part) { return name.contains(part); })) return name;
  }
  return "";
}

// Made once: a sort launches its kernels several times.
inline const Result<SimulatedModule>& cubModule(const std::string& entry, bool isChecked) {
  static std::map<std::pair<std::string, bool>, Result<SimulatedModule>> made;
  const auto known = made.find({entry, isChecked});
  if (known != made.end()) return known->second;
  return made
      .emplace(std::pair(entry, isChecked),
               loadPtx(cubPtx(), {.file = "cub.ptx", .isChecked = isChecked, .kernels = {entry}}))
      .first->second;
}

class CubKernels : public testing::TestWithParam<bool> {
 protected:
  using Param = std::vector<std::byte>;

  void SetUp() override {
    if (cubPtx().empty()) GTEST_SKIP() << "no nvcc, or no CUB: nothing to compile";
  }

  // The kernel whose name has all `parts`; `params` one after the other, as the kernel lays them out. With 0
  // threads a block has as many as the kernel takes.
  void launch(const std::vector<std::string>& parts, uint32_t blocks, uint32_t threads,
              const std::vector<Param>& params) {
    const std::string name = cubEntry(parts);
    ASSERT_NE(name, "") << parts[0];
    const auto& module = cubModule(name, GetParam());
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
  static Param param(const T& value) {
    Param bytes(sizeof(T));
    std::memcpy(bytes.data(), &value, sizeof(T));
    return bytes;
  }
  // The address of the element `from`.
  template <typename T>
  Param array(std::vector<T>& values, bool isWritten = true, size_t from = 0) {
    if (memory_.find(reinterpret_cast<std::byte*>(values.data())) == nullptr)
      memory_.add("array", std::as_writable_bytes(std::span(values)), isWritten);
    return param(values.data() + from);
  }
  static Param nothing() { return {}; }
  static Param null() { return param(uint64_t{0}); }

  SimulatedMemory memory_;
};

// How CUB says which elements a block is for (its GridEvenShare): the first `bigShares` blocks have
// `bigItems` each, the others `items`; or each takes a tile in turn, of which these numbers say nothing.
struct CubShares {
  int tiles = 0, bigShares = 0;
  unsigned bigItems = 0, items = 0, base = 0, count = 0;
  int blocks = 0;
  unsigned begin = 0, end = 0, stride = 0;
};

}  // namespace hilo
