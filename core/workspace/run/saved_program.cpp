#include "core/workspace/run/saved_program.h"

#include "core/runtime/program/program.h"
#include "core/runtime/program/program_file.h"

namespace hilo {

Result<std::shared_ptr<const Program>> readSavedProgram(const std::string& path) {
  TRY(Program program, loadProgram(path));
  return std::make_shared<const Program>(std::move(program));
}

Result<std::shared_ptr<const Program>> loadSavedProgram(const std::string& path) {
  TRY(auto program, readSavedProgram(path));
  TRY_STATUS(checkMachine(program->target));
  return program;
}

}  // namespace hilo
