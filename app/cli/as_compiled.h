// --as-compiled of run and compare: what XLA made of a module of a dump, as a program.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "core/workspace/compiled/compiled_by_xla.h"

namespace hilo::cli {

struct DumpProgramOptions {
  bool asCompiled = false;
  std::string module;  // "": the only one
};
void addAsCompiled(CLI::App& command, DumpProgramOptions& options);

// Error kinds: those of openDump and compiledByXla; "no-such-module", with the names there are.
Result<CompiledByXla> openAsCompiled(const std::string& path, const DumpProgramOptions& options);

}  // namespace hilo::cli
