#include "app/cli/tune_gpu.h"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "app/cli/arguments.h"
#include "app/cli/command.h"
#include "app/cli/report.h"
#include "app/cli/written_module.h"
#include "core/workspace/open/convert.h"
#include "core/workspace/run/gpu_compile.h"
#include "core/workspace/store/store.h"
#include "core/workspace/tune/autotune_results.h"
#include "core/workspace/tune/gpu_tune.h"

namespace hilo::cli {
namespace {

using enum Table::Align;

std::string microseconds(double ns) { return ns > 0 ? fmt::format("{:.2f} µs", ns / 1000) : ""; }

std::string wordsOf(const TriedKernel& tried) {
  const std::string failure = trialFailureName(tried.failure);
  if (!failure.empty()) return failure + ": " + tried.remark;
  if (!tried.remark.empty()) return tried.remark;
  return tried.wasRun ? (tried.isTrusted ? "equals the reference, trusted" : "equals the reference") : "";
}

std::string namesOf(const TunedKernel& tuned) {
  const size_t others = tuned.instructions.size() - 1;
  return tuned.instructions[0] + (others == 0 ? "" : fmt::format(" and {} more", others));
}

void print(const GpuTuneReport& report, const DeviceDescription& device) {
  const bool isEstimated = std::ranges::any_of(report.tuned, &TunedKernel::isEstimated);
  if (isEstimated && !report.tuned.empty())
    fmt::print("Times are estimated for {}, not measured.\n", device.name);
  Table table({Left, Left, Left, Right, Right, Left});
  table.add({"instruction", "", "kernel", "time", "scratch", ""});
  for (const TunedKernel& tuned : report.tuned) {
    std::string note = tuned.error.empty() ? "" : tuned.error;
    if (tuned.reused) note = note.empty() ? "found before" : "found before; " + note;
    if (!tuned.fromXla.empty()) note += (note.empty() ? "XLA chose " : "; XLA chose ") + tuned.fromXla;
    table.add({namesOf(tuned), tuned.work, tuned.best, microseconds(tuned.bestNs), "", note});
    for (const TriedKernel& tried : tuned.tried)
      table.add({"", "", "  " + tried.choice, microseconds(tried.ns()),
                 tried.scratchBytes > 0 ? std::to_string(tried.scratchBytes) : "", wordsOf(tried)});
  }
  fmt::print("{}", table.text());
  if (report.tuned.empty()) fmt::print("No instruction has more than one kernel.\n");
  for (const std::string& untried : report.untried) fmt::print("not tried: {}\n", untried);
}

nlohmann::json toJson(const GpuTuneReport& report, const DeviceDescription& device) {
  nlohmann::json all = nlohmann::json::array();
  for (const TunedKernel& tuned : report.tuned) {
    nlohmann::json tries = nlohmann::json::array();
    for (const TriedKernel& tried : tuned.tried) {
      tries.push_back({{"kernel", tried.choice},
                       {"trusted", tried.isTrusted},
                       {"failure", trialFailureName(tried.failure)},
                       {"remark", tried.remark},
                       {"samples_ns", tried.timings.samplesNs},
                       {"ns", tried.ns()},
                       {"scratch_bytes", tried.scratchBytes},
                       {"equals_reference", tried.wasRun}});
    }
    all.push_back({{"instructions", tuned.instructions},
                   {"work", tuned.work},
                   {"tried", tries},
                   {"best", tuned.best},
                   {"best_ns", tuned.bestNs},
                   {"default_ns", tuned.defaultNs},
                   {"estimated", tuned.isEstimated},
                   {"reused", tuned.reused},
                   {"xla", tuned.fromXla},
                   {"error", tuned.error}});
  }
  return {{"module", report.module->name()},
          {"device", device.name},
          {"tuned", all},
          {"untried", report.untried}};
}

Status writeModule(const std::string& path, const Module& module) {
  if (path.empty()) return {};
  TRY(const OutputKind kind, outputKindFromPath(path));
  return writeResult(path, module, kind);
}

// What the file holds for other instructions and devices stays in it.
Status writeResults(const std::string& path, AutotuneResults& chosen) {
  if (path.empty()) return {};
  if (std::filesystem::exists(path)) {
    TRY(const AutotuneResults before, AutotuneResults::read(path));
    chosen.addFrom(before);
  }
  return chosen.write(path);
}

Result<GpuTuneReport> tuned(const std::shared_ptr<const Module>& module, const GpuTuneOptions& options,
                            const DeviceDescription& device) {
  TRY(const auto store, RunStore::open(options.store));
  TRY(const std::string target, gpuTargetOf(device));
  AutotuneResults imported, exported;
  if (!options.importFrom.empty()) {
    TRY(imported, AutotuneResults::read(options.importFrom));
  }
  TRY(GpuTuneReport report, tuneForGpu({.module = module,
                                        .device = device,
                                        .target = target,
                                        .engine = options.engine,
                                        .runsPasses = !options.noPasses,
                                        .only = options.only,
                                        .seed = options.seed,
                                        .repeat = options.repeat,
                                        .tilings = options.tilings,
                                        .store = store.get(),
                                        .triesAgain = options.again,
                                        .worker = options.worker,
                                        .imported = options.importFrom.empty() ? nullptr : &imported,
                                        .exported = options.exportTo.empty() ? nullptr : &exported},
                                       JobContext()));
  TRY_STATUS(writeResults(options.exportTo, exported));
  return report;
}

}  // namespace

int tuneGpu(const std::shared_ptr<const Module>& module, const GpuTuneOptions& options) {
  const auto device = findDevice(options.target);
  if (!device) return reportFailure(device.error(), kUsage);
  const auto report = tuned(module, options, *device);
  if (!report)
    return reportFailure(report.error(), report.error().kind == "not-compiled" ? kNotRunnable : kNo);
  options.json ? printJson(toJson(*report, *device)) : print(*report, *device);
  const Status written = writeModule(options.output, *report->module);
  return written ? kOk : reportFailure(written.error(), kNo);
}

}  // namespace hilo::cli
