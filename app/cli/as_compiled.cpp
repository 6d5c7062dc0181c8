#include "app/cli/as_compiled.h"

#include "app/cli/dump_module.h"
#include "app/cli/progress_line.h"
#include "core/workspace/path/open_path.h"

namespace hilo::cli {
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
  TRY(const size_t module, moduleOfDump(*dump, options.module));
  return withProgress("program", [&](JobContext& job) {
    return compiledByXla(*dump, module, {options.instruction, seed, job.cancel()});
  });
}

}  // namespace hilo::cli
