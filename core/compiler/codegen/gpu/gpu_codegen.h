// Kernels for NVIDIA's GPUs, as PTX: one grid an instruction, one thread an element. Neither a GPU nor CUDA
// is needed to make them.
#pragma once

#include "core/compiler/codegen/lower/codegen_engine.h"

namespace hilo {

const CodegenEngine& gpuCodegen();

}  // namespace hilo
