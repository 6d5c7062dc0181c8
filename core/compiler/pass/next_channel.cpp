#include "core/compiler/pass/next_channel.h"

namespace hilo {

int64_t nextChannel(const Module& module) {
  int64_t next = 1;
  for (const Computation* computation : module.computations()) {
    for (const Instruction* i : computation->instructions())
      next = std::max(next, i->get<Attr::ChannelId>().value_or(0) + 1);
  }
  return next;
}

}  // namespace hilo
