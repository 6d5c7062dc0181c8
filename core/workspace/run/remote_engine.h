// An engine at the other end of a line, and the module sent there. Private to the workspace.
#pragma once

#include "core/runtime/apart/remote_executable.h"

namespace hilo {

// Version and time limits are filled in. Kinds: those of RemoteExecutable.
Result<std::unique_ptr<Executable>> compileThere(RemoteEngine there, const std::string& engine,
                                                 const Module& module, const EngineSettings& settings,
                                                 const CancelToken& cancel);

}  // namespace hilo
