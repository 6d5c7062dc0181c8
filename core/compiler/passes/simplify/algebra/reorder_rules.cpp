// A dot of a dot, with the two in the order that multiplies less.
#include <algorithm>
#include <array>
#include <map>

#include "core/compiler/passes/dot_dimensions.h"
#include "core/compiler/passes/made.h"
#include "core/compiler/passes/shape_ops.h"
#include "core/compiler/passes/simplify/algebra/rule.h"

namespace hilo::algebra {
namespace {

// So many times fewer multiplications are worth another order.
constexpr double kWorth = 1.1;

using Letters = std::vector<int64_t>;

// x, y and z from left to right, each dimension by a letter, as in "ij,jk,kl->il".
struct ThreeTerms {
  std::array<Instruction*, 3> values;
  std::array<Letters, 3> letters;
  Letters inner, result;  // of the dot of two of them, and of all
  std::map<int64_t, int64_t> sizes;
  bool keepsInnerBatch = true;
};

void rename(ThreeTerms& terms, int64_t from, int64_t to) {
  for (Letters& of : terms.letters) std::ranges::replace(of, from, to);
  std::ranges::replace(terms.inner, from, to);
}

// Gives what the dot pairs one letter each; the letters of its result.
Letters joined(ThreeTerms& terms, const Instruction& dot, Letters left, const Letters& right) {
  const DotSide l = dotSide(dot, 0), r = dotSide(dot, 1);
  const auto of = [](const Letters& letters, int64_t d) { return letters[static_cast<size_t>(d)]; };
  Letters result;
  for (size_t k = 0; k < l.batch.size(); ++k) {
    rename(terms, of(right, r.batch[k]), of(left, l.batch[k]));
    result.push_back(of(left, l.batch[k]));
  }
  for (size_t k = 0; k < l.contracting.size(); ++k)
    rename(terms, of(right, r.contracting[k]), of(left, l.contracting[k]));
  for (const int64_t d : l.free) result.push_back(of(left, d));
  for (const int64_t d : r.free) result.push_back(of(right, d));
  return result;
}

ThreeTerms termsOf(const Instruction& dot, size_t side) {
  const Instruction& inner = *dot.operand(side);
  ThreeTerms terms;
  terms.values = {inner.operand(0), inner.operand(1), dot.operand(1)};
  if (side == 1) terms.values = {dot.operand(0), inner.operand(0), inner.operand(1)};
  for (size_t k = 0; k < 3; ++k) {
    const Shape shape = terms.values[k]->shape();
    for (size_t d = 0; d < shape.rank(); ++d) {
      const auto letter = static_cast<int64_t>(terms.sizes.size());
      terms.letters[k].push_back(letter);
      terms.sizes[letter] = shape.dimension(d);
    }
  }
  terms.inner = joined(terms, inner, terms.letters[side], terms.letters[side + 1]);
  const Letters other = terms.letters[side == 0 ? 2 : 0];
  terms.result = side == 0 ? joined(terms, dot, terms.inner, other) : joined(terms, dot, other, terms.inner);
  for (size_t k = 0; k < dotSide(inner, 0).batch.size(); ++k)
    terms.keepsInnerBatch &= contains(terms.result, terms.inner[k]);
  return terms;
}

double multiplications(const ThreeTerms& terms, const Letters& left, const Letters& right) {
  double count = 1;
  for (const int64_t letter : left) count *= static_cast<double>(terms.sizes.at(letter));
  for (const int64_t letter : right)
    count *= contains(left, letter) ? 1.0 : static_cast<double>(terms.sizes.at(letter));
  return count;
}

// The dot of two terms that keeps these letters; what both have and it keeps are batches.
struct Pairing {
  DotSide left, right;
  Letters result;
};
std::optional<Pairing> pairingOf(const Letters& left, const Letters& right, const Letters& kept) {
  Pairing pairing;
  Letters free;
  for (size_t d = 0; d < left.size(); ++d) {
    const auto other = std::ranges::find(right, left[d]);
    const bool isKept = contains(kept, left[d]);
    if (other == right.end()) {
      if (!isKept) return std::nullopt;
      free.push_back(left[d]);
      continue;
    }
    (isKept ? pairing.left.batch : pairing.left.contracting).push_back(static_cast<int64_t>(d));
    (isKept ? pairing.right.batch : pairing.right.contracting).push_back(other - right.begin());
    if (isKept) pairing.result.push_back(left[d]);
  }
  for (const int64_t letter : right) {
    if (contains(left, letter)) continue;
    if (!contains(kept, letter)) return std::nullopt;
    free.push_back(letter);
  }
  pairing.result.insert(pairing.result.end(), free.begin(), free.end());
  return pairing;
}

Instruction* made(Instruction& at, const ThreeTerms& terms, Instruction* left, Instruction* right,
                  const Pairing& pairing) {
  std::vector<int64_t> sizes;
  for (const int64_t letter : pairing.result) sizes.push_back(terms.sizes.at(letter));
  Instruction* dot = at.parent().createLike(at, {{left, right}}, &at);
  setDotSide(*dot, 0, pairing.left.batch, pairing.left.contracting);
  setDotSide(*dot, 1, pairing.right.batch, pairing.right.contracting);
  dot->setShape(arrayLike(at.shape(), at.shape().elementType(), sizes));
  dot->erase(Attr::Sharding);
  return dot;
}

bool isReorderable(const Instruction& i, ElementType type) {
  const auto isOne = [&](Shape shape) { return liesRowMajor(shape) && shape.elementType() == type; };
  return i.opcode() == Opcode::Dot && i.operandCount() == 2 && !i.has(Attr::SparsityConfig) &&
         isOne(i.shape()) && isOne(i.operand(0)->shape()) && isOne(i.operand(1)->shape());
}

// side 0: (x y) z becomes x (y z); side 1: x (y z) becomes (x y) z.
Instruction* otherOrder(Instruction& i, size_t side) {
  const ThreeTerms terms = termsOf(i, side);
  const auto& [x, y, z] = terms.letters;
  const Letters &first = side == 0 ? y : x, &second = side == 0 ? z : y, &left = side == 0 ? x : z;
  Letters kept = terms.result;
  kept.insert(kept.end(), left.begin(), left.end());
  const auto inside = pairingOf(first, second, kept);
  if (!inside || !terms.keepsInnerBatch) return nullptr;
  const auto outside =
      side == 0 ? pairingOf(x, inside->result, terms.result) : pairingOf(inside->result, z, terms.result);
  if (!outside || outside->result != terms.result) return nullptr;
  const double now = side == 0 ? multiplications(terms, x, y) + multiplications(terms, terms.inner, z)
                               : multiplications(terms, y, z) + multiplications(terms, x, terms.inner);
  const double then = multiplications(terms, first, second) + multiplications(terms, left, inside->result);
  if (now < kWorth * then) return nullptr;
  const size_t at = 1 - side;
  Instruction* inner = made(i, terms, terms.values[at], terms.values[at + 1], *inside);
  return side == 0 ? made(i, terms, terms.values[0], inner, *outside)
                   : made(i, terms, inner, terms.values[2], *outside);
}

}  // namespace

Instruction* dotOfDot(Instruction& i) {
  const ElementType type = i.shape().elementType();
  if (!isReorderable(i, type)) return nullptr;
  for (const size_t side : {0, 1}) {
    const Instruction& inner = *i.operand(side);
    if (!isReorderable(inner, type) || inner.users().size() != 1) continue;
    if (Instruction* other = otherOrder(i, side)) return other;
  }
  return nullptr;
}

}  // namespace hilo::algebra
