#include "core/analysis/fusion_bytes.h"

#include "core/analysis/saturating.h"
#include "core/hlo/ir/computation.h"

namespace hilo {
namespace {

constexpr int kMaxNesting = 16;

Computation* bodyOf(const Instruction& fusion) { return fusion.get<Attr::Calls>(); }

int64_t parameterReadBytes(const Instruction& value, int nesting);

// One user's share of reading `value`. `shared`: some user before this one already paid for reading
// all of it.
int64_t userReadBytes(const Instruction& value, const Instruction& user, bool& shared, int nesting) {
  const auto readAllOnce = [&] { return std::exchange(shared, true) ? 0 : operandReadBytes(value.shape()); };
  switch (user.opcode()) {
    case Opcode::Slice:
      return operandReadBytes(user.shape());
    case Opcode::DynamicSlice:
      return user.operand(0) == &value ? operandReadBytes(user.shape()) : readAllOnce();
    case Opcode::DynamicUpdateSlice:
      // Operand 0 is updated in place.
      return user.operand(0) == &value ? 0 : readAllOnce();
    case Opcode::Broadcast:
    case Opcode::Reshape:
      return operandReadBytes(value.shape());
    case Opcode::Fusion: {
      const Computation* body = bodyOf(user);
      if (body == nullptr || nesting >= kMaxNesting) return readAllOnce();
      int64_t bytes = 0;
      for (size_t i = 0; i < user.operandCount() && i < body->parameters().size(); ++i) {
        if (user.operand(i) != &value || body->parameters()[i] == nullptr) continue;
        bytes = saturatingAdd(bytes, parameterReadBytes(*body->parameters()[i], nesting + 1));
      }
      return bytes;
    }
    default:
      return readAllOnce();
  }
}

int64_t parameterReadBytes(const Instruction& value, int nesting) {
  bool shared = false;
  int64_t bytes = 0;
  for (const Instruction* user : value.users()) {
    // A tuple parameter is read through its elements.
    const bool element =
        value.shape().isTuple() && user->opcode() == Opcode::GetTupleElement && nesting < kMaxNesting;
    bytes = saturatingAdd(bytes, element ? parameterReadBytes(*user, nesting + 1)
                                         : userReadBytes(value, *user, shared, nesting));
  }
  return bytes;
}

int64_t outputBytes(const Instruction& root) {
  if (root.opcode() == Opcode::DynamicUpdateSlice && root.operandCount() > 1)
    return root.operand(1)->shape().byteSize();
  return root.shape().byteSize();
}

}  // namespace

int64_t operandReadBytes(Shape shape) {
  constexpr int64_t kPointerBytes = 8;
  if (shape.isTuple()) return kPointerBytes * static_cast<int64_t>(shape.tupleShapes().size());
  return shape.byteSize();
}

int64_t fusionBytesAccessed(const Instruction& fusion) {
  const Computation* body = bodyOf(fusion);
  if (body == nullptr || body->root() == nullptr) return fusion.shape().byteSize();
  int64_t bytes = 0;
  if (body->root()->opcode() == Opcode::Tuple) {
    for (const Instruction* output : body->root()->operands())
      bytes = saturatingAdd(bytes, outputBytes(*output));
  } else {
    bytes = outputBytes(*body->root());
  }
  for (const Instruction* instruction : body->instructions()) {
    if (instruction->opcode() == Opcode::Constant && instruction->shape().isArray() &&
        instruction->shape().elementCount() > 1) {
      bytes = saturatingAdd(bytes, instruction->shape().byteSize());
    }
    if (instruction->opcode() == Opcode::Parameter)
      bytes = saturatingAdd(bytes, parameterReadBytes(*instruction, 0));
  }
  return bytes;
}

}  // namespace hilo
