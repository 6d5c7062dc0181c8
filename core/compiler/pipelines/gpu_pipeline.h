// XLA's GPU pipeline for one compile (gpu_pipeline.def): which passes run in which order with which settings
// follows from the flags, the GPU and the module, as in xla/service/gpu/gpu_compiler.cc.
#pragma once

#include "core/analysis/cost/device.h"
#include "core/compiler/pass/pipeline.h"
#include "core/compiler/pipelines/xla_flags.h"

namespace hilo {

inline constexpr std::string_view kGpuPipeline = "gpu";

// The month of the XLA whose pipeline it is: passes and defaults that changed since are as they were then.
struct XlaDate {
  int year = 2026, month = 8;
  // "2025-04", of 2024 or later. Kind: "bad-date".
  static Result<XlaDate> parse(std::string_view text);
  bool isBefore(int otherYear, int otherMonth) const {
    return year != otherYear ? year < otherYear : month < otherMonth;
  }
};

struct GpuCompile {
  XlaFlags flags;
  DeviceDescription device;  // its compute capability decides
  int64_t partitions = 1;
  XlaDate date;
};

// One H100 and no flags: what is listed where nothing else is said.
GpuCompile defaultGpuCompile();

// Steps of XLA's that are not there yet are passes without a function. Passes and pipelines that the flags
// disable are left out.
Pipeline gpuPipeline(const GpuCompile& compile);

// Of its steps, XLA's that are not there yet, each once, in order.
std::vector<std::string_view> absentPasses(const Pipeline& pipeline);

}  // namespace hilo
