#include "core/analysis/tiling/progression.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <optional>

#include "core/analysis/saturating.h"

namespace hilo {
namespace {

using Expression = AffineExpression;

int64_t positiveRemainder(int64_t value, int64_t divisor) {
  const int64_t remainder = value % divisor;
  return remainder < 0 ? remainder + divisor : remainder;
}

int64_t quotientDown(int64_t value, int64_t divisor) {
  return (value - positiveRemainder(value, divisor)) / divisor;
}

// Products that keep a sign which can be turned around.
int64_t times(int64_t a, int64_t b) {
  return std::max(saturatingMultiply(a, b), -std::numeric_limits<int64_t>::max());
}

bool shareVariable(const Expression& a, const Expression& b, size_t variableCount) {
  for (size_t i = 0; i < variableCount; ++i) {
    if (a.uses(i) && b.uses(i)) return true;
  }
  return false;
}

class Rules {
 public:
  Rules(std::span<const VariableTile> variables, std::span<const std::string> names)
      : variables_(variables), names_(names) {}

  Result<Progression> of(const Expression& expression) {
    std::vector<Progression> moving;
    Progression sum{.first = Expression(expression.constant()), .base = expression.constant()};
    for (const Expression::Term& term : expression.terms()) {
      TRY(Progression part, ofAtom(term.atom));
      sum.first = sum.first + part.first * term.factor;
      sum.base = saturatingAdd(sum.base, times(part.base, term.factor));
      sum.step = std::gcd(sum.step, times(part.step, term.factor));
      part.stride = times(part.stride, term.factor);
      if (part.count > 1) moving.push_back(std::move(part));
    }
    std::ranges::sort(moving, {}, [](const Progression& p) { return std::abs(p.stride); });
    for (const Progression& part : moving) {
      if (!join(sum, part)) return notEven(expression, sum, part);
      sum.parts.insert(sum.parts.end(), part.parts.begin(), part.parts.end());
    }
    if (!varyFreely(sum.parts, variables_.size()))
      return fail("illegal-tiling",
                  fmt::format("the parts of {} do not vary independently", expression.text(names_)));
    if (sum.step == 0) sum.first = Expression(sum.base);
    return sum;
  }

 private:
  // Values of one walk, each of them followed by those of a finer one: even where the finer walk reaches the
  // next value of the coarser.
  static bool join(Progression& sum, const Progression& part) {
    if (sum.count == 1) {
      sum.count = part.count;
      sum.stride = part.stride;
      return true;
    }
    const bool sameDirection = (sum.stride > 0) == (part.stride > 0);
    const int64_t apart = std::abs(part.stride), fine = std::abs(sum.stride);
    if (!sameDirection || apart % fine != 0 || apart / fine > sum.count) return false;
    sum.count = saturatingAdd(sum.count, saturatingMultiply(part.count - 1, apart / fine));
    return true;
  }

  Result<Progression> ofAtom(const Expression::Atom& atom) {
    if (atom.kind == Expression::Kind::Variable) return ofVariable(static_cast<size_t>(atom.number));
    TRY(const Progression inner, of(*atom.inner));
    const bool isQuotient = atom.kind == Expression::Kind::Quotient;
    auto result = isQuotient ? quotient(inner, atom.number) : remainder(inner, atom.number);
    if (result) {
      if (result->count > 1) result->parts = {partOf(atom, inner, result->count)};
      return *std::move(result);
    }
    return fail("illegal-tiling", fmt::format("{} takes {} values {} apart, which multiples of {} cut{}",
                                              atom.inner->text(names_), inner.count, inner.stride,
                                              atom.number, sizesThatFit(*atom.inner, atom.number)));
  }

  Progression ofVariable(size_t number) const {
    const VariableTile& tile = variables_[number];
    const Expression variable = Expression::variable(number);
    Progression out{.first = tile.isWhole() ? Expression() : variable,
                    .count = tile.count(),
                    .stride = tile.count() > 1 ? 1 : 0,
                    .step = tile.isWhole() ? 0 : tile.tile};
    if (out.count > 1) out.parts = {{variable, 1, out.count, out.count}};
    return out;
  }

