// Which module of a dump a command is about, and which stage of it.
#pragma once

#include "core/workspace/open/opened.h"

namespace hilo::cli {

// By its whole name or number, else by a part of the name; of "" the only one. Kind "no-such-module", with
// the names there are.
Result<size_t> moduleOfDump(const OpenedDump& dump, const std::string& name);

enum class DumpEnd : uint8_t { First, Last };
// openWhole() (report.h), and of a dump of one module as the compiler read it or left it, which is said. Of
// several modules kind "several-modules", with the files that would do.
Result<std::shared_ptr<const OpenedFile>> openWholeOrStage(const std::string& path,
                                                           DumpEnd end = DumpEnd::Last);

}  // namespace hilo::cli
