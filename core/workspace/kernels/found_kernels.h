// All kernels of a file or folder: those that custom calls of a module carry, of a dump of XLA those of
// its modules at the end of the compilation, of a folder of Mosaic GPU those it dumped, or the one
// kernel a file is.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/cancel.h"
#include "core/base/result.h"
#include "core/workspace/kernels/kernel_payload.h"
#include "core/workspace/kernels/mosaic_dump.h"

namespace hilo {

struct FoundKernel {
  std::string name;                      // of the instruction, of the dumped module, or of the file
  std::string module;                    // of HLO; "" where it is in none
  std::string bytes;                     // its MLIR; of a dump as early as it has it
  std::optional<KernelPayload> payload;  // of a custom call, without its bytes
  std::vector<MosaicDumpFile> files;     // of a dump of Mosaic GPU
  std::optional<Diagnostic> unreadable;  // why there are no bytes
  std::string path() const { return module.empty() ? name : module + "/" + name; }
};

// Errors: those of opening the path. A path without kernels gives none.
Result<std::vector<FoundKernel>> findKernels(const std::string& path, const CancelToken& cancel = {});
std::vector<FoundKernel> kernelsOf(const Module& module);
// What a file view shows of the kernel that an instruction carries. Kinds: those
// of kernelPayload and studyKernel.
Result<std::string> kernelTextOf(const Instruction& instruction, const CancelToken& cancel = {});

}  // namespace hilo
