#include "core/compiler/pipelines/gpu_pipeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "core/base/check.h"
#include "core/compiler/passes/dots/cudnn_scaled_dot.h"
#include "core/compiler/passes/table/all_passes.h"
#include "core/compiler/passes/table/pass_list.h"
#include "core/compiler/passes/table/xla_passes.h"

namespace hilo {
namespace {

// Writes the steps down one by one.
class Plan {
 public:
  explicit Plan(Pipeline& pipeline, const XlaFlags& flags)
      : pipeline_(pipeline),
        disabled_(flags.list("xla_disable_hlo_passes")),
        only_(flags.list("xla_enable_hlo_passes_only")),
        runsNone_(flags.on("xla_disable_all_hlo_passes")) {}

  void phase(std::string_view name) { pipeline_.phases.push_back({name, pipeline_.passes.size(), 0}); }
  void beginRepeat(std::string_view name) {
    pipeline_.fixpoints.push_back({name, pipeline_.passes.size(), 0});
  }
  void endRepeat() {
    Fixpoint& loop = pipeline_.fixpoints.back();
    loop.count = pipeline_.passes.size() - loop.first;
    if (loop.count == 0) pipeline_.fixpoints.pop_back();
  }

  void step(std::string_view name, const std::string& settings = "") {
    const XlaPass* xla = findXlaPass(name);
    CHECK(xla != nullptr, name);
    add(configuredPass(*xla), settings, name);
  }
  void own(std::string_view name) {
    const Pass* pass = findPass(name);
    CHECK(pass != nullptr, name);
    add(pass, "", name);
  }

 private:
  static bool holds(const std::vector<std::string>& names, std::string_view name) {
    return std::ranges::find(names, name) != names.end();
  }
  bool isNamed(const std::vector<std::string>& names, std::string_view pass) const {
    const bool inLoop = !pipeline_.fixpoints.empty() && pipeline_.fixpoints.back().count == 0;
    return holds(names, pass) || holds(names, pipeline_.phases.back().name) ||
           (inLoop && holds(names, pipeline_.fixpoints.back().name));
  }
  // Flags call it by XLA's name.
  void add(ConfiguredPass configured, const std::string& settings, std::string_view name) {
    if (runsNone_ || isNamed(disabled_, name) || (!only_.empty() && !isNamed(only_, name))) return;
    if (!settings.empty() && configured.pass->isThere()) {
      const auto set = parsePassList(fmt::format("{}{{{}}}", configured.pass->name, settings));
      CHECK(set.has_value(), set ? "" : set.error().message);
      configured.settings = set->front().settings;
    }
    pipeline_.passes.push_back(std::move(configured));
    ++pipeline_.phases.back().count;
  }

