// JAX's random bits on GPUs: Threefry-2x32 with 20 rounds (Salmon et al., Parallel random numbers: as easy as
// 1, 2, 3; SC 2011) of every pair of counters by its own pair of keys.
#include "core/hlo/expand/expansion.h"

namespace hilo::library {
namespace {

constexpr int kRotations[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};

class Rounds {
 public:
  explicit Rounds(const Expansion& call) : call_(call), first_(call.operand(2)), second_(call.operand(3)) {
    Instruction *a = call.operand(0), *b = call.operand(1);
    Instruction* parity = call.binary(Opcode::Xor, call.binary(Opcode::Xor, a, b), number(0x1bd11bda));
    keys_ = {a, b, parity};
  }

  std::vector<Instruction*> results() {
    first_ = sum(first_, keys_[0]);
    second_ = sum(second_, keys_[1]);
    for (uint32_t block = 0; block < 5; ++block) {
      for (const int by : kRotations[block % 2]) {
        first_ = sum(first_, second_);
        second_ = call_.binary(Opcode::Xor, rotated(second_, by), first_);
      }
      first_ = sum(first_, keys_[(block + 1) % 3]);
      second_ = sum(sum(second_, keys_[(block + 2) % 3]), number(block + 1));
    }
    return {first_, second_};
  }

 private:
  Instruction* number(uint32_t value) const { return call_.splat(call_.operand(0)->shape(), value); }
  Instruction* sum(Instruction* a, Instruction* b) const { return call_.binary(Opcode::Add, a, b); }
  Instruction* rotated(Instruction* value, int by) const {
    Instruction* high = call_.binary(Opcode::ShiftLeft, value, number(static_cast<uint32_t>(by)));
    Instruction* low = call_.binary(Opcode::ShiftRightLogical, value, number(static_cast<uint32_t>(32 - by)));
    return call_.binary(Opcode::Or, high, low);
  }

  const Expansion& call_;
  Instruction *first_, *second_;
  std::array<Instruction*, 3> keys_;
};

}  // namespace

// Operands: both keys and both counters of each element. Results: its two words.
Result<Instruction*> expandThreefry(Expansion& call) {
  if (call.operandCount() > 4) return call.refuse("has a number of elements that is told when it runs");
  TRY_STATUS(call.needsOperands(4, 4));
  TRY_STATUS(call.needsResults(2, 2));
  const Shape shape = call.operand(0)->shape();
  for (const Instruction* operand : call.call().operands()) {
    if (operand->shape().withoutLayout() != shape.withoutLayout() || shape.elementType() != ElementType::U32)
      return call.malformed("takes arrays of u32 of one shape");
  }
  return call.give(Rounds(call).results());
}

}  // namespace hilo::library
