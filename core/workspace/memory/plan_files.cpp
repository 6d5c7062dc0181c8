#include "core/workspace/memory/plan_files.h"

#include <filesystem>

#include "core/hlo/dump/dump_name.h"
#include "core/hlo/dump/file_bytes.h"
#include "core/hlo/dump/memory_report.h"
#include "core/workspace/open/file_origin.h"

namespace hilo {
namespace {

constexpr std::string_view kReportEnding = "-memory-usage-report.txt";
constexpr std::string_view kTextEnding = ".txt";

bool isFile(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(path, ignored);
}

void noteError(XlaPlan& plan, const Diagnostic& error) {
  plan.notes.push_back({Severity::kNote, error.kind, error.message, error.place, {}});
}

// XLA also writes what takes most beside its plan; the two ought to say the same.
void noteReport(XlaPlan& plan, std::string_view text, const std::string& path) {
  const auto report = parseMemoryReport(text, path);
  if (!report) return noteError(plan, report.error());
  plan.notes = compareReport(*report, plan.assignment);
}

const DumpFileInfo* textOfKind(const DumpModuleInfo& module, DumpPart part) {
  const auto found = std::ranges::find_if(module.files, [&](const DumpFileInfo& file) {
    return file.kind == dumpPartName(part) && file.name.ends_with(kTextEnding);
  });
  return found == module.files.end() ? nullptr : &*found;
}

}  // namespace

Result<XlaPlan> planAtPath(const std::string& path) {
  TRY(const FileBytes bytes, readFileBytes(path));
  XlaPlan plan;
  TRY(plan.assignment, parseBufferAssignment(bytes.bytes, path));
  if (!path.ends_with(kPlanEnding)) return plan;
  const std::string beside = path.substr(0, path.size() - kPlanEnding.size()) + std::string(kReportEnding);
  if (!isFile(beside)) return plan;
  const auto report = readFileBytes(beside);
  report ? noteReport(plan, report->bytes, beside) : noteError(plan, report.error());
  return plan;
}

Result<std::optional<XlaPlan>> planOfFile(const OpenedFile& file) {
  if (file.origin != nullptr && file.origin->bufferAssignment != nullptr) {
    TRY(BufferAssignment plan, readBufferAssignment(*file.origin->bufferAssignment, file.module.get()));
    return XlaPlan{std::move(plan), {}};
  }
  if (!file.path.ends_with(kTextEnding)) return std::nullopt;
  const std::string beside =
      file.path.substr(0, file.path.size() - kTextEnding.size()) + std::string(kPlanEnding);
  if (!isFile(beside)) return std::nullopt;
  TRY(XlaPlan plan, planAtPath(beside));
  return plan;
}

Result<std::optional<XlaPlan>> planOfDump(const OpenedDump& dump, const DumpModuleInfo& module) {
  const DumpFileInfo* file = textOfKind(module, DumpPart::BufferAssignment);
  if (file == nullptr) return std::nullopt;
  TRY(const std::string text, readDumpFile(dump, file->path));
  XlaPlan plan;
  TRY(plan.assignment, parseBufferAssignment(text, file->path));
  if (const DumpFileInfo* report = textOfKind(module, DumpPart::MemoryReport)) {
    const auto reported = readDumpFile(dump, report->path);
    reported ? noteReport(plan, *reported, report->path) : noteError(plan, reported.error());
  }
  return plan;
}

}  // namespace hilo