  // Of a lone number the part that the division leaves; else of the sum as it stands.
  static MovingPart partOf(const Expression::Atom& atom, const Progression& inner, int64_t count) {
    const bool isLone = inner.parts.size() == 1 && atom.inner->terms().size() == 1 &&
                        atom.inner->terms()[0].factor == 1 && atom.inner->constant() == 0;
    MovingPart part = isLone ? inner.parts[0] : MovingPart{*atom.inner, 1, count, inner.count};
    if (atom.kind == Expression::Kind::Quotient) part.from = times(part.from, atom.number);
    part.count = count;
    return part;
  }

  // Whether base + multiples of step + the walk stay within one block of `divisor` elements.
  static bool isWithinBlock(const Progression& p, int64_t divisor) {
    const int64_t block = std::gcd(p.step, divisor), from = positiveRemainder(p.base, block),
                  walk = saturatingMultiply(p.stride, p.count - 1);
    return from + std::min<int64_t>(walk, 0) >= 0 && walk < block - from;
  }

  static std::optional<Progression> quotient(const Progression& p, int64_t divisor) {
    Progression out{.first = p.first.dividedBy(divisor), .step = 1};
    if (p.step % divisor == 0) {
      out.base = quotientDown(p.base, divisor);
      out.step = p.step / divisor;
    }
    if (isWithinBlock(p, divisor)) return out;
    if (p.stride % divisor == 0) {
      out.count = p.count;
      out.stride = p.stride / divisor;
      return out;
    }
    const bool startsAlike = p.step % divisor == 0;
    if (!startsAlike || p.stride < 0 || p.stride > divisor) return std::nullopt;
    const int64_t last =
        saturatingAdd(positiveRemainder(p.base, divisor), saturatingMultiply(p.stride, p.count - 1));
    out.count = last / divisor + 1;
    out.stride = 1;
    return out;
  }

  static std::optional<Progression> remainder(const Progression& p, int64_t divisor) {
    const int64_t block = std::gcd(p.step, divisor);
    Progression out{.first = p.first.modulo(divisor),
                    .base = positiveRemainder(p.base, block),
                    .step = block == divisor ? 0 : block};
    if (p.stride % divisor == 0) return out;
    if (isWithinBlock(p, divisor)) {
      out.count = p.count;
      out.stride = p.stride;
      return out;
    }
    const bool startsAtBlock = p.step % divisor == 0 && positiveRemainder(p.base, divisor) == 0;
    if (!startsAtBlock || p.stride < 0 || divisor % p.stride != 0) return std::nullopt;
    out.count = divisor / p.stride;  // it goes around
    out.stride = p.stride;
    return out;
  }

  // The remedy where one variable alone decides.
  std::string sizesThatFit(const Expression& inner, int64_t divisor) const {
    const auto terms = inner.terms();
    if (terms.size() != 1 || terms[0].factor != 1 || terms[0].atom.kind != Expression::Kind::Variable)
      return "";
    return fmt::format(": the tile of {} has to divide {} or to be a multiple of it",
                       names_[static_cast<size_t>(terms[0].atom.number)], divisor);
  }

  std::unexpected<Diagnostic> notEven(const Expression& expression, const Progression& fine,
                                      const Progression& coarse) const {
    return fail("illegal-tiling",
                fmt::format("the values of {} are not evenly apart: {} with stride {}, then a step of {}",
                            expression.text(names_), fine.count, fine.stride, coarse.stride));
  }

  std::span<const VariableTile> variables_;
  std::span<const std::string> names_;
};

}  // namespace

// Of one number: each part turns whole rounds before the next moves, the last over the tile.
bool varyFreely(std::span<const MovingPart> parts, size_t variableCount) {
  for (const MovingPart& a : parts) {
    const int64_t round = times(a.from, a.count);
    bool isLast = true, isAlone = true;
    for (const MovingPart& b : parts) {
      if (&a == &b) continue;
      if (a.of != b.of && shareVariable(a.of, b.of, variableCount)) return false;
      if (a.of != b.of) continue;
      isAlone = false;
      if (a.from == b.from || (a.from < b.from && b.from % round != 0)) return false;
      isLast = isLast && a.from > b.from;
    }
    if (!isAlone && isLast && a.countOfAll % round != 0) return false;
  }
  return true;
}

Result<Progression> progressionOf(const AffineExpression& expression, std::span<const VariableTile> variables,
                                  std::span<const std::string> names) {
  return Rules(variables, names).of(expression);
}

}  // namespace hilo
