// The kernel that a custom call carries in its backend_config, as JAX puts it there for Mosaic GPU:
//
//   mosaic_gpu_v2   the dictionary of a typed call: kernel_hash, module, use_custom_barrier,
//                   uses_xla_collective_metadata, xla_replica_ids, multimem_parameters      since April 2025
//   mosaic_gpu      32 bytes of hash (8 of a number until August 2024), then the module     to August 2025
//
// The module is MLIR: bytecode, or text in early versions.
#pragma once

#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/hlo/ir/instruction.h"

namespace hilo {

struct KernelPayload {
  std::string target;
  std::string module;    // bytes of MLIR
  std::string hash;      // as hexadecimal digits; "" where it has none
  bool hashFits = true;  // it is that of the module
  bool usesCustomBarrier = false;
  bool usesCollectiveMetadata = false;
  std::string replicaIds, multimem;  // "0,1,2,3"; "" where it has none
};

// Before an instruction's name: the path of its kernel, where views are asked for files.
inline constexpr std::string_view kKernelPath = "kernel:";

// A custom call to one of these targets.
bool carriesKernel(const Instruction& instruction);
// Of such a call. Kinds "malformed-attributes" and "no-kernel".
Result<KernelPayload> kernelPayload(const Instruction& instruction);

}  // namespace hilo
