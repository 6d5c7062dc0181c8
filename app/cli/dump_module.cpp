#include "app/cli/dump_module.h"

#include <fmt/format.h>

#include "app/cli/report.h"
#include "core/workspace/path/open_path.h"

namespace hilo::cli {
namespace {

const DumpStageInfo& stageAt(const DumpModuleInfo& module, DumpEnd end) {
  return end == DumpEnd::First ? module.stages.front() : module.stages.back();
}

// The number of the one module that has a stage.
Result<size_t> onlyModule(const OpenedDump& dump, DumpEnd end) {
  std::vector<size_t> found;
  for (size_t m = 0; m < dump.modules.size(); ++m) {
    if (!dump.modules[m].stages.empty()) found.push_back(m);
  }
  if (found.size() == 1) return found[0];
  if (found.empty()) return fail("no-module", fmt::format("{} has no module", dump.path));
  std::vector<std::string> files;
  for (const size_t m : found) files.push_back(stageAt(dump.modules[m], end).path);
  return fail("several-modules",
              fmt::format("{} has {} modules: give the file of one", dump.path, found.size()), {},
              std::move(files));
}

Result<std::shared_ptr<const OpenedFile>> stageOf(const OpenedDump& dump, DumpEnd end) {
  TRY(const size_t m, onlyModule(dump, end));
  const DumpModuleInfo& module = dump.modules[m];
  fmt::print(stderr, "{}: note: {} of {}\n", dump.path, stageAt(module, end).name, module.name);
  return loadStage(dump, m, end == DumpEnd::First ? 0 : module.stages.size() - 1);
}

}  // namespace

Result<size_t> moduleOfDump(const OpenedDump& dump, const std::string& name) {
  if (name.empty() && dump.modules.size() == 1) return 0;
  std::vector<std::string> names;
  for (const DumpModuleInfo& module : dump.modules) names.push_back(module.name);
  const auto matches = [&](const DumpModuleInfo& module, bool whole) {
    if (!whole) return module.name.contains(name);
    return module.name == name || (module.moduleId >= 0 && (name == fmt::format("{}", module.moduleId) ||
                                                            name == fmt::format("{:04}", module.moduleId)));
  };
  for (const bool whole : {true, false}) {
    for (size_t m = 0; m < dump.modules.size() && !name.empty(); ++m) {
      if (matches(dump.modules[m], whole)) return m;
    }
  }
  return fail("no-such-module",
              name.empty() ? fmt::format("{} has {} modules: --module says which", dump.path, names.size())
                           : fmt::format("no module '{}' in {}", name, dump.path),
              {}, {fmt::format("there are: {}", fmt::join(names, ", "))});
}

Result<std::shared_ptr<const OpenedFile>> openWholeOrStage(const std::string& path, DumpEnd end) {
  const auto item = openItem(path);
  if (!item) return wholeOf(std::unexpected(item.error()));
  if (const auto* dump = std::get_if<std::shared_ptr<const OpenedDump>>(&*item))
    return wholeOf(stageOf(**dump, end));
  return wholeOf(std::get<std::shared_ptr<const OpenedFile>>(*item));
}

}  // namespace hilo::cli
