// From bytes to HLO modules.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "llvm/ADT/StringRef.h"
#include "plugins/sdk/format_plugin.h"
#include "plugins/stablehlo/source_names.h"

namespace hilo::stablehlo {

struct Problem {
  HiloSeverity severity = HILO_ERROR;
  std::string kind;
  std::string message;
  uint32_t line = 0, column = 0;
  std::vector<std::string> notes;
};

struct NamedInstruction {
  std::string instruction;  // in the module
  SourceName source;
};

struct FoundModule {
  std::string hloModuleProto;
  std::string format;
  uint32_t firstLine = 1;
  std::vector<NamedInstruction> names;  // of text
};

struct ImportResult {
  std::vector<FoundModule> modules;
  std::vector<Problem> problems;  // where one is an error, there are no modules
};

bool looksLikeMlir(llvm::StringRef bytes);
// Every module in `bytes`: @main of each MLIR module, or where there is none each public
// function. Never throws.
ImportResult import(llvm::StringRef bytes, const std::string& path, const std::function<bool()>& isCancelled);

}  // namespace hilo::stablehlo
