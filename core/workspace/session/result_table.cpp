#include "core/workspace/session/result_table.h"

#include <fmt/format.h>

#include <vector>

namespace hilo {
namespace {

struct KindWords {
  const char *name, *tag, *title, *failure;
};

constexpr KindWords kKindWords[] = {
#define RESULT(kind, type, tag, title, failure) {#kind, tag, title, failure},
#define GIVEN(kind, type) {#kind, "", "", ""},
#include "core/workspace/session/results.def"
#undef GIVEN
#undef RESULT
};

}  // namespace

ResultTable::Words ResultTable::wordsOf(Key key, const std::string& title) {
  const KindWords& words = kKindWords[static_cast<size_t>(key.second)];
  const bool isOwn = *words.tag == '\0';
  return {isOwn ? fmt::format("{}:{}", words.name, key.first.value) : words.tag,
          fmt::format("{} {}", words.title, title), words.failure, isOwn};
}

bool ResultTable::isSettled(SnapshotId id, ResultKind kind) {
  const auto found = entries_.find(Key{id, kind});
  if (found == entries_.end()) return false;
  const bool isThere = found->second.result != nullptr;
  if (isThere) tell_(ResultReady{id, kind});
  return isThere || found->second.isUnderWay;
}

bool ResultTable::takeReply(Key key, const Diagnostic* error) {
  const auto found = entries_.find(key);
  if (found == entries_.end()) return false;
  found->second.isUnderWay = false;
  if (error != nullptr && error->kind != "cancelled") tell_(Failed{wordsOf(key, {}).failure, *error});
  return error == nullptr;
}

void ResultTable::tellProblems(ResultKind kind, const Diagnostics& diagnostics) const {
  for (const Diagnostic& why : diagnostics) {
    if (why.severity == Severity::kError) tell_(Failed{kKindWords[static_cast<size_t>(kind)].failure, why});
  }
}

void ResultTable::close(SnapshotId id) {
  std::vector<JobId> underWay;
  absl::erase_if(entries_, [&](const auto& entry) {
    if (entry.first.first != id) return false;
    if (entry.second.job.valid()) underWay.push_back(entry.second.job);
    return true;
  });
  for (const JobId job : underWay) jobs_.cancel(job);  // nothing happens to one that has ended
}

}  // namespace hilo
