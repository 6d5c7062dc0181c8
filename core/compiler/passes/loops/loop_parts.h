// A while loop as passes that rewrite loops see it: what it starts with, what it carries, and how
// to carry more.
#pragma once

#include <string_view>

#include "core/base/result.h"
#include "core/hlo/ir/module.h"

namespace hilo {

struct LoopParts {
  Instruction* loop = nullptr;
  Computation* body = nullptr;
  Computation* condition = nullptr;
  Instruction* init = nullptr;       // a tuple nothing else reads, operand of the loop
  Instruction* parameter = nullptr;  // of the body
  Instruction* root = nullptr;       // of the body, a tuple

  Computation& outside() const { return loop->parent(); }
  int64_t size() const { return static_cast<int64_t>(root->operandCount()); }
};

// The while loops of one computation, as they stand now: rewriting one may add others.
std::vector<Instruction*> whileLoopsOf(const Computation& computation);

// Why a loop cannot be rewritten, in words; empty when it can. What it carries must be taken apart by
// get-tuple-element everywhere, and put together by a tuple at the end of the body.
std::string_view whyLoopIsFixed(const Instruction& loop);

// Body or condition as the loop's own: a copy where something else calls it too.
Computation* ownComputation(Instruction& loop, Computation* called);

// Makes body and condition the loop's own, its operand a tuple of its own, and the loop not a root. CHECKs
// that whyLoopIsFixed is empty. Error kind "module-too-large".
Result<LoopParts> takeLoopApart(Instruction& loop);

// Elements of what the loop carries: in the body, and after the loop. New instructions, right behind what
// they take them from.
Instruction* elementInBody(const LoopParts& parts, int64_t index);
Instruction* elementAfterLoop(const LoopParts& parts, int64_t index);
// Those there are already.
std::vector<Instruction*> elementsInBody(const LoopParts& parts, int64_t index);
std::vector<Instruction*> elementsAfterLoop(const LoopParts& parts, int64_t index);

// One more element: gives its index. `first` is of the computation around the loop, `next` of the body, in
// which it stands for what the next iteration gets.
int64_t carry(LoopParts& parts, Instruction* first, Instruction* next);

// Moves everything back in front of what uses it, after instructions were made at the end.
void restoreOrder(const LoopParts& parts);

// A scalar integer constant of the shape's type, which must hold the value.
Instruction* makeInteger(Computation& computation, Shape scalar, int64_t value);
// The value zero in every element. For arrays.
Instruction* makeZero(Computation& computation, Shape shape);

}  // namespace hilo
