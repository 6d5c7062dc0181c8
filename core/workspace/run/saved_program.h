// Programs in files, as `hilo compile --save` writes them.
#pragma once

#include <memory>
#include <string>

#include "core/base/result.h"

namespace hilo {

struct Program;

// Of any machine, for looking at. Error kinds: those of loadProgram (runtime/program/program_file.h).
Result<std::shared_ptr<const Program>> readSavedProgram(const std::string& path);
// For running here. Error kinds: the same, and "wrong-machine" with what the processor lacks.
Result<std::shared_ptr<const Program>> loadSavedProgram(const std::string& path);

}  // namespace hilo
