#include "core/workspace/schedule/schedule_target.h"

#include <fmt/format.h>

#include <filesystem>
#include <optional>

#include "core/analysis/backend.h"
#include "core/analysis/cost/device.h"
#include "core/hlo/dump/dump_name.h"

namespace hilo {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMostFiles = 100'000;  // looked at in a folder

// The built-in device of a compute capability; of several the usual one.
std::optional<std::string> deviceOfCapability(const std::string& capability) {
  std::optional<std::string> found;
  for (const BuiltInDevice& builtIn : builtInDevices()) {
    const auto device = parseDevice(builtIn.json, std::string(builtIn.id));
    if (!device || device->computeCapability != capability) continue;
    if (!found || builtIn.id == ScheduleTarget().device) found = std::string(builtIn.id);
  }
  return found;
}

ScheduleTarget forProcessor(const std::string& file) {
  return {.device = "xeon_8480",
          .preset = "memory",
          .asyncCollectives = false,
          .because = fmt::format("it was compiled for a CPU ({})", file)};
}

// "sm_8.0_gpu_after_optimizations"; the letter of "sm_9.0a" is that of its features.
ScheduleTarget forGpu(std::string_view stage, const std::string& file) {
  ScheduleTarget target{.isGpu = true, .because = fmt::format("it was compiled for a GPU ({})", file)};
  if (!stage.starts_with("sm_")) return target;
  const size_t digits = stage.find_first_not_of("0123456789.", 3);
  if (const auto device = deviceOfCapability(std::string(stage.substr(3, digits - 3))))
    target.device = *device;
  return target;
}

// What one file of the module's dump says; `rank`: the larger the better it knows.
struct Evidence {
  int rank = 0;
  ScheduleTarget target;
};

Evidence evidenceOf(const DumpName& name, const fs::path& file) {
  const std::string shown = file.filename().string();
  if (name.part == DumpPart::TargetConfig) {
    if (!findDevice(file.string())) return {};
    return {3, {.device = file.string(), .isGpu = true, .isKnown = true, .because = "the dump describes it"}};
  }
  if (name.part != DumpPart::Module) return {};
  if (name.stage.starts_with("cpu_")) return {2, forProcessor(shown)};
  if (name.stage.find("_gpu_") != std::string::npos || name.stage.starts_with("gpu_"))
    return {2, forGpu(name.stage, shown)};
  return {};
}

bool isTiled(const Module& module) {
  for (const Instruction* instruction : module.entry()->instructions()) {
    const Shape shape = instruction->shape();
    if (shape.isArray() && shape.layout() != nullptr && !shape.layout()->tiles.empty()) return true;
  }
  return false;
}

ScheduleTarget targetByContent(const Module& module) {
  if (backendOf(module) == Backend::Gpu)
    return {.isGpu = true, .because = "its instructions have configurations of XLA's for GPUs"};
  if (module.entry() != nullptr && isTiled(module))
    return {.preset = "tpu", .because = "its layouts have tiles, as a TPU's; no TPU is described here"};
  return {};
}

}  // namespace

std::string targetText(const ScheduleTarget& target) {
  const fs::path device(target.device);
  return fmt::format("{}{}: {}", device.filename().string(), target.isKnown ? "" : ", assumed",
                     target.because);
}

ScheduleTarget scheduleTargetOf(const Module& module, const std::string& path) {
  const fs::path own(path);
  const DumpName of = parseDumpName(own.filename().string());
  Evidence best = path.empty() ? Evidence() : evidenceOf(of, own);
  if (!of.moduleName.empty()) {
    std::error_code ignored;
    size_t looked = 0;
    const fs::path folder = own.has_parent_path() ? own.parent_path() : fs::path(".");
    for (fs::directory_iterator at(folder, ignored), end; at != end && looked < kMostFiles;
         at.increment(ignored), ++looked) {
      const DumpName name = parseDumpName(at->path().filename().string(), of.moduleName);
      if (name.moduleName != of.moduleName || name.number != of.number) continue;
      Evidence found = evidenceOf(name, at->path());
      if (found.rank > best.rank) best = std::move(found);
    }
  }
  return best.rank > 0 ? best.target : targetByContent(module);
}

}  // namespace hilo
