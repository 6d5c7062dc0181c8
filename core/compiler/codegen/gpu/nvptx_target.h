// NVIDIA's GPUs as a target of kernels.
//
// A kernel is a PTX entry whose parameters are pointers to its buffers in global memory and, last, the number
// of iterations as .u64. Thread i of the whole grid does iterations i, i + t, i + 2 t, ... where t is the
// number of threads: neighbouring threads do neighbouring iterations. It takes any grid and block of one
// dimension, blocks of at most kBlockThreads. One whose threads work together (block.h) has the attribute
// kWholeBlocks and takes blocks of exactly that many: its iterations are a multiple of them.
#pragma once

#include "core/compiler/codegen/emit/codegen_target.h"

namespace hilo {

inline constexpr int kBlockThreads = 256;
inline constexpr const char* kWholeBlocks = "nvvm.reqntid";  // of LLVM's function, with the number

const CodegenTarget& nvptxTarget();
// Null where the triple is another.
const CodegenTarget* findNvptxTarget(std::string_view triple);

}  // namespace hilo
