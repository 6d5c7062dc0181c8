// Finding in a text.
#pragma once

#include <QString>
#include <vector>

#include "core/base/cancel.h"
#include "core/base/result.h"
#include "ui/widgets/text_lines.h"

namespace hilo {

struct FindQuery {
  QString text;
  bool regex = false;
  bool caseSensitive = false;
  bool wholeWord = false;
  friend bool operator==(const FindQuery&, const FindQuery&) = default;
};

struct TextMatch {
  TextPosition at;
  uint32_t length = 0;
  friend bool operator==(const TextMatch&, const TextMatch&) = default;
};

struct TextMatches {
  std::vector<TextMatch> items;  // in order; no match spans lines
  bool truncated = false;        // there are more than were kept
};

inline constexpr size_t kMaxMatches = 200'000;

// Fails with "cancelled" or "invalid-regex". An empty query matches nothing.
Result<TextMatches> findAll(const TextLines& lines, const FindQuery& query, const CancelToken& cancel);

}  // namespace hilo
