// The other end of a line: compiles and runs what it is told to, until the line is closed.
#pragma once

#include "core/runtime/apart/byte_line.h"
#include "core/runtime/apart/engine_messages.h"
#include "core/runtime/engine/engine.h"

namespace hilo {

struct EnginesHere {
  std::string version;
  std::function<Result<std::unique_ptr<Executable>>(const EngineCompile&, const TellSlow&)> compile;
};

// Gives the exit status. The process ends with the line, whatever it is at.
int serveEngines(FileDescriptor in, FileDescriptor out, const EnginesHere& engines);

}  // namespace hilo
