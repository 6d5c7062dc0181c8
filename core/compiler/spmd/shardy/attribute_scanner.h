// Takes the text of an attribute apart. Blanks between tokens are skipped.
#pragma once

#include "core/compiler/spmd/shardy/attribute_text.h"

namespace hilo::sdy {

class Scanner {
 public:
  Scanner(std::string_view text, Owner owner) : text_(text), owner_(owner) {}

  bool take(std::string_view token);  // true: it stood here
  bool sees(std::string_view token) const;
  Status expect(std::string_view token);
  Status expectEnd();
  Result<std::string> quoted();
  Result<int64_t> number();
  std::string_view word();  // letters, digits and '_', '.', '$', '-'; "" where there is none
  // `item` between `open` and `close`, with commas between.
  template <typename Item>
  Status list(std::string_view open, std::string_view close, Item item) {
    TRY_STATUS(expect(open));
    if (take(close)) return {};
    do {
      TRY_STATUS(item());
    } while (take(","));
    return expect(close);
  }
  std::unexpected<Diagnostic> error(std::string why) const;

 private:
  void skipBlanks() const;
  std::string_view text_;
  mutable size_t at_ = 0;
  Owner owner_;
};

}  // namespace hilo::sdy
