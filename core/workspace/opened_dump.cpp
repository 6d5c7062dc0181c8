#include <fmt/format.h>

#include "core/hlo/dump/dump_directory.h"
#include "core/workspace/opened.h"

namespace hilo {
namespace {

DumpFileInfo fileInfo(const DumpFile& file) {
  return {.path = file.path,
          .name = file.name,
          .kind = std::string(dumpPartName(file.meaning.part)),
          .sizeBytes = file.sizeBytes};
}

// A stage of a pipeline goes by the pass before it; the first of a pipeline by the pass to come, as nothing
// ran yet.
DumpStageInfo stageInfo(const DumpFile& file) {
  const DumpName& meaning = file.meaning;
  DumpStageInfo stage{.name = meaning.stage,
                      .pipeline = meaning.pipeline,
                      .pass = meaning.afterPass,
                      .order = static_cast<int>(meaning.step),
                      .path = file.path};
  if (meaning.step >= 0 && !meaning.afterPass.empty())
    stage.name = fmt::format("after_{}", meaning.afterPass);
  return stage;
}

DumpModuleInfo moduleInfo(const DumpModule& module) {
  DumpModuleInfo info{.name = module.name, .process = module.process, .moduleId = module.number};
  for (const size_t index : module.stages()) info.stages.push_back(stageInfo(module.files[index]));
  for (const DumpFile& file : module.files) info.files.push_back(fileInfo(file));
  for (const MissingPart& missing : missingParts(module)) {
    info.missing.push_back(missing.note.empty()
                               ? fmt::format("{}: {}", missing.part, missing.flag)
                               : fmt::format("{}: {} ({})", missing.part, missing.flag, missing.note));
  }
  return info;
}

}  // namespace

Result<std::shared_ptr<const OpenedDump>> openDump(const std::string& path, const CancelToken& cancel) {
  TRY(const DumpDirectory directory, scanDumpDirectory(path, cancel));
  auto dump = std::make_shared<OpenedDump>();
  dump->path = path;
  dump->diagnostics = directory.diagnostics;
  for (const DumpModule& module : directory.modules) dump->modules.push_back(moduleInfo(module));
  for (const DumpFile& file : directory.others) dump->otherFiles.push_back(fileInfo(file));
  if (dump->modules.empty())
    return fail("no-module", fmt::format("{} is no dump: no file in it has a module's name", path));
  return dump;
}

Result<std::shared_ptr<const OpenedFile>> loadStage(const OpenedDump& dump, size_t moduleIndex,
                                                    size_t stageIndex) {
  return openFile(dump.modules[moduleIndex].stages[stageIndex].path);
}

}  // namespace hilo
