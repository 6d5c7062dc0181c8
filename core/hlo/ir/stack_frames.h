// The FileNames / FunctionNames / FileLocations / StackFrames tables of a module: metadata's stack_frame_id
// points into them. Ids count from 1; 0 is none.
#pragma once

#include <string_view>
#include <vector>

namespace hilo {

struct FileLocation {
  int32_t fileNameId = 0;
  int32_t functionNameId = 0;
  int32_t line = 0;
  int32_t endLine = 0;
  int32_t column = 0;
  int32_t endColumn = 0;
};

struct StackFrame {
  int32_t fileLocationId = 0;
  int32_t parentFrameId = 0;
};

struct StackFrameTables {
  std::vector<std::string_view> fileNames;
  std::vector<std::string_view> functionNames;
  std::vector<FileLocation> fileLocations;
  std::vector<StackFrame> stackFrames;

  bool empty() const {
    return fileNames.empty() && functionNames.empty() && fileLocations.empty() && stackFrames.empty();
  }
};

struct SourceFrame {
  std::string_view file;
  std::string_view function;
  int32_t line = 0;
  int32_t column = 0;
};

// The frames of `frameId`, innermost first. Broken tables (ids out of range, a parent cycle) end the walk.
std::vector<SourceFrame> sourceStack(const StackFrameTables& tables, int32_t frameId);

}  // namespace hilo
