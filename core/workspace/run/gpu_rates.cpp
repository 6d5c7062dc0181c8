#include "core/workspace/run/gpu_rates.h"

#include <fmt/format.h>

#include <algorithm>

namespace hilo {
namespace {

struct RatesRow {
  int architecture;
  const char* gpu;
  GpuRates rates;
};
constexpr RatesRow kRows[] = {
#define GPU_RATES(architecture, gpu, bandwidth, processors, clock, f32) \
  {architecture, gpu, {bandwidth, processors, clock, f32}},
#include "core/workspace/run/gpu_rates.def"
};

GpuRates ratesOfArchitecture(int64_t architecture) {
  const auto* after =
      std::ranges::find_if(kRows, [&](const RatesRow& row) { return row.architecture > architecture; });
  return after == std::begin(kRows) ? kRows[0].rates : std::prev(after)->rates;
}

}  // namespace

GpuRates ratesOf(const GpuTarget& target) { return ratesOfArchitecture(target.number); }

GpuRates ratesOf(const DeviceFacts& facts) {
  const GpuRates greatest = ratesOfArchitecture(10 * facts.capabilityMajor + facts.capabilityMinor);
  GpuRates rates = greatest;
  if (facts.processors > 0) rates.coreCount = facts.processors;
  if (facts.clockKilohertz > 0) rates.clockMhz = std::max<int64_t>(facts.clockKilohertz / 1000, 1);
  // Two transfers a clock.
  const double bytesPerSecond =
      2e3 * static_cast<double>(facts.memoryClockKilohertz) * static_cast<double>(facts.memoryBusBits) / 8;
  if (bytesPerSecond >= 1e9) rates.memoryBandwidthGbps = static_cast<int64_t>(bytesPerSecond / 1e9);
  const double ofGreatest = static_cast<double>(rates.coreCount) * static_cast<double>(rates.clockMhz) /
                            static_cast<double>(greatest.coreCount) / static_cast<double>(greatest.clockMhz);
  rates.f32Gflops =
      std::max<int64_t>(static_cast<int64_t>(static_cast<double>(greatest.f32Gflops) * ofGreatest), 1);
  return rates;
}

std::string passesWithRates(const GpuRates& rates) {
  return fmt::format("priority-fusion{{memory_bandwidth_gbps={},core_count={},clock_mhz={},f32_gflops={}}}",
                     rates.memoryBandwidthGbps, rates.coreCount, rates.clockMhz, rates.f32Gflops);
}

}  // namespace hilo
