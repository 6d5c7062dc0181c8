#include "core/runtime/program/constant_bytes.h"

#include <xxhash.h>

#include <algorithm>
#include <new>

namespace hilo {
namespace {

uint64_t checksumOf(std::span<const std::byte> bytes) { return XXH3_64bits(bytes.data(), bytes.size()); }

}  // namespace

ConstantBytes::ConstantBytes(std::span<const std::byte> bytes, std::optional<uint64_t> checksum)
    : saved_(checksum) {
  constexpr std::align_val_t kPlace{kAlignment};
  auto* room = static_cast<std::byte*>(::operator new(std::max<size_t>(bytes.size(), 1), kPlace));
  own_.reset(room, [](const std::byte* own) { ::operator delete(const_cast<std::byte*>(own), kPlace); });
  std::ranges::copy(bytes, room);
  bytes_ = {room, bytes.size()};
}

ConstantBytes::ConstantBytes(std::shared_ptr<const MappedFile> file, size_t offset, size_t size,
                             uint64_t checksum)
    : file_(std::move(file)), bytes_(file_->bytes().subspan(offset, size)), saved_(checksum) {}

uint64_t ConstantBytes::checksum() const { return saved_ ? *saved_ : checksumOf(bytes_); }

bool ConstantBytes::isAsSaved() const { return !saved_ || checksumOf(bytes_) == *saved_; }

}  // namespace hilo
