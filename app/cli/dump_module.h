// --module: which module of a dump a command is about.
#pragma once

#include "core/workspace/open/opened.h"

namespace hilo::cli {

// By its whole name or number, else by a part of the name; of "" the only one. Kind "no-such-module", with
// the names there are.
Result<size_t> moduleOfDump(const OpenedDump& dump, const std::string& name);

}  // namespace hilo::cli
