#include "core/workspace/open/source_names.h"

#include <absl/strings/ascii.h>

namespace hilo {
namespace {

bool isPartOfName(char c) { return absl::ascii_isalnum(c) || c == '_' || c == '-' || c == '.'; }

// Names that the plug-in made up, "broadcast.8" or "%broadcast.8", have a dot: no word of the message
// has one within.
std::string renamed(std::string_view text, const OpenedFile& file) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    size_t end = at;
    while (end < text.size() && isPartOfName(text[end])) ++end;
    std::string_view word = text.substr(at, end - at);
    while (word.ends_with('.')) word.remove_suffix(1);
    const SourceName* name = word.contains('.') ? sourceNameOf(file, word) : nullptr;
    if (name != nullptr && !name->name.empty()) {
      if (out.ends_with('%') && name->name.starts_with('%')) out.pop_back();
      out += name->name;
      at += word.size();
    } else {
      const size_t taken = std::max<size_t>(1, end - at);
      out += text.substr(at, taken);
      at += taken;
    }
  }
  return out;
}

}  // namespace

const SourceName* sourceNameOf(const OpenedFile& file, std::string_view instruction) {
  if (file.sourceNames == nullptr) return nullptr;
  const auto found = file.sourceNames->byInstruction.find(std::string(instruction));
  return found == file.sourceNames->byInstruction.end() ? nullptr : &found->second;
}

Diagnostic inSourceNames(Diagnostic finding, const OpenedFile& file) {
  if (file.sourceNames == nullptr) return finding;
  if (const SourceName* name = sourceNameOf(file, finding.place.instruction)) {
    finding.place.line = name->line;
    finding.place.column = name->column;
    if (!name->name.empty()) finding.place.instruction = name->name;
  }
  finding.message = renamed(finding.message, file);
  for (std::string& note : finding.notes) note = renamed(note, file);
  return finding;
}

}  // namespace hilo
