#include "core/workspace/caveats/caveats.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/analysis/unpartitioned.h"
#include "core/base/amount_text.h"

namespace hilo {
namespace {

int64_t elidedConstants(const Module& module) {
  int64_t count = 0;
  for (const Computation* computation : module.computations()) {
    count += std::ranges::count_if(computation->instructions(), [](const Instruction* i) {
      return i->opcode() == Opcode::Constant && i->literal().isElided();
    });
  }
  return count;
}

// A text that ends before its entry: the last computation read then stands in its place.
bool lacksEntry(const OpenedFile& file) {
  if (!file.isText || file.module->entry() == nullptr || file.module->sourceText() == nullptr) return false;
  const std::string& text = *file.module->sourceText();
  return !text.starts_with("ENTRY ") && text.find("\nENTRY ") == std::string::npos;
}

// The first of what reading met, errors before warnings: "line 12: expected ')' (and 2 more)".
std::string incompleteText(const OpenedFile& file) {
  const Diagnostics& diagnostics = file.diagnostics;
  const auto first = std::ranges::find(diagnostics, Severity::kError, &Diagnostic::severity);
  const auto count = std::ranges::count(diagnostics, Severity::kError, &Diagnostic::severity);
  std::string text = fmt::format("The module is incomplete: line {}: {}", first->place.line, first->message);
  if (count > 1) text += fmt::format(" (and {} more)", count - 1);
  if (lacksEntry(file))
    text += fmt::format("; its entry was not read, {} stands in its place", file.module->entry()->name());
  return text;
}

}  // namespace

ModuleCaveats caveatsOf(const Module& module, const OpenedFile* file) {
  ModuleCaveats found{.caveats = {}, .target = scheduleTargetOf(module, file == nullptr ? "" : file->path)};
  if (file != nullptr && hasErrors(file->diagnostics))
    found.caveats.push_back({CaveatKind::Incomplete, incompleteText(*file)});
  if (isUnpartitioned(module))
    found.caveats.push_back(
        {CaveatKind::NotPartitioned,
         fmt::format("Not partitioned yet: times and bytes are of all {} partitions together",
                     module.partitionCount())});
  if (const int64_t count = elidedConstants(module); count > 0) {
    found.caveats.push_back(
        {CaveatKind::ElidedConstants,
         fmt::format("{} elided: runs fill {} with random values, so results are not the "
                     "program's",
                     amount::countOf(count, "constant is", "constants are"), count == 1 ? "it" : "them")});
  }
  return found;
}

}  // namespace hilo
