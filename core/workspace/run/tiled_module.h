// A fusion alone with chosen tiles: as a module whose entry is that fusion, to be compiled, run and compared.
#pragma once

#include <span>

#include "core/workspace/run/runs.h"

namespace hilo {

// The sizes are stated in the fusion (kTilesAttribute); what it reads are parameters. Error kinds:
// "not-a-fusion", those of tiledFusion.
Result<std::shared_ptr<const Module>> tiledModule(const Instruction& fusion, std::span<const int64_t> sizes);

// Its kernels: LLVM IR of the engine cpu, or PTX for an architecture ("sm_90a"), each under a line that names
// it. Error kinds: the compiler's.
Result<std::string> tiledLlvm(const std::shared_ptr<const Module>& module);
Result<std::string> tiledPtx(const std::shared_ptr<const Module>& module, const std::string& architecture);

// The reference and each of the engines on the same made-up arguments; one comparison an engine, with the
// reference as b. An engine that cannot run it says why in its place.
std::vector<std::string> tiledEngines();  // of this machine's processor, and the simulated GPU
struct TiledRun {
  std::string engine;
  Result<RunComparison> comparison;
};
Result<std::vector<TiledRun>> runTiled(const std::shared_ptr<const Module>& module,
                                       std::span<const std::string> engines, const JobContext& context);

}  // namespace hilo
