#include "core/runtime/apart/last_lines.h"

#include <unistd.h>

#include <algorithm>
#include <ranges>

namespace hilo {

std::vector<std::string> lastLinesOf(int fd) {
  constexpr off_t kMostBytes = 2048;
  constexpr size_t kMostLines = 5;
  const off_t size = lseek(fd, 0, SEEK_END);
  std::string text(static_cast<size_t>(std::clamp<off_t>(size, 0, kMostBytes)), '\0');
  const ssize_t got = pread(fd, text.data(), text.size(), size - static_cast<off_t>(text.size()));
  text.resize(got > 0 ? static_cast<size_t>(got) : 0);
  std::vector<std::string> lines;
  for (const auto part : std::views::split(text, '\n')) {
    std::string line(part.begin(), part.end());
    while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.pop_back();
    if (!line.empty()) lines.push_back(std::move(line));
  }
  if (lines.size() > kMostLines) lines.erase(lines.begin(), lines.end() - kMostLines);
  return lines;
}

}  // namespace hilo
