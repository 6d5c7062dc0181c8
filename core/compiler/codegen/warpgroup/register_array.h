// What a thread holds of an array in registers. A scalar is an array without dimensions, of which every
// thread holds the one element.
#pragma once

#include <functional>
#include <span>

#include "core/analysis/kernel_layouts/register_map.h"
#include "core/compiler/codegen/warpgroup/thread_code.h"

namespace hilo::warpgroup {

struct RegisterArray {
  ElementType type = ElementType::F32;
  RegisterMap map;
  // Register by register, slot by slot; one of a splat.
  std::vector<Scalar> elements;

  bool isSplat() const { return std::holds_alternative<SplatLayout>(map.layout()); }
};

RegisterArray scalarArray(ElementType type, Scalar value);

// Elements a thread holds by this map; the place of one of them in a thread.
size_t elementsOf(const RegisterMap& map);
RegisterPlace placeOf(const RegisterMap& map, size_t element, int64_t thread = 0);
// Which of a thread's elements the index is; nothing where the thread does not hold it.
std::optional<size_t> elementAt(const RegisterMap& map, const Sizes& index, int64_t thread);

// Where an element is taken from: one of several arrays, and the index there.
struct Origin {
  size_t source = 0;
  Sizes index;
};
using OriginOf = std::function<Origin(const Sizes& index)>;

// The array by `map` whose elements come from others that the same thread holds, in registers that are the
// same for all threads. Nothing where that is not so.
std::optional<RegisterArray> gathered(std::span<const RegisterArray> sources, const RegisterMap& map,
                                      const OriginOf& originOf);

// The indices of a thread's elements, one i64 a dimension. Not of a splat.
class ThreadIndices {
 public:
  ThreadIndices(ThreadCode& code, const RegisterMap& map);
  std::vector<llvm::Value*> at(size_t element) const;
  // Whether this thread is the first of those that hold the same; null: each holds its own.
  llvm::Value* isFirst() const { return isFirst_; }

 private:
  ThreadCode& code_;
  const RegisterMap& map_;
  std::vector<llvm::Value*> ofThread_;  // what the thread's number adds; of a strided layout, to the position
  llvm::Value* isFirst_ = nullptr;
};

}  // namespace hilo::warpgroup
