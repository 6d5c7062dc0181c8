// The factories that watchers.def names. Private to the room.
#pragma once

#include "core/workspace/watch/watch.h"

namespace hilo {

using MadeWatcher = Result<std::unique_ptr<Watcher>>;
#define WATCHER(name, argument, factory, summary) \
  MadeWatcher factory(std::string_view argumentText, const WatchOptions& options);
#include "core/workspace/watch/watchers.def"

}  // namespace hilo
