#include "core/hlo/ir/stack_frames.h"

#include <cstdint>

namespace hilo {
namespace {

template <typename T>
const T* at(const std::vector<T>& table, int32_t id) {
  return id >= 1 && static_cast<size_t>(id) <= table.size() ? &table[id - 1] : nullptr;
}

}  // namespace

std::vector<SourceFrame> sourceStack(const StackFrameTables& tables, int32_t frameId) {
  std::vector<SourceFrame> stack;
  for (const StackFrame* frame = at(tables.stackFrames, frameId);
       frame != nullptr && stack.size() <= tables.stackFrames.size();
       frame = at(tables.stackFrames, frame->parentFrameId)) {
    const FileLocation* location = at(tables.fileLocations, frame->fileLocationId);
    if (location == nullptr) break;
    const std::string_view* file = at(tables.fileNames, location->fileNameId);
    const std::string_view* function = at(tables.functionNames, location->functionNameId);
    stack.push_back({file ? *file : "", function ? *function : "", location->line, location->column});
  }
  return stack;
}

}  // namespace hilo
