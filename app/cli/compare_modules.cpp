#include <fmt/format.h>

#include "app/cli/compare_options.h"
#include "core/workspace/path/open_path.h"
#include "core/workspace/run/saved_program.h"

namespace hilo::cli {
namespace {

// A line a module: "jit_f: 0 before_optimizations, 1 after_dce".
std::vector<std::string> stagesOf(const OpenedDump& dump) {
  std::vector<std::string> lines;
  for (const DumpModuleInfo& module : dump.modules) {
    std::vector<std::string> stages;
    for (size_t s = 0; s < module.stages.size(); ++s)
      stages.push_back(fmt::format("{} {}", s, module.stages[s].name));
    lines.push_back(fmt::format("{}: {}", module.name, fmt::join(stages, ", ")));
  }
  return lines;
}

// A stage of a dump's first module that has one of this name, by its whole name or number, else by a
// part of it.
Result<std::shared_ptr<const OpenedFile>> openStage(const OpenedDump& dump, const std::string& name) {
  for (const bool whole : {true, false}) {
    for (size_t m = 0; m < dump.modules.size(); ++m) {
      const auto& stages = dump.modules[m].stages;
      for (size_t s = 0; s < stages.size(); ++s) {
        // "2" counts the stages, "0002" is the number in the file's name.
        const bool named = stages[s].name == name || stages[s].pass == name || fmt::format("{}", s) == name ||
                           (stages[s].order >= 0 && fmt::format("{:04}", stages[s].order) == name);
        if (whole ? named : stages[s].name.find(name) != std::string::npos) return loadStage(dump, m, s);
      }
    }
  }
  return fail(
      "no-such-stage",
      fmt::format("no stage '{}' in {}: a name, a part of one or a number is expected", name, dump.path), {},
      stagesOf(dump));
}

Result<ComparedSide> openSide(const CompareOptions& options, const std::string& name) {
  ComparedSide side{.name = name, .engine = options.engine};
  if (!options.file.empty()) {
    TRY(const auto dump, openDump(options.file));
    TRY(side.file, openStage(*dump, name));
    return side;
  }
  TRY(PathContent content, openPath(name));
  if (std::holds_alternative<SavedProgramFile>(content)) {
    TRY(side.program, loadSavedProgram(name));
  } else {
    TRY(side.file, fileOf(std::move(content)));
  }
  return side;
}

}  // namespace

Result<std::vector<ComparedSide>> sidesOfModules(const CompareOptions& options) {
  std::vector<ComparedSide> sides;
  for (const std::string& name : options.modules) {
    TRY(ComparedSide side, openSide(options, name));
    sides.push_back(std::move(side));
  }
  return sides;
}

}  // namespace hilo::cli
