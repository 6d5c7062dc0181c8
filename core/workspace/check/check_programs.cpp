#include "core/workspace/check/check_programs.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "core/compiler/passes/canonicalize/refine_shapes.h"
#include "core/workspace/check/check_limits.h"
#include "core/workspace/check/parallel_programs.h"
#include "core/workspace/path/open_path.h"
#include "core/workspace/run/engines.h"

namespace hilo {
namespace {

constexpr std::string_view kPrefix = "check.";

std::string_view checkName(const Instruction& instruction) {
  if (instruction.opcode() != Opcode::CustomCall) return {};
  std::string_view target = instruction.get<Attr::CustomCallTarget>();
  if (!target.starts_with(kPrefix)) return {};
  return target.substr(kPrefix.size());
}

// A frontend attribute as a number; `otherwise` where it is not there.
template <typename Number>
Number limitOf(const Instruction& check, std::string_view name, Number otherwise) {
  for (const auto& [key, value] : check.get<Attr::FrontendAttributes>()) {
    if (key != name) continue;
    Number number{};
    const auto read = std::from_chars(value.data(), value.data() + value.size(), number);
    return read.ec == std::errc() ? number : otherwise;
  }
  return otherwise;
}

CheckLimits limitsOf(const Instruction& check) {
  CheckLimits limits;
  limits.tolerance = limitOf(check, "tolerance", limits.tolerance);
  limits.maxUlp = limitOf(check, "max_ulp_difference", limits.maxUlp);
  limits.minUlp = limitOf(check, "min_ulp_difference", limits.minUlp);
  return limits;
}

ProgramResult result(CheckOutcome outcome, std::string reason, size_t checks = 0) {
  return {.outcome = outcome, .reason = std::move(reason), .checks = static_cast<int>(checks)};
}

ProgramResult failed(const Diagnostic& why) {
  const bool cannot = why.kind == "not-runnable" || why.kind == "unknown-engine" || why.kind == "one-device";
  return result(cannot ? CheckOutcome::Unsupported : CheckOutcome::Fail,
                fmt::format("{}: {}", why.kind, why.message));
}

// The checks of the entry, which alone may hold some.
Result<std::vector<Instruction*>> checksOf(Module& module) {
  std::vector<Instruction*> checks;
  for (Computation* computation : module.computations()) {
    for (Instruction* instruction : computation->instructions()) {
      const std::string_view name = checkName(*instruction);
      if (name.empty()) continue;
      if (!computation->isEntry())
        return fail("not-runnable", fmt::format("a check inside computation {}", computation->name()));
      if (name != "eq" && name != "expect_eq" && name != "expect_almost_eq" && name != "expect_close")
        return fail("not-runnable", fmt::format("check.{} is not one Hilo can judge here", name));
      if (instruction->operandCount() != 2)
        return fail("malformed-check",
                    fmt::format("{} compares {} values", instruction->name(), instruction->operandCount()));
      checks.push_back(instruction);
    }
  }
  return checks;
}

// What a check said, kept while the check itself goes.
struct Question {
  std::string name;
  std::string place;
  CheckLimits limits;
};

// Makes the entry return every operand of its checks, in a tuple, and takes the checks out.
std::vector<Question> turnIntoQuestions(Module& module, const std::vector<Instruction*>& checks) {
  std::vector<Question> questions;
  std::vector<Instruction*> operands;
  for (Instruction* check : checks) {
    const auto* metadata = check->get<Attr::Metadata>();
    const std::string place = metadata != nullptr && metadata->sourceLine > 0
                                  ? fmt::format("line {}: ", metadata->sourceLine)
                                  : fmt::format("{}: ", check->name());
    questions.push_back({std::string(checkName(*check)), place, limitsOf(*check)});
    operands.insert(operands.end(), check->operands().begin(), check->operands().end());
  }
  setEntryResults(module, operands);
  module.entry()->removeAll(checks);
  return questions;
}

ProgramResult judge(const std::vector<Question>& questions, const Literal& output) {
  for (size_t n = 0; n < questions.size(); ++n) {
    const Question& question = questions[n];
    const std::string why =
        checkLiterals(question.name, output.elements()[2 * n], output.elements()[2 * n + 1], question.limits);
    if (!why.empty())
      return result(CheckOutcome::Fail, fmt::format("{}{}: {}", question.place, question.name, why),
                    questions.size());
  }
  return result(CheckOutcome::Pass, "", questions.size());
}

bool isProgramFile(const std::filesystem::path& path) {
  const std::string name = path.filename().string();
  return std::ranges::any_of(std::initializer_list<std::string_view>{".mlir", ".mlirbc", ".mlir.bc", ".hlo"},
                             [&](std::string_view ending) { return name.ends_with(ending); });
}

}  // namespace

std::string_view checkOutcomeName(CheckOutcome outcome) {
  switch (outcome) {
    case CheckOutcome::Pass:
      return "pass";
    case CheckOutcome::Fail:
      return "fail";
    case CheckOutcome::Unsupported:
      return "unsupported";
    case CheckOutcome::Unreadable:
      return "unreadable";
  }
  return "";
}

std::vector<std::string> checkFiles(const std::vector<std::string>& paths) {
  std::vector<std::string> files;
  for (const std::string& path : paths) {
    std::error_code error;
    if (!std::filesystem::is_directory(path, error)) {
      files.push_back(path);
      continue;
    }
    std::vector<std::string> below;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(path, error)) {
      if (entry.is_regular_file(error) && isProgramFile(entry.path())) below.push_back(entry.path().string());
    }
    std::ranges::sort(below);
    files.insert(files.end(), below.begin(), below.end());
  }
  return files;
}

