// What the value of a query term is compared with: text or shapes.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/hlo/ir/shape.h"

namespace re2 {
class RE2;
}

namespace hilo {

// Text that is equal (with * and ? wild), found by a regular expression, or found as it is, case aside.
class TextPattern {
 public:
  // Never fails: a pattern without wild cards is plain text.
  static TextPattern equal(std::string_view text);
  static TextPattern contained(std::string_view text);
  // Error kind "query-syntax". Expressions are limited in size, so that a hostile one cannot eat the memory.
  static Result<TextPattern> regex(std::string_view text);

  bool matches(std::string_view text) const;

 private:
  enum class Kind : uint8_t { Equal, Wild, Contained, Literal, Regex };
  Kind kind_ = Kind::Equal;
  std::string text_;
  std::shared_ptr<const re2::RE2> regex_;
};

// f32[128,*], bf16[..,64], *[2,..,3], s32[] or a type alone, which takes any dimensions. A tuple matches when
// one of its arrays does.
class ShapePattern {
 public:
  static Result<ShapePattern> parse(std::string_view text);
  bool matches(Shape shape) const;

 private:
  bool matchesArray(Shape array) const;
  static constexpr int64_t kAny = -1;
  static constexpr int64_t kRun = -2;
  std::optional<ElementType> type_;  // nullopt: any
  bool hasDimensions_ = false;
  std::vector<int64_t> dimensions_;
};

// 1024, 1e9, 2.5M, 1MB (a million), 1MiB (2^20).
Result<double> parseQuantity(std::string_view text);

// * any run, ? any one byte. Linear in text times the number of stars.
bool matchesWild(std::string_view pattern, std::string_view text);

}  // namespace hilo
