// Writes batch normalisation as the arithmetic it is: sums over all dimensions but the features', by how many
// elements these have; in the type of the array, where the operation itself is free to be more exact. Arrays
// that may have fewer elements than their bounds are left to the dynamic padder. As XLA's
// service/batchnorm_expander.cc.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

struct ExpandedBatchNorms {
  bool training = true, inference = true, grad = true;
};

Result<bool> expandBatchNorms(Module& module, PassContext& context, const ExpandedBatchNorms& which = {});

}  // namespace hilo
