#include "core/compiler/codegen/warpgroup/tensor_memory_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>

namespace hilo::warpgroup {

using namespace inference;

namespace {

// Operations in their order, once each: what a loop takes it frees in the same turn.
class Check {
 public:
  explicit Check(const KernelDescription& kernel) : kernel_(kernel) {}

  Status run() {
    TRY_STATUS(visit(kernel_.body));
    return {};
  }

 private:
  struct Taken {
    OpId by = 0;
    int64_t columns = 0;
    bool isFreed = false;
  };

  // What is taken in a region is freed in it.
  Status visit(const std::vector<OpId>& ops) {
    const size_t before = taken_.size();
    for (const OpId id : ops) {
      TRY_STATUS(visit(id));
      for (const KernelRegion& region : kernel_.ops[id].regions) TRY_STATUS(visit(region.ops));
    }
    for (size_t i = before; i < taken_.size(); ++i)
      if (!taken_[i].isFreed)
        return refuse(kernel_.ops[taken_[i].by],
                      fmt::format("its {} columns are not freed (tmem_dealloc) where they are taken",
                                  taken_[i].columns));
    return {};
  }

  Status visit(OpId id) {
    const KernelOp& op = kernel_.ops[id];
    if (op.flag("collective") &&
        (op.opcode == "mosaic_gpu.tmem_alloc" || op.opcode == "mosaic_gpu.tmem_relinquish_alloc_permit"))
      return refuse(op, "tensor memory that two blocks take together");
    if (op.opcode == "mosaic_gpu.tmem_alloc") return take(id);
    if (op.opcode == "mosaic_gpu.tmem_relinquish_alloc_permit") isRelinquished_ = true;
    for (const ValueId operand : op.operands) {
      const auto root = rootOf(operand);
      if (root && taken_[*root].isFreed)
        return refuse(op, fmt::format("{} was freed before", kernel_.values[operand].name));
    }
    if (op.opcode != "mosaic_gpu.tmem_dealloc" || op.operands.empty()) return {};
    const auto root = takenBy_.find(op.operands[0]);
    if (root == takenBy_.end()) return refuse(op, "it frees what tmem_alloc gave, all of it");
    taken_[root->second].isFreed = true;
    return {};
  }

  Status take(OpId id) {
    const KernelOp& op = kernel_.ops[id];
    if (op.results.size() != 1 || kernel_.type(op.results[0]).shape.size() != 2)
      return refuse(op, "its result is a matrix");
    if (isRelinquished_) return refuse(op, "after tmem_relinquish_alloc_permit nothing more is taken");
    const auto* packing = op.attribute<int64_t>("packing");
    const int64_t inColumn = packing ? *packing : 1, wanted = kernel_.type(op.results[0]).shape[1];
    if (inColumn <= 0 || wanted <= 0 || wanted % inColumn != 0)
      return refuse(op, fmt::format("{} elements a row, {} in a column", wanted, inColumn));
    int64_t held = 0;
    for (const Taken& one : taken_) held += one.isFreed ? 0 : one.columns;
    const int64_t columns = allocatedColumns(wanted / inColumn);
    if (held + columns > kTensorColumns)
      return refuse(op, fmt::format("it takes {} columns of tensor memory; {} of {} are left", columns,
                                    kTensorColumns - held, kTensorColumns));
    takenBy_.emplace(op.results[0], taken_.size());
    taken_.push_back({id, columns});
    return {};
  }

  // Through slices and casts.
  std::optional<size_t> rootOf(ValueId value) const {
    for (;;) {
      if (const auto at = takenBy_.find(value); at != takenBy_.end()) return at->second;
      const KernelValue& made = kernel_.values[value];
      if (made.type.space != MemorySpace::Tensor || made.region >= 0 || kernel_.ops[made.op].operands.empty())
        return std::nullopt;
      value = kernel_.ops[made.op].operands[0];
    }
  }

  const KernelDescription& kernel_;
  std::vector<Taken> taken_;
  std::map<ValueId, size_t> takenBy_;
  bool isRelinquished_ = false;
};

}  // namespace

int64_t allocatedColumns(int64_t columns) {
  constexpr int64_t kLeast = 32;
  return std::max(kLeast, static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(columns))));
}

Status checkTensorMemory(const KernelDescription& kernel) { return Check(kernel).run(); }

}  // namespace hilo::warpgroup
