#include "core/analysis/kernel_checks/program_expression.h"

#include <fmt/format.h>

#include <cctype>
#include <charconv>

namespace hilo {
namespace {

class Expression {
 public:
  Expression(std::string_view text, const std::map<std::string, int64_t>& values)
      : rest_(text), values_(values) {}

  Result<int64_t> whole() {
    TRY(const int64_t value, sum(0));
    if (peek() != '\0') return wrong("ends too late");
    return value;
  }

 private:
  static constexpr int kMostDepth = 16;

  Result<int64_t> sum(int depth) {
    if (depth > kMostDepth) return wrong("nests too deep");
    TRY(int64_t value, product(depth));
    for (char sign = peek(); sign == '+' || sign == '-'; sign = peek()) {
      rest_.remove_prefix(1);
      TRY(const int64_t other, product(depth));
      value = sign == '+' ? value + other : value - other;
    }
    return value;
  }

  Result<int64_t> product(int depth) {
    TRY(int64_t value, factor(depth));
    for (char sign = peek(); sign == '*' || sign == '/' || sign == '%'; sign = peek()) {
      rest_.remove_prefix(1);
      TRY(const int64_t other, factor(depth));
      if (sign != '*' && other <= 0) return wrong("divides by what is not positive");
      value = sign == '*' ? value * other : sign == '/' ? value / other : value % other;
      constexpr int64_t kMost = int64_t{1} << 40;
      if (value > kMost || value < -kMost) return wrong("is too large");
    }
    return value;
  }

  Result<int64_t> factor(int depth) {
    if (peek() == '(') {
      rest_.remove_prefix(1);
      TRY(const int64_t value, sum(depth + 1));
      if (peek() != ')') return wrong("lacks a )");
      rest_.remove_prefix(1);
      return value;
    }
    size_t length = 0;
    while (length < rest_.size() && std::isalnum(static_cast<unsigned char>(rest_[length])) != 0) ++length;
    const std::string_view word = rest_.substr(0, length);
    rest_.remove_prefix(length);
    if (const auto known = values_.find(std::string(word)); known != values_.end()) return known->second;
    int32_t number = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    if (error != std::errc() || end != word.data() + word.size())
      return wrong(fmt::format("'{}' is neither number nor loop", word));
    return number;
  }

  char peek() {
    while (rest_.starts_with(' ')) rest_.remove_prefix(1);
    return rest_.empty() ? '\0' : rest_[0];
  }
  static std::unexpected<Diagnostic> wrong(std::string_view why) {
    return fail("kernel-program", fmt::format("the expression {}", why));
  }

  std::string_view rest_;
  const std::map<std::string, int64_t>& values_;
};

}  // namespace

Result<int64_t> programExpression(std::string_view text, const std::map<std::string, int64_t>& values) {
  return Expression(text, values).whole();
}

}  // namespace hilo
