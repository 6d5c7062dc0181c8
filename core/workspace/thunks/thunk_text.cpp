#include "core/workspace/thunks/thunk_text.h"

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>
#include <fmt/format.h>

#include <algorithm>

#include "core/workspace/thunks/thunk_sequences.h"

namespace hilo {
namespace {

// Light enough for black letters.
constexpr const char* kColours[] = {"#aec7e8", "#ffbb78", "#98df8a", "#ff9896", "#c5b0d5", "#c49c94",
                                    "#f7b6d2", "#dbdb8d", "#9edae5", "#d9d9d9", "#fdd0a2", "#c7e9c0"};

std::string dotText(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (c != '\n') out += c;
  }
  return out + "\"";
}

class DotWriter {
 public:
  explicit DotWriter(const ThunkStudy& study)
      : study_(study), sequences_(sequencesOf(study)), within_(byParent(sequences_)) {}

  std::string write() {
    out_ = "digraph thunks {\nnode [shape=box, style=filled];\n";
    addWithin(StudiedThunk::kNone);
    for (const ThunkHazard& hazard : study_.hazards) {
      out_ +=
          fmt::format("n{} -> n{}{};\n", hazard.from, hazard.to, hazard.keepsOrder ? " [style=dashed]" : "");
    }
    return out_ + "}\n";
  }

 private:
  void addWithin(uint32_t parent) {
    const auto found = within_.find(parent);
    if (found == within_.end()) return;
    for (const size_t number : found->second) {
      const StudiedSequence& sequence = sequences_[number];
      const bool isNested = parent != StudiedThunk::kNone;
      if (isNested) {
        const std::string label = fmt::format("{} {}", study_.thunks[parent].name, sequence.part);
        out_ += fmt::format("subgraph cluster_{} {{\nlabel={};\n", number, dotText(label));
      }
      for (const uint32_t thunk : sequence.thunks) addThunk(thunk);
      if (isNested) out_ += "}\n";
    }
  }

  void addThunk(uint32_t number) {
    const StudiedThunk& thunk = study_.thunks[number];
    const size_t colour = colours_.try_emplace(thunk.kind, colours_.size()).first->second;
    out_ += fmt::format("n{} [label={}, fillcolor={}];\n", number,
                        dotText(fmt::format("{} {}", thunk.kind, thunk.name)),
                        dotText(kColours[colour % std::size(kColours)]));
    addWithin(number);
  }

  const ThunkStudy& study_;
  std::vector<StudiedSequence> sequences_;
  std::map<uint32_t, std::vector<size_t>> within_;
  absl::flat_hash_map<std::string_view, size_t> colours_;
  std::string out_;
};

using Edges = std::vector<std::vector<uint32_t>>;  // by thunk, in the order they stand

// How many thunks come after each: those that are reached from it.
size_t reachedFrom(uint32_t thunk, const Edges& after) {
  absl::flat_hash_set<uint32_t> seen;
  std::vector<uint32_t> open{thunk};
  while (!open.empty()) {
    const uint32_t at = open.back();
    open.pop_back();
    for (const uint32_t next : after[at]) {
      if (seen.insert(next).second) open.push_back(next);
    }
  }
  return seen.size();
}

std::string executorText(const ThunkStudy& study, const StudiedSequence& sequence, const Edges& before,
                         const Edges& after) {
  const auto& thunks = sequence.thunks;
  const auto isSource = [&](uint32_t thunk) { return before[thunk].empty(); };
  const auto isSink = [&](uint32_t thunk) { return after[thunk].empty(); };
  std::string text =
      fmt::format("ThunkExecutor: #thunks={} #source_nodes={} #sink_nodes={}\n", thunks.size(),
                  std::ranges::count_if(thunks, isSource), std::ranges::count_if(thunks, isSink));
  for (size_t i = 0; i < thunks.size(); ++i) {
    const uint32_t thunk = thunks[i];
    std::vector<std::string_view> names;
    for (const uint32_t earlier : before[thunk]) names.push_back(study.thunks[earlier].name);
    text += fmt::format(
        " thunk #{:05}: op_name={}, kind={}, dependencies=[{}], source={}, sink={}, priority={}\n", i,
        study.thunks[thunk].name, study.thunks[thunk].kind, fmt::join(names, ", "), isSource(thunk),
        isSink(thunk), reachedFrom(thunk, after));
  }
  return text;
}

}  // namespace

std::string toDot(const ThunkStudy& study) { return DotWriter(study).write(); }

std::string toExecutorText(const ThunkStudy& study) {
  Edges before(study.thunks.size()), after(study.thunks.size());
  for (const ThunkHazard& hazard : study.hazards) {
    before[hazard.to].push_back(hazard.from);
    after[hazard.from].push_back(hazard.to);
  }
  for (auto& list : before) std::ranges::sort(list);
  std::string text;
  for (const StudiedSequence& sequence : sequencesOf(study)) {
    if (sequence.parent != StudiedThunk::kNone)
      text += fmt::format("{} of {}:\n", sequence.part, study.thunks[sequence.parent].name);
    text += executorText(study, sequence, before, after);
  }
  return text;
}

}  // namespace hilo
