#include "ui/shell/fuzzy_match.h"

#include <algorithm>

namespace hilo {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
bool isSeparator(char c) { return c == '.' || c == '_' || c == '-' || c == ' ' || c == '/' || c == '%'; }

bool sameLetter(char a, char b) { return lower(a) == lower(b); }

}  // namespace

int fuzzyScore(std::string_view typed, std::string_view name) {
  if (typed.empty()) return 0;
  if (typed.size() > name.size()) return -1;
  const int shortness = 200 - static_cast<int>(std::min<size_t>(200, name.size()));
  const auto whole = std::ranges::search(name, typed, sameLetter);
  if (!whole.empty()) {
    const auto at = static_cast<size_t>(whole.begin() - name.begin());
    const bool atWord = at == 0 || isSeparator(name[at - 1]);
    return (at == 0 ? 3000 : atWord ? 2500 : 2000) + shortness;
  }
  int score = 0;
  size_t at = 0;
  size_t previous = 0;
  for (size_t i = 0; i < typed.size(); ++i) {
    while (at < name.size() && !sameLetter(typed[i], name[at])) ++at;
    if (at == name.size()) return -1;
    const bool atWord = at == 0 || isSeparator(name[at - 1]);
    const bool next = i > 0 && at == previous + 1;
    score += atWord ? 20 : next ? 15 : 1;
    previous = at++;
  }
  return score + shortness;
}

}  // namespace hilo
