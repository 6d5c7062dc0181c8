// What the file a plug-in read calls the values of the module, for messages: in the module they
// have HLO's names.
#pragma once

#include <absl/container/flat_hash_map.h>

#include "core/workspace/open/opened.h"

namespace hilo {

struct SourceName {
  std::string name;  // "%254"; "" where it has none
  uint32_t line = 0, column = 0;
};
// By instruction of the module.
struct SourceNames {
  absl::flat_hash_map<std::string, SourceName> byInstruction;
};

// Null where nothing is known of it.
const SourceName* sourceNameOf(const OpenedFile& file, std::string_view instruction);
// A finding about the file's module with the file's own line, column and names.
Diagnostic inSourceNames(Diagnostic finding, const OpenedFile& file);

}  // namespace hilo
