// What elements of operations cost, in cycles of a GPU's vector units. The figures are those of XLA's
// service/gpu/model/hlo_op_profiles_data.h, which were measured.
#pragma once

#include "core/hlo/ir/module.h"

namespace hilo {

// Operations of the whole instruction, each as many as cycles it takes; `capability` is 80 for sm_80. A
// reduction's are those of its reducer, as often as it is applied. What only moves data costs nothing.
double vectorOps(const Instruction& instruction, int64_t capability);

}  // namespace hilo
