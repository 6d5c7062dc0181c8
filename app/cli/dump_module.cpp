#include "app/cli/dump_module.h"

#include <fmt/format.h>

namespace hilo::cli {

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

}  // namespace hilo::cli
