// Who wants an array in which order, and why: what an instruction gives or takes by itself, whatever is
// around it. The rules are those of XLA's layout assignment (service/layout_assignment.cc,
// backends/gpu/transforms/layout_assignment.cc) and of the passes that write gathers and scatters anew.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/analysis/layouts/value_flow.h"

namespace hilo {

enum class LayoutWishKind : uint8_t {
  EntryParameter,  // comes as the caller lays it
  EntryResult,     // goes as the caller wants it
  Library,         // a custom call
  Fft,
  Sort,
  Dot,
  Convolution,
  Solver,      // cholesky, triangular-solve
  Reduction,   // sums what lies side by side
  Collective,  // one piece of memory from or to each device
  Gather,
  Scatter,
  Slices,       // a loop takes a slice a turn
  Host,         // infeed, outfeed, send, recv
  Itself,       // the same value in both orders is worked on together
  Beside,       // another operand lies so
  OtherMove,    // another copy or transpose put it so, or moves it on
  Made,         // a constant or the like, made in the order of its dimensions
  Nobody,       // no one asks: the order of its dimensions
  Memory,       // not for an order: what is written must not be what is read
  MemorySpace,  // not for an order: another memory
  Unknown,      // an operation Hilo does not know
  Program,      // no one asks for an order, but the program transposes, and works on what comes of it
};
inline constexpr int kLayoutWishKindCount = 23;
// "entry parameter", "library call".
std::string_view layoutWishKindName(LayoutWishKind kind);

struct LayoutWish {
  LayoutWishKind kind = LayoutWishKind::Nobody;
  InstructionId instruction;  // that gives or takes; invalid: the entry's result
  std::string name, opcode;
  int operand = -1;    // which it takes; of the entry's result its number; -1: it gives its result
  std::string layout;  // the array there: "f32[8,16]{0,1}"
  std::string text;    // "%fft.3 takes its operand with the transformed dimensions innermost"
  std::string source;  // "model.py:12"
  // Those of a kind that asks for an order by itself go before those that follow others.
  bool isFirm() const { return kind < LayoutWishKind::Beside; }
};

// What decides a value's order, where that is its instruction; nothing where it lies as others do.
std::optional<LayoutWish> givenBy(const ValueFlow& flow, const ArrayValue& value);
// Of a use, the same: nothing where the user takes any order and lies as it does.
std::optional<LayoutWish> wantedBy(const ValueFlow& flow, const ArrayUse& use, const ArrayValue& value);

// The dimensions that a reduction folds lie innermost in its operand.
bool foldsInnermost(const Instruction& reduce);

}  // namespace hilo
