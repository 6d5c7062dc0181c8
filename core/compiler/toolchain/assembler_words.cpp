#include "core/compiler/toolchain/assembler_words.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>

namespace hilo {
namespace {

template <typename F>
void eachLine(std::string_view text, F&& body) {
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    body(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

// What stands between two words, the second after the first.
std::optional<std::string_view> between(std::string_view line, std::string_view before,
                                        std::string_view after) {
  const size_t begin = line.find(before);
  if (begin == std::string_view::npos) return std::nullopt;
  const size_t from = begin + before.size(), to = line.find(after, from);
  if (to == std::string_view::npos) return std::nullopt;
  return line.substr(from, to - from);
}

// The number that stands before the words, 0 where there is none: "14 registers".
int64_t numberBefore(std::string_view line, std::string_view words) {
  const size_t at = line.find(words);
  if (at == std::string_view::npos) return 0;
  size_t begin = at;
  while (begin > 0 && line[begin - 1] >= '0' && line[begin - 1] <= '9') --begin;
  int64_t value = 0;
  std::from_chars(line.data() + begin, line.data() + at, value);
  return value;
}

std::optional<uint32_t> lineNumberIn(std::string_view line) {
  constexpr std::string_view kWord = ", line ";
  const size_t at = line.find(kWord);
  if (at == std::string_view::npos) return std::nullopt;
  uint32_t number = 0;
  const auto read = std::from_chars(line.data() + at + kWord.size(), line.data() + line.size(), number);
  return read.ec == std::errc() ? std::optional(number) : std::nullopt;
}

std::string_view lineOf(std::string_view text, uint32_t number) {
  std::string_view found;
  uint32_t at = 0;
  eachLine(text, [&](std::string_view line) {
    if (++at == number) found = line;
  });
  return found;
}

std::string_view trimmed(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t\r");
  return first == std::string_view::npos ? std::string_view()
                                         : text.substr(first, text.find_last_not_of(" \t\r") + 1 - first);
}

std::string kindOf(std::string_view words) {
  if (words.contains("Unsupported .version")) return "ptx-too-new";
  if (words.contains("gpu-name") || words.contains("is not defined for option") ||
      words.contains("SM version"))
    return "unsupported-gpu";
  return "ptx-refused";
}

}  // namespace

std::vector<KernelResources> resourcesIn(std::string_view words) {
  std::vector<KernelResources> kernels;
  eachLine(words, [&](std::string_view line) {
    if (const auto name = between(line, "Compiling entry function '", "'"))
      return void(kernels.push_back({.kernel = std::string(*name)}));
    if (kernels.empty()) return;
    KernelResources& kernel = kernels.back();
    if (line.contains("bytes spill stores")) {
      kernel.stackBytes = numberBefore(line, " bytes stack frame");
      kernel.spillStoreBytes = numberBefore(line, " bytes spill stores");
      kernel.spillLoadBytes = numberBefore(line, " bytes spill loads");
    } else if (line.contains("Used ") && line.contains(" registers")) {
      kernel.registers = static_cast<int>(numberBefore(line, " registers"));
      kernel.barriers = static_cast<int>(numberBefore(line, " barriers"));
      kernel.sharedBytes = numberBefore(line, " bytes smem");
    }
  });
  return kernels;
}

Diagnostics complaintsIn(std::string_view words, std::string_view ptx) {
  Diagnostics complaints;
  eachLine(words, [&](std::string_view line) {
    const size_t error = std::min(line.find("error"), line.find("fatal"));
    // What only says that there were others.
    if (error == std::string_view::npos || line.contains("aborted due to errors")) return;
    const size_t colon = line.find(": ", error);
    if (colon == std::string_view::npos) return;
    Diagnostic complaint{
        Severity::kError, kindOf(line), std::string(trimmed(line.substr(colon + 2))), {}, {}};
    if (const auto number = lineNumberIn(line)) {
      complaint.place.line = *number;
      if (const auto quoted = trimmed(lineOf(ptx, *number)); !quoted.empty())
        complaint.notes.push_back(fmt::format("line {} is: {}", *number, quoted));
    }
    complaints.push_back(std::move(complaint));
  });
  return complaints;
}

}  // namespace hilo
