#include "core/analysis/query/query_pattern.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace hilo {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// `needle` is in lower case already.
bool containsIgnoringCase(std::string_view text, std::string_view needle) {
  if (needle.empty()) return true;
  if (text.size() < needle.size()) return false;
  const char first = needle[0];
  for (size_t at = 0; at + needle.size() <= text.size(); ++at) {
    if (lower(text[at]) != first) continue;
    size_t same = 1;
    while (same < needle.size() && lower(text[at + same]) == needle[same]) ++same;
    if (same == needle.size()) return true;
  }
  return false;
}

}  // namespace

bool matchesWild(std::string_view pattern, std::string_view text) {
  size_t p = 0, t = 0, star = std::string_view::npos, resume = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = t;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t])) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++resume;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

TextPattern TextPattern::equal(std::string_view text) {
  TextPattern pattern;
  pattern.kind_ = text.find_first_of("*?") == std::string_view::npos ? Kind::Equal : Kind::Wild;
  pattern.text_ = text;
  return pattern;
}

TextPattern TextPattern::contained(std::string_view text) {
  TextPattern pattern;
  pattern.kind_ = Kind::Contained;
  std::ranges::transform(text, std::back_inserter(pattern.text_), lower);
  return pattern;
}

Result<TextPattern> TextPattern::regex(std::string_view text) {
  TextPattern pattern;
  pattern.text_ = text;
  pattern.kind_ = Kind::Literal;
  if (text.find_first_of("\\^$.|?*+()[]{}") == std::string_view::npos) return pattern;
  RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(8 << 20);
  pattern.kind_ = Kind::Regex;
  pattern.regex_ = std::make_shared<RE2>(re2::StringPiece(text.data(), text.size()), options);
  if (!pattern.regex_->ok())
    return fail("query-syntax", fmt::format("bad regular expression: {}", pattern.regex_->error()));
  return pattern;
}

bool TextPattern::matches(std::string_view text) const {
  switch (kind_) {
    case Kind::Equal:
      return text == text_;
    case Kind::Wild:
      return matchesWild(text_, text);
    case Kind::Contained:
      return containsIgnoringCase(text, text_);
    case Kind::Literal:
      return text.find(text_) != std::string_view::npos;
    case Kind::Regex:
      return RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), *regex_);
  }
  return false;
}

Result<ShapePattern> ShapePattern::parse(std::string_view text) {
  ShapePattern pattern;
  const size_t bracket = text.find('[');
  const std::string_view type = text.substr(0, bracket);
  if (type != "*" && !type.empty()) {
    pattern.type_ = elementTypeFromName(type);
    if (!pattern.type_) return fail("query-syntax", fmt::format("no element type '{}'", type));
  }
  if (bracket == std::string_view::npos) return pattern;
  if (!text.ends_with(']')) return fail("query-syntax", "a shape pattern ends with ']', like f32[128,*]");
  pattern.hasDimensions_ = true;
  std::string_view rest = text.substr(bracket + 1, text.size() - bracket - 2);
  while (!rest.empty()) {
    const size_t comma = std::min(rest.find(','), rest.size());
    const std::string_view item = rest.substr(0, comma);
    int64_t size = 0;
    const auto [end, error] = std::from_chars(item.data(), item.data() + item.size(), size);
    if (item == "*" || item == "?") {
      size = kAny;
    } else if (item == ".." || item == "...") {
      size = kRun;
    } else if (error != std::errc() || end != item.data() + item.size() || size < 0) {
      return fail("query-syntax", fmt::format("'{}' is no dimension: write a size, * or ..", item));
    }
    pattern.dimensions_.push_back(size);
    rest = comma < rest.size() ? rest.substr(comma + 1) : std::string_view();
  }
  return pattern;
}

bool ShapePattern::matchesArray(Shape array) const {
  if (type_ && array.elementType() != *type_) return false;
  if (!hasDimensions_) return true;
  // As matchesWild, over dimensions.
  const auto sizes = array.dimensions();
  size_t p = 0, t = 0, run = dimensions_.size(), resume = 0;
  while (t < sizes.size()) {
    if (p < dimensions_.size() && dimensions_[p] == kRun) {
      run = p++;
      resume = t;
    } else if (p < dimensions_.size() && (dimensions_[p] == kAny || dimensions_[p] == sizes[t])) {
      ++p;
      ++t;
    } else if (run != dimensions_.size()) {
      p = run + 1;
      t = ++resume;
    } else {
      return false;
    }
  }
  while (p < dimensions_.size() && dimensions_[p] == kRun) ++p;
  return p == dimensions_.size();
}

bool ShapePattern::matches(Shape shape) const {
  if (shape.isTuple())
    return std::ranges::any_of(shape.tupleShapes(), [&](Shape element) { return matches(element); });
  if (shape.isBuffer()) return matches(shape.bufferShape());
  return matchesArray(shape);
}

Result<double> parseQuantity(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || !std::isfinite(value))
    return fail("query-syntax", fmt::format("'{}' is no number", text));
  const std::string_view unit(end, text.data() + text.size() - end);
  struct Unit {
    std::string_view name;
    double factor;
  };
  static constexpr Unit kUnits[] = {
      {"", 1},
      {"B", 1},
      {"k", 1e3},
      {"K", 1e3},
      {"KB", 1e3},
      {"kB", 1e3},
      {"M", 1e6},
      {"MB", 1e6},
      {"G", 1e9},
      {"GB", 1e9},
      {"T", 1e12},
      {"TB", 1e12},
      {"Ki", 1024.0},
      {"KiB", 1024.0},
      {"Mi", 1048576.0},
      {"MiB", 1048576.0},
      {"Gi", 1073741824.0},
      {"GiB", 1073741824.0},
      {"Ti", 1099511627776.0},
      {"TiB", 1099511627776.0},
  };
  const auto found = std::ranges::find(kUnits, unit, &Unit::name);
  if (found == std::end(kUnits)) {
    return fail("query-syntax",
                fmt::format("no unit '{}': there are K, M, G, T, KB, MB, GB, TB, KiB, MiB, GiB, TiB", unit));
  }
  return value * found->factor;
}

}  // namespace hilo
