// A dot with few rows or few columns as its kernel sees it: the matrix, the operand with more lines, and the
// other; and how the threads of a block share the work.
#pragma once

#include "core/compiler/codegen/gpu/dot_form.h"
#include "core/compiler/codegen/gpu/places.h"

namespace hilo::gpu {

struct ThinDotPlan {
  const Instruction* dot;
  DotSide many, few;  // dimensions in the order of the matrix's memory, the slowest first
  bool isManyLeft;

  bool isAlongSum;    // the matrix's memory goes along the sums
  int64_t lines = 1;  // of the matrix, a thread: neighbours
  int64_t depth = 1;  // of the sum, a thread at once: neighbours
  int64_t threads;    // share a sum

  int64_t sum() const { return many.count(many.summed); }
  int64_t fewLines() const { return few.count(few.free); }
  int64_t manyLines() const { return many.count(many.free); }
  // Of lines, by all batches.
  int64_t groups() const { return many.count(many.batch) * manyLines() / lines; }
  int64_t pieces() const { return (groups() * threads + kBlockThreads - 1) / kBlockThreads; }

  // Places in the matrix of a line, by the number of it and of all batches; summed ones are left out.
  Places kept(KernelBuilder& k, llvm::Value* number) const;
  // Of the line so many behind it, and of a line of the other operand in the same batch.
  Places manyLine(KernelBuilder& k, const Places& first, llvm::Value* line) const;
  Places fewLine(KernelBuilder& k, const Places& first, llvm::Value* line) const;
  // In an operand, of the `i`th product from place `summed` of the sum on.
  Places at(KernelBuilder& k, const DotSide& side, Places line, llvm::Value* summed, int64_t i) const;
  ElementIndex resultAt(KernelBuilder& k, const Places& many, const Places& few) const;
};

bool isThinDot(const Instruction& dot);
ThinDotPlan thinDotPlan(const Instruction& dot);

}  // namespace hilo::gpu
