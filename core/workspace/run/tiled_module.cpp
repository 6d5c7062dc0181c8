#include "core/workspace/run/tiled_module.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/analysis/extract.h"
#include "core/analysis/implied_devices.h"
#include "core/analysis/tile_program/build_tile_program.h"
#include "core/analysis/tile_program/configured_tiles.h"
#include "core/compiler/codegen/gpu/gpu_target.h"
#include "core/compiler/codegen/lower/codegen_engine.h"
#include "core/workspace/run/compile_program.h"
#include "core/workspace/run/gpu_compile.h"

namespace hilo {
namespace {

void stateTiles(Instruction& fusion, std::span<const int64_t> sizes) {
  const std::string text = fmt::format("{}", fmt::join(sizes, ","));
  std::vector<FrontendAttribute> all;
  for (const FrontendAttribute& attribute : fusion.get<Attr::FrontendAttributes>()) {
    if (attribute.name != kTilesAttribute) all.push_back(attribute);
  }
  all.push_back({kTilesAttribute, text});
  fusion.set<Attr::FrontendAttributes>(all);
}

}  // namespace

Result<std::shared_ptr<const Module>> tiledModule(const Instruction& fusion, std::span<const int64_t> sizes) {
  if (fusion.opcode() != Opcode::Fusion)
    return fail("not-a-fusion",
                fmt::format("%{} is no fusion: only fusions are compiled by tiles", fusion.name()),
                {.instruction = std::string(fusion.name())});
  TRY_STATUS(tiledFusion(fusion, sizes));
  const InstructionId wanted[] = {fusion.id()};
  TRY(std::shared_ptr<Module> module, extractModule(fusion.module(), wanted));
  Instruction* alone = module->findInstruction(fusion.name());
  if (alone == nullptr) return fail("not-a-fusion", fmt::format("%{} cannot be taken out", fusion.name()));
  stateTiles(*alone, sizes);
  return module;
}

namespace {

// Each device has its own, so that what one takes of another tells.
Result<ArgumentSource> argumentsOfAll(const Module& module, const JobContext& context) {
  TRY(ArgumentSource all, settleArguments(module, {}, context));
  for (int64_t device = 1; device < impliedGrid(module).count(); ++device) {
    TRY(ArgumentSource own, settleArguments(module, {.seed = static_cast<uint64_t>(device)}, context));
    all.otherGiven.push_back(std::move(own.given));
  }
  return all;
}

}  // namespace

Result<std::string> tiledLlvm(const std::shared_ptr<const Module>& module) {
  TRY(const CompiledModule compiled, compileProgram(module, {.runsPasses = false}, CancelToken()));
  std::string text;
  for (const Kernel* kernel : distinctKernels(compiled.program)) {
    const auto number = static_cast<size_t>(kernel - compiled.program.kernels.data());
    TRY(const KernelListing listing,
        listKernel(compiled.kernelSources[number], hostCodegen(), compiled.program.target));
    text += fmt::format("; ==== {}\n{}", kernel->name, listing.after.text);
  }
  return text;
}

Result<std::string> tiledPtx(const std::shared_ptr<const Module>& module, const std::string& architecture) {
  TRY(const ProgramTarget target, gpuTarget(architecture));
  TRY(const CompiledModule compiled, compileForGpu(module, target, CancelToken(), {.runsPasses = false}));
  return ptxText(compiled.program);
}

std::vector<std::string> tiledEngines() { return {std::string(hostCodegen().name), "cuda-sim"}; }

Result<std::vector<TiledRun>> runTiled(const std::shared_ptr<const Module>& module,
                                       std::span<const std::string> engines, const JobContext& context) {
  TRY(const ArgumentSource arguments, argumentsOfAll(*module, context));
  TRY(const RunRecord reference,
      execute({.module = module, .engine = "reference", .arguments = arguments}, context));
  std::vector<TiledRun> runs;
  for (const std::string& engine : engines) {
    auto run = execute({.module = module, .engine = engine + ":no-passes", .arguments = arguments}, context);
    if (!run && run.error().kind == "cancelled") return std::unexpected(run.error());
    runs.push_back({engine, run ? Result<RunComparison>(compareRuns(*std::move(run), reference))
                                : std::unexpected(run.error())});
  }
  return runs;
}

}  // namespace hilo
