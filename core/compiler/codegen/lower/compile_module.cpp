#include "core/compiler/codegen/lower/compile_module.h"

#include <fmt/format.h>

#include "core/analysis/implied_devices.h"
#include "core/base/check.h"
#include "core/base/stopwatch.h"
#include "core/compiler/codegen/lower/lowering_context.h"
#include "core/compiler/codegen/lower/random_state.h"
#include "core/hlo/ir/host_feed.h"
#include "core/hlo/ir/result_names.h"

namespace hilo {

namespace {

void addParameters(LoweringContext& context) {
  Program& program = context.draft.program;
  uint32_t leafNumber = 0;
  for (const Instruction* parameter : context.computation.parameters())
    program.parameters.push_back(parameter->shape());
  const auto places = argumentSizePlaces(program.parameters);
  const auto sizes = static_cast<uint32_t>(program.allocations.size());
  if (!places.empty()) {
    program.allocations.push_back(
        {AllocationKind::ArgumentSizes, static_cast<int64_t>(4 * places.size()), 0});
  }
  int64_t sizeNumber = 0;
  for (const Instruction* parameter : context.computation.parameters()) {
    program.parameterNames.emplace_back(parameter->name());
    LeafValues leaves;
    for (const Shape leaf : arrayLeaves(parameter->shape())) {
      program.allocations.push_back({AllocationKind::Parameter, bufferBytes(leaf), leafNumber++,
                                     isInHostMemory(leaf) ? kHostMemorySpace : 0});
      leaves.push_back({std::make_shared<Slab>(BufferSlice{
                            static_cast<uint32_t>(program.allocations.size() - 1), 0, bufferBytes(leaf)}),
                        false});
      for (size_t d = 0; leaf.isDynamic() && d < leaf.rank(); ++d) {
        leaves.back().sizes.push_back(leaf.isDynamicDimension(d)
                                          ? std::make_shared<Slab>(BufferSlice{sizes, 4 * sizeNumber++, 4})
                                          : nullptr);
      }
    }
    context.values[parameter] = std::move(leaves);
  }
}

void addResult(const LeafValues& result, Program& program) {
  for (uint32_t i = 0; i < result.size(); ++i) {
    program.resultSlices.push_back(ReadSlice(result[i].slab->slice));
    for (uint32_t d = 0; d < result[i].sizes.size(); ++d) {
      if (result[i].sizes[d] != nullptr)
        program.resultSizes.push_back({i, d, ReadSlice(result[i].sizes[d]->slice)});
    }
  }
}

// A header that asks for one device says nothing: then as many as the collectives name, if that many can run.
DeviceGrid devicesOf(const Module& module) {
  const DeviceGrid implied = impliedGrid(module);
  return implied.count() <= kMostDevices ? implied : gridOf(module);
}

// Fills the program, but for its objects, and the bitcode of its kernels.
Status lowerModule(ProgramDraft& draft) {
  Program& program = draft.program;
  const Module& module = draft.module;
  program.name = std::string(module.name());
  program.allocations.push_back({AllocationKind::Temporary, 0, 0});
  addRandomState(draft);
  program.result = module.entry()->root()->shape();
  program.resultNames = resultNames(module);
  program.givesOutfeed = hasOutfeed(module);
  const DeviceGrid devices = devicesOf(module);
  program.replicas = devices.replicas;
  program.partitions = devices.partitions;
  program.sequences.emplace_back();
  LoweringContext entry(draft, *module.entry(), 0);
  addParameters(entry);
  startRandomState(entry);
  TRY(const LeafValues result, entry.lowerComputation());
  addResult(result, program);
  draft.temporaries.place(program);
  if (draft.hostTemporaries) draft.hostTemporaries->place(program);
  return {};
}

Result<const CodegenTarget*> targetOf(const CodegenEngine& engine, const ProgramTarget& target) {
  const CodegenTarget* found = engine.findTarget(target.triple);
  if (found == nullptr) return fail("codegen-failed", fmt::format("no code generator for {}", target.triple));
  return found;
}

ProgramDraft draftOf(const Module& module, const CodegenEngine& engine, const CodegenTarget& kind,
                     const ProgramTarget& target, const FastMath& fastMath, bool keepsLines,
                     const DeviceWork& deviceWork) {
  return {.module = module,
          .engine = engine,
          .target = kind,
          .registers = kind.vectorRegisters(target.features),
          .bf16Rounding = kind.bf16Rounding(target.features),
          .fastMath = fastMath,
          .keepsLines = keepsLines,
          .deviceWork = deviceWork,
          .program = {.target = target}};
}

}  // namespace

Result<std::vector<std::string>> emitKernels(const Module& module, const CodegenEngine& engine,
                                             const ProgramTarget& target) {
  TRY(const CodegenTarget* kind, targetOf(engine, target));
  const DeviceWork kernelsAlone;
  ProgramDraft draft = draftOf(module, engine, *kind, target, {}, /*keepsLines=*/true, kernelsAlone);
  TRY_STATUS(lowerModule(draft));
  return std::move(draft.kernelSources);
}

Result<KernelListing> listKernel(const std::string& source, const CodegenEngine& engine,
                                 const ProgramTarget& target,
                                 const std::optional<LlvmKernelOptions>& options) {
  TRY(const CodegenTarget* kind, targetOf(engine, target));
  return listKernel(source, *kind, target, options);
}

Result<CompiledModule> compileModule(const Module& module, const CodegenEngine& engine,
                                     const KernelCompileOptions& options, const DeviceWork& deviceWork) {
  CompiledModule compiled;
  const Stopwatch watch;
  TRY(const CodegenTarget* kind, targetOf(engine, options.target));
  ProgramDraft draft =
      draftOf(module, engine, *kind, options.target, options.fastMath, /*keepsLines=*/false, deviceWork);
  TRY_STATUS(lowerModule(draft));
  const int64_t lowered = watch.ns();
  KernelCompileOptions asLowered = options;
  asLowered.target = draft.program.target;
  TRY(CompiledKernels kernels, compileKernels(draft.kernelSources, draft.program.kernels, *kind, asLowered));
  compiled.times = {.loweringNs = lowered, .kernelsNs = watch.ns() - lowered};
  compiled.program = std::move(draft.program);
  compiled.program.objects = std::move(kernels.objects);
  for (size_t i = 0; i < compiled.program.kernels.size(); ++i)
    compiled.program.kernels[i].object = kernels.objectOf[i];
  compiled.kernelSources = std::move(draft.kernelSources);
  compiled.counts = kernels.counts;
  compiled.notes = std::move(draft.notes);
  if (!kernels.cacheProblem.empty())
    compiled.notes.push_back("compiled kernels cannot be kept: " + kernels.cacheProblem);
  const Status checked = checkProgram(compiled.program);
  CHECK(checked.has_value(), toString(checked.error()));
  return compiled;
}

}  // namespace hilo
