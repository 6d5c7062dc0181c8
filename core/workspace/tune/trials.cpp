#include "core/workspace/tune/trials.h"

#include <fmt/format.h>
#include <xxhash.h>

#include "core/analysis/extract.h"
#include "core/compiler/codegen/emit/kernel_compiler.h"
#include "core/runtime/program/program_file.h"

namespace hilo {
namespace {

struct Trial {
  TriedConfig tried;
  std::shared_ptr<const Program> program;  // null where it was not compiled or is another's
};

Result<std::shared_ptr<const Program>> compiled(std::shared_ptr<const Module> module,
                                                const ProgramCompiler& compiler, const CancelToken& cancel) {
  TRY(CompiledModule made, compiler.compile(std::move(module), {.runsPasses = false}, cancel));
  made.program.moduleHash = 0;  // so that equal code is equal bytes, whatever was said
  return std::make_shared<const Program>(std::move(made.program));
}

Result<std::shared_ptr<const Program>> compiledWith(const TrialModule& trial, const TrialWays& ways,
                                                    const BackendConfig& config, const CancelToken& cancel) {
  const std::shared_ptr<Module> changed = trial.module->clone();
  TRY_STATUS(ways.backend.applyConfig(*changed->findInstruction(trial.instruction), config));
  return compiled(changed, ways.compiler, cancel);
}

// Each with its program, where that is no other's before it.
Result<std::vector<Trial>> compileAll(const TrialModule& trial, const TrialWays& ways,
                                      const CancelToken& cancel) {
  std::vector<BackendConfig> configs =
      ways.backend.supportedConfigs(*trial.module->findInstruction(trial.instruction));
  configs.insert(configs.begin(), ways.backend.defaultConfig);
  std::vector<Trial> trials;
  std::vector<std::vector<std::byte>> codes;
  for (const BackendConfig& config : configs) {
    Trial& made = trials.emplace_back();
    made.tried.config = toString(config);
    codes.emplace_back();
    auto program = compiledWith(trial, ways, config, cancel);
    if (!program) {
      if (trials.size() == 1 || program.error().kind == "cancelled") return std::unexpected(program.error());
      made.tried.remark = program.error().message;
      continue;
    }
    std::vector<std::byte> code = serialize(**program);
    const auto same = std::ranges::find(codes, code);
    if (same != codes.end()) {
      made.tried.remark = "the code of " + trials[static_cast<size_t>(same - codes.begin())].tried.config;
      continue;
    }
    codes.back() = std::move(code);
    made.program = *std::move(program);
  }
  return trials;
}

}  // namespace

Result<TrialModule> trialModuleOf(const Instruction& instruction) {
  std::vector<InstructionId> wanted = {instruction.id()};
  for (const Instruction* operand : instruction.operands()) {
    if (operand->opcode() == Opcode::Constant) wanted.push_back(operand->id());
  }
  TRY(std::unique_ptr<Module> module, extractModule(instruction.module(), wanted));
  TrialModule trial{.module = std::move(module), .instruction = std::string(instruction.name())};
  trial.hash = moduleHash(*trial.module);
  return trial;
}

Result<std::string> compilerKey(const TrialModule& trial, const ProgramCompiler& compiler,
                                const CancelToken& cancel) {
  TRY(const auto program, compiled(trial.module, compiler, cancel));
  std::vector<std::byte> code;  // without the names beside it
  for (const KernelObject& object : program->objects)
    code.insert(code.end(), object.code.begin(), object.code.end());
  return fmt::format("{} {:016x}", codegenVersion(), XXH3_64bits(code.data(), code.size()));
}

Result<std::vector<TriedConfig>> tryConfigs(const TrialModule& trial, const TrialWays& ways,
                                            const TuneRequest& request, const JobContext& context) {
  TRY(std::vector<Trial> trials, compileAll(trial, ways, context.cancel()));
  TRY(const ArgumentSource arguments, settleArguments(*trial.module, {.seed = request.seed}, context));
  std::vector<RunRequest> runs;
  std::vector<TriedConfig*> places;
  for (Trial& each : trials) {
    if (each.program == nullptr) continue;
    runs.push_back({.program = each.program,
                    .arguments = arguments,
                    .repeat = request.repeat,
                    .devices = 1,
                    .worker = request.worker});
    places.push_back(&each.tried);
  }
  // Alone there is nothing to choose.
  if (runs.size() > 1) {
    TRY(const std::vector<Result<RunRecord>> records, tryInTurns(runs, context));
    if (!records[0]) return std::unexpected(records[0].error());
    for (size_t i = 0; i < records.size(); ++i) {
      if (!records[i]) {
        places[i]->remark = "failed: " + records[i].error().message;
        continue;
      }
      const RunComparison comparison = compareRuns(*records[0], *records[i], {}, /*inTurns=*/true);
      places[i]->timings = records[i]->timings;
      places[i]->ratio = comparison.pairedRatio;
      if (comparison.verdict == Verdict::Differs) places[i]->remark = "gives other values than the default";
    }
  }
  std::vector<TriedConfig> tried;
  for (Trial& each : trials) tried.push_back(std::move(each.tried));
  return tried;
}

}  // namespace hilo