ProgramResult checkProgram(std::shared_ptr<const Module> original, const std::string& engine,
                           const CancelToken& cancel) {
  if (original->entry() == nullptr) return result(CheckOutcome::Unsupported, "no entry computation");
  if (!original->entry()->parameters().empty())
    return result(CheckOutcome::Unsupported, fmt::format("it takes {} arguments, and holds none",
                                                         original->entry()->parameters().size()));
  std::shared_ptr<Module> module = original->clone();
  if (hasOpenShapes(*original)) {
    auto refined = refineShapes(*original, {});
    if (!refined) return result(CheckOutcome::Unsupported, toString(refined.error()));
    module = *std::move(refined);
  }
  if (const Status ran = runParallelPrograms(*module, engine, cancel); !ran) return failed(ran.error());
  const auto checks = checksOf(*module);
  if (!checks) return failed(checks.error());
  const std::vector<Question> questions = turnIntoQuestions(*module, *checks);
  const auto output = runOnce(module, engine, cancel);
  if (!output) {
    ProgramResult why = failed(output.error());
    why.checks = static_cast<int>(questions.size());
    return why;
  }
  return judge(questions, *output);
}

std::vector<ProgramResult> checkFile(const std::string& path, const std::string& engine,
                                     const CancelToken& cancel) {
  const auto opened = openFile(path, cancel);
  if (!opened) {
    ProgramResult why = result(CheckOutcome::Unreadable, toString(opened.error()));
    why.file = path;
    return {std::move(why)};
  }
  std::vector<std::shared_ptr<const OpenedFile>> programs{*opened};
  programs.insert(programs.end(), (*opened)->others.begin(), (*opened)->others.end());
  std::vector<ProgramResult> results;
  for (const auto& program : programs) {
    ProgramResult one = hasErrors(program->diagnostics)
                            ? result(CheckOutcome::Unreadable, toString(program->diagnostics.front()))
                            : checkProgram(program->module, engine, cancel);
    one.file = path;
    one.program = program->module->entry() != nullptr ? program->module->entry()->name() : "";
    one.line = program->firstLine;
    results.push_back(std::move(one));
  }
  return results;
}

}  // namespace hilo
