// --as-compiled of run and compare: what XLA made of a module of a dump, as a program.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "core/workspace/compiled/compiled_by_xla.h"

namespace hilo::cli {

struct DumpProgramOptions {
  bool asCompiled = false;
  std::string module;       // "": the only one
  std::string instruction;  // alone; "": the module
};
void addAsCompiled(CLI::App& command, DumpProgramOptions& options);

// Error kinds: those of openDump and compiledByXla; "no-such-module", with the names there are.
// `seed` fills constants whose values the dump lacks.
Result<CompiledByXla> openAsCompiled(const std::string& path, const DumpProgramOptions& options,
                                     uint64_t seed);

}  // namespace hilo::cli
