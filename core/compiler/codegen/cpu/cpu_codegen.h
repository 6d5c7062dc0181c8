// The engine that runs kernels on processors.
#pragma once

#include "core/compiler/codegen/lower/codegen_engine.h"

namespace hilo {

const CodegenEngine& cpuCodegen();

}  // namespace hilo
