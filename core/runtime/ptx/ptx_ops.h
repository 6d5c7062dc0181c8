// The families of PTX instructions (ptx_ops.def).
#pragma once

#include <cstdint>
#include <string_view>

namespace hilo {

enum class PtxOp : uint8_t {
#define PTX_OP(name, opcode) name,
#include "core/runtime/ptx/ptx_ops.def"
};

// "cp.async.bulk"; "" for Unknown.
std::string_view ptxOpName(PtxOp op);

// The family of an opcode with its modifiers, "cp.async.cg.shared.global": that of the longest name it begins
// with, in whole words; Unknown where there is none.
PtxOp ptxOpOf(std::string_view opcode);

}  // namespace hilo
