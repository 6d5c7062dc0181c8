// The device a program runs as, among the others of its run.
#pragma once

#include <memory>
#include <vector>

#include "core/hlo/ir/host_feed.h"
#include "core/runtime/collectives/communicator.h"
#include "core/runtime/ffi/ffi_call.h"

namespace hilo {

struct DeviceLink {
  Communicator& communicator;
  int64_t device = 0;
  // Thunks that keep their order alone touch what follows.
  HostFeed host;
  // By collective: what was started and is not done.
  std::vector<std::shared_ptr<BytesExchange>> started;
  // What custom calls keep in this run.
  FfiRun ffi = {};
};

}  // namespace hilo
