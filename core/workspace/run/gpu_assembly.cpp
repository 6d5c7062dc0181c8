#include "core/workspace/run/gpu_assembly.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>

#include "core/compiler/codegen/emit/kernel_cache.h"
#include "core/compiler/codegen/gpu/gpu_target.h"
#include "core/compiler/codegen/gpu/nvptx_target.h"
#include "core/workspace/run/gpu_compile.h"

namespace hilo {
namespace {

constexpr std::string_view kEndOfWords =
    "\n--cubin--\n";  // of what is kept: the assembler's words, then the code

std::string keyOf(const Tool& tool, std::string_view ptx, const std::string& target) {
  const std::string content = fmt::format("{} {} {}|{}|{}", tool.name, tool.path, tool.version, target, ptx);
  const XXH128_hash_t hash = XXH3_128bits(content.data(), content.size());
  return fmt::format("cubin-{:016x}{:016x}", hash.high64, hash.low64);
}

class Assembler {
 public:
  Assembler(GpuTarget target, const std::string& cacheFolder)
      : target_(std::move(target)), tool_(findAssembler(toolSearchHere())), cache_(cacheFolder) {}

  Status assemble(std::string_view ptx, AssembledKernel& out) const {
    const std::string name = target_.name(), key = keyOf(tool_, ptx, name);
    if (const auto kept = cache_.find(key)) {
      read(*kept, out.made);
      out.isFromCache = true;
    } else {
      TRY(out.made, assemblePtx(tool_, ptx, name));
      cache_.keep(key, fmt::format("{}{}{}", out.made.words, kEndOfWords, out.made.cubin));
    }
    for (const KernelResources& taken : out.made.kernels) {
      Diagnostics why = whyNotLaunched(taken, {.sharedBytesPerBlock = target_.sharedBytes}, kBlockThreads);
      if (!why.empty()) return std::unexpected(std::move(why[0]));
    }
    return {};
  }

 private:
  void read(const std::string& kept, AssembledPtx& made) const {
    const size_t end = std::min(kept.find(kEndOfWords), kept.size());
    made.words = kept.substr(0, end);
    made.cubin = kept.substr(std::min(end + kEndOfWords.size(), kept.size()));
    made.kernels = resourcesIn(made.words);
    made.by = fmt::format("{} {}", tool_.name, versionText(tool_));
  }

  const GpuTarget target_;
  const Tool tool_;
  mutable KernelCache cache_;
};

}  // namespace

Result<std::vector<AssembledKernel>> assembleKernels(const Program& program, const std::string& cacheFolder) {
  TRY(const GpuTarget target, findGpuTarget(program.target.processor));
  const Assembler assembler(target, cacheFolder);
  std::vector<AssembledKernel> kernels;
  for (const Kernel* kernel : distinctKernels(program)) kernels.push_back({.kernel = kernel, .made = {}});
  std::vector<Status> done(kernels.size());
  std::atomic<size_t> next{0};
  const auto work = [&] {
    for (size_t i = next++; i < kernels.size(); i = next++) {
      done[i] = assembler.assemble(ptxOf(program, *kernels[i].kernel), kernels[i]);
      if (!done[i]) next = kernels.size();
    }
  };
  {
    std::vector<std::jthread> others;
    const size_t wanted = std::min<size_t>(std::max(1u, std::thread::hardware_concurrency()), kernels.size());
    for (size_t i = 1; i < wanted; ++i) others.emplace_back(work);
    work();
  }
  for (size_t i = 0; i < kernels.size(); ++i) {
    if (done[i]) continue;
    if (done[i].error().place.instruction.empty())
      done[i].error().place.instruction = kernels[i].kernel->name;
    return std::unexpected(std::move(done[i].error()));
  }
  return kernels;
}

std::string toText(const std::vector<AssembledKernel>& kernels) {
  std::string text;
  for (const AssembledKernel& kernel : kernels) {
    for (const KernelResources& taken : kernel.made.kernels) {
      text += fmt::format(
          "{}: {} bytes of machine code by {}, {} registers, {} bytes of stack, {} spilled and {} read back, "
          "{} bytes "
          "of shared memory\n",
          kernel.kernel->name, kernel.made.cubin.size(), kernel.made.by, taken.registers, taken.stackBytes,
          taken.spillStoreBytes, taken.spillLoadBytes, taken.sharedBytes);
    }
  }
  return text;
}

}  // namespace hilo
