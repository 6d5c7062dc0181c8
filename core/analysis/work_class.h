// The class of what an instruction does, where its opcode does not say: of the halves of an asynchronous pair
// that of the operation they wrap, of a call of a library's product, convolution or attention a contraction.
#pragma once

#include "core/hlo/ir/module.h"

namespace hilo {

OpcodeClass workClass(const Instruction& instruction);

}  // namespace hilo
