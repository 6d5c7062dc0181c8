#include "core/analysis/kernel_layouts/inference/known_divisor.h"

#include <algorithm>
#include <numeric>
#include <string_view>

namespace hilo::inference {
namespace {

constexpr int kMostSteps = 10;            // operations on the way to the value
constexpr int64_t kMostFactor = 1 << 16;  // what is left of a larger size is one factor

bool isAnyOf(std::string_view opcode, std::initializer_list<std::string_view> names) {
  return std::ranges::find(names, opcode) != names.end();
}

bool isPowerOfTwo(int64_t value) { return value > 0 && (value & (value - 1)) == 0; }

class Divisibility {
 public:
  Divisibility(const KernelDescription& kernel, int64_t divisor) : kernel_(kernel), divisor_(divisor) {}

  bool divides(ValueId value, int steps) const {
    if (divisor_ == 1) return true;
    if (steps < 0) return false;
    const KernelValue& made = kernel_.values[value];
    const KernelOp& op = kernel_.ops[made.op];
    if (made.region >= 0)
      return op.opcode == "mosaic_gpu.warp_map" && made.index < op.operands.size() &&
             divides(op.operands[made.index], steps - 1);
    return dividesResult(op, steps - 1);
  }

 private:
  bool dividesResult(const KernelOp& op, int steps) const {
    if (op.opcode == "arith.constant") {
      const auto* number = op.attribute<int64_t>("value");
      return number && *number % divisor_ == 0;
    }
    if (op.opcode == "mosaic_gpu.assume_multiple") {
      const auto* multiple = op.attribute<int64_t>("multiple");
      return (multiple && *multiple % divisor_ == 0) || any(op, 0, 1, steps);
    }
    if (isAnyOf(op.opcode, {"arith.index_cast", "arith.index_castui"})) return any(op, 0, 1, steps);
    if (op.opcode == "arith.muli") return any(op, 0, 2, steps);
    if (op.opcode == "arith.select") return all(op, 1, 3, steps);
    if (isAnyOf(op.opcode, {"arith.maxsi", "arith.maxui", "arith.minsi", "arith.minui", "arith.addi",
                            "arith.subi", "arith.remsi", "arith.remui"}))
      return all(op, 0, 2, steps);
    // Lower bits that are 0 stay so.
    if (op.opcode == "arith.andi") return isPowerOfTwo(divisor_) && any(op, 0, 2, steps);
    if (op.opcode == "arith.trunci") return isPowerOfTwo(divisor_) && any(op, 0, 1, steps);
    return false;
  }

  bool any(const KernelOp& op, size_t from, size_t end, int steps) const {
    for (size_t i = from; i < end && i < op.operands.size(); ++i)
      if (divides(op.operands[i], steps)) return true;
    return false;
  }
  bool all(const KernelOp& op, size_t from, size_t end, int steps) const {
    if (op.operands.size() < end) return false;
    for (size_t i = from; i < end; ++i)
      if (!divides(op.operands[i], steps)) return false;
    return true;
  }

  const KernelDescription& kernel_;
  int64_t divisor_;
};

}  // namespace

int64_t commonDivisor(const KernelDescription& kernel, int64_t size, ValueId value) {
  if (kernel.type(value).kind == KernelType::Kind::Vector || size <= 0) return 1;
  const KernelValue& made = kernel.values[value];
  const KernelOp& op = kernel.ops[made.op];
  if (made.region < 0 && op.opcode == "arith.constant")
    if (const auto* number = op.attribute<int64_t>("value")) return std::gcd(size, *number);
  int64_t common = 1;
  const auto take = [&](int64_t factor) {
    if (Divisibility(kernel, common * factor).divides(value, kMostSteps)) common *= factor;
  };
  for (int64_t factor = 2; factor * factor <= size && factor < kMostFactor; ++factor)
    for (; size % factor == 0; size /= factor) take(factor);
  if (size != 1) take(size);
  return common;
}

}  // namespace hilo::inference
