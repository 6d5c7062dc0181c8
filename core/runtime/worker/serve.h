// The inside of a worker: a process that loads a program and runs it as often as it is told, so that a crash,
// a hang or a lack of memory ends it and nothing else. It ends itself when the line is closed.
#pragma once

#include "core/runtime/device/open_device.h"
#include "core/runtime/thunk/custom_calls.h"
#include "core/runtime/worker/message_socket.h"

namespace hilo {

// Serves one line until it is closed; gives the exit status. Takes over the process: signal handlers, limits
// and a watching thread.
int serveWorker(FileDescriptor line, const FindCustomCall& findCustomCall, const OpenDevice& openDevice = {});

}  // namespace hilo
