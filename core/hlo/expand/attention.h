// cuDNN's attention: softmax(scale * Q K + bias) V, in f32. What is kept for the way back is the logarithm of
// each row's sum of exponentials.
#pragma once

#include "core/hlo/expand/gemm.h"

namespace hilo::library {

// cudnn_fmha_backend_config, of a form that is known.
Result<CallConfig> readAttention(const Expansion& call);

// An operand in f32.
Instruction* wide(const Expansion& call, size_t operand);

// scale * Q K + bias, with nothing where the mask has it; `bias` may be null.
Result<Instruction*> scoresOf(const Expansion& call, const CallConfig& config, const Gemm& product,
                              Instruction* bias);

}  // namespace hilo::library
