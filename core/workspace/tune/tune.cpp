#include "core/workspace/tune/tune.h"

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include "core/analysis/call_graph.h"
#include "core/runtime/device/host/machine_text.h"
#include "core/workspace/passes/optimize.h"
#include "core/workspace/run/engines.h"
#include "core/workspace/store/store.h"
#include "core/workspace/tune/trials.h"

namespace hilo {
namespace {

// Instructions of a module that are the same but for their names.
struct Group {
  TrialModule trial;
  std::vector<Instruction*> members;
};

std::string workOf(const Instruction& instruction) {
  if (instruction.opcode() != Opcode::Fusion) return std::string(instruction.opcodeText());
  const Instruction* root = instruction.calledComputations()[0]->root();
  return fmt::format("fusion of {}", root->opcodeText());
}

// Under six samples nothing is beyond doubt.
const TriedConfig& bestOf(const std::vector<TriedConfig>& tried) {
  const TriedConfig* best = &tried[0];
  for (const TriedConfig& each : tried) {
    const bool isQuicker = each.remark.empty() && each.ratio && each.ratio->high < 1;
    if (isQuicker && each.timings.medianNs() < best->timings.medianNs()) best = &each;
  }
  return *best;
}

class Tuner {
 public:
  Tuner(const TuneRequest& request, const ProgramCompiler& compiler, const JobContext& context,
        std::unique_ptr<Module> module)
      : request_(request), compiler_(compiler), context_(context), module_(std::move(module)) {}

  Result<TuneReport> run() {
    TRY(const CallGraph calls, CallGraph::build(*module_));
    const auto backends = codegenBackends();
    for (size_t b = 0; b < backends.size(); ++b) {
      const CodegenBackend& backend = backends[b];
      TRY(std::vector<Group> groups, groupsFor(backend, calls));
      for (size_t i = 0; i < groups.size(); ++i) {
        if (context_.cancelled()) return cancelledError();
        const double share = static_cast<double>(i) / static_cast<double>(groups.size());
        context_.progress((static_cast<double>(b) + share) / static_cast<double>(backends.size()),
                          fmt::format("{}: {}", backend.name, groups[i].members[0]->name()));
        const Status tuned = tuneGroup(backend, groups[i]);
        if (tuned) continue;
        if (tuned.error().kind == "cancelled" || tuned.error().kind == "store-failed")
          return std::unexpected(tuned.error());
        const std::string why = fmt::format("{}: {}", groups[i].members[0]->name(), tuned.error().message);
        if (std::ranges::find(report_.untried, why) == report_.untried.end()) report_.untried.push_back(why);
      }
    }
    report_.module = std::move(module_);
    return std::move(report_);
  }

 private:
  bool isWanted(const Instruction& instruction) const {
    const auto isNamed = [&](const Instruction* each) { return each->name() == request_.only; };
    return request_.only.empty() || isNamed(&instruction) ||
           std::ranges::any_of(instruction.calledComputations(), [&](const Computation* called) {
             return std::ranges::any_of(called->instructions(), isNamed);
           });
  }

  // By what they are now, with what was chosen already.
  Result<std::vector<Group>> groupsFor(const CodegenBackend& backend, const CallGraph& calls) const {
    std::vector<Group> groups;
    absl::flat_hash_map<uint64_t, size_t> placeOf;
    for (Computation* computation : calls.postOrder()) {
      if (!calls.runsInstructions(*computation) || !calls.reaches(*module_->entry(), *computation)) continue;
      for (Instruction* instruction : computation->instructions()) {
        if (!isWanted(*instruction) || backend.supportedConfigs(*instruction).empty()) continue;
        TRY(TrialModule trial, trialModuleOf(*instruction));
        const auto [place, isNew] = placeOf.try_emplace(trial.hash, groups.size());
        if (isNew) groups.push_back({std::move(trial), {}});
        groups[place->second].members.push_back(instruction);
      }
    }
    return groups;
  }

