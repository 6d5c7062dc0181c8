// A kernel of tests/data/ptx on the simulated device, with arrays of the test as its memory.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "core/base/files.h"
#include "core/compiler/codegen/simulate/load_ptx.h"

namespace hilo {

class SimulatedRun {
 public:
  // Of a file of the folder, or PTX itself.
  static SimulatedRun ofFile(const std::string& name, bool isChecked = false) {
    const auto text = readBytes("tests/data/ptx/" + name);
    EXPECT_TRUE(text) << (text ? "" : toString(text.error()));
    return SimulatedRun(text ? *text : "", SimulateOptions{.file = name, .isChecked = isChecked});
  }
  static SimulatedRun ofText(const std::string& body, bool isChecked = false,
                             const std::string& target = "sm_90") {
    return ofText(body, SimulateOptions{.isChecked = isChecked}, target);
  }
  static SimulatedRun ofText(const std::string& body, SimulateOptions options,
                             const std::string& target = "sm_90") {
    options.file = "k.ptx";
    return SimulatedRun(".version 8.5\n.target " + target + "\n.address_size 64\n" + body, options);
  }

  // Arguments in the order of the kernel's parameters. Vectors give their address; check mode knows them.
  template <typename... Args>
  Result<SimulatedReport> run(SimulatedLaunch launch, Args&... args) {
    if (!module_) return std::unexpected(module_.error());
    std::vector<std::byte> params;
    SimulatedMemory memory;
    (add(params, memory, args), ...);
    launch.params = params;
    return module_->launch(launch, &memory);
  }
  template <typename... Args>
  SimulatedReport good(const SimulatedLaunch& launch, Args&... args) {
    auto report = run(launch, args...);
    EXPECT_TRUE(report) << (report ? "" : toString(report.error()));
    return report ? *report : SimulatedReport();
  }
  // "kind at line", of the error that ends the launch, or else of the first finding; "" for none.
  template <typename... Args>
  std::string fault(const SimulatedLaunch& launch, Args&... args) {
    const auto report = run(launch, args...);
    if (report && report->findings.empty()) return "";
    const Diagnostic& found = report ? report->findings.front() : report.error();
    message_ = toString(found);
    return found.kind + " at " + std::to_string(found.place.line);
  }
  const std::string& message() const { return message_; }
  Result<SimulatedModule>& module() { return module_; }

 private:
  SimulatedRun(const std::string& text, const SimulateOptions& options) : module_(loadPtx(text, options)) {
    EXPECT_TRUE(module_) << (module_ ? "" : toString(module_.error()));
  }

  template <typename T>
  void addBytes(std::vector<std::byte>& params, const T& value) {
    constexpr size_t kAlignment = alignof(T) < 8 && sizeof(T) > 64 ? 64 : alignof(T);
    params.resize((params.size() + kAlignment - 1) / kAlignment * kAlignment);
    const auto* bytes = reinterpret_cast<const std::byte*>(&value);
    params.insert(params.end(), bytes, bytes + sizeof(T));
  }
  template <typename T>
  void add(std::vector<std::byte>& params, SimulatedMemory&, const T& value) {
    addBytes(params, value);
  }
  template <typename T>
  void add(std::vector<std::byte>& params, SimulatedMemory& memory, std::vector<T>& values) {
    addBytes(params, values.data());
    memory.add("argument " + std::to_string(++buffers_), std::as_writable_bytes(std::span(values)), true);
  }

  Result<SimulatedModule> module_;
  std::string message_;
  int buffers_ = 0;
};

// Numbers that differ and are exact in few bits.
template <typename T>
std::vector<T> countingValues(size_t size, int modulus = 17, int least = -8) {
  std::vector<T> values(size);
  for (size_t i = 0; i < size; ++i)
    values[i] = static_cast<T>(static_cast<int>(i * 7 % static_cast<size_t>(modulus)) + least);
  return values;
}

}  // namespace hilo
