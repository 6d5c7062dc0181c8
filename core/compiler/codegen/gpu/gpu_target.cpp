#include "core/compiler/codegen/gpu/gpu_target.h"

#include <fmt/format.h>

#include <algorithm>

namespace hilo {
namespace {

struct Row {
  int number;
  std::string_view suffixes;
  int ptxIsa, suffixedIsa;
  int64_t sharedBytes;
};

constexpr Row kRows[] = {
#define GPU_TARGET(number, suffixes, isa, suffixedIsa, shared) {number, suffixes, isa, suffixedIsa, shared},
#include "core/compiler/codegen/gpu/gpu_targets.def"
};

struct IsaOfCuda {
  int cuda, isa;
};

constexpr IsaOfCuda kIsas[] = {
#define PTX_ISA(cuda, isa) {cuda, isa},
#include "core/compiler/codegen/gpu/ptx_isa.def"
};

constexpr std::string_view kIsaFeature = "ptx";
std::string isaFeature(int isa) { return fmt::format("{}{:02}", kIsaFeature, isa); }

}  // namespace

std::string GpuTarget::name() const {
  std::string text = fmt::format("sm_{}", number);
  if (suffix != '\0') text += suffix;
  return text;
}

bool GpuTarget::runsOn(int architecture) const {
  if (suffix == 'a') return architecture == number;
  if (suffix == 'f' && architecture / 10 != number / 10) return false;
  return architecture >= number;
}

std::vector<GpuTarget> gpuTargets() {
  std::vector<GpuTarget> targets;
  for (const Row& row : kRows) {
    targets.push_back({row.number, '\0', row.ptxIsa, row.sharedBytes});
    for (const char suffix : row.suffixes)
      targets.push_back({row.number, suffix, row.suffixedIsa, row.sharedBytes});
  }
  return targets;
}

Result<GpuTarget> findGpuTarget(std::string_view name) {
  const std::vector<GpuTarget> targets = gpuTargets();
  const auto found = std::ranges::find(targets, name, &GpuTarget::name);
  if (found != targets.end()) return *found;
  std::vector<std::string> names;
  for (const GpuTarget& target : targets) names.push_back(target.name());
  return fail("unknown-gpu", fmt::format("no GPU '{}' is known", name), {},
              {fmt::format("there are: {}", fmt::join(names, ", "))});
}

bool isGpuTargetName(std::string_view name) { return name.starts_with("sm_"); }

std::optional<int> ptxIsaOfCuda(int cuda) {
  std::optional<int> newest;
  for (const IsaOfCuda& row : kIsas) {
    if (row.cuda <= cuda) newest = row.isa;
  }
  return newest;
}

Result<ProgramTarget> gpuTarget(std::string_view name) {
  TRY(const GpuTarget target, findGpuTarget(name));
  return ProgramTarget{kNvptxTriple, target.name(), {isaFeature(target.ptxIsa)}};
}

void needPtxIsa(ProgramTarget& target, int isa) {
  // Of as many digits, so that the greater text is the newer.
  for (std::string& feature : target.features) {
    if (feature.starts_with(kIsaFeature)) feature = std::max(feature, isaFeature(isa));
  }
}

}  // namespace hilo
