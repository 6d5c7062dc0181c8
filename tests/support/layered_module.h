// Modules as large as real ones: a network of equal layers, each with a dot, a reduction,
// broadcasts and elementwise work, whose input is added to its result. What goes wrong in one layer
// therefore shows at the end.
#pragma once

#include <memory>

#include "core/hlo/ir/module.h"

namespace hilo {

// At least so many instructions, in one entry computation of three parameters. The result is one array.
std::unique_ptr<Module> makeLayeredModule(int instructions);

}  // namespace hilo
