// What a dump file's name says. The grammar is that of FilenameFor in XLA's service/dump.cc and of its
// callers: [timestamp.]module_NNNN[.name].suffix, and in older versions name.suffix.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace hilo {

enum class DumpPart : uint8_t {
  Module,            // a stage of the module, text or proto
  BufferAssignment,  // "-buffer-assignment.txt"
  BufferValues,      // "-buffer-assignment-values.txt"
  LiveRanges,        // "-live-range.txt"
  MemoryReport,      // "-memory-usage-report.txt" or .pb
  ThunkSequence,     // also that after thunk passes
  ThunkMetadata,
  DebugOptions,
  Config,
  TargetConfig,
  AutotuneResults,
  Metadata,  // per-pass times
  Snapshot,
  UnoptimizedSnapshot,
  Schedule,  // of the latency-hiding scheduler
  LlvmIr,
  Ptx,
  Spirv,
  Mlir,
  MlirPasses,
  TritonIr,
  ObjectFile,
  Graph,       // .dot, .html, .url
  FusionDump,  // fusion decisions and the fusion explorer
  FdoProfile,
  Autotuner,  // one instruction before and after tuning
  Executable,
  BufferLog,  // checksums written at run time
  Riegeli,
  Other,
};

// "buffer assignment", "LLVM IR": for people.
std::string_view dumpPartName(DumpPart part);

struct DumpName {
  DumpPart part = DumpPart::Other;
  std::string timestamp;   // digits; "" when there is none
  int64_t number = -1;     // of "module_0007"
  std::string moduleName;  // "" when the name does not tell
  // Of a module and of what belongs to a stage: "before_optimizations", "sm_8.0_gpu_after_optimizations",
  // "0001.pipeline.after_a.before_b".
  std::string stage;
  // Of a stage within a pipeline.
  int64_t step = -1;
  std::string pipeline;
  std::string afterPass;
  std::string beforePass;
  int64_t execution = -1;  // of a snapshot
  std::string detail;      // kernel, shard, instruction: what stands before the suffix of a part that has one
  bool gzip = false;
};

// `knownModuleName` is that of another file with the same number: it tells where the module's name ends in
// names that do not show it themselves (module_0001.jit_f.fusion_2.ir-no-opt.ll).
DumpName parseDumpName(std::string_view fileName, std::string_view knownModuleName = {});

}  // namespace hilo
