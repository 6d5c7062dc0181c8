#include "core/compiler/codegen/emit/listed_code.h"

#include <absl/container/flat_hash_map.h>

#include <charconv>

namespace hilo {
namespace {

// The number after `word` in `line`; kNone where there is none.
uint32_t numberAfter(std::string_view line, std::string_view word) {
  const size_t at = line.find(word);
  if (at == std::string_view::npos) return ListedCode::kNone;
  uint32_t number = ListedCode::kNone;
  std::from_chars(line.data() + at + word.size(), line.data() + line.size(), number);
  return number;
}

template <typename Visit>
void forEachLine(std::string_view text, const Visit& visit) {
  while (!text.empty()) {
    const size_t end = text.find('\n');
    visit(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
}

// Lines count from 1, ids from 0; line 0 is of no instruction.
uint32_t instructionOf(uint32_t line) {
  return line == 0 || line == ListedCode::kNone ? ListedCode::kNone : line - 1;
}

void append(ListedCode& code, std::string_view line, uint32_t instruction) {
  code.text.append(line) += '\n';
  code.instructions.push_back(instruction);
}

bool isDebugMetadata(std::string_view line) {
  if (!line.starts_with('!')) return false;
  for (const std::string_view word :
       {" !DI", " distinct !DI", "!llvm.dbg.", "Debug Info Version", "Dwarf Version"}) {
    if (line.find(word) != std::string_view::npos) return true;
  }
  return false;
}

std::string withoutReference(std::string_view line) {
  std::string plain(line);
  for (const std::string_view word : {", !dbg !", " !dbg !"}) {
    const size_t at = plain.find(word);
    if (at == std::string::npos) continue;
    const size_t end = plain.find_first_not_of("0123456789", at + word.size());
    plain.erase(at, end == std::string::npos ? end : end - at);
  }
  return plain;
}

}  // namespace

ListedCode listIr(std::string_view printed) {
  absl::flat_hash_map<uint32_t, uint32_t> lineOf;  // by the number of the location
  forEachLine(printed, [&](std::string_view line) {
    if (line.starts_with('!') && line.find("!DILocation(") != std::string_view::npos)
      lineOf[numberAfter(line, "!")] = numberAfter(line, "line: ");
  });
  ListedCode code;
  forEachLine(printed, [&](std::string_view line) {
    if (isDebugMetadata(line)) return;
    const auto found = lineOf.find(numberAfter(line, " !dbg !"));
    append(code, withoutReference(line),
           found == lineOf.end() ? ListedCode::kNone : instructionOf(found->second));
  });
  return code;
}

// ".loc FILE LINE COLUMN" holds for what follows, up to the next; labels and directives are of nothing.
ListedCode listAssembly(std::string_view printed) {
  ListedCode code;
  uint32_t current = ListedCode::kNone;
  bool inDebug = false;
  forEachLine(printed, [&](std::string_view line) {
    const size_t start = line.find_first_not_of(" \t");
    const std::string_view word = start == std::string_view::npos ? "" : line.substr(start);
    if (word.starts_with(".section")) inDebug = word.find(".debug_") != std::string_view::npos;
    if (word.starts_with(".loc\t") || word.starts_with(".loc ")) {
      const size_t file = word.find_first_of("0123456789");
      const size_t space = file == std::string_view::npos ? file : word.find(' ', file);
      if (space != std::string_view::npos) current = instructionOf(numberAfter(word.substr(space), " "));
      return;
    }
    const bool isMark = word.starts_with(".file") || word.starts_with(".Ltmp") ||
                        word.starts_with(".Lfunc_") || word.starts_with(".cfi_");
    if (inDebug || isMark) return;
    const bool isCode = !word.empty() && word[0] != '.' && word[0] != '#' && word.back() != ':';
    if (word.starts_with(".size") || word.starts_with(".section")) current = ListedCode::kNone;
    append(code, line, isCode ? current : ListedCode::kNone);
  });
  return code;
}

}  // namespace hilo
