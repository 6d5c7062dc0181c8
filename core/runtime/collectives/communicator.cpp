#include "core/runtime/collectives/communicator.h"

namespace hilo {

template class Rendezvous<Bytes>;

}  // namespace hilo
