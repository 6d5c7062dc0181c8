#include <fmt/format.h>

#include "core/workspace/opened.h"

namespace hilo {

Result<std::shared_ptr<const OpenedDump>> openDump(const std::string& path, const CancelToken&) {
  return fail("not-supported", fmt::format("{} is a directory: dumps cannot be opened yet", path));
}

Result<std::shared_ptr<const OpenedFile>> loadStage(const OpenedDump& dump, size_t moduleIndex,
                                                    size_t stageIndex) {
  return openFile(dump.modules[moduleIndex].stages[stageIndex].path);
}

}  // namespace hilo
