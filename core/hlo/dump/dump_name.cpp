#include "core/hlo/dump/dump_name.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "core/base/enum_table.h"

namespace hilo {
namespace {

bool isDigits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

int64_t toNumber(std::string_view digits) {
  int64_t value = -1;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return error == std::errc() && end == digits.data() + digits.size() ? value : -1;
}

bool takePrefix(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}
bool takeSuffix(std::string_view& text, std::string_view suffix) {
  if (!text.ends_with(suffix)) return false;
  text.remove_suffix(suffix.size());
  return true;
}

// Takes the part up to the next dot, and the dot.
std::string_view takeWord(std::string_view& text) {
  const size_t dot = text.find('.');
  const std::string_view word = text.substr(0, dot);
  text.remove_prefix(dot == std::string_view::npos ? text.size() : dot + 1);
  return word;
}

// What may stand after a stage's name. Longest first where one ends another.
constexpr std::string_view kModuleEndings[] = {".hlo.pb", ".hlo", ".txt", ".pbtxt", ".textproto", ".pb"};

struct StageReport {
  std::string_view ending;
  DumpPart part;
};
constexpr StageReport kStageReports[] = {
    {"-buffer-assignment-values.txt", DumpPart::BufferValues},
    {"-buffer-assignment.txt", DumpPart::BufferAssignment},
    {"-live-range.txt", DumpPart::LiveRanges},
    {"-memory-usage-report.txt", DumpPart::MemoryReport},
    {"-memory-usage-report.pb", DumpPart::MemoryReport},
};

// Parts whose suffix begins with a word of its own.
struct WordPart {
  std::string_view word;
  DumpPart part;
};
constexpr WordPart kWordParts[] = {
    {"thunk_sequence", DumpPart::ThunkSequence},
    {"thunk_sequence_after_thunk_passes", DumpPart::ThunkSequence},
    {"thunk_metadata", DumpPart::ThunkMetadata},
    {"debug_options", DumpPart::DebugOptions},
    {"config", DumpPart::Config},
    {"gpu_target_config", DumpPart::TargetConfig},
    {"autotune_results", DumpPart::AutotuneResults},
    {"metadata", DumpPart::Metadata},
    {"priority_fusion_dump", DumpPart::FusionDump},
    {"fdo_profile", DumpPart::FdoProfile},
    {"gpu_executable", DumpPart::Executable},
    {"schedule", DumpPart::Schedule},
};

// Parts told by the end of the name; what stands before it names a kernel, a shard or a pass.
struct EndPart {
  std::string_view ending;
  DumpPart part;
};
constexpr EndPart kEndParts[] = {
    {"_fusion.pyz", DumpPart::FusionDump},
    {"ir-no-opt.ll", DumpPart::LlvmIr},
    {"ir-with-opt.ll", DumpPart::LlvmIr},
    {".ll", DumpPart::LlvmIr},
    {"ptx", DumpPart::Ptx},
    {"spirv", DumpPart::Spirv},
    {".spv", DumpPart::Spirv},
    {"mlir-passes.log", DumpPart::MlirPasses},
    {".ttir.txt", DumpPart::TritonIr},
    {".mlir", DumpPart::Mlir},
    {".o", DumpPart::ObjectFile},
    {".dot", DumpPart::Graph},
    {".html", DumpPart::Graph},
    {".url", DumpPart::Graph},
    {".riegeli", DumpPart::Riegeli},
};

// "cpu", "gfx942_gpu", "sm_9.0a_gpu": one word, but for the dot of a compute capability.
bool isBackEnd(std::string_view text) {
  if (text.find('.') == std::string_view::npos) return !text.empty();
  if (!takePrefix(text, "sm_") || !takeSuffix(text, "_gpu")) return false;
  return isDigits(takeWord(text)) && !text.empty() && text.find('.') == std::string_view::npos;
}

bool isStageName(std::string_view stage) {
  if (stage == "before_optimizations" || stage == "after_optimizations" || stage == "before_optimization" ||
      stage == "after_optimization" || stage == "after_spmd_partitioner" ||
      stage == "before_config_assignment") {
    return true;
  }
  return (takeSuffix(stage, "_after_optimizations") || takeSuffix(stage, "_before_optimizations")) &&
         isBackEnd(stage);
}

// "0001.pipeline.after_a.before_b" or "0007.copy-insertion.added_copies".
bool readPassStage(std::string_view stage, DumpName& name) {
  std::string_view rest = stage;
  const std::string_view digits = takeWord(rest);
  if (digits.size() < 4 || !isDigits(digits) || rest.empty()) return false;
  name.step = toNumber(digits);
  name.stage = stage;
  const size_t after = rest.find(".after_");
  if (after == std::string_view::npos) {
    name.afterPass = takeWord(rest);
    return true;
  }
  name.pipeline = rest.substr(0, after);
  rest.remove_prefix(after + std::string_view(".after_").size());
  const size_t before = rest.find(".before_");
  name.afterPass = rest.substr(0, before);
  if (before != std::string_view::npos)
    name.beforePass = rest.substr(before + std::string_view(".before_").size());
  return true;
}

bool readStage(std::string_view stage, DumpName& name) {
  if (readPassStage(stage, name)) return true;
  if (!isStageName(stage)) return false;
  name.stage = stage;
  return true;
}

// The suffix is all of `suffix`; false when it is no suffix that a dump has.
bool readSuffix(std::string_view suffix, DumpName& name) {
  for (const StageReport& report : kStageReports) {
    std::string_view stage = suffix;
    if (!takeSuffix(stage, report.ending)) continue;
    if (!readStage(stage, name)) return false;
    name.part = report.part;
    return true;
  }
  for (std::string_view ending : kModuleEndings) {
    std::string_view stage = suffix;
    if (!takeSuffix(stage, ending)) continue;
    if (readStage(stage, name)) {
      name.part = DumpPart::Module;
      return true;
    }
    break;
  }
  for (const EndPart& graph : kEndParts) {
    // Graphs and split protos of a stage.
    std::string_view stage = suffix;
    const bool ofStage =
        graph.part == DumpPart::Graph || graph.part == DumpPart::Riegeli || graph.ending == "_fusion.pyz";
    if (!ofStage || !takeSuffix(stage, graph.ending)) continue;
    takeSuffix(stage, ".top_level");
    if (!readStage(stage, name)) continue;
    name.part = graph.part;
    return true;
  }
  std::string_view rest = suffix;
  const std::string_view word = takeWord(rest);
  if (word.starts_with("autotuner_") && !rest.empty()) {
    name.part = DumpPart::Autotuner;
    name.detail = rest;
    return true;
  }
  if (word.starts_with("execution_")) {
    name.execution = toNumber(word.substr(std::string_view("execution_").size()));
    name.part = rest.starts_with("hlo_unoptimized_snapshot") ? DumpPart::UnoptimizedSnapshot
                : rest.starts_with("hlo_snapshot")           ? DumpPart::Snapshot
                                                             : DumpPart::BufferLog;
    return true;
  }
  const auto found = std::ranges::find(kWordParts, word, &WordPart::word);
  if (found == std::end(kWordParts)) return false;
  name.part = found->part;
  return true;
}

bool readEnding(std::string_view suffix, DumpName& name) {
  for (const EndPart& end : kEndParts) {
    std::string_view detail = suffix;
    if (!takeSuffix(detail, end.ending)) continue;
    while (detail.ends_with('.')) detail.remove_suffix(1);
    name.part = end.part;
    name.detail = detail;
    return true;
  }
  return false;
}

// Finds where the module's name ends and the suffix begins: the first place from which the rest is
// a known suffix.
bool splitByKnownSuffix(std::string_view rest, DumpName& name) {
  for (size_t at = 0; at != std::string_view::npos;) {
    DumpName tried = name;
    if (readSuffix(rest.substr(at), tried)) {
      tried.moduleName = rest.substr(0, at == 0 ? 0 : at - 1);
      name = tried;
      return true;
    }
    const size_t dot = rest.find('.', at);
    at = dot == std::string_view::npos ? dot : dot + 1;
  }
  return false;
}

}  // namespace

std::string_view dumpPartName(DumpPart part) {
  static constexpr EnumTable<DumpPart, std::string_view> kNames({"module",
                                                                 "buffer assignment",
                                                                 "buffer values",
                                                                 "live ranges",
                                                                 "memory report",
                                                                 "thunk sequence",
                                                                 "thunk metadata",
                                                                 "debug options",
                                                                 "module config",
                                                                 "target config",
                                                                 "autotune results",
                                                                 "pass metadata",
                                                                 "snapshot",
                                                                 "unoptimized snapshot",
                                                                 "schedule",
                                                                 "LLVM IR",
                                                                 "PTX",
                                                                 "SPIR-V",
                                                                 "MLIR",
                                                                 "MLIR passes",
                                                                 "Triton IR",
                                                                 "object file",
                                                                 "graph",
                                                                 "fusion decisions",
                                                                 "FDO profile",
                                                                 "autotuner",
                                                                 "executable",
                                                                 "buffer log",
                                                                 "Riegeli module",
                                                                 "other"});
  return kNames[part];
}

DumpName parseDumpName(std::string_view fileName, std::string_view knownModuleName) {
  DumpName name;
  name.gzip = takeSuffix(fileName, ".gz");
  std::string_view rest = fileName;
  takePrefix(rest, "buffer_debug_log.");
  if (const size_t dot = rest.find(".module_");
      dot != std::string_view::npos && isDigits(rest.substr(0, dot))) {
    name.timestamp = rest.substr(0, dot);
    rest.remove_prefix(dot + 1);
  }
  std::string_view numbered = rest;
  if (takePrefix(numbered, "module_")) {
    std::string_view tail = numbered;
    const std::string_view digits = takeWord(tail);
    if (isDigits(digits)) {
      name.number = toNumber(digits);
      rest = tail;
    } else {
      // A snapshot of a module without a number: module_<name>.execution_0000...
      rest = numbered;
    }
  }
  if (splitByKnownSuffix(rest, name)) {
    // What stands between a module's name and a snapshot's or report's suffix is not part of the name.
    if (!knownModuleName.empty() && std::string_view(name.moduleName).starts_with(knownModuleName)) {
      name.moduleName = knownModuleName;
    }
    return name;
  }
  if (name.number < 0 && knownModuleName.empty()) {
    // Files without a module's number tell nothing but by their ends.
    readEnding(rest, name);
    return name;
  }
  std::string_view suffix = rest;
  if (!knownModuleName.empty() && takePrefix(suffix, knownModuleName)) {
    name.moduleName = knownModuleName;
    if (!suffix.empty() && (suffix[0] == '.' || suffix[0] == '-' || suffix[0] == '_'))
      suffix.remove_prefix(1);
  } else if (name.number >= 0) {
    name.moduleName = takeWord(suffix);
  }
  if (suffix.find("snapshot.") != std::string_view::npos && suffix.ends_with(".pb")) {
    // The CPU client: <prefix>snapshot.<run>.pb
    name.part = DumpPart::Snapshot;
    return name;
  }
  if (readEnding(suffix, name)) return name;
  name.detail = suffix;
  return name;
}

}  // namespace hilo
