// Rules on buffer values b(...): which ops may hold them, and that each is written once.
#include <fmt/format.h>

#include <algorithm>

#include "core/hlo/verify/op_view.h"
#include "core/hlo/verify/rules.h"

namespace hilo {

namespace {

using Index = std::vector<int64_t>;

void report(const Instruction& instruction, VerifyContext& context, std::string message) {
  context.report.error(VerifyKind::BufferMisuse, instruction, std::move(message));
}

template <typename Visit>
void forEachBuffer(Shape shape, Index& index, const Visit& visit) {
  if (shape.isBuffer()) visit(index);
  for (size_t i = 0; i < shape.tupleShapes().size(); ++i) {
    index.push_back(static_cast<int64_t>(i));
    forEachBuffer(shape.tupleShapes()[i], index, visit);
    index.pop_back();
  }
}

// How often the buffer at `index` of `value` is written or handed to what may write it. Values pass through
// tuples; `visits` is counted down and bounds how far a hostile module can make this go.
int countWriters(const Instruction& value, const Index& index, const VerifyContext& context, int& visits) {
  if (--visits < 0) return 0;
  int writers = 0;
  for (const Instruction* user : value.users()) {
    switch (user->opcode()) {
      case Opcode::Call:
      case Opcode::Fusion:
      case Opcode::CustomCall:
      case Opcode::AsyncStart:
      case Opcode::While:
      case Opcode::Conditional:
      case Opcode::DynamicUpdateSlice:
        ++writers;
        break;
      case Opcode::GetTupleElement:
        if (!index.empty() && user->tupleIndex() == index[0]) {
          writers += countWriters(*user, Index(index.begin() + 1, index.end()), context, visits);
        }
        break;
      case Opcode::Tuple:
        if (user->isRoot()) {
          writers += context.isCalledBy(user->parent(), Opcode::While);
        } else {
          Index inside = {std::ranges::find(user->operands(), &value) - user->operands().begin()};
          inside.insert(inside.end(), index.begin(), index.end());
          writers += countWriters(*user, inside, context, visits);
        }
        break;
      default:
        break;
    }
    if (writers > 1) return writers;
  }
  return writers;
}

void verifyOneWriter(const Instruction& instruction, VerifyContext& context) {
  Index index;
  forEachBuffer(instruction.shape(), index, [&](const Index& at) {
    int visits = 1000;
    if (countWriters(instruction, at, context, visits) <= 1) return;
    report(instruction, context,
           fmt::format("the buffer at {} of {} has more than one writer", listText(at), instruction.name()));
  });
}

bool hasBuffer(const Instruction& instruction, VerifyContext& context) {
  return context.facts(instruction.shape()).hasBuffer;
}

void verifyNone(const Instruction& instruction, VerifyContext& context) {
  bool any = hasBuffer(instruction, context);
  for (const Instruction* operand : instruction.operands()) any = any || hasBuffer(*operand, context);
  if (any)
    report(instruction, context, fmt::format("{} takes and gives no buffers", instruction.opcodeText()));
}

void verifyPin(const Instruction& instruction, VerifyContext& context, bool isPin) {
  const std::string_view target = instruction.get<Attr::CustomCallTarget>();
  const Shape result = instruction.shape();
  const Shape operand = instruction.operandCount() == 1 ? instruction.operand(0)->shape() : Shape();
  const Shape array = isPin ? operand : result, buffer = isPin ? result : operand;
  if (!array.isArray() || !buffer.isBuffer() || !compatible(array, buffer.bufferShape())) {
    report(instruction, context,
           fmt::format("{} takes one {} and gives the {} with its shape, got {} operands and {}", target,
                       isPin ? "array" : "buffer", isPin ? "buffer" : "array", instruction.operandCount(),
                       toString(result)));
  }
  const size_t aliases = instruction.get<Attr::OutputToOperandAliasing>().size();
  if (aliases != 1)
    report(instruction, context,
           fmt::format("{} aliases its output with its operand, got {} aliases", target, aliases));
  if (isPin) verifyOneWriter(instruction, context);
}

// A buffer that a custom call takes is one that it gives back, and the other way round.
void verifyHandedBack(const Instruction& instruction, VerifyContext& context) {
  const auto aliases = instruction.get<Attr::OutputToOperandAliasing>();
  Index index;
  for (size_t i = 0; i < instruction.operandCount(); ++i) {
    forEachBuffer(instruction.operand(i)->shape(), index, [&](const Index& at) {
      const auto count = std::ranges::count_if(aliases, [&](const AliasEntry& alias) {
        return alias.parameter == static_cast<int64_t>(i) && std::ranges::equal(alias.parameterIndex, at);
      });
      if (count == 1) return;
      report(instruction, context,
             fmt::format("the buffer at {} of operand {} must alias one output, aliases {}", listText(at), i,
                         count));
    });
  }
  forEachBuffer(instruction.shape(), index, [&](const Index& at) {
    const auto count = std::ranges::count_if(
        aliases, [&](const AliasEntry& alias) { return std::ranges::equal(alias.outputIndex, at); });
    if (count == 1) return;
    report(instruction, context,
           fmt::format("the buffer at {} of the result must alias one operand, aliases {}", listText(at),
                       count));
  });
  verifyOneWriter(instruction, context);
}

void verifyCustomCallBuffers(const Instruction& instruction, VerifyContext& context) {
  const std::string_view target = instruction.get<Attr::CustomCallTarget>();
  if (target == "Pin" || target == "Unpin") {
    verifyPin(instruction, context, target == "Pin");
  } else if (target == "CreateBuffer") {
    if (instruction.operandCount() != 0 || !instruction.shape().isBuffer()) {
      report(instruction, context, "CreateBuffer takes no operands and gives a buffer");
    }
    verifyOneWriter(instruction, context);
  } else {
    verifyHandedBack(instruction, context);
  }
}

void verifyUpdatedBuffer(const Instruction& instruction, VerifyContext& context) {
  if (instruction.operandCount() == 0 || !instruction.operand(0)->shape().isBuffer()) {
    verifyNone(instruction, context);
    return;
  }
  verifyOneWriter(instruction, context);
  for (size_t i = 1; i < instruction.operandCount(); ++i) {
    if (hasBuffer(*instruction.operand(i), context))
      report(instruction, context, fmt::format("operand {} must not be a buffer", i));
  }
}

void verifyInstructionBuffers(const Instruction& instruction, VerifyContext& context) {
  switch (instruction.opcode()) {
    case Opcode::CustomCall:
      verifyCustomCallBuffers(instruction, context);
      break;
    case Opcode::While:
      verifyOneWriter(instruction, context);
      break;
    case Opcode::Parameter:
      if (instruction.parent().isEntry()) verifyNone(instruction, context);
      verifyOneWriter(instruction, context);
      break;
    case Opcode::DynamicUpdateSlice:
      verifyUpdatedBuffer(instruction, context);
      break;
    case Opcode::GetTupleElement:
    case Opcode::Tuple:
    case Opcode::AsyncStart:
    case Opcode::AsyncUpdate:
    case Opcode::AsyncDone:
      break;
    case Opcode::Call:
      if (!hasFrontendAttribute(instruction, "_xla_stream_annotation")) verifyNone(instruction, context);
      break;
    default:
      verifyNone(instruction, context);
  }
}

// Whether anything about the instruction may concern buffers: a module without them is done here.
bool touchesBuffers(const Instruction& instruction, VerifyContext& context) {
  if (hasBuffer(instruction, context)) return true;
  if (instruction.opcode() == Opcode::CustomCall) {
    const std::string_view target = instruction.get<Attr::CustomCallTarget>();
    if (target == "Pin" || target == "Unpin" || target == "CreateBuffer") return true;
  }
  for (const Instruction* operand : instruction.operands()) {
    if (operand->shape().isBuffer() || (operand->shape().isTuple() && hasBuffer(*operand, context)))
      return true;
  }
  return false;
}

}  // namespace

void verifyBuffers(const Computation& computation, VerifyContext& context) {
  const bool isAsync = context.isCalledBy(computation, Opcode::AsyncStart);
  for (const Instruction* instruction : computation.instructions()) {
    if (!touchesBuffers(*instruction, context)) continue;
    // Of a computation that an async start wraps, only the custom call itself counts.
    if (isAsync && !(instruction->isRoot() && instruction->opcode() == Opcode::CustomCall)) continue;
    verifyInstructionBuffers(*instruction, context);
  }
}

}  // namespace hilo
