// What is known of the memory that kernels use: which buffers there are, which of their bytes were written,
// and who used them last. Kernels use addresses of the host; what is not here is out of bounds in check mode.
//
// It is used by one thread at a time.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/runtime/device/simulated/access_marks.h"

namespace hilo {

struct SimulatedBuffer {
  std::string name;
  std::byte* address = nullptr;
  uint64_t bytes = 0;
  bool isWritten = true;  // as a whole, before anybody used it
  MarkArray marks;        // made when it is first used in check mode
  uint32_t cellShift = 2;
  uint32_t floor = 0;     // what is earlier is before all that is done now
  bool isShared = false;  // of a block: what is before the floor was another's

  // False: there is no memory for them.
  [[nodiscard]] bool makeMarks();
  // Makes cells of `bytes`, or fewer.
  [[nodiscard]] bool divideCells(uint64_t bytes);
};

class SimulatedMemory {
 public:
  // `isWritten`: it holds values already. Buffers do not overlap.
  void add(std::string name, std::span<std::byte> bytes, bool isWritten);
  void remove(const std::byte* address);
  // Before the first launch: which bytes of the buffer at the address hold values of earlier ones.
  // False: there is no memory to know it.
  [[nodiscard]] bool setWritten(const std::byte* address, const std::vector<bool>& isWritten);
  // Which do by now: one a byte.
  std::vector<bool> written(const std::byte* address);
  // The buffer in which the address lies; null where none is.
  SimulatedBuffer* find(const std::byte* address);
  // The one whose end or start is nearest, for messages; null without any.
  const SimulatedBuffer* nearest(const std::byte* address) const;

  // Launches of one stream come one after the other. Those of two are ordered where one waits for an event
  // that was recorded after the other, or for all.
  void record(uint32_t event, uint32_t stream);
  void wait(uint32_t stream, uint32_t event);
  void waitForAll();  // the host waits for all streams, and all that follows comes after

  // Of what runs: a launch begins at `time`, and ends.
  struct Launch {
    std::string kernel;
    uint32_t stream = 0, number = 0;  // of those of its stream, from 1
    uint32_t begin = 0, end = 0;
  };
  void beginLaunch(std::string kernel, uint32_t stream, uint32_t time);
  void endLaunch(uint32_t time);
  uint32_t time() const { return time_; }
  bool isLong() const { return time_ >= kLongest; }
  // Between launches, long before time ends: forgets who used what.
  void restart();
  // The launch in which the time is, of those that the last one need not come after. Null: there is none.
  const Launch* besides(uint32_t time) const;

 private:
  std::map<const std::byte*, SimulatedBuffer> buffers_;
  SimulatedBuffer* last_ = nullptr;
  // Of each stream, and each event: how many launches of each stream it comes after.
  using Order = absl::flat_hash_map<uint32_t, uint32_t>;
  static void join(Order& to, const Order& from);
  std::vector<Launch> launches_;  // that something to come may be beside
  absl::flat_hash_map<uint32_t, Order> streams_, events_;
  std::vector<Launch> besides_;  // of the last one
  static constexpr uint32_t kLongest = 1u << 29;
  uint32_t time_ = 1;
};

}  // namespace hilo
