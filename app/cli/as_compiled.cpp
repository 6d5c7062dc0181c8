#include "app/cli/as_compiled.h"

#include <fmt/format.h>

#include "app/cli/progress_line.h"
#include "core/workspace/path/open_path.h"

namespace hilo::cli {
namespace {

// By its whole name or number, else by a part of the name.
Result<size_t> moduleCalled(const OpenedDump& dump, const std::string& name) {
  std::vector<std::string> names;
  for (const DumpModuleInfo& module : dump.modules) names.push_back(module.name);
  const auto matches = [&](const DumpModuleInfo& module, bool whole) {
    if (!whole) return module.name.contains(name);
    return module.name == name || (module.moduleId >= 0 && (name == fmt::format("{}", module.moduleId) ||
                                                            name == fmt::format("{:04}", module.moduleId)));
  };
  for (const bool whole : {true, false}) {
    for (size_t m = 0; m < dump.modules.size(); ++m) {
      if (matches(dump.modules[m], whole)) return m;
    }
  }
  return fail("no-such-module", fmt::format("no module '{}' in {}", name, dump.path), {},
              {fmt::format("there are: {}", fmt::join(names, ", "))});
}

}  // namespace

void addAsCompiled(CLI::App& command, DumpProgramOptions& options) {
  command.add_flag("--as-compiled", options.asCompiled,
                   "FILE is a dump of XLA:GPU with its PTX: run the kernels that XLA wrote");
  command.add_option("--module", options.module, "Which module of the dump, by name or number");
  command.add_option("--instruction", options.instruction,
                     "With --as-compiled: this instruction alone, on values in the place of its operands");
}

Result<CompiledByXla> openAsCompiled(const std::string& path, const DumpProgramOptions& options,
                                     uint64_t seed) {
  TRY(const auto dump, openDump(path));
  if (options.module.empty() && dump->modules.size() != 1)
    return fail("no-such-module",
                fmt::format("{} has {} modules: --module says which", path, dump->modules.size()));
  TRY(const size_t module, options.module.empty() ? Result<size_t>(0) : moduleCalled(*dump, options.module));
  return withProgress("program", [&](JobContext& job) {
    return compiledByXla(*dump, module, {options.instruction, seed, job.cancel()});
  });
}

}  // namespace hilo::cli