  Status tuneGroup(const CodegenBackend& backend, const Group& group) {
    TunedInstruction tuned{.backend = std::string(backend.name), .opcode = workOf(*group.members[0])};
    for (const Instruction* member : group.members) tuned.instructions.emplace_back(member->name());
    TRY(const std::string compiler, compilerKey(group.trial, compiler_, context_.cancel()));
    const KeptTuning key{.machine = machineText(),
                         .instructionHash = group.trial.hash,
                         .backend = tuned.backend,
                         .compiler = compiler};
    TRY(const auto kept, keptFor(key));
    if (kept) {
      tuned.reused = true;
      tuned.best = kept->config;
      tuned.defaultNs = kept->defaultNs;
      tuned.bestNs = kept->bestNs;
    } else {
      TRY(tuned.tried,
          tryConfigs(group.trial, {compiler_, backend}, request_, JobContext(context_.cancel())));
      const TriedConfig& best = bestOf(tuned.tried);
      tuned.best = best.config;
      tuned.defaultNs = tuned.tried[0].timings.medianNs();
      tuned.bestNs = best.timings.medianNs();
      TRY_STATUS(keep(key, tuned));
    }
    TRY_STATUS(write(backend, group, tuned.best));
    report_.tuned.push_back(std::move(tuned));
    return {};
  }

  Result<std::optional<KeptTuning>> keptFor(const KeptTuning& key) const {
    if (request_.store == nullptr || request_.triesAgain) return std::nullopt;
    return request_.store->tuningOf(key);
  }

  Status keep(KeptTuning key, const TunedInstruction& tuned) const {
    if (request_.store == nullptr) return {};
    key.config = tuned.best;
    key.defaultNs = tuned.defaultNs;
    key.bestNs = tuned.bestNs;
    return request_.store->keepTuning(key);
  }

  // The default where what was kept is not known.
  static Status write(const CodegenBackend& backend, const Group& group, const std::string& best) {
    BackendConfig chosen = backend.defaultConfig;
    for (const BackendConfig& config : backend.supportedConfigs(*group.members[0])) {
      if (toString(config) == best) chosen = config;
    }
    for (Instruction* member : group.members) TRY_STATUS(backend.applyConfig(*member, chosen));
    return {};
  }

  const TuneRequest& request_;
  const ProgramCompiler& compiler_;
  const JobContext& context_;
  std::unique_ptr<Module> module_;
  TuneReport report_;
};

Status checkCompiled(const ProgramCompiler& compiler, const Module& module) {
  const Diagnostics obstacles = compiler.obstacles(module);
  if (obstacles.empty()) return {};
  std::vector<std::string> notes;
  for (const Diagnostic& obstacle : obstacles) notes.push_back(toString(obstacle));
  return fail("not-compiled", fmt::format("{} cannot be compiled", module.name()), {}, std::move(notes));
}

}  // namespace

Result<TuneReport> tune(const TuneRequest& request, const JobContext& context) {
  TRY(const Engine* engine, compilingEngine(request.engine));
  const ProgramCompiler& compiler = *engine->compiler;
  TRY_STATUS(checkCompiled(compiler, *request.module));
  std::shared_ptr<const Module> module = request.module;
  if (request.runsPasses && !compiler.pipeline.empty()) {
    TRY(const PassSeries series,
        optimize({.module = module, .pipeline = compiler.pipeline, .snapshots = false, .verify = false},
                 context));
    TRY(module, series.steps.back().module());
    TRY_STATUS(checkCompiled(compiler, *module));
  }
  if (!request.only.empty() && module->findInstruction(request.only) == nullptr)
    return fail(
        "no-such-instruction", fmt::format("the module that is compiled has no instruction {}", request.only),
        {},
        {fmt::format("passes may have made another of it: hilo opt --pipeline={} shows what they make",
                     compiler.pipeline)});
  return Tuner(request, compiler, context, module->clone()).run();
}

}  // namespace hilo
