// The rewrites of fused_convolution_rewriter.h, one instruction each: `i` is the last of what becomes part of
// the call in front of it. True when it did.
#pragma once

#include <absl/container/flat_hash_set.h>

#include "core/compiler/pass/pass.h"
#include "core/compiler/passes/convolutions/forward_call.h"

namespace hilo {

class ConvolutionFuser {
 public:
  ConvolutionFuser(Computation& computation, PassContext& context)
      : computation_(computation), context_(context) {}

  using Rewrite = bool (ConvolutionFuser::*)(Instruction&);
  // The rewrite, on each instruction there is now.
  bool onEach(Rewrite rewrite);

  // What a call adds and multiplies (convolution_sums.cpp).
  bool fuseScale(Instruction& i);
  bool fuseSum(Instruction& i);
  bool fuseSideScale(Instruction& i);
  // Functions (convolution_functions.cpp).
  bool fuseRelu(Instruction& i);
  bool fuseElu(Instruction& i);
  bool fuseRelu6(Instruction& i);
  bool fuseLeakyRelu(Instruction& i);
  // Types (convolution_types.cpp).
  bool fuseConvert(Instruction& i);
  bool fuseHalf(Instruction& i);
  bool fuseBytes(Instruction& i);

 private:
  struct Pair {
    ForwardCall call;
    Instruction* other;
  };
  // The call whose result is one of two operands and is read nowhere else, and the other operand.
  static std::optional<Pair> onlyUseIn(const Instruction& i);
  bool fuseSelect(Instruction& i, Opcode below);
  bool fuseFunction(Instruction& i, ForwardCall call, std::string_view function);
  // The new call's result in the place of `i`; what nothing reads any more goes.
  bool supersede(Instruction& i, const ForwardCall& call, std::string_view what);
  void sweep(Instruction& dead);

  Computation& computation_;
  PassContext& context_;
  absl::flat_hash_set<const Instruction*> removed_;
};

}  // namespace hilo
