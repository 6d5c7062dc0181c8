// Kernels for NVIDIA's GPUs, as PTX: each in the first of the shapes that takes it (kernel_shapes.def).
// Neither a GPU nor CUDA is needed to make them.
#pragma once

#include "core/compiler/codegen/lower/codegen_engine.h"

namespace hilo {

const CodegenEngine& gpuCodegen();

}  // namespace hilo
