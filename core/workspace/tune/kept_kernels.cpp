#include "core/workspace/tune/kept_kernels.h"

#include <nlohmann/json.hpp>

#include "core/workspace/store/store.h"
#include "core/workspace/tune/trials.h"

namespace hilo {
namespace {

TriedKernel triedIn(const nlohmann::json& kept) {
  const int failure = kept.value("failure", 0);
  const bool isKnown = failure >= 0 && failure <= static_cast<int>(TrialFailure::WrongResults);
  return {.choice = kept.value("choice", ""),
          .isTrusted = kept.value("trusted", false),
          .failure = isKnown ? static_cast<TrialFailure>(failure) : TrialFailure::None,
          .remark = kept.value("remark", ""),
          .estimatedNs = kept.value("ns", 0.0),
          .scratchBytes = kept.value("scratch", int64_t{0}),
          .sharedBytes = kept.value("shared", int64_t{0}),
          .registers = kept.value("registers", int64_t{0}),
          .wasRun = kept.value("run", false)};
}

}  // namespace

std::string keptText(const TunedKernel& tuned) {
  nlohmann::json tried = nlohmann::json::array();
  for (const TriedKernel& each : tuned.tried) {
    tried.push_back({{"choice", each.choice},
                     {"trusted", each.isTrusted},
                     {"failure", static_cast<int>(each.failure)},
                     {"remark", each.remark},
                     {"ns", each.ns()},
                     {"scratch", each.scratchBytes},
                     {"shared", each.sharedBytes},
                     {"registers", each.registers},
                     {"run", each.wasRun}});
  }
  return nlohmann::json{{"tried", tried}, {"estimated", tuned.isEstimated}, {"error", tuned.error}}.dump();
}

void readKept(const std::string& text, TunedKernel& tuned) {
  const auto json = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object() || !json.contains("tried") || !json["tried"].is_array()) return;
  try {
    tuned.isEstimated = json.value("estimated", true);
    tuned.error = json.value("error", "");
    for (const auto& each : json["tried"]) tuned.tried.push_back(triedIn(each));
  } catch (const nlohmann::json::exception&) {
    tuned.tried.clear();
  }
}

Result<std::vector<KeptKernels>> keptKernelsOf(const RunStore& store, const Instruction& instruction) {
  TRY(const TrialModule trial, trialModuleOf(instruction));
  TRY(const auto kept, store.tuningsOf(trial.hash));
  std::vector<KeptKernels> all;
  for (const KeptTuning& each : kept) {
    if (!each.backend.starts_with(kGpuKernelBackend)) continue;
    KeptKernels found{.machine = each.machine, .compiler = each.compiler};
    found.tuned.instructions = {std::string(instruction.name())};
    found.tuned.best = each.config;
    found.tuned.bestNs = static_cast<double>(each.bestNs);
    found.tuned.defaultNs = static_cast<double>(each.defaultNs);
    found.tuned.reused = true;
    readKept(each.tried, found.tuned);
    all.push_back(std::move(found));
  }
  return all;
}

}  // namespace hilo
