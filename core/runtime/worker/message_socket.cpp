#include "core/runtime/worker/message_socket.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace hilo {
namespace {

constexpr uint64_t kMostBytes = uint64_t{1} << 32;  // of a message: arrays go by shared memory
struct Header {
  uint64_t kind, size;
};

std::unexpected<Diagnostic> gone() { return fail("worker-gone", "the other end of the line is closed"); }

Status sendAll(int fd, const std::byte* data, size_t count) {
  while (count > 0) {
    const ssize_t sent = ::send(fd, data, count, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return gone();
    data += sent;
    count -= static_cast<size_t>(sent);
  }
  return {};
}

Status receiveAll(int fd, std::byte* data, size_t count) {
  while (count > 0) {
    const ssize_t got = ::recv(fd, data, count, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return gone();
    data += got;
    count -= static_cast<size_t>(got);
  }
  return {};
}

// A header, with room for one file descriptor beside it.
struct HeaderMessage {
  explicit HeaderMessage(Header& header) : part{&header, sizeof(header)} {
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof(control);
  }
  iovec part;
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr message = {};
};

}  // namespace

Status MessageSocket::send(uint64_t kind, std::span<const std::byte> bytes, int file) {
  const std::lock_guard lock(sending_);
  Header header{kind, bytes.size()};
  HeaderMessage out(header);
  if (file < 0) {
    out.message.msg_control = nullptr;
    out.message.msg_controllen = 0;
  } else {
    cmsghdr* extra = CMSG_FIRSTHDR(&out.message);
    extra->cmsg_level = SOL_SOCKET;
    extra->cmsg_type = SCM_RIGHTS;
    extra->cmsg_len = CMSG_LEN(sizeof(int));
    std::memcpy(CMSG_DATA(extra), &file, sizeof(file));
  }
  ssize_t sent = 0;
  do {
    sent = ::sendmsg(fd_.get(), &out.message, MSG_NOSIGNAL);
  } while (sent < 0 && errno == EINTR);
  if (sent <= 0) return gone();
  const auto* rest = reinterpret_cast<const std::byte*>(&header) + sent;
  TRY_STATUS(sendAll(fd_.get(), rest, sizeof(header) - static_cast<size_t>(sent)));
  return sendAll(fd_.get(), bytes.data(), bytes.size());
}

Result<std::optional<Message>> MessageSocket::receive(std::chrono::milliseconds wait) {
  pollfd ready{fd_.get(), POLLIN, 0};
  const int count = poll(&ready, 1, static_cast<int>(wait.count()));
  if (count <= 0) return std::nullopt;
  Header header{};
  HeaderMessage in(header);
  ssize_t got = 0;
  do {
    got = ::recvmsg(fd_.get(), &in.message, MSG_CMSG_CLOEXEC);
  } while (got < 0 && errno == EINTR);
  if (got <= 0) return gone();
  Message message;
  for (cmsghdr* extra = CMSG_FIRSTHDR(&in.message); extra != nullptr;
       extra = CMSG_NXTHDR(&in.message, extra)) {
    if (extra->cmsg_level != SOL_SOCKET || extra->cmsg_type != SCM_RIGHTS) continue;
    int file = -1;
    std::memcpy(&file, CMSG_DATA(extra), sizeof(file));
    message.file = FileDescriptor(file);
  }
  auto* rest = reinterpret_cast<std::byte*>(&header) + got;
  TRY_STATUS(receiveAll(fd_.get(), rest, sizeof(header) - static_cast<size_t>(got)));
  if (header.size > kMostBytes)
    return fail("bad-message", fmt::format("a message of {} bytes was announced", header.size));
  message.kind = header.kind;
  message.bytes.resize(header.size);
  TRY_STATUS(receiveAll(fd_.get(), message.bytes.data(), message.bytes.size()));
  return std::optional(std::move(message));
}

bool MessageSocket::isClosed() const {
  pollfd state{fd_.get(), POLLRDHUP, 0};
  return poll(&state, 1, 0) > 0 && (state.revents & (POLLRDHUP | POLLHUP | POLLERR)) != 0;
}

}  // namespace hilo
