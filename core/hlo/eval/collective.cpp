// Collectives among one device are identities, and only those are evaluated: this evaluator is one device.
#include <cstring>

#include "core/hlo/eval/handlers.h"
#include "core/hlo/eval/literal_access.h"

namespace hilo::eval {

std::optional<Diagnostic> collectiveRefusal(const Instruction& instruction) {
  if (instruction.operandCount() == 1 && handlerOf(instruction.opcode()) == collectiveDone)
    return std::nullopt;
  const int64_t devices = instruction.module().replicaCount() * instruction.module().partitionCount();
  bool alone = devices <= 1;
  if (const ReplicaGroups* groups = instruction.get<Attr::ReplicaGroups>()) {
    const auto lists = expandReplicaGroups(*groups);
    if (!lists.empty())
      alone = std::ranges::all_of(lists, [](const auto& group) { return group.size() <= 1; });
  }
  for (const auto& pair : instruction.get<Attr::SourceTargetPairs>()) {
    alone = alone && pair.size() == 2 && pair[0] == 0 && pair[1] == 0;
  }
  if (alone) return std::nullopt;
  return unsupportedOpcode(instruction,
                           fmt::format("{} exchanges data among several devices", instruction.opcodeText()))
      .error();
}

namespace {

Literal allOf(std::span<Literal> operands) {
  if (operands.size() == 1) return std::move(operands[0]);
  return Literal::tuple({std::make_move_iterator(operands.begin()), std::make_move_iterator(operands.end())});
}

// Operands: input, output, then where each part starts in the input, how many rows it has, and where it goes.
Result<Literal> raggedExchange(const Instruction& instruction, std::span<Literal> operands) {
  EVAL_REQUIRE(operands.size() == 6, "needs six operands");
  const Shape from = operands[0].shape(), to = operands[1].shape();
  EVAL_REQUIRE(from.isArray() && to.isArray() && from.rank() >= 1 && from.elementType() == to.elementType() &&
                   from.rank() == to.rank() &&
                   std::ranges::equal(from.dimensions().subspan(1), to.dimensions().subspan(1)),
               "input and output rows differ");
  for (size_t i = 2; i < 6; ++i) {
    EVAL_REQUIRE(operands[i].shape().isArray() && holdsIntegers(operands[i]) &&
                     sameDimensions(operands[i].shape(), operands[2].shape()),
                 "offsets and sizes must be integers of one shape");
  }
  Literal result = std::move(operands[1]);
  auto out = result.mutableBytes();
  const int64_t rowBytes = productOf(from.dimensions().subspan(1)) * storageBytes(from);
  for (int64_t i = 0; i < operands[2].shape().elementCount(); ++i) {
    const int64_t source = integerAt(operands[2], i), rows = integerAt(operands[3], i),
                  target = integerAt(operands[4], i);
    EVAL_REQUIRE(source >= 0 && rows >= 0 && target >= 0 && rows <= from.dimension(0) &&
                     rows <= to.dimension(0) && source <= from.dimension(0) - rows &&
                     target <= to.dimension(0) - rows,
                 "a part lies outside the input or output");
    std::memcpy(out.data() + target * rowBytes, operands[0].bytes().data() + source * rowBytes,
                static_cast<size_t>(rows * rowBytes));
  }
  return result;
}

}  // namespace

Result<Literal> collective(const Instruction& instruction, std::span<Literal> operands,
                           EvalContext& context) {
  if (auto refused = collectiveRefusal(instruction)) return std::unexpected(*std::move(refused));
  EVAL_REQUIRE(!operands.empty(), "needs an operand");
  if (instruction.opcode() == Opcode::RaggedAllToAll) return raggedExchange(instruction, operands);
  if (instruction.opcode() == Opcode::CollectivePermute) {
    // A device that nobody sends to receives zeros.
    if (instruction.get<Attr::SourceTargetPairs>().empty()) return context.make(instruction.shape());
    return allOf(operands);
  }
  return allOf(operands);
}

// all-reduce-start carries its result alone; the others (operands, result, context...).
Result<Literal> collectiveStart(const Instruction& instruction, std::span<Literal> operands,
                                EvalContext& context) {
  if (auto refused = collectiveRefusal(instruction)) return std::unexpected(*std::move(refused));
  EVAL_REQUIRE(!operands.empty(), "needs an operand");
  if (instruction.opcode() == Opcode::AllReduceStart) return allOf(operands);
  EVAL_REQUIRE(instruction.shape().isTuple(), "must give a tuple");
  std::vector<Literal> copy(operands.begin(), operands.end());
  std::vector<Literal> elements;
  elements.push_back(allOf(copy));
  elements.push_back(allOf(operands));
  const auto shapes = instruction.shape().tupleShapes();
  for (size_t i = 2; i < shapes.size(); ++i) {
    TRY(Literal zero, context.make(shapes[i]));
    elements.push_back(std::move(zero));
  }
  return Literal::tuple(std::move(elements));
}

Result<Literal> collectiveDone(const Instruction& instruction, std::span<Literal> operands, EvalContext&) {
  if (instruction.opcode() == Opcode::AllReduceDone) return std::move(operands[0]);
  EVAL_REQUIRE(operands[0].isTuple() && operands[0].elements().size() >= 2,
               "the operand is no started collective");
  return std::move(operands[0].mutableElements()[1]);
}

}  // namespace hilo::eval
