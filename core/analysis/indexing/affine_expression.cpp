#include "core/analysis/indexing/affine_expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "core/base/check.h"

namespace hilo {
namespace {

using Kind = AffineExpression::Kind;

int64_t limitTowards(bool negative) {
  return negative ? std::numeric_limits<int64_t>::min() : std::numeric_limits<int64_t>::max();
}
int64_t sum(int64_t a, int64_t b) {
  int64_t result;
  return __builtin_add_overflow(a, b, &result) ? limitTowards(a < 0) : result;
}
int64_t product(int64_t a, int64_t b) {
  int64_t result;
  return __builtin_mul_overflow(a, b, &result) ? limitTowards((a < 0) != (b < 0)) : result;
}
int64_t floorDivided(int64_t a, int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }
int64_t remains(int64_t a, int64_t b) { return a % b < 0 ? a % b + b : a % b; }

std::strong_ordering order(const std::shared_ptr<const AffineExpression>& a,
                           const std::shared_ptr<const AffineExpression>& b) {
  if (a == b) return std::strong_ordering::equal;
  if (a == nullptr || b == nullptr) return (a != nullptr) <=> (b != nullptr);
  return *a <=> *b;
}

}  // namespace

std::strong_ordering operator<=>(const AffineExpression::Atom& a, const AffineExpression::Atom& b) {
  if (const auto kinds = a.kind <=> b.kind; kinds != 0) return kinds;
  if (const auto numbers = a.number <=> b.number; numbers != 0) return numbers;
  return order(a.inner, b.inner);
}

AffineExpression AffineExpression::of(Atom atom) {
  AffineExpression made;
  made.terms_.push_back({std::move(atom), 1});
  return made;
}

AffineExpression AffineExpression::variable(size_t number) {
  return of({Kind::Variable, static_cast<int64_t>(number), nullptr});
}

void AffineExpression::add(const Term& term) {
  const auto at = std::ranges::lower_bound(terms_, term.atom, {}, &Term::atom);
  if (at == terms_.end() || at->atom != term.atom) {
    if (term.factor != 0) terms_.insert(at, term);
    return;
  }
  at->factor = sum(at->factor, term.factor);
  if (at->factor == 0) terms_.erase(at);
}

AffineExpression operator+(const AffineExpression& a, const AffineExpression& b) {
  AffineExpression result = a;
  result.constant_ = sum(result.constant_, b.constant_);
  for (const AffineExpression::Term& term : b.terms_) result.add(term);
  return result;
}

AffineExpression operator*(const AffineExpression& a, int64_t factor) {
  if (factor == 0) return {};
  AffineExpression result = a;
  result.constant_ = product(result.constant_, factor);
  for (AffineExpression::Term& term : result.terms_) term.factor = product(term.factor, factor);
  return result;
}

AffineExpression AffineExpression::dividedBy(int64_t divisor) const {
  CHECK(divisor > 0);
  if (divisor == 1) return *this;
  if (isConstant()) return AffineExpression(floorDivided(constant_, divisor));
  return of({Kind::Quotient, divisor, std::make_shared<const AffineExpression>(*this)});
}

AffineExpression AffineExpression::modulo(int64_t divisor) const {
  CHECK(divisor > 0);
  if (isConstant()) return AffineExpression(remains(constant_, divisor));
  if (divisor == 1) return {};
  return of({Kind::Remainder, divisor, std::make_shared<const AffineExpression>(*this)});
}

std::optional<size_t> AffineExpression::asVariable() const {
  if (constant_ != 0 || terms_.size() != 1 || terms_[0].factor != 1 || terms_[0].atom.kind != Kind::Variable)
    return std::nullopt;
  return static_cast<size_t>(terms_[0].atom.number);
}

int64_t AffineExpression::evaluate(std::span<const int64_t> values) const {
  int64_t result = constant_;
  for (const Term& term : terms_) {
    const Atom& atom = term.atom;
    const int64_t value = atom.kind == Kind::Variable ? values[static_cast<size_t>(atom.number)]
                          : atom.kind == Kind::Quotient
                              ? floorDivided(atom.inner->evaluate(values), atom.number)
                              : remains(atom.inner->evaluate(values), atom.number);
    result = sum(result, product(value, term.factor));
  }
  return result;
}

IndexRange AffineExpression::range(std::span<const IndexRange> variables) const {
  IndexRange result{constant_, constant_};
  for (const Term& term : terms_) {
    const Atom& atom = term.atom;
    IndexRange part;
    if (atom.kind == Kind::Variable) {
      part = variables[static_cast<size_t>(atom.number)];
    } else {
      const IndexRange inner = atom.inner->range(variables);
      const int64_t first = floorDivided(inner.lower, atom.number),
                    last = floorDivided(inner.upper, atom.number);
      if (atom.kind == Kind::Quotient) {
        part = {first, last};
      } else if (first == last) {
        part = {remains(inner.lower, atom.number), remains(inner.upper, atom.number)};
      } else {
        part = {0, atom.number - 1};
      }
    }
    const int64_t a = product(part.lower, term.factor), b = product(part.upper, term.factor);
    result = {sum(result.lower, std::min(a, b)), sum(result.upper, std::max(a, b))};
  }
  return result;
}

AffineExpression AffineExpression::replaced(std::span<const AffineExpression> by) const {
  AffineExpression result(constant_);
  for (const Term& term : terms_) {
    const Atom& atom = term.atom;
    const AffineExpression part = atom.kind == Kind::Variable ? by[static_cast<size_t>(atom.number)]
                                  : atom.kind == Kind::Quotient
                                      ? atom.inner->replaced(by).dividedBy(atom.number)
                                      : atom.inner->replaced(by).modulo(atom.number);
    result = result + part * term.factor;
  }
  return result;
}

bool AffineExpression::uses(size_t variable) const {
  return std::ranges::any_of(terms_, [&](const Term& term) {
    return term.atom.kind == Kind::Variable ? term.atom.number == static_cast<int64_t>(variable)
                                            : term.atom.inner->uses(variable);
  });
}

size_t AffineExpression::termCount() const {
  size_t count = terms_.size();
  for (const Term& term : terms_) count += term.atom.inner == nullptr ? 0 : term.atom.inner->termCount();
  return count;
}

AffineExpression AffineExpression::simplified(std::span<const IndexRange> variables) const {
  AffineExpression result(constant_);
  for (const Term& term : terms_) {
    AffineExpression part = of(term.atom);
    if (term.atom.kind != Kind::Variable) {
      const AffineExpression inner = term.atom.inner->simplified(variables);
      part = term.atom.kind == Kind::Quotient ? inner.quotient(term.atom.number, variables)
                                              : inner.remainder(term.atom.number, variables);
    } else if (const IndexRange& only = variables[static_cast<size_t>(term.atom.number)];
               only.lower == only.upper) {
      part = AffineExpression(only.lower);
    }
    result = result + part * term.factor;
  }
  return result.withPartsJoined(variables);
}

namespace {

// A sum as divisor * whole + rest: whole are the terms that are multiples.
struct Split {
  AffineExpression whole, rest;
};

AffineExpression asExpression(const AffineExpression::Atom& atom) {
  switch (atom.kind) {
    case Kind::Variable:
      return AffineExpression::variable(static_cast<size_t>(atom.number));
    case Kind::Quotient:
      return atom.inner->dividedBy(atom.number);
    case Kind::Remainder:
      return atom.inner->modulo(atom.number);
  }
  return {};
}

Split splitBy(const AffineExpression& expression, int64_t divisor) {
  Split split{AffineExpression(floorDivided(expression.constant(), divisor)),
              AffineExpression(remains(expression.constant(), divisor))};
  for (const auto& [atom, factor] : expression.terms()) {
    const bool isMultiple = factor % divisor == 0;
    AffineExpression& part = isMultiple ? split.whole : split.rest;
    part = part + asExpression(atom) * (isMultiple ? factor / divisor : factor);
  }
  return split;
}

// Common divisors of `divisor` and a factor of the sum, the largest first; not the divisor itself, nor 1.
std::vector<int64_t> commonDivisors(const AffineExpression& expression, int64_t divisor) {
  std::vector<int64_t> found;
  for (const auto& term : expression.terms()) {
    const auto common = static_cast<int64_t>(
        std::gcd(static_cast<uint64_t>(divisor), term.factor < 0 ? 0 - static_cast<uint64_t>(term.factor)
                                                                 : static_cast<uint64_t>(term.factor)));
    if (common > 1 && common < divisor) found.push_back(common);
  }
  std::ranges::sort(found, std::greater());
  found.erase(std::ranges::unique(found).begin(), found.end());
  return found;
}

// common * whole + rest, the rest in [0, common): of a quotient by a multiple of `common` only the
// whole is left.
struct CommonSplit {
  int64_t common;
  Split parts;
};
std::optional<CommonSplit> splitByCommon(const AffineExpression& expression, int64_t divisor,
                                         std::span<const IndexRange> variables) {
  for (const int64_t common : commonDivisors(expression, divisor)) {
    Split parts = splitBy(expression, common);
    if (IndexRange{0, common - 1}.contains(parts.rest.range(variables)) && !parts.whole.isConstant())
      return CommonSplit{common, std::move(parts)};
  }
  return std::nullopt;
}

}  // namespace

AffineExpression AffineExpression::quotient(int64_t divisor, std::span<const IndexRange> variables) const {
  const auto& [whole, rest] = splitBy(*this, divisor);
  const IndexRange range = rest.range(variables);
  const int64_t first = floorDivided(range.lower, divisor);
  if (first == floorDivided(range.upper, divisor)) return whole + AffineExpression(first);
  if (const auto split = splitByCommon(rest, divisor, variables))
    return whole + split->parts.whole.quotient(divisor / split->common, variables);
  if (rest.constant_ == 0 && rest.terms_.size() == 1 && rest.terms_[0].factor == 1 &&
      rest.terms_[0].atom.kind == Kind::Quotient) {
    const Atom& inner = rest.terms_[0].atom;
    return whole + inner.inner->quotient(product(inner.number, divisor), variables);
  }
  return whole + rest.dividedBy(divisor);
}

AffineExpression AffineExpression::remainder(int64_t divisor, std::span<const IndexRange> variables) const {
  AffineExpression rest = splitBy(*this, divisor).rest;
  for (const Term& term : rest.terms_) {
    // Of what leaves a multiple of the divisor out nothing need be left out.
    const bool isLeftOut =
        term.atom.kind == Kind::Remainder && product(term.factor, term.atom.number) % divisor == 0;
    if (!isLeftOut) continue;
    const AffineExpression whole = rest - of(term.atom) * term.factor + *term.atom.inner * term.factor;
    return whole.remainder(divisor, variables);
  }
  const IndexRange range = rest.range(variables);
  const int64_t first = floorDivided(range.lower, divisor);
  if (first == floorDivided(range.upper, divisor)) return rest - AffineExpression(product(first, divisor));
  if (const auto split = splitByCommon(rest, divisor, variables)) {
    return split->parts.whole.remainder(divisor / split->common, variables) * split->common +
           split->parts.rest;
  }
  return rest.modulo(divisor);
}

// x floordiv c * c + x mod c is x.
AffineExpression AffineExpression::withPartsJoined(std::span<const IndexRange> variables) const {
  for (const Term& term : terms_) {
    if (term.atom.kind != Kind::Remainder) continue;
    const AffineExpression quotient = term.atom.inner->quotient(term.atom.number, variables);
    if (quotient.constant_ != 0 || quotient.terms_.size() != 1) continue;
    const Term& other = quotient.terms_[0];
    const int64_t factor = product(term.factor, term.atom.number);
    const auto found = std::ranges::find(terms_, other.atom, &Term::atom);
    if (other.factor != 1 || found == terms_.end() || found->factor != factor) continue;
    const AffineExpression rest = *this - of(term.atom) * term.factor - of(other.atom) * factor;
    return (rest + *term.atom.inner * term.factor).withPartsJoined(variables);
  }
  return *this;
}

namespace {

std::string atomText(const AffineExpression::Atom& atom, std::span<const std::string> names) {
  if (atom.kind == Kind::Variable) return names[static_cast<size_t>(atom.number)];
  std::string inner = atom.inner->text(names);
  if (!atom.inner->asVariable()) inner = "(" + inner + ")";
  return fmt::format("{} {} {}", inner, atom.kind == Kind::Quotient ? "floordiv" : "mod", atom.number);
}

}  // namespace

std::string AffineExpression::text(std::span<const std::string> names) const {
  std::string out;
  const auto append = [&](bool isNegative, const std::string& part) {
    out += out.empty() ? (isNegative ? "-" : "") : (isNegative ? " - " : " + ");
    out += part;
  };
  for (const Term& term : terms_) {
    const auto size =
        term.factor < 0 ? 0 - static_cast<uint64_t>(term.factor) : static_cast<uint64_t>(term.factor);
    std::string part = atomText(term.atom, names);
    const bool isFirstNegative = out.empty() && term.factor < 0;  // "-d0 floordiv 8" could be read two ways
    if (term.atom.kind != Kind::Variable && (size != 1 || isFirstNegative)) part = "(" + part + ")";
    if (size != 1) part += fmt::format(" * {}", size);
    append(term.factor < 0, part);
  }
  if (constant_ != 0 || out.empty()) {
    const auto size = constant_ < 0 ? 0 - static_cast<uint64_t>(constant_) : static_cast<uint64_t>(constant_);
    append(constant_ < 0, fmt::format("{}", size));
  }
  return out;
}

}  // namespace hilo
