// What a kernel made of several instructions costs on a GPU, by the model of XLA's priority fusion: work and
// memory partly at once, what is read again from caches. Rough by design: it orders candidates. As
// xla/service/gpu/model/gpu_performance_model.cc.
#pragma once

#include "core/hlo/ir/module.h"

namespace hilo {

struct GpuRates {
  int64_t memoryBandwidthGbps = 3350;
  int64_t coreCount = 132;
  int64_t clockMhz = 1755;
  int64_t f32Gflops = 66900;
};

// Users before their operands, the first the one whose value is stored. Nanoseconds, without the launch.
double kernelNs(std::span<Instruction* const> members, const GpuRates& rates);
inline constexpr double kLaunchNs = 1000;

// How often each element of operand `index` is computed, or read, when each of the user's is once. Above 1:
// the same element again.
double operandReuse(const Instruction& user, size_t index);

}  // namespace hilo
