#include "app/cli/studied_thunks.h"

#include "app/cli/argument_shapes.h"
#include "app/cli/report.h"
#include "core/workspace/run/saved_program.h"
#include "core/workspace/thunks/xla_thunks.h"

namespace hilo::cli {
namespace {

Result<std::vector<Studied>> studiesOfDump(const std::shared_ptr<const OpenedDump>& dump) {
  std::vector<Studied> studies;
  for (size_t m = 0; m < dump->modules.size(); ++m) {
    if (!hasThunkSequence(*dump, m) || dump->modules[m].stages.empty()) continue;
    TRY(const auto file, loadStage(*dump, m, dump->modules[m].stages.size() - 1));
    TRY(ThunkStudy study, studyThunksOfDump(*dump, m, *file->module));
    studies.push_back({std::move(study), file->module, nullptr, dump, m});
  }
  if (studies.empty())
    return fail("no-thunk-sequence", "the dump holds no thunk sequence", {.file = dump->path});
  return studies;
}

// Without a time for what cannot be run, or where that is not wanted.
Result<Studied> measured(const ThunkStudyOptions& options, Studied of) {
  if (options.isMeasured && options.target.empty() && of.study.program != nullptr) {
    TRY(of.study, measureThunks(of.study, workerOf(options.worker), JobContext()));
  }
  return of;
}

// Nullopt: reported. What XLA wrote is read, and nothing is refused.
std::optional<Result<Studied>> asXlaWrote(Studied of, Result<ThunkStudy> study) {
  if (!study) {
    printError(study.error());
    return std::nullopt;
  }
  of.study = *std::move(study);
  return of;
}

// XLA's own thunks where the file has them; else the module compiled, measured unless that is not
// wanted. Nullopt: reported.
std::optional<Result<Studied>> studyFile(const ThunkStudyOptions& options,
                                         Result<std::shared_ptr<const OpenedFile>> opened) {
  Studied of;
  if (opened && hasThunkSequence(**opened)) {
    for (const Diagnostic& diagnostic : (*opened)->diagnostics) printError(diagnostic);
    of.file = *opened;
    of.module = of.file->module;
    return asXlaWrote(of, studyThunksOfFile(*of.file));
  }
  const auto file = refinedOf(std::move(opened), options.argumentShapes);
  if (!file) return std::nullopt;
  of.module = (*file)->module;
  auto study = options.target.empty() ? compileThunks(of.module, JobContext())
                                      : compileThunksForGpu(of.module, options.target, JobContext());
  if (!study) return std::unexpected(study.error());
  of.study = *std::move(study);
  return measured(options, std::move(of));
}

Result<Studied> studyOfProgram(const ThunkStudyOptions& options, const std::string& path) {
  TRY(const auto program, readSavedProgram(path));
  Studied of;
  TRY(of.study, studyProgram(program));
  return measured(options, std::move(of));
}

}  // namespace

std::optional<Result<Studied>> studyOne(const ThunkStudyOptions& options, PathContent content) {
  if (const auto* program = std::get_if<SavedProgramFile>(&content))
    return studyOfProgram(options, program->path);
  if (const auto* thunks = std::get_if<ThunksFile>(&content))
    return asXlaWrote({.alone = thunks->path}, studyThunksAlone(thunks->path));
  return studyFile(options, fileOf(std::move(content)));
}

const std::shared_ptr<const OpenedDump>* dumpIn(const PathContent& content) {
  const auto* item = std::get_if<OpenedItem>(&content);
  return item == nullptr ? nullptr : std::get_if<std::shared_ptr<const OpenedDump>>(item);
}

Result<PathContent> contentAt(const std::string& path) {
  TRY(PathContent content, openPath(path));
  if (!std::holds_alternative<DocumentFile>(content)) return content;
  TRY(OpenedItem item, itemOf(std::move(content)));
  return PathContent(std::move(item));
}

std::optional<Result<std::vector<Studied>>> studiesOf(const ThunkStudyOptions& options,
                                                      const std::string& path) {
  auto content = contentAt(path);
  if (!content) {
    printError(content.error());
    return std::nullopt;
  }
  if (const auto* dump = dumpIn(*content)) return studiesOfDump(*dump);
  auto studied = studyOne(options, *std::move(content));
  if (!studied) return std::nullopt;
  if (!*studied) return std::unexpected(studied->error());
  std::vector<Studied> one;
  one.push_back(std::move(**studied));
  return one;
}

}  // namespace hilo::cli
