// Where the devices of one run of a program exchange the bytes of their buffers: N of them in one process.
// The bytes are copied on the way in, so that no device reads another's memory.
#pragma once

#include "core/hlo/ir/rendezvous.h"

namespace hilo {

using Bytes = std::vector<std::byte>;
using BytesExchange = GroupExchange<Bytes>;
using Communicator = Rendezvous<Bytes>;
extern template class Rendezvous<Bytes>;

}  // namespace hilo
