#include "core/hlo/dump/thunk_sequence.h"

#include <absl/container/flat_hash_map.h>

#include "core/hlo/dump/line_scanner.h"
#include "core/hlo/proto/schema/dump.pb.h"

namespace hilo {
namespace {

constexpr size_t kMaxDepth = 100;

// "condition:", "body:", "true_branch:", "false_branch:", "branch_3:"
std::string_view labelIn(std::string_view line) {
  const size_t start = line.find_first_not_of(" \t");
  if (start == std::string_view::npos || !line.ends_with(':')) return {};
  const std::string_view label = line.substr(start, line.size() - start - 1);
  const bool isKnown = label == "condition" || label == "body" || label == "true_branch" ||
                       label == "false_branch" || label.starts_with("branch_");
  return isKnown ? label : std::string_view();
}

std::string_view trimmed(std::string_view text) {
  const size_t start = text.find_first_not_of(" \t");
  if (start == std::string_view::npos) return {};
  return text.substr(start, text.find_last_not_of(" \t") - start + 1);
}

bool startsThunk(std::string_view text) {
  const size_t start = text.find_first_not_of(" 0123456789:");
  return start != std::string_view::npos && start + 1 < text.size() && text[start] == 'k' &&
         text[start + 1] >= 'A' && text[start + 1] <= 'Z';
}

class SequenceParser {
 public:
  SequenceParser(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  Result<std::vector<DumpedThunk>> parse() {
    open_.push_back({0, &thunks_});
    while (!text_.empty()) {
      std::string_view line = takeLine(text_);
      ++line_;
      if (trimmed(line).empty() || trimmed(line) == "No thunks.") continue;
      if (const std::string_view label = labelIn(line); !label.empty()) {
        label_ = label;
        opensGroup_ = true;
        continue;
      }
      // A sequential thunk has its first thunk on its own line.
      while (!line.empty()) {
        TRY(line, readThunk(line));
      }
    }
    return std::move(thunks_);
  }

 private:
  std::unexpected<Diagnostic> bad(std::string message) {
    return fail("bad-thunk-sequence", std::move(message), {.file = file_, .line = line_});
  }

  // Reads the thunk at the start of the line and gives what is left: another thunk, or nothing.
  Result<std::string_view> readThunk(std::string_view line) {
    if (!startsThunk(line)) {
      return bad(fmt::format("'{}' is not a thunk as XLA prints it", line.substr(0, 60)));
    }
    const size_t indent = line.find_first_not_of(' ');
    LineScanner scanner(line.substr(indent));
    DumpedThunk thunk{.line = line_};
    if (const auto id = scanner.number()) {
      thunk.id = *id;
      if (!scanner.eat(": ")) return bad("a thunk's number without a colon");
    }
    const size_t kindEnd = std::min(scanner.rest().find_first_of(" \t"), scanner.rest().size());
    thunk.kind = scanner.rest().substr(0, kindEnd);
    scanner.eat(thunk.kind);
    TRY(std::vector<DumpedThunk>* const list, listAt(indent));
    // The older form ends the column of kinds with a tab; what follows keeps its indentation.
    if (const size_t tab = scanner.rest().find('\t'); tab != std::string_view::npos) scanner.until("\t");
    readConflicts(scanner, thunk);
    const std::string_view rest = scanner.rest();
    const bool nests = startsThunk(rest) && rest.starts_with(' ');
    if (!nests) describe(trimmed(rest), thunk);
    list->push_back(std::move(thunk));
    if (!nests) return std::string_view();
    label_ = {};
    opensGroup_ = true;
    return rest;
  }

  // The list a thunk of that indentation belongs to; a new group of the last thunk before when
  // one was opened.
  Result<std::vector<DumpedThunk>*> listAt(size_t indent) {
    while (open_.size() > 1 &&
           (open_.back().indent > indent || (opensGroup_ && open_.back().indent == indent))) {
      open_.pop_back();
    }
    if (!opensGroup_ && open_.back().indent == indent) return open_.back().thunks;
    std::vector<DumpedThunk>& outer = *open_.back().thunks;
    if (outer.empty() || open_.size() > kMaxDepth) {
      if (open_.size() > kMaxDepth) return bad("thunks nested too deeply");
      // The first thunk sets the indentation of its list.
      open_.back().indent = indent;
      return &outer;
    }
    auto& group = outer.back().groups.emplace_back();
    group.label = label_;
    opensGroup_ = false;
    label_ = {};
    open_.push_back({indent, &group.thunks});
    return &group.thunks;
  }

  // "[prev=001 (1) | next=003 (1)]"
  static void readConflicts(LineScanner& scanner, DumpedThunk& thunk) {
    LineScanner ahead(scanner.rest());
    ahead.skipSpaces();
    if (thunk.id < 0 || !ahead.eat("[")) return;
    const auto conflicts = ahead.until("]");
    if (!conflicts) return;
    const auto numberAfter = [&](std::string_view word) {
      const size_t at = conflicts->find(word);
      if (at == std::string_view::npos) return int64_t{-1};
      LineScanner number(conflicts->substr(at + word.size()));
      return number.number().value_or(-1);
    };
    thunk.previousConflict = numberAfter("prev=");
    thunk.nextConflict = numberAfter("next=");
    scanner = ahead;
    scanner.eat(" ");
  }

  static void describe(std::string_view description, DumpedThunk& thunk) {
    if (description.starts_with(',')) description = trimmed(description.substr(1));
    if (description == "(no description)") description = {};
    thunk.description = description;
    const size_t at = description.find("kernel = ");
    if (at != std::string_view::npos) {
      const std::string_view name = description.substr(at + 9);
      thunk.kernelName = name.substr(0, name.find(','));
    }
  }

  struct OpenList {
    size_t indent;
    std::vector<DumpedThunk>* thunks;
  };

  std::string_view text_;
  const std::string& file_;
  uint32_t line_ = 0;
  std::vector<DumpedThunk> thunks_;
  std::vector<OpenList> open_;
  std::string_view label_;
  bool opensGroup_ = false;
};

void join(std::vector<DumpedThunk>& thunks,
          const absl::flat_hash_map<int64_t, std::string_view>& annotations) {
  for (DumpedThunk& thunk : thunks) {
    const auto found = annotations.find(thunk.id);
    if (found != annotations.end()) thunk.profileAnnotation = found->second;
    for (ThunkGroup& group : thunk.groups) join(group.thunks, annotations);
  }
}

}  // namespace

Result<std::vector<DumpedThunk>> parseThunkSequence(std::string_view text, const std::string& file) {
  return SequenceParser(text, file).parse();
}

void joinThunkMetadata(std::vector<DumpedThunk>& thunks, const pb::ThunkMetadataListProto& metadata) {
  absl::flat_hash_map<int64_t, std::string_view> annotations;
  for (const auto& thunk : metadata.thunk_metadata()) {
    annotations.emplace(thunk.thunk_info().thunk_id(), thunk.thunk_info().profile_annotation());
  }
  join(thunks, annotations);
}

}  // namespace hilo
