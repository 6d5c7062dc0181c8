#include "core/workspace/passes/pass_file.h"

#include <fmt/format.h>

#include <ranges>

#include "core/base/files.h"
#include "core/workspace/passes/optimize.h"

namespace hilo {
namespace {

constexpr size_t kMostBytes = 1 << 20;

std::string_view trimmed(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

}  // namespace

Result<std::vector<std::string>> parsePassFile(std::string_view text, const std::string& file) {
  std::vector<std::string> passes;
  uint32_t number = 0;
  for (const auto part : std::views::split(text, '\n')) {
    ++number;
    const std::string_view line = trimmed(std::string_view(part.begin(), part.end()));
    if (line.empty() || line.starts_with('#')) continue;
    auto pass = configuredPass(line);
    if (!pass) {
      Diagnostic error = std::move(pass).error();
      error.place = {.file = file, .line = number, .column = 1};
      return std::unexpected(std::move(error));
    }
    passes.push_back(passText(*pass));
  }
  if (passes.empty()) return fail("no-passes", fmt::format("{} names no pass", file));
  return passes;
}

Result<std::vector<std::string>> readPassFile(const std::string& path) {
  TRY(const std::string text, readBytes(path, {}, kMostBytes));
  return parsePassFile(text, path);
}

std::string passFileText(std::span<const std::string> passes) {
  std::string text = "# Passes in the order they run: hilo opt --passes @THIS_FILE module.hlo\n";
  for (const std::string& pass : passes) text += pass + '\n';
  return text;
}

}  // namespace hilo
