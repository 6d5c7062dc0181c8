#include "core/analysis/async_pair.h"

namespace hilo {

bool isAsyncPair(const Instruction& from, const Instruction& to) {
  const std::string_view start = opcodeName(from.opcode()), done = opcodeName(to.opcode());
  const bool goesOn = done.ends_with("-done") || to.opcode() == Opcode::AsyncUpdate;
  return goesOn && (start.ends_with("-start") || from.opcode() == Opcode::AsyncUpdate ||
                    from.opcode() == Opcode::Send || from.opcode() == Opcode::Recv);
}

}  // namespace hilo
