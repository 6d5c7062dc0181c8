// XLA's debug options (xla_flags.def) as XLA_FLAGS writes them and as a dump's debug options file has them.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace hilo {

enum class FlagType : uint8_t { Bool, Number, Text };
enum class FlagEffect : uint8_t { Here, NoEffect, Deprecated, Removed };

struct XlaFlag {
  std::string_view name;
  FlagType type;
  std::string_view fallback;
  FlagEffect effect;
};

// Sorted by name.
std::span<const XlaFlag> xlaFlags();
const XlaFlag* findXlaFlag(std::string_view name);

// What a compile was told.
class XlaFlags {
 public:
  // "--xla_a=b --xla_c" with blanks or line ends between, values in quotes or not; --no prefixes are not
  // XLA's. A flag alone is true. Also lines `xla_a: b`, of a dump's debug options file. Kinds: "bad-flag" (no
  // flag at all, or a value that its type has not).
  static Result<XlaFlags> parse(std::string_view text);

  // Whether it was told, or else has its default.
  bool isSet(std::string_view flag) const { return values_.contains(flag); }
  bool on(std::string_view flag) const;
  int64_t number(std::string_view flag) const;
  std::string_view text(std::string_view flag) const;
  // Of a flag that holds several, with commas between.
  std::vector<std::string> list(std::string_view flag) const;
  void set(std::string_view flag, std::string value) {
    values_.insert_or_assign(std::string(flag), std::move(value));
  }

  // What has to be said of those that were set and choose nothing: unknown, deprecated, without effect here.
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  Status take(std::string_view name, std::string_view value);

  std::map<std::string, std::string, std::less<>> values_;
  std::vector<std::string> notes_;
};

}  // namespace hilo
