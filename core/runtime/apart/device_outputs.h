// The outputs of devices on a line. Devices that do the same share one output, and it is sent once.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/result.h"
#include "core/hlo/ir/literal.h"

namespace hilo {

struct DeviceOutputs {
  std::vector<Literal> literals;
  std::vector<uint32_t> literalOf;  // by device

  static DeviceOutputs of(std::span<const Literal> byDevice);
  // Kind "bad-message" where they are not of so many devices.
  Result<std::vector<Literal>> byDevice(int64_t devices) const;

  template <typename Self, typename V>
  static void visit(Self& self, V& v) {
    v("literals", self.literals);
    v("literalOf", self.literalOf);
  }
};

}  // namespace hilo
