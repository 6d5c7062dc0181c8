// How far rounding is expected to move each array of a module's result, from types and numbers
// of terms alone.
//
// n roundings of a sum of n terms err at random, so that their effect grows as sqrt(n) and not as n
// (Higham and Mary, "A New Approach to Probabilistic Rounding Error Analysis", 2019). Squares add up along
// a path of operations:
//
//   relative(result)^2 = max over operands relative(operand)^2 + n * epsilon^2
//
// with the epsilon of the result's type. n is 1 of an operation on elements and 0 of what moves or chooses
// them. Of what adds up terms it is their number: the contracted elements of a dot, the window and input
// features of a convolution, the elements that a reduce folds, the devices of an all-reduce, the size of a
// matrix that is factored or solved. An FFT of length N has 4 log2(N), of complex numbers multiplied and
// added in as many stages. Terms of fewer than 32 bits are added up in f32 and rounded once. A loop's body
// counts once a turn where the number of turns is known, else once.
//
// First order: that a function magnifies its operand's error (an exponential, a division by what cancels)
// is left out.
#pragma once

#include <vector>

#include "core/hlo/ir/module.h"

namespace hilo {

struct ExpectedRounding {
  // Of the magnitude that the array's elements have before terms cancel.
  double relative = 0;
  // Of the longest sum on the way; 1: no terms are added up, and elements are as exact as they are large.
  int64_t terms = 1;

  friend bool operator==(const ExpectedRounding&, const ExpectedRounding&) = default;
};

// An entry an array of the result of the entry computation, in the order of the tuple; 0 of what is no
// float. Error kinds: "too-large" where calls within calls come to more than a million instructions;
// those of expandedAlone.
Result<std::vector<ExpectedRounding>> expectedRounding(const Module& module);

// Whether it adds terms up: a dot, a convolution, or what applies an addition.
bool addsTerms(const Instruction& instruction);
// Whether its result is made of its operands' elements as they are.
bool roundsNothing(Opcode opcode);

}  // namespace hilo