  Pipeline& pipeline_;
  std::vector<std::string> disabled_, only_;
  bool runsNone_;
};

// "9.0" as 90; 0 where it is not known.
int capabilityOf(const DeviceDescription& device) {
  int major = 0, minor = 0;
  const std::string& text = device.computeCapability;
  const auto [dot, error] = std::from_chars(text.data(), text.data() + text.size(), major);
  if (error == std::errc() && dot != text.data() + text.size())
    std::from_chars(dot + 1, text.data() + text.size(), minor);
  return 10 * major + minor;
}

// Rates of the cost model: whole numbers, as settings are.
int64_t wholeRate(double rate) { return static_cast<int64_t>(rate + 0.5); }

std::string deviceSettingsOf(const DeviceDescription& device) {
  return fmt::format("memory_bandwidth_gbps={},core_count={},clock_mhz={},f32_gflops={},capability={}",
                     wholeRate(device.memoryBandwidthGBps), device.processors, wholeRate(device.clockMHz),
                     wholeRate(1000 * device.peakTflops.f32), capabilityOf(device));
}

// Settings of async-collective-annotator: the kinds that the flag lists run in place.
std::string asyncKindsOf(const XlaFlags& flags) {
  constexpr std::pair<std::string_view, std::string_view> kKinds[] = {
      {"ALLREDUCE", "all_reduce"},
      {"ALLGATHER", "all_gather"},
      {"REDUCESCATTER", "reduce_scatter"},
      {"COLLECTIVEBROADCAST", "collective_broadcast"},
      {"ALLTOALL", "all_to_all"},
      {"COLLECTIVEPERMUTE", "collective_permute"},
      {"RAGGEDALLTOALL", "ragged_all_to_all"}};
  const std::vector<std::string> disabled = flags.list("xla_gpu_disable_async_collectives");
  const auto names = [&](std::string_view kind) {
    return std::ranges::any_of(disabled, [&](std::string word) {
      std::ranges::transform(word, word.begin(), [](unsigned char c) { return std::toupper(c); });
      return word == kind || word == "ALLCOLLECTIVES";
    });
  };
  std::string settings;
  for (const auto& [kind, setting] : kKinds)
    settings += fmt::format("{}{}={}", settings.empty() ? "" : ",", setting, !names(kind));
  return settings;
}

// A flag of where collectives meet, as collective-backend-assigner names it.
std::string_view collectiveModeOf(const XlaFlags& flags, std::string_view flag) {
  const std::string_view mode = flags.text(flag);
  if (mode.ends_with("SYMMETRIC_MEMORY")) return "symmetric_memory";
  return mode.ends_with("PEER_MEMORY") ? "peer_memory" : "private_memory";
}

// How loops are unrolled by default; "": not. What the flag decides by itself it does at a higher effort.
std::string_view unrollingOf(const XlaFlags& flags) {
  const std::string_view asked = flags.text("xla_gpu_enable_while_loop_unrolling");
  if (asked.ends_with("FULL_UNROLL")) return "full_unroll";
  const bool isDouble = flags.on("xla_gpu_enable_while_loop_double_buffering");
  return isDouble || asked.ends_with("DOUBLE_BUFFER") ? "double_buffer" : "";
}

void writeSteps(Plan& plan, const GpuCompile& compile) {
  const XlaFlags& flags = compile.flags;
  const auto on = [&](std::string_view flag) { return flags.on(flag); };
  const auto number = [&](std::string_view flag) { return flags.number(flag); };
  const auto text = [&](std::string_view flag) { return flags.text(flag); };
  const auto sm = [&](int major, int minor) { return capabilityOf(compile.device) >= 10 * major + minor; };
  const auto isMode = [&](std::string_view flag) { return text(flag).ends_with("ON"); };
  const auto combine = [&](std::string_view flag) {
    return fmt::format("combine_threshold_in_bytes={},combine_threshold_count={}", number(flag),
                       number("xla_gpu_collective_combine_threshold_count"));
  };
  const auto before = [&](int year, int month) { return compile.date.isBefore(year, month); };
  const auto gemmLibrary = [&] {
    const bool isLegacy = before(2026, 4) && !flags.isSet("xla_gpu_enable_cublaslt");
    return fmt::format("cublaslt={}", !isLegacy && on("xla_gpu_enable_cublaslt"));
  };
  const auto gemmTarget = [&] {
    return fmt::format("{},workspace_bytes={}MiB", gemmLibrary(), sm(9, 0) ? 32 : 4);
  };
  const auto f8GemmTarget = [&] {
    return fmt::format("f8=true,compute_capability={},workspace_bytes={}MiB",
                       std::max(1, capabilityOf(compile.device)), sm(9, 0) ? 32 : 4);
  };
  const auto autotuning = [&] {
    return fmt::format("memory_bandwidth_gbps={},f32_gflops={},{},exclude_nondeterministic_ops={}",
                       wholeRate(compile.device.memoryBandwidthGBps),
                       wholeRate(1000 * compile.device.peakTflops.f32), gemmLibrary(),
                       on("xla_gpu_deterministic_ops") || on("xla_gpu_exclude_nondeterministic_ops"));
  };
  const auto deviceSettings = [&] { return deviceSettingsOf(compile.device); };
  const auto processors = [&] {
    return fmt::format("core_count={},compute_capability={}", compile.device.processors,
                       std::max(1, capabilityOf(compile.device)));
  };
  const auto windowRows = [&] {
    return fmt::format("base_length={}", number("xla_reduce_window_rewrite_base_length"));
  };
  const auto layouts = [&] {
    return fmt::format(
        "compute_capability={},pack_dot_operands_along_k_dimension={},force_conv_nchw={},force_conv_nhwc={}",
        std::max(1, capabilityOf(compile.device)),
        on("xla_gpu_experimental_pack_dot_operands_along_k_dimension"), on("xla_gpu_force_conv_nchw"),
        on("xla_gpu_force_conv_nhwc"));
  };
  const auto asyncKinds = [&] { return asyncKindsOf(flags); };
  const auto collectiveModes = [&] {
    return fmt::format("all_gather_mode={},collective_permute_mode={}",
                       collectiveModeOf(flags, "xla_gpu_all_gather_mode"),
                       collectiveModeOf(flags, "xla_gpu_collective_permute_mode"));
  };
  const auto blockLevelFusions = [&] {
    const bool sameShape = on("xla_gpu_experimental_enable_same_shape_multi_output_fusion") &&
                           on("xla_gpu_experimental_enable_tiling_propagation");
    return fmt::format("{},all_fusions={},several_results={}", deviceSettings(),
                       on("xla_gpu_experimental_enable_fusion_block_level_rewriter"),
                       sameShape || on("xla_gpu_unsupported_enable_triton_multi_output_fusion"));
  };
  const auto permuteThreshold = [&] {
    return fmt::format("threshold_in_bytes={}", number("xla_gpu_collective_permute_decomposer_threshold"));
  };
  const bool pipelinesLoops = text("xla_gpu_experimental_pipeline_parallelism_opt_level").ends_with("ENABLE");
  const std::string_view kernelFlag = "xla_gpu_experimental_use_collective_kernels";
  const std::string_view kernels = text(kernelFlag);
  const bool usesCollectiveKernels =
      sm(9, 0) && (!flags.isSet(kernelFlag) || kernels.find("ALL_REDUCE") != std::string_view::npos);
  const std::string_view unrolling = unrollingOf(flags);
  const int64_t partitions = compile.partitions;
  const bool isDeterministic = on("xla_gpu_deterministic_ops") || on("xla_gpu_exclude_nondeterministic_ops");
  const std::string_view sliceFlag = "xla_gpu_enable_dynamic_slice_fusion";
  const bool fusesSlices = on(sliceFlag) && (!before(2026, 8) || flags.isSet(sliceFlag));
  const bool hasTriton = on("xla_gpu_enable_triton_gemm") && sm(8, 0);
  const bool hidesLatency =
      on("xla_gpu_enable_latency_hiding_scheduler") ||
      (on("xla_gpu_enable_analytical_sol_latency_estimator") && sm(9, 0) && partitions > 1);
#define PHASE(name) plan.phase(name);
#define STEP(name) plan.step(name);
#define STEP_IF(condition, name) \
  if (condition) plan.step(name);
#define STEP_WITH(name, settings) plan.step(name, settings);
#define STEP_IF_WITH(condition, name, settings) \
  if (condition) plan.step(name, settings);
#define OWN(name) plan.own(name);
#define OWN_IF(condition, name) \
  if (condition) plan.own(name);
#define REPEAT(name) plan.beginRepeat(name);
#define END_REPEAT() plan.endRepeat();
#define FLOAT_NORMALIZATION()                                                \
  for (const XlaPass& pass : xlaPasses()) {                                  \
    if (pass.name.starts_with("float-normalization-")) plan.step(pass.name); \
  }
#include "core/compiler/pipelines/gpu_pipeline.def"
}

}  // namespace

Result<XlaDate> XlaDate::parse(std::string_view text) {
  XlaDate date;
  const char* end = text.data() + text.size();
  const auto [dash, error] = std::from_chars(text.data(), end, date.year);
  if (error == std::errc() && dash != end && *dash == '-') {
    const auto [last, bad] = std::from_chars(dash + 1, end, date.month);
    if (bad == std::errc() && last == end && date.year >= 2024 && date.year < 10000 && date.month >= 1 &&
        date.month <= 12)
      return date;
  }
  return fail("bad-date", fmt::format("'{}' is no month of 2024 or later, such as 2025-04", text));
}

GpuCompile defaultGpuCompile() {
  GpuCompile compile;
  auto device = findDevice("h100");
  CHECK(device.has_value());
  compile.device = *std::move(device);
  return compile;
}

Pipeline gpuPipeline(const GpuCompile& compile) {
  Pipeline pipeline{.name = kGpuPipeline,
                    .summary = "XLA's passes for an NVIDIA GPU, by name and in its order"};
  Plan plan(pipeline, compile.flags);
  writeSteps(plan, compile);
  std::erase_if(pipeline.phases, [](const PipelinePhase& phase) { return phase.count == 0; });
  return pipeline;
}

std::vector<std::string_view> absentPasses(const Pipeline& pipeline) {
  std::vector<std::string_view> absent;
  for (const ConfiguredPass& pass : pipeline.passes) {
    if (!pass.pass->isThere() && std::ranges::find(absent, pass.name()) == absent.end())
      absent.push_back(pass.name());
  }
  return absent;
}

}  // namespace hilo
