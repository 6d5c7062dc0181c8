// Bump allocation for many small immutable things that die together. Objects must be trivially
// destructible: the arena frees memory, it runs no destructors. Not thread-safe; what was allocated
// may be read from any thread.
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

namespace hilo {

class Arena {
 public:
  Arena() = default;
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  void* allocate(size_t bytes, size_t alignment) {
    const size_t start = (used_ + alignment - 1) & ~(alignment - 1);
    if (block_ == nullptr || start + bytes > capacity_) return allocateInNewBlock(bytes);
    used_ = start + bytes;
    return block_ + start;
  }

  // Uninitialised room for `count` elements.
  template <typename T>
  std::span<T> allocateArray(size_t count) {
    static_assert(std::is_trivially_destructible_v<T>);
    if (count == 0) return {};
    return {static_cast<T*>(allocate(count * sizeof(T), alignof(T))), count};
  }

  template <typename T>
  std::span<const T> copy(std::span<const T> items) {
    auto room = allocateArray<T>(items.size());
    std::uninitialized_copy(items.begin(), items.end(), room.begin());
    return room;
  }
  template <typename T>
  std::span<const T> copy(const std::vector<T>& items) {
    return copy(std::span<const T>(items));
  }
  std::string_view copy(std::string_view text) {
    if (text.empty()) return {};
    auto room = allocateArray<char>(text.size());
    std::memcpy(room.data(), text.data(), text.size());
    return {room.data(), room.size()};
  }

  template <typename T, typename... Args>
  T* create(Args&&... args) {
    static_assert(std::is_trivially_destructible_v<T>);
    return new (allocate(sizeof(T), alignof(T))) T(std::forward<Args>(args)...);
  }

  size_t bytesReserved() const { return reserved_; }

 private:
  void* allocateInNewBlock(size_t bytes);

  static constexpr size_t kBlockBytes = 64 * 1024;
  std::vector<std::unique_ptr<char[]>> blocks_;
  char* block_ = nullptr;
  size_t used_ = 0;
  size_t capacity_ = 0;
  size_t reserved_ = 0;
};

}  // namespace hilo
