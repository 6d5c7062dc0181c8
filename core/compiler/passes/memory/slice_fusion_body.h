// What a fusion of a call and its slices computes.
#pragma once

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include "core/compiler/passes/memory/slice_paths.h"

namespace hilo {

class SliceFusionBody {
 public:
  SliceFusionBody(Instruction& call, const SlicePaths& paths);

  // What the fusion reads, in the order of its parameters: arrays and scalars of offsets as slices, the call
  // and updates read them.
  const std::vector<Instruction*>& operands() const { return outside_; }
  // The computation, in front of the call's own. It gives what the call gives; where anything is written a
  // tuple with what is written in the place of elements that are, or that alone.
  Computation* make() const;

 private:
  using Copies = absl::flat_hash_map<const Instruction*, Instruction*>;

  void addPath(std::span<Instruction* const> path);
  void add(Instruction& member);
  void addOffset(Instruction& offset, int depth);
  void sinkConstants();
  void order();
  void readOutside(Instruction& value);
  void appendInOrder(Instruction& member, absl::flat_hash_set<const Instruction*>& done);
  Instruction* readBy(const Instruction& member, size_t operand) const;
  Instruction* resultIn(const SlicedResult& result, const Copies& copies, Computation& body) const;

  Instruction& call_;
  const SlicePaths& paths_;
  std::vector<Instruction*> members_;
  absl::flat_hash_map<const Instruction*, Instruction*> instead_;  // of operand 0 of a member: behind tuples
  absl::flat_hash_set<const Instruction*> isMember_, isOffset_;
  std::vector<Instruction*> outside_;
  absl::flat_hash_set<const Instruction*> isRead_;
};

// A scalar that an offset may be computed with on the way: sums, differences, products, comparisons and
// choices of integers. What is none of these a fusion reads as a parameter.
bool isOffsetArithmetic(const Instruction& i);

}  // namespace hilo
