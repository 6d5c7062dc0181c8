#include "core/runtime/apart/device_outputs.h"

#include <algorithm>

#include "core/runtime/program/literal_buffers.h"

namespace hilo {

DeviceOutputs DeviceOutputs::of(std::span<const Literal> byDevice) {
  DeviceOutputs outputs;
  for (const Literal& output : byDevice) {
    const auto isSame = [&](const Literal& other) { return shareBytes({&output, 1}, {&other, 1}); };
    const auto found = std::ranges::find_if(outputs.literals, isSame);
    outputs.literalOf.push_back(static_cast<uint32_t>(found - outputs.literals.begin()));
    if (found == outputs.literals.end()) outputs.literals.push_back(output);
  }
  return outputs;
}

Result<std::vector<Literal>> DeviceOutputs::byDevice(int64_t devices) const {
  if (std::cmp_not_equal(literalOf.size(), devices))
    return fail("bad-message", "there are not as many outputs as devices");
  std::vector<Literal> outputs;
  for (const uint32_t literal : literalOf) {
    if (literal >= literals.size()) return fail("bad-message", "an output of a device is not there");
    outputs.push_back(literals[literal]);
  }
  return outputs;
}

}  // namespace hilo
