// The iota behind a list of devices.
#include "core/compiler/spmd/tiling.h"

namespace hilo {
namespace {

struct Digit {
  int64_t size, stride;
};

// Cuts the list into digits, from the least: the place of a device is a number of digits, each of which adds
// its stride. Empty when it is no such number.
std::vector<Digit> digitsOf(std::span<const int64_t> devices) {
  std::vector<Digit> digits;
  const auto count = static_cast<int64_t>(devices.size());
  int64_t inner = 1;
  while (inner < count) {
    const int64_t stride = devices[static_cast<size_t>(inner)] - devices[0];
    int64_t size = 1;
    while (size * inner < count && devices[static_cast<size_t>(size * inner)] - devices[0] == size * stride)
      ++size;
    while (count / inner % size != 0) --size;
    if (size <= 1 || stride <= 0) return {};
    digits.push_back({size, stride});
    inner *= size;
  }
  return digits;
}

bool isIota(std::span<const int64_t> devices, std::span<const Digit> digits) {
  for (size_t i = 0; i < devices.size(); ++i) {
    int64_t rest = static_cast<int64_t>(i), device = devices[0];
    for (const Digit& digit : digits) {
      device += rest % digit.size * digit.stride;
      rest /= digit.size;
    }
    if (device != devices[i]) return false;
  }
  return true;
}

}  // namespace

std::optional<DeviceIota> iotaOf(std::span<const int64_t> devices) {
  if (devices.empty() || devices[0] != 0) return std::nullopt;
  std::vector<Digit> digits = digitsOf(devices);
  if ((digits.empty() && devices.size() > 1) || !isIota(devices, digits)) return std::nullopt;
  if (digits.empty()) digits.push_back({1, 1});
  std::ranges::reverse(digits);  // major first
  std::vector<size_t> byStride(digits.size());
  for (size_t i = 0; i < byStride.size(); ++i) byStride[i] = i;
  std::ranges::sort(byStride, [&](size_t a, size_t b) { return digits[a].stride > digits[b].stride; });
  DeviceIota iota;
  int64_t stride = 1;
  for (size_t i = byStride.size(); i-- > 0;) {
    if (digits[byStride[i]].stride != stride) return std::nullopt;
    stride *= digits[byStride[i]].size;
  }
  iota.permutation.resize(digits.size());
  for (size_t i = 0; i < byStride.size(); ++i) {
    iota.reshape.push_back(digits[byStride[i]].size);
    iota.permutation[byStride[i]] = static_cast<int64_t>(i);
  }
  if (iota.permutation.size() == 1) iota.permutation.clear();
  return iota;
}

}  // namespace hilo
