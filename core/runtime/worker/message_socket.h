// One end of the line between a worker and whoever started it: whole messages over a local socket, each
// a kind, a list of bytes and perhaps an open file. Plain frames: kind and length as 64-bit numbers,
// then the bytes.
#pragma once

#include <chrono>
#include <mutex>
#include <optional>
#include <vector>

#include "core/base/file_descriptor.h"
#include "core/base/result.h"

namespace hilo {

struct Message {
  uint64_t kind = 0;
  std::vector<std::byte> bytes;
  FileDescriptor file;
};

class MessageSocket {
 public:
  explicit MessageSocket(FileDescriptor fd) : fd_(std::move(fd)) {}

  // From any thread, one whole message after the other. `file` is passed along and stays the caller's; -1:
  // none. Kind "worker-gone" when the other end is closed.
  Status send(uint64_t kind, std::span<const std::byte> bytes, int file = -1);
  // nullopt: nothing began to come within `wait`. Kinds "worker-gone" and "bad-message".
  Result<std::optional<Message>> receive(std::chrono::milliseconds wait);
  // True once the other end is closed, whatever is still unread.
  bool isClosed() const;
  int fd() const { return fd_.get(); }

 private:
  FileDescriptor fd_;
  std::mutex sending_;
};

}  // namespace hilo
