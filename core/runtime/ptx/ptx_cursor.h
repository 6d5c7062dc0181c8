// Private to the room: a place in a PTX text, and reading one piece after another. White space and comments
// stand between pieces.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace hilo {

struct PtxNumber {
  enum class Kind : uint8_t { Integer, Float32, Float64 } kind = Kind::Integer;
  uint64_t bits = 0;
};

class PtxCursor {
 public:
  PtxCursor(std::string_view text, std::string file) : text_(text), file_(std::move(file)) {}

  bool atEnd() { return here() >= text_.size(); }
  // The next character, 0 at the end.
  char peek() { return here() < text_.size() ? text_[at_] : '\0'; }
  // Takes a mark such as "::" or ";" where it stands next.
  bool take(std::string_view mark);
  Status expect(std::string_view mark);

  // A name: letters, digits, _, $ and %; empty where none stands next. No white space inside.
  std::string_view name();
  // A name with what is joined to it by dots and "::": "ld.shared::cta.u32".
  std::string_view dotted();
  // What follows a dot: ".visible" gives "visible".
  std::string_view directive();
  Result<std::string> quoted();
  // A number with its sign; nothing where none stands next.
  Result<std::optional<PtxNumber>> number();
  Result<uint64_t> integer();
  // Decimal digits and no more: "8" of 8.5.
  Result<int> digits();
  // Up to the end of the line, or to `mark`, which stays.
  std::string_view until(std::string_view marks);

  uint32_t line();
  uint32_t column();
  Place place();
  std::unexpected<Diagnostic> unexpected(std::string_view wanted);
  std::unexpected<Diagnostic> wrong(std::string kind, std::string message,
                                    std::vector<std::string> notes = {});

 private:
  size_t here();
  void countLines(size_t to);

  std::string_view text_;
  std::string file_;
  size_t at_ = 0, counted_ = 0, lineStart_ = 0;
  uint32_t line_ = 1;
};

}  // namespace hilo
