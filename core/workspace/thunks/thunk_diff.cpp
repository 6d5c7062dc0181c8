#include "core/workspace/thunks/thunk_diff.h"

#include <algorithm>

#include "core/analysis/diff/sequence_alignment.h"
#include "core/workspace/thunks/thunk_sequences.h"

namespace hilo {
namespace {

std::vector<int64_t> sizesOf(const StudiedThunk& thunk, bool writes) {
  std::vector<int64_t> sizes;
  for (const ThunkUse& use : thunk.uses) {
    if (use.writes == writes) sizes.push_back(use.sizeBytes);
  }
  return sizes;
}

class Matcher {
 public:
  Matcher(const ThunkStudy& before, const ThunkStudy& after)
      : partnerOf(before.thunks.size(), StudiedThunk::kNone),
        before_(before),
        after_(after),
        beforeSequences_(sequencesOf(before)),
        afterSequences_(sequencesOf(after)),
        beforeWithin_(byParent(beforeSequences_)),
        afterWithin_(byParent(afterSequences_)) {
    matchWithin(StudiedThunk::kNone, StudiedThunk::kNone);
  }

  std::vector<std::pair<uint32_t, uint32_t>> pairs;
  std::vector<uint32_t> partnerOf;  // by thunk before

 private:
  static constexpr uint32_t kSame = 3, kAlike = 1;

  uint32_t score(uint32_t b, uint32_t a) const {
    const StudiedThunk &before = before_.thunks[b], &after = after_.thunks[a];
    if (before.kind != after.kind) return 0;
    return before.name == after.name ? kSame : kAlike;
  }

  void matchWithin(uint32_t beforeParent, uint32_t afterParent) {
    const auto before = beforeWithin_.find(beforeParent), after = afterWithin_.find(afterParent);
    if (before == beforeWithin_.end() || after == afterWithin_.end()) return;
    for (const size_t b : before->second) {
      for (const size_t a : after->second) {
        if (beforeSequences_[b].part == afterSequences_[a].part)
          match(beforeSequences_[b].thunks, afterSequences_[a].thunks);
      }
    }
  }

  void match(const std::vector<uint32_t>& before, const std::vector<uint32_t>& after) {
    const auto aligned =
        alignSequences(static_cast<uint32_t>(before.size()), static_cast<uint32_t>(after.size()), kSame,
                       [&](uint32_t b, uint32_t a) { return score(before[b], after[a]); });
    for (const auto& [b, a] : aligned) {
      if (score(before[b], after[a]) == 0) continue;
      pairs.emplace_back(before[b], after[a]);
      partnerOf[before[b]] = after[a];
      matchWithin(before[b], after[a]);
    }
  }

  const ThunkStudy &before_, &after_;
  std::vector<StudiedSequence> beforeSequences_, afterSequences_;
  std::map<uint32_t, std::vector<size_t>> beforeWithin_, afterWithin_;
};

// By thunk those it waits for, sorted; `partnerOf` names them as the other study does, and what has no
// partner there is none of its.
std::vector<std::vector<uint32_t>> waitsOf(const ThunkStudy& study, const std::vector<uint32_t>* partnerOf) {
  std::vector<std::vector<uint32_t>> waits(study.thunks.size());
  for (const ThunkHazard& hazard : study.hazards)
    waits[hazard.to].push_back(partnerOf == nullptr ? hazard.from : (*partnerOf)[hazard.from]);
  for (auto& list : waits) std::ranges::sort(list);
  return waits;
}

// A description is a field where there are no others: of what XLA printed.
std::vector<ThunkField> fieldsOf(const StudiedThunk& thunk) {
  const bool isPrinted = thunk.fields.empty() && !thunk.description.empty();
  return isPrinted ? std::vector<ThunkField>{{"description", thunk.description}} : thunk.fields;
}

// In the order of `is`, then what is no longer there. A name may stand several times: its values are
// compared in turn.
std::vector<ChangedField> changedFields(const StudiedThunk& was, const StudiedThunk& is) {
  std::vector<ThunkField> before = fieldsOf(was);
  std::vector<ChangedField> changed;
  for (const ThunkField& field : fieldsOf(is)) {
    const auto old = std::ranges::find(before, field.name, &ThunkField::name);
    const bool wasThere = old != before.end();
    if (!wasThere || old->value != field.value)
      changed.push_back({field.name, wasThere ? old->value : "", field.value});
    if (wasThere) before.erase(old);
  }
  for (const ThunkField& field : before) changed.push_back({field.name, field.value, ""});
  return changed;
}

}  // namespace

bool comparesFields(const ThunkStudy& before, const ThunkStudy& after) {
  return (before.program == nullptr) == (after.program == nullptr);
}

std::vector<ThunkChange> diffThunks(const ThunkStudy& before, const ThunkStudy& after) {
  const Matcher matcher(before, after);
  const auto waitsBefore = waitsOf(before, &matcher.partnerOf), waitsAfter = waitsOf(after, nullptr);
  const bool sameFields = comparesFields(before, after);
  std::vector<bool> isMatched(after.thunks.size());
  std::vector<ThunkChange> changes;
  for (const auto& [b, a] : matcher.pairs) {
    isMatched[a] = true;
    const StudiedThunk &was = before.thunks[b], &is = after.thunks[a];
    ThunkChange change{.kind = ThunkChange::Kind::Changed, .before = b, .after = a, .what = {}, .fields = {}};
    if (was.name != is.name) change.what.push_back("name");
    if (sameFields) change.fields = changedFields(was, is);
    for (const ChangedField& field : change.fields) change.what.push_back(field.name);
    if (sizesOf(was, false) != sizesOf(is, false)) change.what.push_back("reads");
    if (sizesOf(was, true) != sizesOf(is, true)) change.what.push_back("writes");
    if (waitsBefore[b] != waitsAfter[a]) change.what.push_back("waits for");
    if (!change.what.empty()) changes.push_back(std::move(change));
  }
  for (uint32_t a = 0; a < after.thunks.size(); ++a) {
    if (!isMatched[a])
      changes.push_back({.kind = ThunkChange::Kind::Added, .after = a, .what = {}, .fields = {}});
  }
  std::ranges::sort(changes, {}, &ThunkChange::after);
  for (uint32_t b = 0; b < before.thunks.size(); ++b) {
    if (matcher.partnerOf[b] == StudiedThunk::kNone)
      changes.push_back({.kind = ThunkChange::Kind::Removed, .before = b, .what = {}, .fields = {}});
  }
  return changes;
}

}  // namespace hilo
