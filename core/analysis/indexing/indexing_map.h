// Which elements of an array go into an element of another: a function from the index of the second, and
// from what else has to be gone through or read, to an index of the first; defined where constraints hold.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/analysis/indexing/affine_expression.h"
#include "core/hlo/ir/instruction.h"

namespace hilo {

struct IndexVariable {
  enum class Kind : uint8_t {
    Dimension,  // of the result's index
    Symbol,     // gone through from lower to upper: what a reduction folds, a place in a window
    Runtime,    // read when it runs, and brought into the range: an index of a dynamic-slice or gather
  };
  Kind kind = Kind::Dimension;
  IndexRange range;
  // Of a Runtime variable: the integers, and which of them, by the other variables.
  const Instruction* read = nullptr;
  std::vector<AffineExpression> place = {};
  friend bool operator==(const IndexVariable&, const IndexVariable&) = default;
};

struct IndexConstraint {
  AffineExpression expression;
  IndexRange range;
  friend bool operator==(const IndexConstraint&, const IndexConstraint&) = default;
};

// The expressions' variables are numbers in `variables`, the dimensions first.
struct IndexingMap {
  std::vector<IndexVariable> variables;
  std::vector<AffineExpression> results;  // one a dimension of the array that is read
  std::vector<IndexConstraint> constraints;

  std::vector<IndexRange> ranges() const;
  size_t dimensionCount() const;
  size_t addVariable(IndexVariable variable);
  // No element goes anywhere: a constraint never holds.
  bool isEmpty() const;
  // Whether these values of the variables are in their ranges and the constraints hold.
  bool isDefinedAt(std::span<const int64_t> values) const;

  friend bool operator==(const IndexingMap&, const IndexingMap&) = default;
};

// The array's own index, element by element.
IndexingMap identityMap(std::span<const int64_t> sizes);

// Expressions simplified, and constraints left out that always hold while variables are in their ranges.
void simplifyWithin(IndexingMap& map);
// The same after ranges were narrowed by constraints, without symbols that nothing needs.
void simplify(IndexingMap& map);

// What goes, by `inner`, into what goes, by `outer`, into an element. Simplified.
IndexingMap composed(const IndexingMap& outer, const IndexingMap& inner);

// "(d0, d1)[s0] -> (d0, s0), d0 in [0, 9], d1 in [0, 4], s0 in [0, 19], d0 mod 2 in [0, 0]"; of what is read
// "rt0 in [0, 7] = %indices(d0, 0)".
std::string toString(const IndexingMap& map);

}  // namespace hilo
