#include "core/compiler/pass/pass.h"

namespace hilo {

void PassContext::remark(const Instruction& instruction, std::string_view kind, std::string message) {
  remarks_.push_back(
      {instruction.id(), std::string(instruction.name()), std::string(kind), std::move(message)});
}

}  // namespace hilo
