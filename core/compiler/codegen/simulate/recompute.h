// Private to the room: values that are computed again from what a thread and its launch are, where that is
// cheaper than keeping them.
#pragma once

#include <absl/container/flat_hash_map.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/Transforms/Utils/ValueMapper.h>

namespace hilo {

class Recompute {
 public:
  bool isCheap(llvm::Instruction& value) { return costOf(value).instructions <= kMost; }
  // The value again, with arguments as `map` has them; what is computed is in the map afterwards.
  llvm::Value* emit(llvm::Instruction& value, llvm::IRBuilder<>& b, llvm::ValueToValueMapTy& map);

 private:
  static constexpr uint32_t kMost = 10, kNever = 1 << 20, kAlike = 64;

  // `isAlike`: the same in all lanes of a warp, so that it is computed once for all.
  struct Cost {
    uint32_t instructions = 0;
    bool isAlike = true;
  };
  Cost costOf(llvm::Value& value);
  Cost compute(llvm::Instruction& value);

  absl::flat_hash_map<llvm::Value*, Cost> costs_;
};

}  // namespace hilo
