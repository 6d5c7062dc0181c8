// Calls into a plug-in's format: import and export as values, with everything that was said copied out.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/cancel.h"
#include "core/base/result.h"
#include "plugins/sdk/format_plugin.h"

namespace hilo {

using PluginOptions = std::vector<std::pair<std::string, std::string>>;

struct ImportedName {
  std::string instruction;        // its name in the module
  std::string name;               // in the input: "%254"; "" where it has none
  uint32_t line = 0, column = 0;  // of the input
};

struct ImportedModule {
  std::string hloModuleProto;  // serialized
  std::string format;          // "StableHLO text"
  uint32_t firstLine = 1;
  std::vector<ImportedName> names;
};

struct PluginImport {
  std::vector<ImportedModule> modules;
  Diagnostics warnings;  // and notes
};

// The first format of any loaded plug-in that knows the bytes; null when none does.
const HiloFormat* formatOf(std::string_view bytes);
// The format whose exporter writes files that end so ("out.mlir"); null when none does.
const HiloFormat* formatForPath(std::string_view path);

// Errors: the plug-in's own, their place in `path`; the first speaks, the others are its notes.
// "plugin-broke-contract" when it failed without saying why; "not-importable" when it has no importer.
Result<PluginImport> importWith(const HiloFormat& format, std::string_view bytes, const std::string& path,
                                const PluginOptions& options = {}, const CancelToken& cancel = {});
Result<std::string> exportWith(const HiloFormat& format, std::string_view hloModuleProto,
                               const PluginOptions& options = {});

}  // namespace hilo
