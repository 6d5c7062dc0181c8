// A place in a layout's text that moves over words, numbers and brackets; spaces between them mean nothing.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "core/base/result.h"

namespace hilo {

class LayoutCursor {
 public:
  explicit LayoutCursor(std::string_view text) : text_(text) {}

  // Moves over these characters if they come next.
  bool take(std::string_view characters);
  // The same of a whole word: not followed by a letter, a digit or _.
  bool takeWord(std::string_view word);
  // Moves over "name =" if it comes next.
  bool takeName(std::string_view name);
  bool isAtEnd();

  Status expect(std::string_view characters);
  Status name(std::string_view name);
  // A number of at most 18 digits, with MLIR's ": i64" if that follows.
  Result<int64_t> integer();
  // "<" or "(": what closes it.
  Result<std::string_view> open();
  // Items between brackets [ ] or ( ), commas between them; one more comma at the end is Python's.
  Status list(const std::function<Status()>& item);

  // "kernel-layout-text" at the column here, counted from 1.
  std::unexpected<Diagnostic> unexpected(std::string_view expected) const;

 private:
  void skipSpace();

  std::string_view text_;
  size_t at_ = 0;
};

}  // namespace hilo
