// Rewrites instructions by algebraic identities until none applies. The identities stand one a line in
// algebra/rules.def, each with its name, opcode and what it says; a rewrite leaves a remark with that name.
// They are those of XLA's AlgebraicSimplifier (algebraic_simplifier.cc) that hold for every element type they
// are applied to, up to the sign of a zero; with a setting also others of its. A replacement always has the
// same shape, layout included.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

struct AlgebraSettings {
  int64_t rounds = 50;  // over a computation, as long as one rewrites something
  bool mayRound = false;
  bool fastMath = false;
  bool isLayoutSensitive = false;
  bool bitcastConverts = false;
  bool removeNoOpReducePrecision = false;
  bool sinkBroadcasts = true;
  bool replaceNegativePadding = true;
  bool nonCanonicalDots = true;
  bool foldTransposeIntoScatter = true;
  bool keepDynamicSlices = false;
  bool dotStrengthReduction = false;
  bool dotToMultiply = false;
  bool onlyDotsOfVectors = false;
  bool mayReassociate = false;
  bool raiseThroughDot = false;
  bool hoistTransposes = false;
  bool reduceOfReshape = false;
  bool reorderConvolutionScales = false;
  bool foldConverts = false;
};
Result<bool> simplifyAlgebra(Module& module, PassContext& context, const AlgebraSettings& limits = {});

}  // namespace hilo
