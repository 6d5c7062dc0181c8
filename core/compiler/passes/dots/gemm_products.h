// What a computation reads of its calls to cuBLASLt, and calls in the place of one and what follows it.
#pragma once

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include "core/compiler/pass/pass.h"
#include "core/compiler/passes/dots/gemm_call.h"

namespace hilo {

// The calls of a computation, by the instruction that is the call.
using GemmCalls = absl::flat_hash_map<const Instruction*, GemmCall>;

// A call's D, or a view of it: a slice that cuts off ends, then a bitcast.
struct GemmProduct {
  Instruction* value = nullptr;    // what is read
  Instruction* element = nullptr;  // D
  Instruction *slice = nullptr, *bitcast = nullptr;
  const GemmCall* call = nullptr;

  bool isWhole() const { return value == element; }
  ElementType type() const { return element->shape().elementType(); }
};

// Read by one other instruction and no more.
bool isReadOnce(const Instruction& i);

class GemmProducts {
 public:
  GemmProducts(Computation& computation, GemmCalls& calls, PassContext& context)
      : computation_(computation), calls_(calls), context_(context) {}

  // Nothing can follow a call that scales its result.
  std::optional<GemmProduct> of(Instruction* value) const;
  // The product among the two operands that nobody else reads, and the other operand.
  std::optional<std::pair<GemmProduct, Instruction*>> onlyUseIn(const Instruction& i) const;

  Computation& computation() { return computation_; }
  PassContext& context() { return context_; }
  bool isGone(const Instruction* i) const { return removed_.contains(i); }

  // The call in front of `before`, known from now on.
  Instruction* make(const GemmCall& call, const GemmProduct& like, Instruction& before);
  // What the call of `product` and `i` do becomes `call`. `what`: the remark.
  bool replace(Instruction& i, const GemmProduct& product, const GemmCall& call, std::string_view what);
  // `value` as the product is viewed.
  Instruction* viewed(const GemmProduct& product, Instruction* value, Instruction& before);
  // Where `value` takes the place of `old`: what nothing reads any more goes, and then what only it read.
  void supersede(Instruction& old, Instruction* value);

 private:
  void sweep(Instruction& dead);

  Computation& computation_;
  GemmCalls& calls_;
  PassContext& context_;
  absl::flat_hash_set<const Instruction*> removed_;
};

}  // namespace hilo
