// Private to the room: stacks, and going from one to another, on Boost.Context. A fiber that is not gone back
// to is forgotten with its stack: nothing on it is destroyed, so what may be left holds no memory.
#pragma once

#include <cstddef>

#include "core/base/result.h"

namespace hilo {

// Where something goes on: a fiber, or the thread that began to run fibers.
struct Fiber {
  void* context = nullptr;
  std::byte* stack = nullptr;  // its lowest byte; null for the thread's own
  size_t stackBytes = 0;
  void (*run)(void* argument) = nullptr;
  void* argument = nullptr;
};

// Makes `fiber` begin with run(argument), which never returns, on the stack that it has.
void beginFiber(Fiber& fiber);
// Goes on in `to` until something switches back to `from`.
void switchFiber(Fiber& from, Fiber& to);
// Goes on in `to` for good: what `ended` ran is over.
[[noreturn]] void endFiber(Fiber& ended, Fiber& to);

// Stacks of equal size side by side, a page that nobody may touch below each.
class FiberStacks {
 public:
  FiberStacks() = default;
  FiberStacks(const FiberStacks&) = delete;
  FiberStacks& operator=(const FiberStacks&) = delete;
  ~FiberStacks();

  // Error kind "out-of-memory".
  Status make(size_t count, size_t bytes);
  size_t bytes() const { return bytes_; }
  std::byte* at(size_t i) const { return base_ + i * pitch_ + (pitch_ - bytes_); }

 private:
  std::byte* base_ = nullptr;
  size_t pitch_ = 0, bytes_ = 0, count_ = 0;
};

}  // namespace hilo
