// What a library's call is given of the device: memory to work in, where its arrays lie, its factors.
#pragma once

#include <vector>

#include "core/base/result.h"
#include "core/hlo/ir/element_type.h"
#include "core/runtime/device/device.h"

namespace hilo {

// Memory of the stream for a call; its end is that of the work given until then.
class Workspace {
 public:
  // `bytes` may be 0.
  static Result<Workspace> take(Stream& stream, int64_t bytes);
  Workspace(Workspace&& other) noexcept;
  Workspace& operator=(Workspace&&) = delete;
  ~Workspace();

  void* address() const { return reinterpret_cast<void*>(static_cast<uint64_t>(at_)); }

 private:
  Workspace(Stream& stream, DeviceAddress at) : stream_(stream), at_(at) {}
  Stream& stream_;
  DeviceAddress at_;
};

// Where the arrays of a call lie on the device.
struct LibraryArrays {
  std::vector<DeviceAddress> operands, results;
  void* operand(size_t i) const { return reinterpret_cast<void*>(static_cast<uint64_t>(operands[i])); }
  void* result(size_t i) const { return reinterpret_cast<void*>(static_cast<uint64_t>(results[i])); }
};

// A factor as a library takes it: of the type of the elements, complex ones with an imaginary part of 0; of
// types narrower than f32, in f32.
class LibraryScalar {
 public:
  LibraryScalar(ElementType type, double value);
  const void* data() const { return bytes_; }

 private:
  alignas(16) std::byte bytes_[16] = {};
};

// cudaDataType.
int dataTypeNumber(ElementType type);

}  // namespace hilo
