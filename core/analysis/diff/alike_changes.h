// The changes between two modules, once each with their number.
#pragma once

#include <string>
#include <vector>

#include "core/analysis/diff/module_diff.h"

namespace hilo {

// Changes of one diff that are alike: of one kind, or one pattern that occurs several times over.
struct AlikeChanges {
  ChangeKind kind = ChangeKind::Changed;
  bool isPattern = false;
  size_t count = 0;  // of changes, or of occurrences of the pattern
  std::string opcode;
  std::string what;             // of a pattern all of its lines
  std::vector<size_t> members;  // into StepDiff::changes, and StepDiff::reordered after these
};
std::vector<AlikeChanges> alikeChanges(const Module& before, const Module& after, const StepDiff& diff);

}  // namespace hilo
