#include "core/analysis/indexing/indexing_map.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "app/cli/command.h"
#include "app/cli/dump_module.h"
#include "app/cli/report.h"
#include "core/analysis/indexing/operand_indexing.h"
#include "core/hlo/ir/module.h"
#include "core/workspace/open/verify_file.h"

namespace hilo::cli {
namespace {

struct Options {
  std::string path, instruction;
  bool json = false;
};

// One operand's maps as text; nothing where they are not known.
std::optional<std::vector<std::string>> mapsOf(const Instruction& instruction, size_t operand) {
  const auto maps = readIndexing(instruction, operand);
  if (!maps) return std::nullopt;
  std::vector<std::string> texts;
  for (const IndexingMap& map : *maps) texts.push_back(toString(map));
  return texts;
}

void print(const Instruction& instruction) {
  fmt::print("%{} {} {}\n", instruction.name(), instruction.opcodeText(), toString(instruction.shape()));
  for (size_t i = 0; i < instruction.operandCount(); ++i) {
    const auto maps = mapsOf(instruction, i);
    const std::string_view name = instruction.operand(i)->name();
    if (!maps) fmt::print("  %{}: indices alone do not say\n", name);
    if (maps && maps->empty()) fmt::print("  %{}: nothing\n", name);
    for (const std::string& map : maps.value_or(std::vector<std::string>()))
      fmt::print("  %{}: {}\n", name, map);
  }
}

nlohmann::json jsonOf(const Instruction& instruction) {
  nlohmann::json operands = nlohmann::json::array();
  for (size_t i = 0; i < instruction.operandCount(); ++i) {
    const auto maps = mapsOf(instruction, i);
    nlohmann::json operand = {{"name", instruction.operand(i)->name()}, {"known", maps.has_value()}};
    operand["maps"] = maps.value_or(std::vector<std::string>());
    operands.push_back(std::move(operand));
  }
  return {
      {"name", instruction.name()}, {"opcode", instruction.opcodeText()}, {"operands", std::move(operands)}};
}

int run(const Options& options) {
  const auto file = openWholeOrStage(options.path);
  if (!file) return kNo;
  const Module& module = *(*file)->module;
  if (const Status sound = requireVerified(module); !sound) {
    printError(placedIn(**file, sound.error()));
    return kNo;
  }
  std::vector<const Instruction*> chosen;
  if (options.instruction.empty()) {
    for (const Instruction* instruction : module.entry()->instructions()) {
      if (instruction->operandCount() > 0) chosen.push_back(instruction);
    }
  } else if (const Instruction* named = module.findInstruction(options.instruction)) {
    chosen.push_back(named);
  } else {
    printError({Severity::kError, "unknown-instruction",
                fmt::format("the module has no instruction '{}'", options.instruction)});
    return kUsage;
  }
  nlohmann::json all = nlohmann::json::array();
  for (const Instruction* instruction : chosen) {
    if (options.json) {
      all.push_back(jsonOf(*instruction));
    } else {
      print(*instruction);
    }
  }
  if (options.json) printJson(all);
  return kOk;
}

}  // namespace

void addIndexing(CLI::App& app, int& exitCode) {
  auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("indexing", "Say which elements of its operands an element is made of");
  command->add_option("FILE", options->path, "HLO text or protobuf, gzip or not; - reads standard input")
      ->required();
  command->add_option("--instruction", options->instruction, "This one; else all of the entry computation");
  command->add_flag("--json", options->json, "Print as JSON");
  command->footer(R"(
A map leads from the index of an element to indices of an operand: d0, d1... are the element's own
dimensions, s0... are gone through, rt0... are read when it runs. Fusions and calls are looked through.

Exit status: 0 printed, 1 the module cannot be read, 2 wrong usage.

Examples:
  hilo indexing module.hlo
  hilo indexing module.hlo --instruction fusion.3 --json)");
  command->callback([options, &exitCode] { exitCode = run(*options); });
}

}  // namespace hilo::cli
