#include "core/hlo/dump/dump_directory.h"

namespace hilo {
namespace {

bool hasStage(const DumpModule& module, std::string_view ending) {
  for (size_t i : module.parts(DumpPart::Module)) {
    if (module.files[i].meaning.step < 0 && module.files[i].meaning.stage.find(ending) != std::string::npos)
      return true;
  }
  return false;
}

bool hasSteps(const DumpModule& module) {
  for (size_t i : module.parts(DumpPart::Module)) {
    if (module.files[i].meaning.step >= 0) return true;
  }
  return false;
}

// An HloProto of the optimised module has the buffer assignment inside.
bool hasOptimizedProto(const DumpModule& module) {
  for (size_t i : module.parts(DumpPart::Module)) {
    const DumpFile& file = module.files[i];
    const bool isProto = file.name.find(".hlo.pb") != std::string::npos || file.name.ends_with(".pb");
    if (isProto && file.meaning.stage.find("after_optimizations") != std::string::npos) return true;
  }
  return false;
}

}  // namespace

std::vector<MissingPart> missingParts(const DumpModule& module) {
  std::vector<MissingPart> missing;
  const auto need = [&](bool isThere, std::string part, std::string flag, std::string note = {}) {
    if (!isThere) missing.push_back({std::move(part), std::move(flag), std::move(note)});
  };
  const auto has = [&](DumpPart part) { return module.find(part) != nullptr; };
  need(hasStage(module, "before_optimization"), "module before optimizations", "--xla_dump_to=DIR");
  need(hasStage(module, "after_optimization"), "module after optimizations", "--xla_dump_to=DIR");
  need(hasSteps(module), "pass series", "--xla_dump_hlo_pass_re=.*",
       "'.*' writes a pass's result when the pass changed the module, '.+' always");
  need(has(DumpPart::BufferAssignment) || hasOptimizedProto(module), "buffer assignment", "--xla_dump_to=DIR",
       "text comes with --xla_dump_hlo_as_text, and --xla_dump_hlo_as_proto has it inside the module");
  need(has(DumpPart::MemoryReport), "memory report", "--xla_dump_hlo_as_text");
  need(has(DumpPart::LiveRanges), "live ranges", "--xla_dump_buffer_assignment_analysis=true");
  need(has(DumpPart::DebugOptions), "debug options", "--xla_dump_to=DIR", "written by newer versions of XLA");
  need(has(DumpPart::Config), "module config", "--xla_dump_full_hlo_config=true");
  need(has(DumpPart::Metadata), "pass metadata", "--xla_dump_module_metadata=true");
  need(has(DumpPart::LlvmIr), "LLVM IR", "--xla_dump_emitter_re=.*");
  need(has(DumpPart::Snapshot) || has(DumpPart::UnoptimizedSnapshot), "snapshot with arguments",
       "--xla_dump_hlo_unoptimized_snapshots=true",
       "no other files of the module are written with this flag");
  if (!module.isGpu()) return missing;
  need(has(DumpPart::ThunkSequence), "thunk sequence", "--xla_dump_to=DIR");
  need(has(DumpPart::Ptx), "PTX", "--xla_dump_emitter_re=.*");
  need(has(DumpPart::TargetConfig), "target config", "--xla_dump_to=DIR");
  need(has(DumpPart::AutotuneResults), "autotune results", "--xla_dump_to=DIR");
  need(has(DumpPart::Schedule), "schedule", "--xla_dump_latency_hiding_schedule=true");
  return missing;
}

}  // namespace hilo
