#include "core/workspace/tune/gpu_tune.h"

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include "core/analysis/call_graph.h"
#include "core/analysis/tile_program/build_tile_program.h"
#include "core/analysis/tiling/tiling_estimate.h"
#include "core/compiler/codegen/emit/kernel_compiler.h"
#include "core/workspace/passes/optimize.h"
#include "core/workspace/store/store.h"
#include "core/workspace/tune/autotune_results.h"
#include "core/workspace/tune/gpu_trials.h"
#include "core/workspace/tune/kept_kernels.h"

namespace hilo {
namespace {

// Instructions of a module that are the same but for their names.
struct Group {
  TrialModule trial;
  std::vector<Instruction*> members;
};

std::string workOf(const Instruction& instruction) {
  if (instruction.opcode() != Opcode::Fusion) return std::string(instruction.opcodeText());
  return fmt::format("fusion of {}", instruction.calledComputations()[0]->root()->opcodeText());
}

class GpuTuner {
 public:
  GpuTuner(const GpuTuneRequest& request, const JobContext& context, GpuTarget target,
           std::unique_ptr<Module> module)
      : request_(request), context_(context), target_(std::move(target)), module_(std::move(module)) {}

  Result<GpuTuneReport> run() {
    TRY(std::vector<Group> groups, findGroups());
    for (size_t i = 0; i < groups.size(); ++i) {
      if (context_.cancelled()) return cancelledError();
      context_.progress(static_cast<double>(i) / static_cast<double>(groups.size()),
                        std::string(groups[i].members[0]->name()));
      TRY_STATUS(tuneGroup(groups[i]));
    }
    report_.module = std::move(module_);
    return std::move(report_);
  }

 private:
  bool isWanted(const Instruction& instruction) const {
    return request_.only.empty() || instruction.name() == request_.only;
  }

  Result<std::vector<Group>> findGroups() {
    TRY(const CallGraph calls, CallGraph::build(*module_));
    std::vector<Group> groups;
    absl::flat_hash_map<uint64_t, size_t> placeOf;
    for (Computation* computation : calls.postOrder()) {
      if (!calls.runsInstructions(*computation) || !calls.reaches(*module_->entry(), *computation)) continue;
      for (Instruction* instruction : computation->instructions()) {
        if (!isWanted(*instruction) || !mayHaveVariants(*instruction)) continue;
        auto trial = trialModuleOf(*instruction);
        if (!trial) {
          report_.untried.push_back(fmt::format("{}: {}", instruction->name(), trial.error().message));
          continue;
        }
        const auto [place, isNew] = placeOf.try_emplace(trial->hash, groups.size());
        if (isNew) groups.push_back({*std::move(trial), {}});
        groups[place->second].members.push_back(instruction);
      }
    }
    return groups;
  }

  bool mayHaveTiles(const Instruction& instruction) const {
    return instruction.opcode() == Opcode::Fusion && request_.tilings > 0;
  }
  bool mayHaveVariants(const Instruction& instruction) const {
    return !kernelVariants(instruction, target_).empty() ||
           (mayHaveTiles(instruction) && tilingSpace(instruction).has_value());
  }

  // Of a fusion that stands in tile programs, the quickest by their estimate.
  Result<std::vector<KernelVariant>> variantsOf(const Instruction& instruction) const {
    auto variants = kernelVariants(instruction, target_);
    if (!mayHaveTiles(instruction)) return variants;
    const auto space = tilingSpace(instruction);
    if (!space) return variants;
    TRY(const auto ranked, rankTilings(*space, request_.device));
    size_t added = 0;
    for (const RankedTiling& each : ranked) {
      if (added == request_.tilings || !each.refusal.empty()) break;
      if (!tiledFusion(*space, each.sizes)) continue;
      if (variants.empty()) variants.push_back({{.shape = "elements"}, true});
      variants.push_back({{.shape = "tile program", .sizes = each.sizes}});
      ++added;
    }
    return variants;
  }

  KeptTuning keyOf(const Group& group) const {
    return {.machine = fmt::format("{}, {}, {}", request_.device.name, request_.target, request_.engine),
            .instructionHash = group.trial.hash,
            .backend = fmt::format("{}, {} tilings", kGpuKernelBackend, request_.tilings),
            .compiler = codegenVersion()};
  }

  Status tuneGroup(const Group& group) {
    TunedKernel tuned{.work = workOf(*group.members[0])};
    for (const Instruction* member : group.members) tuned.instructions.emplace_back(member->name());
    noteImported(*group.members[0], tuned);
    KeptTuning key = keyOf(group);
    TRY(const bool wasKept, reuse(key, tuned));
    if (!wasKept) {
      TRY(const auto variants, variantsOf(*group.members[0]));
      if (variants.empty()) return {};
      TRY(tuned.tried, tryKernels(group.trial, variants, request_, JobContext(context_.cancel())));
      choose(tuned);
      TRY_STATUS(keep(std::move(key), tuned));
    }
    write(group, tuned);
    report_.tuned.push_back(std::move(tuned));
    return {};
  }

