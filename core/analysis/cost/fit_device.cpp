#include "core/analysis/cost/fit_device.h"

#include <fmt/format.h>

#include <cmath>

#include "core/analysis/cost/device_latency.h"

namespace hilo {
namespace {

constexpr int kMostRounds = 20;
constexpr double kSettled = 1e-3;  // a smaller change of a field is none

struct Sample {
  double measuredNs = 0, estimatedNs = 0;
  double ratio() const { return measuredNs / estimatedNs; }
};

// A field of the device, and whose estimates it scales. Times are proportional to `kernelNs`, and inversely
// proportional to efficiencies.
struct Fitted {
  const char* name;
  double& (*field)(DeviceDescription&);
  bool isTime;
};

const Fitted kFitted[] = {
    {"kernelNs", [](DeviceDescription& d) -> double& { return d.kernelNs; }, true},
    {"memoryEfficiency", [](DeviceDescription& d) -> double& { return d.memoryEfficiency; }, false},
    {"matmulEfficiency", [](DeviceDescription& d) -> double& { return d.matmulEfficiency; }, false},
    {"link.efficiency", [](DeviceDescription& d) -> double& { return d.link.efficiency; }, false},
    {"network.efficiency", [](DeviceDescription& d) -> double& { return d.network.efficiency; }, false},
};
enum FittedIndex : size_t { kKernel, kMemory, kMatmul, kLink, kNetwork };

std::optional<size_t> fieldBehind(const Instruction& instruction, const DeviceLatencyEstimator& device) {
  const std::string_view bound = boundOf(instruction, device);
  if (bound == "launch") return kKernel;
  if (bound == "memory") return kMemory;
  if (bound == "compute") return kMatmul;
  if (bound == "link") return device.collective(instruction).withinNode ? kLink : kNetwork;
  return std::nullopt;
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<long>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

using Samples = std::array<std::vector<Sample>, std::size(kFitted)>;

// By the field that bounds them. What a loop runs is measured by itself.
Samples samplesOf(const Module& module, const DeviceLatencyEstimator& device,
                  const ProfileLatencyEstimator& measured) {
  Samples samples;
  for (const Computation* computation : module.computations()) {
    for (const Instruction* instruction : computation->instructions()) {
      if (!measured.knows(*instruction)) continue;
      const Sample sample{measured.nodeCost(*instruction), device.workNs(*instruction)};
      const auto field = fieldBehind(*instruction, device);
      if (field && sample.measuredNs > 0 && sample.estimatedNs > 0) samples[*field].push_back(sample);
    }
  }
  return samples;
}

double medianError(const Samples& samples) {
  std::vector<double> factors;
  for (const auto& ofField : samples)
    for (const Sample& sample : ofField) factors.push_back(std::exp(std::abs(std::log(sample.ratio()))));
  return median(std::move(factors));
}

}  // namespace

Result<DeviceFit> fitDevice(const Module& module, const DeviceDescription& device,
                            const LatencyProfile& profile) {
  DeviceFit fit{.device = device};
  const auto samplesNow = [&] {
    const DeviceLatencyEstimator estimator(module, fit.device);
    return samplesOf(module, estimator, ProfileLatencyEstimator(profile, estimator));
  };
  Samples samples = samplesNow();
  for (const auto& ofField : samples) fit.measured += static_cast<int64_t>(ofField.size());
  if (fit.measured == 0)
    return fail("bad-profile", "no instruction that the device has an estimate of was measured");
  fit.errorBefore = medianError(samples);
  fit.errorAfter = fit.errorBefore;
  DeviceDescription best = device;
  for (int round = 0; round < kMostRounds; ++round) {
    double change = 0;
    for (size_t i = 0; i < samples.size(); ++i) {
      if (samples[i].empty()) continue;
      std::vector<double> ratios;
      for (const Sample& sample : samples[i]) ratios.push_back(sample.ratio());
      const double ratio = median(std::move(ratios));
      kFitted[i].field(fit.device) *= kFitted[i].isTime ? ratio : 1 / ratio;
      change = std::max(change, std::abs(std::log(ratio)));
    }
    samples = samplesNow();
    if (const double error = medianError(samples); error < fit.errorAfter) {
      fit.errorAfter = error;
      best = fit.device;
    }
    if (change < kSettled) break;
  }
  fit.device = std::move(best);
  samples = samplesNow();
  DeviceDescription before = device;
  for (size_t i = 0; i < samples.size(); ++i) {
    const double was = kFitted[i].field(before), is = kFitted[i].field(fit.device);
    if (was == is && samples[i].empty()) continue;
    fit.fields.push_back({kFitted[i].name, was, is, static_cast<int64_t>(samples[i].size())});
  }
  fit.device.name += ", fitted";
  fit.device.notes.push_back(fmt::format(
      "fitted to {} measured instructions: estimates are off by a factor of {:.2f} in the median, "
      "{:.2f} before",
      fit.measured, fit.errorAfter, fit.errorBefore));
  return fit;
}

}  // namespace hilo
