// What makes figures or values of a module mean less than they seem to: a module of all partitions together,
// constants whose values were never printed, a text that could not be read whole. Views say it where their
// numbers depend on it.
#pragma once

#include <string>
#include <vector>

#include "core/workspace/open/opened.h"
#include "core/workspace/schedule/schedule_target.h"

namespace hilo {

enum class CaveatKind : uint8_t { Incomplete, NotPartitioned, ElidedConstants };

struct Caveat {
  CaveatKind kind;
  std::string text;  // a sentence without its period
};

struct ModuleCaveats {
  std::vector<Caveat> caveats;  // in the order of CaveatKind, each at most once
  ScheduleTarget target;        // what its times are estimated for
};

// `file`: what the module was read from, null for one that passes made. Looks at the names of the files
// beside it. Any thread.
ModuleCaveats caveatsOf(const Module& module, const OpenedFile* file);

}  // namespace hilo