  void noteImported(const Instruction& instruction, TunedKernel& tuned) const {
    if (request_.imported == nullptr) return;
    const auto choice = request_.imported->find(request_.device, instruction);
    if (!choice) return;
    tuned.fromXla = choice->text;
    if (choice->kernel) tuned.fromXla += fmt::format(", here {}", toString(*choice->kernel));
  }

  Result<bool> reuse(const KeptTuning& key, TunedKernel& tuned) const {
    if (request_.store == nullptr || request_.triesAgain) return false;
    TRY(const auto kept, request_.store->tuningOf(key));
    if (!kept) return false;
    tuned.reused = true;
    tuned.best = kept->config;
    tuned.defaultNs = static_cast<double>(kept->defaultNs);
    tuned.bestNs = static_cast<double>(kept->bestNs);
    readKept(kept->tried, tuned);
    return true;
  }

  Status keep(KeptTuning key, const TunedKernel& tuned) const {
    if (request_.store == nullptr) return {};
    key.config = tuned.best;
    key.defaultNs = static_cast<int64_t>(tuned.defaultNs);
    key.bestNs = static_cast<int64_t>(tuned.bestNs);
    key.tried = keptText(tuned);
    return request_.store->keepTuning(key);
  }

  static void choose(TunedKernel& tuned) {
    const TriedKernel* best = bestKernel(tuned.tried);
    if (best == nullptr) return sayNothingWorks(tuned);
    tuned.best = best->choice;
    tuned.bestNs = best->ns();
    tuned.isEstimated = best->timings.n() == 0;
    tuned.defaultNs = tuned.tried[0].ns();
  }

  static void sayNothingWorks(TunedKernel& tuned) {
    tuned.best = "default";
    std::vector<std::string> reasons;
    for (const TriedKernel& each : tuned.tried) {
      if (each.failure != TrialFailure::None)
        reasons.push_back(
            fmt::format("{}: {}: {}", each.choice, trialFailureName(each.failure), each.remark));
    }
    if (!reasons.empty()) tuned.error = fmt::format("no variant works: {}", fmt::join(reasons, "; "));
  }

  // The kernel that was chosen; where that is the default, the one that has its code.
  static std::optional<GpuKernelChoice> kernelOf(const TunedKernel& tuned) {
    if (tuned.best != "default") return parseGpuKernelChoice(tuned.best);
    const auto same = std::ranges::find(tuned.tried, "the code of default", &TriedKernel::remark);
    return same == tuned.tried.end() ? std::nullopt : std::optional(parseGpuKernelChoice(same->choice));
  }

  void write(const Group& group, const TunedKernel& tuned) const {
    const auto kernel = kernelOf(tuned);
    for (Instruction* member : group.members) {
      if (request_.exported != nullptr && kernel && tuned.error.empty())
        request_.exported->set(request_.device, *member, *kernel, static_cast<int64_t>(tuned.bestNs),
                               scratchOf(tuned));
      stateGpuKernel(*member, tuned.best == "default" ? std::nullopt : kernel);
    }
  }

  static int64_t scratchOf(const TunedKernel& tuned) {
    const auto best = std::ranges::find(tuned.tried, tuned.best, &TriedKernel::choice);
    return best == tuned.tried.end() ? 0 : best->scratchBytes;
  }

  const GpuTuneRequest& request_;
  const JobContext& context_;
  const GpuTarget target_;
  std::unique_ptr<Module> module_;
  GpuTuneReport report_;
};

}  // namespace

const char* trialFailureName(TrialFailure failure) {
  switch (failure) {
    case TrialFailure::None:
      return "";
    case TrialFailure::Compilation:
      return "compilation failed";
    case TrialFailure::Execution:
      return "execution failed";
    case TrialFailure::RedZone:
      return "red zone";
    case TrialFailure::WrongResults:
      return "wrong results";
  }
  return "";
}

Result<GpuTuneReport> tuneForGpu(const GpuTuneRequest& request, const JobContext& context) {
  TRY(GpuTarget target, findGpuTarget(request.target));
  std::shared_ptr<const Module> module = request.module;
  if (request.runsPasses) {
    TRY(const PassSeries series,
        optimize({.module = module, .pipeline = "cuda", .snapshots = false, .verify = false}, context));
    TRY(module, series.steps.back().module());
  }
  if (!request.only.empty() && module->findInstruction(request.only) == nullptr)
    return fail("no-such-instruction",
                fmt::format("the module that is compiled has no instruction {}", request.only), {},
                {"passes may have made another of it: hilo opt --pipeline=cuda shows what they make"});
  return GpuTuner(request, context, std::move(target), module->clone()).run();
}

}  // namespace hilo
