// What a plug-in says of a kernel (plugins/sdk/kernel_dialect.h), as plain data.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/result.h"

namespace hilo {

// Of x, y, z; nothing where it is known only when it runs.
using KernelSizes = std::vector<std::optional<int64_t>>;

struct KernelLaunch {
  uint32_t line = 0;
  KernelSizes grid, cluster, block;
  std::optional<int64_t> sharedBytes;
};

struct KernelArray {
  std::string name, memory, type;
  uint32_t line = 0;
  std::optional<int64_t> bytes, offset;
};

struct KernelBarrierInit {
  std::string name;
  uint32_t line = 0;
  std::optional<int64_t> count, arrivals;
  bool tensorCore = false;
};

struct KernelDescription {
  std::string name;
  std::optional<int64_t> archMajor, archMinor;
  std::vector<KernelLaunch> launches;
  std::vector<KernelArray> arrays;
  std::vector<KernelBarrierInit> barriers;
  std::vector<std::pair<std::string, int64_t>> operations;  // by name
  std::string program;      // core/analysis/kernel_checks; "" where it could not be followed
  std::string notFollowed;  // why
  std::string
      kernelText;  // core/analysis/kernel_layouts/inference/kernel_text.h; "" where it has no such form
  std::string noKernelText;  // why
};

// Kind "plugin-broke-contract".
Result<KernelDescription> parseKernelDescription(std::string_view json);

}  // namespace hilo
