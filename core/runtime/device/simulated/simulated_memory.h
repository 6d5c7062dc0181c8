// What is known of the memory that kernels use: which buffers there are, and which of their bytes were
// written. Kernels use addresses of the host; what is not here is out of bounds in check mode.
//
// It is used by one thread at a time.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace hilo {

// Of one byte: who wrote and who read it last.
struct AccessMark {
  uint32_t time = 0;    // 0: nobody
  uint32_t thread = 0;  // in the grid; kManyThreads: several since the last barrier
  friend bool operator==(const AccessMark&, const AccessMark&) = default;
};
constexpr uint32_t kManyThreads = ~uint32_t{0};

struct ByteMarks {
  AccessMark written, read;
  friend bool operator==(const ByteMarks&, const ByteMarks&) = default;
};

// One a byte, all zero, in memory that the system gives when it is first written.
class MarkArray {
 public:
  bool isEmpty() const { return marks_ == nullptr; }
  void make(uint64_t bytes) { marks_.reset(static_cast<ByteMarks*>(std::calloc(bytes, sizeof(ByteMarks)))); }
  void clear() { marks_.reset(); }
  ByteMarks& operator[](uint64_t i) { return marks_[i]; }

 private:
  struct Free {
    void operator()(ByteMarks* marks) const { std::free(marks); }
  };
  std::unique_ptr<ByteMarks[], Free> marks_;
};

struct SimulatedBuffer {
  std::string name;
  std::byte* address = nullptr;
  uint64_t bytes = 0;
  std::vector<bool> isWritten;  // empty: all of it
  MarkArray marks;              // of this launch; made when it is first used in check mode
};

class SimulatedMemory {
 public:
  // `isWritten`: it holds values already. Buffers do not overlap.
  void add(std::string name, std::span<std::byte> bytes, bool isWritten);
  void remove(const std::byte* address);
  // The buffer in which the address lies; null where none is.
  SimulatedBuffer* find(const std::byte* address);
  // The one whose end or start is nearest, for messages; null without any.
  const SimulatedBuffer* nearest(const std::byte* address) const;
  // Forgets who read and wrote: a new launch.
  void forgetMarks();

 private:
  std::map<const std::byte*, SimulatedBuffer> buffers_;
  SimulatedBuffer* last_ = nullptr;
};

}  // namespace hilo
