// XLA's plan of a module and its report of it, wherever they lie: in the module's own protobuf, in the files
// beside its text, or among the files of a dump, be that a directory, what XLA printed, or a .hilo document.
// Private to the room.
#pragma once

#include <optional>
#include <string>

#include "core/hlo/dump/buffer_assignment.h"
#include "core/workspace/open/opened.h"

namespace hilo {

inline constexpr std::string_view kPlanEnding = "-buffer-assignment.txt";

struct XlaPlan {
  BufferAssignment assignment;
  Diagnostics notes;  // where the report says something else than the plan
};

// Nullopt: there is none. Error kinds: those of reading and of parseBufferAssignment().
Result<std::optional<XlaPlan>> planOfFile(const OpenedFile& file);
Result<XlaPlan> planAtPath(const std::string& path);
// Of the last stage of a module of a dump.
Result<std::optional<XlaPlan>> planOfDump(const OpenedDump& dump, const DumpModuleInfo& module);

}  // namespace hilo
