// One end of a line to another process or machine: whole messages over a stream of bytes (pipes, a socket,
// ssh). Before the first message comes a magic word; what a login shell printed before it is skipped. Nothing
// here waits without looking at a token, and a line that is silent for too long counts as lost.
#pragma once

#include <chrono>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "core/base/cancel.h"
#include "core/base/file_descriptor.h"
#include "core/base/result.h"

namespace hilo {

struct LineMessage {
  uint64_t kind = 0;
  std::vector<std::byte> bytes;
};

class ByteLine {
 public:
  // Both may be duplicates of one socket. They become non-blocking.
  ByteLine(FileDescriptor in, FileDescriptor out);

  // The magic word, once, before the first message.
  Status greet();
  // From any thread, one whole message after the other. Kinds: "line-lost", "cancelled".
  Status send(uint64_t kind, std::span<const std::byte> bytes, const CancelToken& cancel = {});
  // nullopt: no whole message came within `wait`; what came is kept. Kinds: "line-lost", "bad-message".
  Result<std::optional<LineMessage>> receive(std::chrono::milliseconds wait);
  // Since anything came, or since the line was made.
  std::chrono::milliseconds silence() const;
  bool isClosed() const;

  static constexpr std::chrono::seconds kLongestSilence{20};

 private:
  Status sendAll(std::span<const std::byte> bytes, const CancelToken& cancel);
  Status readMore();
  Result<bool> skipGreeting();
  Result<std::optional<LineMessage>> takeMessage();

  FileDescriptor in_, out_;
  std::mutex sending_;
  std::vector<std::byte> received_;
  bool isGreeted_ = false;
  std::chrono::steady_clock::time_point lastHeard_ = std::chrono::steady_clock::now();
};

}  // namespace hilo
