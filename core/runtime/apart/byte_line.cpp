#include "core/runtime/apart/byte_line.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>

namespace hilo {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::string_view kMagic = "\x01HILO-LINE-1\n";
constexpr size_t kMostGreeting = size_t{1} << 16;   // of what is printed before the magic word
constexpr uint64_t kMostBytes = uint64_t{1} << 36;  // of a message
constexpr std::chrono::milliseconds kLook{20};
struct Header {
  uint64_t kind, size;
};

std::unexpected<Diagnostic> lost(std::string why) { return fail("line-lost", std::move(why)); }

void makeNonBlocking(int fd) { fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK); }

// A closed reader is an error, not a signal, where the system lets one say so.
ssize_t writeSome(int fd, std::span<const std::byte> bytes) {
  const ssize_t sent = ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
  return sent < 0 && errno == ENOTSOCK ? ::write(fd, bytes.data(), bytes.size()) : sent;
}

}  // namespace

ByteLine::ByteLine(FileDescriptor in, FileDescriptor out) : in_(std::move(in)), out_(std::move(out)) {
  makeNonBlocking(in_.get());
  makeNonBlocking(out_.get());
}

Status ByteLine::greet() {
  const std::lock_guard lock(sending_);
  return sendAll(std::as_bytes(std::span(kMagic)), CancelToken());
}

Status ByteLine::send(uint64_t kind, std::span<const std::byte> bytes, const CancelToken& cancel) {
  const std::lock_guard lock(sending_);
  const Header header{kind, bytes.size()};
  TRY_STATUS(sendAll(std::as_bytes(std::span(&header, 1)), cancel));
  return sendAll(bytes, cancel);
}

Status ByteLine::sendAll(std::span<const std::byte> bytes, const CancelToken& cancel) {
  auto lastSent = Clock::now();
  while (!bytes.empty()) {
    if (cancel.cancelled()) return fail("cancelled", "cancelled while sending");
    const ssize_t sent = writeSome(out_.get(), bytes);
    if (sent > 0) {
      bytes = bytes.subspan(static_cast<size_t>(sent));
      lastSent = Clock::now();
      continue;
    }
    if (sent < 0 && errno != EAGAIN && errno != EINTR) return lost("the other end of the line is closed");
    if (Clock::now() - lastSent > kLongestSilence)
      return lost("the other end of the line takes nothing any more");
    pollfd ready{out_.get(), POLLOUT, 0};
    poll(&ready, 1, static_cast<int>(kLook.count()));
  }
  return {};
}

Status ByteLine::readMore() {
  constexpr size_t kPart = size_t{1} << 16;
  const size_t before = received_.size();
  received_.resize(before + kPart);
  const ssize_t got = ::read(in_.get(), received_.data() + before, kPart);
  received_.resize(before + (got > 0 ? static_cast<size_t>(got) : 0));
  if (got > 0) lastHeard_ = Clock::now();
  if (got == 0) return lost("the other end of the line is closed");
  if (got < 0 && errno != EAGAIN && errno != EINTR) return lost(std::strerror(errno));
  return {};
}

// Whether the magic word was there.
Result<bool> ByteLine::skipGreeting() {
  const auto magic = std::as_bytes(std::span(kMagic));
  const auto found = std::ranges::search(received_, magic);
  if (found.empty()) {
    if (received_.size() > kMostGreeting)
      return fail("bad-message", "the other end is no hilo: it prints without end");
    return false;
  }
  received_.erase(received_.begin(), found.end());
  return true;
}

Result<std::optional<LineMessage>> ByteLine::takeMessage() {
  if (!isGreeted_) {
    TRY(isGreeted_, skipGreeting());
  }
  Header header{};
  if (!isGreeted_ || received_.size() < sizeof(header)) return std::nullopt;
  std::memcpy(&header, received_.data(), sizeof(header));
  if (header.size > kMostBytes)
    return fail("bad-message", fmt::format("a message of {} bytes was announced", header.size));
  if (received_.size() - sizeof(header) < header.size) return std::nullopt;
  const auto begin = received_.begin() + sizeof(header), end = begin + static_cast<ptrdiff_t>(header.size);
  LineMessage message{.kind = header.kind, .bytes = std::vector<std::byte>(begin, end)};
  received_.erase(received_.begin(), end);
  return message;
}

Result<std::optional<LineMessage>> ByteLine::receive(std::chrono::milliseconds wait) {
  const auto until = Clock::now() + wait;
  while (true) {
    TRY(auto message, takeMessage());
    if (message) return message;
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now());
    pollfd ready{in_.get(), POLLIN, 0};
    const int count = poll(&ready, 1, static_cast<int>(std::max<int64_t>(0, left.count())));
    if (count <= 0) return std::nullopt;
    TRY_STATUS(readMore());
  }
}

std::chrono::milliseconds ByteLine::silence() const {
  return std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - lastHeard_);
}

bool ByteLine::isClosed() const {
  pollfd ready{in_.get(), 0, 0};
  return poll(&ready, 1, 0) > 0 && (ready.revents & (POLLHUP | POLLERR)) != 0;
}

}  // namespace hilo
