// NVIDIA's architectures: what PTX may be written for, what runs it, and what a kernel may take of one.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/runtime/program/program.h"

namespace hilo {

inline constexpr const char* kNvptxTriple = "nvptx64-nvidia-cuda";

// "sm_90a": number 90, suffix 'a'. Code without a suffix runs on every newer architecture, with 'a' on that
// one alone, with 'f' on the newer ones of its family (the numbers that share all digits but the last).
struct GpuTarget {
  int number = 0;
  char suffix = '\0';
  int ptxIsa = 0;  // the first that knows it, times ten
  int64_t sharedBytes = 0;

  std::string name() const;
  // Whether PTX for this target may be assembled for, or run on, the architecture.
  bool runsOn(int architecture) const;
  // wgmma: sm_90a alone.
  bool hasWarpgroupProducts() const { return number == 90 && suffix == 'a'; }
};

// Of every architecture, with each suffix it has: "sm_90", "sm_90a", ...
std::vector<GpuTarget> gpuTargets();
// Error kind "unknown-gpu", with the names there are.
Result<GpuTarget> findGpuTarget(std::string_view name);
// Whether a name is meant for one: "sm_" and more.
bool isGpuTargetName(std::string_view name);

// The newest PTX ISA that tools of a CUDA release (13.0 is 130) read, times ten; of releases after those
// known the newest there is, of earlier ones none.
std::optional<int> ptxIsaOfCuda(int cuda);

// What kernels are compiled for. Error kind "unknown-gpu".
Result<ProgramTarget> gpuTarget(std::string_view name);
// Kernels of the program need this PTX ISA (times ten), where they would be of an older one.
void needPtxIsa(ProgramTarget& target, int isa);

}  // namespace hilo
