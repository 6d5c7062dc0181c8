// Paths of other machines, "HOST:/path" as scp writes them: what is there is copied here, through the user's
// own ssh, and opened as any file or dump. A dump comes as one bundle of tar; of one that was opened before
// only what changed comes. A line that breaks is made again, and goes on where it was.
//
// The copies lie in HILO_REMOTE_CACHE, else in the user's cache folder, by host and path.
#pragma once

#include <string>

#include "core/workspace/job_queue.h"

namespace hilo {

// "gpu7:/tmp/dump", and there is nothing here of that name.
bool isRemotePath(const std::string& path);

// The path of the copy. Kinds: "bad-host", "file-not-found", "remote-too-large" (over 16 GiB), "line-lost"
// (with what ssh said), "not-writable", "no-worker", "cancelled".
Result<std::string> copyFromRemote(const std::string& path, const JobContext& context);

}  // namespace hilo
