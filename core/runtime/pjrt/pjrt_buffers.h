// Buffers of a PJRT client that are given back with their owner. Private to the room.
#pragma once

#include "core/hlo/ir/literal.h"
#include "core/runtime/pjrt/pjrt_library.h"

namespace hilo {

class PjrtBufferOwner {
 public:
  PjrtBufferOwner(const PjrtLibrary& library, PjrtBuffer* buffer) : library_(&library), buffer_(buffer) {}
  PjrtBufferOwner(PjrtBufferOwner&& other) noexcept
      : library_(other.library_), buffer_(std::exchange(other.buffer_, nullptr)) {}
  PjrtBufferOwner& operator=(PjrtBufferOwner&& other) noexcept {
    std::swap(library_, other.library_);
    std::swap(buffer_, other.buffer_);
    return *this;
  }
  ~PjrtBufferOwner();
  PjrtBuffer* get() const { return buffer_; }

  // The array's elements, moved to the device and there when this returns.
  static Result<PjrtBufferOwner> fromLiteral(const PjrtLibrary& library, PjrtClient* client,
                                             PjrtDevice* device, const Literal& array);
  // Kind "pjrt-result" where it is not of the expected shape.
  Result<Literal> toLiteral(Shape expected) const;

 private:
  const PjrtLibrary* library_;
  PjrtBuffer* buffer_;
};

}  // namespace hilo
