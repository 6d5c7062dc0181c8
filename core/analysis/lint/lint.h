// What is worth a second look in a module that XLA takes: nothing here is an error, and each may be meant. A
// lint looks for one thing; lints.def lists them, each with a function in a file of its own.
//
// Takes modules that verify. Time is linear but for value-overwritten, which asks for the live ranges of
// scheduled modules. Any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/hlo/ir/module.h"

namespace hilo {

struct LintFinding {
  std::string_view kind;  // of lints.def: stable, lower-case
  const Instruction* instruction = nullptr;
  std::string message;
  std::vector<std::string> notes;  // the remedy
};
using LintFindings = std::vector<LintFinding>;

struct LintInfo {
  std::string_view kind;
  std::string_view description;  // "loops that state another known_trip_count than their counter gives"
  void (*find)(const Module&, LintFindings&);
};
std::vector<LintInfo> lints();

// Of all lints in the order of lints.def, each in the module's order. Of each lint the first `most`; the last
// of them says that there are more.
LintFindings lint(const Module& module, size_t most = 100);

}  // namespace hilo
