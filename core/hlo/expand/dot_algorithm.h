// Dots that name the algorithm they are computed by (PrecisionConfig.Algorithm): what their operands
// are rounded to, what sums are kept in, and how many dots of rounded parts make up one of f32.
//
// Each is written as HLO with plain dots. Where XLA has several forms for one algorithm this is that of
// backends/gpu/transforms/dot_algorithm_rewriter.cc: parts of an f32 are cut off, not rounded, to 8 bits
// (tf32: 11) and the dots of parts added from the smallest on; a NaN among all but the largest counts as
// zero, so that infinities come out as such. tf32 rounds to nearest even where XLA leaves it to the device.
// Of integers and complex numbers an algorithm says nothing.
#pragma once

#include "core/hlo/ir/module.h"

namespace hilo {

// Whether a dot, ragged-dot or convolution names an algorithm that gives something else than its operands'
// plain dot summed in its result's type or better.
bool hasAlgorithmOfItsOwn(const Instruction& instruction);

// Writes what `product`, which has one, gives in front of it and returns that; `product` stays, with its
// users. "unsupported-type" for operands that are no floats of 8 bits where the algorithm is for those.
Result<Instruction*> expandDotAlgorithm(Instruction& product);

}  // namespace hilo
