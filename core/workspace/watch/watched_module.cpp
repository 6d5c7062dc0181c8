#include "core/workspace/watch/watched_module.h"

#include <fmt/format.h>

#include "core/base/check.h"
#include "core/compiler/pass/pass_runner.h"
#include "core/compiler/passes/simplify/dead_code_elimination.h"
#include "core/hlo/verify/verify.h"
#include "core/workspace/run/chosen_engine.h"
#include "core/workspace/run/prepared_run.h"

namespace hilo {

Result<PassedModule> passedModule(const WatchedCase& watched, const JobContext& context) {
  if (watched.after != nullptr || watched.passes.empty()) {
    PassedModule given{watched.after != nullptr ? watched.after : watched.module};
    given.problems = verify(*given.module, VerifyOptions{});
    if (hasErrors(given.problems)) given.failedPass = watched.after != nullptr ? "the step" : "the input";
    return given;
  }
  const PassRun run =
      runPasses(watched.module, watched.passes, {.cancel = context.cancel(), .fuel = watched.fuel});
  const PassStep& last = run.steps.back();
  if (last.outcome == PassOutcome::Cancelled) return cancelledError();
  if (run.completed()) return PassedModule{run.output()};
  return PassedModule{last.module, last.pass, last.problems};
}

std::shared_ptr<const Module> withoutDeadCode(const Module& module) {
  std::unique_ptr<Module> live = module.clone();
  PassContext unheard;
  CHECK(eliminateDeadCode(*live, unheard).has_value());
  return live;
}

Result<RunRecord> runOnEngine(std::shared_ptr<const Module> module, const std::string& engine,
                              const WatchedCase& watched, const WatchOptions& options,
                              const JobContext& context) {
  const RunRequest request{.module = std::move(module),
                           .engine = engine,
                           .arguments = {.kind = ArgumentSource::Kind::Given, .given = watched.arguments},
                           .worker = options.worker};
  TRY(PreparedRun run, prepareModule(request, context));
  TRY_STATUS(run.runOnce(context.cancel()));
  return std::move(run.record);
}

Result<Observation> unknownFor(const Diagnostic& error) {
  if (error.kind == "cancelled") return std::unexpected(error);
  return Observation{Sight::Unknown, {}, toString(error)};
}

std::optional<Observation> unknownForElided(const Module& module) {
  for (const Computation* computation : module.computations()) {
    for (const Instruction* instruction : computation->instructions()) {
      if (instruction->opcode() == Opcode::Constant && instruction->literal().isElided()) {
        return Observation{Sight::Unknown,
                           {},
                           fmt::format("the value of %{} was not written: a dump has all with "
                                       "--xla_dump_large_constants",
                                       instruction->name())};
      }
    }
  }
  return std::nullopt;
}

Observation unknownFor(const PassedModule& passed) {
  const std::string why = passed.problems.empty() ? "" : ": " + toString(passed.problems.front());
  return {Sight::Unknown, {}, fmt::format("{} is not sound{}", passed.failedPass, why)};
}

Status checkEngine(const std::string& engine) {
  TRY_STATUS(chooseEngine(engine));
  return {};
}

}  // namespace hilo
