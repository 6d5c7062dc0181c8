// Values that a result is held against: what a report says XLA gave, or NumPy did.
#pragma once

#include <string>
#include <vector>

#include "core/hlo/eval/npy.h"

namespace hilo {

class ExpectedValues {
 public:
  // FILE.npy for one array, FILE.npz with out0, out1, ..., or the values themselves as HLO writes them, those
  // of several arrays with ';' between: "{1, 2.5}; 3". Kinds: those of loadNpz() and loadNpy();
  // "bad-expected" where nothing is given.
  static Result<ExpectedValues> read(const std::string& text);

  // One literal for each array of a result of this shape, in the order of its leaves. Kinds: "bad-expected"
  // where there are more or fewer, or values that are none of their type. A file's shapes may be others.
  Result<std::vector<NamedLiteral>> arraysFor(Shape result) const;
  // The same as one value of that shape.
  Result<Literal> valueFor(Shape result) const;

 private:
  std::vector<NamedLiteral> arrays_;  // of a file
  std::vector<std::string> texts_;    // as written
};

}  // namespace hilo
