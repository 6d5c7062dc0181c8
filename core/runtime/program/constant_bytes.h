// A constant of a program: bytes that never change, shared by all copies of the program, at a multiple of 64.
// Of a saved program they lie in its file, which is mapped: nothing reads them before they are used.
#pragma once

#include <memory>
#include <optional>
#include <span>

#include "core/base/mapped_file.h"

namespace hilo {

class ConstantBytes {
 public:
  static constexpr size_t kAlignment = 64;

  ConstantBytes() = default;
  // Copied; `checksum` is what they had when they were saved, if they were.
  explicit ConstantBytes(std::span<const std::byte> bytes, std::optional<uint64_t> checksum = std::nullopt);
  // The bytes of the file at `offset`, a multiple of kAlignment; `checksum` is what they had when
  // they were saved.
  ConstantBytes(std::shared_ptr<const MappedFile> file, size_t offset, size_t size, uint64_t checksum);

  const std::byte* data() const { return bytes_.data(); }
  size_t size() const { return bytes_.size(); }
  std::span<const std::byte> bytes() const { return bytes_; }
  // Null of what was copied.
  const std::shared_ptr<const MappedFile>& file() const { return file_; }
  // As saved; of what was not it is computed.
  uint64_t checksum() const;
  // Reads all bytes of what was saved.
  bool isAsSaved() const;

 private:
  std::shared_ptr<const std::byte> own_;
  std::shared_ptr<const MappedFile> file_;
  std::span<const std::byte> bytes_;
  std::optional<uint64_t> saved_;
};

}  // namespace hilo
