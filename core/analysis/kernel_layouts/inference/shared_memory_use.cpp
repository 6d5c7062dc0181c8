#include "core/analysis/kernel_layouts/inference/shared_memory_use.h"

#include <algorithm>
#include <optional>
#include <set>
#include <tuple>

namespace hilo::inference {
namespace {

constexpr int64_t kBarrierBytes = 8;

int64_t bytesOf(const KernelType& type) {
  int64_t elements = 1;
  for (const int64_t size : type.shape) elements *= size == kDynamicSize ? 0 : size;
  if (type.element.find("barrier") != std::string::npos) return elements * kBarrierBytes;
  return (elements * elementBits(type) + 7) / 8;
}

bool isLoop(const KernelOp& op) { return op.opcode == "scf.for" || op.opcode == "scf.while"; }

// A value by which the memory of the operand is reached: a view of it, or its address.
bool isWayTo(const KernelOp& op) {
  return op.opcode == "arith.index_cast" || op.opcode == "llvm.inttoptr" ||
         op.opcode == "memref.extract_aligned_pointer_as_index";
}

class Uses {
 public:
  explicit Uses(const KernelDescription& kernel) : kernel_(kernel), arrayOf_(kernel.values.size()) {}

  std::vector<SharedArrayUse> all() {
    visit(kernel_.body, std::nullopt);
    std::ranges::sort(uses_, {},
                      [](const SharedArrayUse& one) { return std::tuple(one.first, one.offset, one.value); });
    return std::move(uses_);
  }

 private:
  void visit(const std::vector<OpId>& ops, std::optional<OpId> loop) {
    for (const OpId id : ops) {
      const KernelOp& op = kernel_.ops[id];
      if (op.opcode == "mosaic_gpu.slice_smem" && op.results.size() == 1) begin(id);
      for (const ValueId operand : op.operands)
        if (const auto array = arrayOf_[operand]) use(uses_[*array], id, loop);
      follow(op);
      const auto around = !loop && isLoop(op) ? std::optional(id) : loop;
      for (const KernelRegion& region : op.regions) visit(region.ops, around);
    }
  }

  void begin(OpId id) {
    const KernelOp& op = kernel_.ops[id];
    const auto* offset = op.attribute<int64_t>("offset");
    arrayOf_[op.results[0]] = uses_.size();
    uses_.push_back({op.results[0], offset ? *offset : 0, bytesOf(kernel_.type(op.results[0])), id, id});
    isUsed_.push_back(false);
  }

  void use(SharedArrayUse& array, OpId by, std::optional<OpId> loop) {
    const auto number = static_cast<size_t>(&array - uses_.data());
    // What is made in a turn of the loop ends with it.
    const bool isCarried = loop && *loop > kernel_.values[array.value].op;
    if (!isUsed_[number]) array.first = isCarried ? *loop : by;
    isUsed_[number] = true;
    array.last = std::max(array.last, isCarried ? lastOf(*loop) : by);
  }

  OpId lastOf(OpId loop) const {
    OpId last = loop;
    for (const KernelRegion& region : kernel_.ops[loop].regions)
      for (const OpId inside : region.ops) last = std::max(last, lastOf(inside));
    return last;
  }

  void follow(const KernelOp& op) {
    if (op.operands.empty() || op.results.size() != 1) return;
    const auto from = arrayOf_[op.operands[0]];
    const KernelType& to = kernel_.type(op.results[0]);
    const bool isView = to.kind == KernelType::Kind::Memory && to.space == MemorySpace::Shared;
    if (from && (isView || isWayTo(op))) arrayOf_[op.results[0]] = from;
  }

  const KernelDescription& kernel_;
  std::vector<std::optional<size_t>> arrayOf_;  // by value
  std::vector<SharedArrayUse> uses_;
  std::vector<bool> isUsed_;
};

int64_t bytesAt(const std::vector<SharedArrayUse>& arrays, OpId step) {
  std::vector<std::pair<int64_t, int64_t>> taken;
  for (const SharedArrayUse& one : arrays)
    if (one.first <= step && step <= one.last) taken.emplace_back(one.offset, one.offset + one.bytes);
  std::ranges::sort(taken);
  int64_t bytes = 0, end = 0;
  for (const auto& [from, to] : taken) {
    bytes += std::max<int64_t>(0, to - std::max(from, end));
    end = std::max(end, to);
  }
  return bytes;
}

}  // namespace

SharedMemoryUse sharedMemoryUse(const KernelDescription& kernel) {
  SharedMemoryUse use{.arrays = Uses(kernel).all(), .changes = {}};
  std::set<OpId> steps;
  for (const SharedArrayUse& one : use.arrays) {
    steps.insert(one.first);
    if (one.last + 1 < kernel.ops.size()) steps.insert(one.last + 1);
    use.reachBytes = std::max(use.reachBytes, one.offset + one.bytes);
  }
  for (const OpId step : steps) {
    const int64_t bytes = bytesAt(use.arrays, step);
    if (use.changes.empty() || use.changes.back().bytes != bytes) use.changes.push_back({step, bytes});
    if (bytes > use.peakBytes) {
      use.peakBytes = bytes;
      use.peakAt = step;
    }
  }
  return use;
}

}  // namespace hilo::inference
