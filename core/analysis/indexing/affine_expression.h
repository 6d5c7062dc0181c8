// Indices as expressions: sums of variables by constant factors, and of such sums divided by a constant,
// rounded down, or what remains. Variables are numbers, and mean something to whoever holds the expression.
// Values; two are equal when they are written the same way, which simplified ones mostly are when they mean
// the same. Sums and products stop at the limits of int64_t.
#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace hilo {

// Both ends included. Empty when lower > upper.
struct IndexRange {
  int64_t lower = 0, upper = 0;
  bool isEmpty() const { return lower > upper; }
  bool contains(int64_t value) const { return lower <= value && value <= upper; }
  bool contains(const IndexRange& other) const { return lower <= other.lower && other.upper <= upper; }
  friend bool operator==(const IndexRange&, const IndexRange&) = default;
};

class AffineExpression {
 public:
  enum class Kind : uint8_t { Variable, Quotient, Remainder };
  // What is not a sum itself: a variable, or the quotient or remainder of `inner` by `number` > 0.
  struct Atom {
    Kind kind = Kind::Variable;
    int64_t number = 0;  // of the variable, or what is divided by
    std::shared_ptr<const AffineExpression> inner;
    friend std::strong_ordering operator<=>(const Atom& a, const Atom& b);
    friend bool operator==(const Atom& a, const Atom& b) { return (a <=> b) == 0; }
  };
  struct Term {
    Atom atom;
    int64_t factor = 1;  // not 0
    friend std::strong_ordering operator<=>(const Term&, const Term&) = default;
  };

  AffineExpression() = default;
  explicit AffineExpression(int64_t constant) : constant_(constant) {}
  static AffineExpression variable(size_t number);

  friend AffineExpression operator+(const AffineExpression& a, const AffineExpression& b);
  friend AffineExpression operator-(const AffineExpression& a, const AffineExpression& b) {
    return a + b * -1;
  }
  friend AffineExpression operator*(const AffineExpression& a, int64_t factor);
  // Rounded down, by divisor > 0; and what remains, which is not negative.
  AffineExpression dividedBy(int64_t divisor) const;
  AffineExpression modulo(int64_t divisor) const;

  // In order, each atom once.
  std::span<const Term> terms() const { return terms_; }
  int64_t constant() const { return constant_; }
  bool isConstant() const { return terms_.empty(); }
  // When it is just that.
  std::optional<size_t> asVariable() const;

  int64_t evaluate(std::span<const int64_t> values) const;
  // Of all its values while each variable is in its range, or wider.
  IndexRange range(std::span<const IndexRange> variables) const;
  // The same values, for variables in their ranges, with fewer divisions.
  AffineExpression simplified(std::span<const IndexRange> variables) const;
  // Each variable by what stands for it.
  AffineExpression replaced(std::span<const AffineExpression> by) const;
  bool uses(size_t variable) const;
  // Terms, those inside of quotients and remainders counted each time they stand there.
  size_t termCount() const;

  // "d0 * 4 + d1 floordiv 3", by the variables' names.
  std::string text(std::span<const std::string> names) const;

  friend std::strong_ordering operator<=>(const AffineExpression&, const AffineExpression&) = default;
  friend bool operator==(const AffineExpression&, const AffineExpression&) = default;

 private:
  static AffineExpression of(Atom atom);
  void add(const Term& term);
  AffineExpression quotient(int64_t divisor, std::span<const IndexRange> variables) const;
  AffineExpression remainder(int64_t divisor, std::span<const IndexRange> variables) const;
  AffineExpression withPartsJoined(std::span<const IndexRange> variables) const;

  std::vector<Term> terms_;
  int64_t constant_ = 0;
};

}  // namespace hilo
