// Typed attributes as the structs of XLA's FFI, which point into each other: they stay where they are.
#pragma once

#include <deque>
#include <span>
#include <vector>

#include "core/hlo/ir/call_attributes.h"
#include "core/runtime/ffi/ffi_api.h"

namespace hilo {

class FfiAttributeTree {
 public:
  explicit FfiAttributeTree(std::vector<CallAttribute> attributes);
  FfiAttributeTree(const FfiAttributeTree&) = delete;
  FfiAttributeTree& operator=(const FfiAttributeTree&) = delete;
  const FfiAttributes& top() const { return top_; }

 private:
  struct Dictionary {
    std::vector<FfiAttributeKind> kinds;
    std::vector<FfiByteSpan> names;
    std::vector<FfiByteSpan*> namePointers;
    std::vector<void*> values;
  };
  FfiAttributes dictionary(const std::vector<CallAttribute>& members);
  void* value(const CallAttribute& attribute);
  void* bytesOf(const CallAttribute& attribute);

  const std::vector<CallAttribute> attributes_;  // names and texts are read there
  std::deque<Dictionary> dictionaries_;
  std::deque<FfiAttributes> inner_;
  std::deque<FfiArray> arrays_;
  std::deque<FfiScalar> scalars_;
  std::deque<FfiByteSpan> strings_;
  std::deque<std::vector<std::byte>> bytes_;
  FfiAttributes top_{};
};

}  // namespace hilo
