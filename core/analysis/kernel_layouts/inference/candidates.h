// Layouts that are worth a try for a variable when nothing more follows: those that a constraint with one
// side known suggests, in the order in which jax/experimental/mosaic/gpu/layout_inference.py tries them.
#pragma once

#include "core/analysis/kernel_layouts/inference/constraint_system.h"

namespace hilo::inference {

struct Candidate {
  VariableId variable = 0;
  LayoutConstant layout;
  Cause cause;  // Tried or Usual
};

// Relayouts first, so that as many as may be do nothing; tiled layouts before strided ones and splats; the
// usual layout of each of `unknowns` at the end. One may be named twice, or not fit its variable.
std::vector<Candidate> candidates(const ConstraintSystem& system, const std::vector<VariableId>& unknowns);

// The strided layout of a register array whose vectors have at most 8 bytes; nothing where the elements do
// not go round the threads, or a vector is no whole number of bytes.
std::optional<StridedLayout> usualStrided(const Sizes& shape, int64_t elementBits);

// The layout of matrices of 128 or 64 rows in tensor memory; `isCollective`: of two blocks together.
// "kernel-inference" for other shapes, or a packing that is no power of two up to 8.
Result<TiledLayout> usualTensor(const Sizes& shape, bool isCollective, int64_t packing);

}  // namespace hilo::inference
