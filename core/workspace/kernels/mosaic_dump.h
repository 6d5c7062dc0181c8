// A folder that Mosaic GPU dumped to (MOSAIC_GPU_DUMP_TO and the flags beside it), by kernel. Files are named
// by the module and a number, jaxlib/mosaic/gpu/dump.cc:
//
//   matmul_0.before_layout_inference.txt, .after_layout_inference.txt   the kernel as Pallas wrote it
//   matmul_0.mlir-passes.log                                            the module before and after each pass
//   matmul_0.ll, .ptx, .ptxas, .sass, .sass_ctrl                        what became of it
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace hilo {

enum class MosaicDumpPart : uint8_t {
  BeforeInference,
  AfterInference,
  Passes,
  Llvm,
  Ptx,
  PtxAssembler,
  Sass,
  SassControl
};
// "before layout inference", "PTX": for people.
std::string_view mosaicDumpPartName(MosaicDumpPart part);

struct MosaicDumpFile {
  std::string path;
  MosaicDumpPart part = MosaicDumpPart::BeforeInference;
};
struct MosaicDumpKernel {
  std::string name;                   // "matmul_0"
  std::vector<MosaicDumpFile> files;  // in the order of the compilation
};

// Empty for a folder without such files. Kinds "not-readable", "dump-truncated" (more than 100,000 files).
Result<std::vector<MosaicDumpKernel>> scanMosaicDump(const std::string& folder);

// One module of a log of passes.
struct MosaicPassDump {
  std::string pass;  // "before Canonicalizer (canonicalize)"
  std::string_view text;
};
// Cut at the lines `// -----// IR Dump Before NAME (argument) //----- //`.
std::vector<MosaicPassDump> splitPassLog(std::string_view log);

}  // namespace hilo
