#include "app/cli/fit_columns.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>

namespace hilo::cli {
namespace {

constexpr size_t kGap = 2, kLeastWidth = 12;

bool startsCharacter(char byte) { return (static_cast<unsigned char>(byte) & 0xc0) != 0x80; }

// Characters of a text of UTF-8.
size_t lengthOf(std::string_view text) {
  return static_cast<size_t>(std::ranges::count_if(text, startsCharacter));
}

// The first `count` characters take so many bytes.
size_t bytesOf(std::string_view text, size_t count) {
  size_t at = 0;
  for (; at < text.size(); ++at) {
    if (startsCharacter(text[at]) && count-- == 0) break;
  }
  return at;
}

std::string cutInTheMiddle(std::string_view text, size_t width) {
  const size_t kept = width - 1, behind = kept / 2;
  return fmt::format("{}…{}", text.substr(0, bytesOf(text, kept - behind)),
                     text.substr(bytesOf(text, lengthOf(text) - behind)));
}

// The most that a column may have so that all of them fit.
size_t mostOf(const std::vector<size_t>& widths, size_t room) {
  size_t most = std::ranges::max(widths);
  const auto taken = [&] {
    size_t sum = 0;
    for (const size_t width : widths) sum += std::min(width, most);
    return sum;
  };
  while (most > kLeastWidth && taken() > room) --most;
  return most;
}

}  // namespace

size_t terminalWidth() {
  winsize size{};
  if (isatty(STDOUT_FILENO) == 0) return 0;
  return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

void fitColumns(std::vector<std::vector<std::string>*> columns, size_t width) {
  if (columns.empty()) return;
  std::vector<size_t> widths;
  for (const auto* column : columns) {
    size_t& widest = widths.emplace_back(0);
    for (const std::string& cell : *column) widest = std::max(widest, lengthOf(cell));
  }
  const size_t between = kGap * (columns.size() - 1);
  const size_t most = mostOf(widths, width - std::min(width, between));
  for (auto* column : columns) {
    for (std::string& cell : *column) {
      if (lengthOf(cell) > most) cell = cutInTheMiddle(cell, most);
    }
  }
}

}  // namespace hilo::cli
