#include "core/hlo/eval/scalar_program.h"

#include <cstring>

#include "core/base/check.h"
#include "core/hlo/ir/combiner.h"
#include "core/hlo/ir/computation.h"
#include "core/hlo/ir/op_facts.h"

namespace hilo {

// Walks a computation and the ones it calls, giving each scalar value a slot. A value is a list of slots: one
// for an array, one an element for a tuple of scalars.
class ScalarCompiler {
 public:
  using Value = absl::InlinedVector<int, 2>;

  explicit ScalarCompiler(ScalarProgram& program) : program_(program) {}

  int newSlot(ElementType type) {
    program_.slotTypes_.push_back(type);
    return static_cast<int>(program_.slotTypes_.size()) - 1;
  }

  std::optional<Value> compile(const Computation& computation, std::span<const Value> arguments, int depth) {
    if (depth > kMaxDepth || computation.root() == nullptr) return std::nullopt;
    absl::flat_hash_map<const Instruction*, Value> values;
    for (const Instruction* instruction : computation.instructions()) {
      std::vector<Value> operands;
      for (const Instruction* operand : instruction->operands()) {
        const auto found = values.find(operand);
        if (found == values.end()) return std::nullopt;
        operands.push_back(found->second);
      }
      auto value = instruction->opcode() == Opcode::Parameter
                       ? parameterValue(*instruction, arguments)
                       : instructionValue(*instruction, operands, depth);
      if (!value || program_.steps_.size() > kMaxSteps) return std::nullopt;
      values.emplace(instruction, *std::move(value));
    }
    const auto root = values.find(computation.root());
    if (root == values.end()) return std::nullopt;
    return root->second;
  }

 private:
  static constexpr int kMaxDepth = 16;
  static constexpr size_t kMaxSteps = 4096;

  static std::optional<Value> parameterValue(const Instruction& instruction,
                                             std::span<const Value> arguments) {
    const auto number = instruction.get<Attr::ParameterNumber>();
    if (!number || *number < 0 || static_cast<size_t>(*number) >= arguments.size()) return std::nullopt;
    return arguments[static_cast<size_t>(*number)];
  }

  std::optional<Value> instructionValue(const Instruction& instruction, std::span<const Value> operands,
                                        int depth) {
    switch (instruction.opcode()) {
      case Opcode::Constant:
        return constant(instruction);
      case Opcode::Tuple: {
        Value all;
        for (const Value& operand : operands) {
          if (operand.size() != 1) return std::nullopt;
          all.push_back(operand[0]);
        }
        return all;
      }
      case Opcode::GetTupleElement: {
        const auto index = instruction.get<Attr::Index>();
        if (operands.size() != 1 || !index || *index < 0 || static_cast<size_t>(*index) >= operands[0].size())
          return std::nullopt;
        return Value{operands[0][static_cast<size_t>(*index)]};
      }
      case Opcode::Copy:
      case Opcode::Reshape:
      case Opcode::Bitcast:
      case Opcode::Broadcast:
        if (operands.size() != 1 || operands[0].size() != 1 || !instruction.shape().isScalar() ||
            program_.slotTypes_[operands[0][0]] != instruction.shape().elementType()) {
          return std::nullopt;
        }
        return operands[0];
      case Opcode::Call:
      case Opcode::Fusion: {
        const auto called = instruction.calledComputations();
        if (called.size() != 1 || called[0] == nullptr) return std::nullopt;
        return compile(*called[0], operands, depth + 1);
      }
      default:
        return elementwise(instruction, operands);
    }
  }

  std::optional<Value> constant(const Instruction& instruction) {
    const Literal* literal = instruction.get<Attr::Literal>();
    if (literal == nullptr || literal->isElided() || !literal->shape().isScalar()) return std::nullopt;
    const int slot = newSlot(literal->shape().elementType());
    program_.constants_.push_back({slot, {literal->bytes().begin(), literal->bytes().end()}});
    return Value{slot};
  }

  std::optional<Value> elementwise(const Instruction& instruction, std::span<const Value> operands) {
    if (!isElementwise(instruction.opcode()) || !instruction.shape().isScalar()) return std::nullopt;
    ScalarProgram::Step step;
    for (size_t i = 0; i < operands.size(); ++i) {
      if (operands[i].size() != 1 || i >= step.operands.size() ||
          !instruction.operand(i)->shape().isScalar() ||
          program_.slotTypes_[operands[i][0]] != instruction.operand(i)->shape().elementType()) {
        return std::nullopt;
      }
      step.operands[i] = operands[i][0];
    }
    auto kernel = elementKernel(instruction);
    if (!kernel) return std::nullopt;
    step.kernel = *kernel;
    step.result = newSlot(instruction.shape().elementType());
    program_.steps_.push_back(step);
    return Value{step.result};
  }

  ScalarProgram& program_;
};

namespace {

// The operation when the root alone does something: both parameters in, one type throughout.
std::optional<Opcode> singleOpOf(const Computation& computation) {
  const auto operation = operationOnBoth(computation);
  if (computation.instructionCount() != 3 || !operation || !hasFact(*operation, OpFact::Commutative))
    return std::nullopt;
  const ElementType type = computation.root()->shape().elementType();
  const bool isOfOneType = std::ranges::all_of(computation.parameters(), [&](const Instruction* parameter) {
    return parameter->shape().elementType() == type;
  });
  return isOfOneType ? operation : std::nullopt;
}

}  // namespace

std::unique_ptr<ScalarProgram> ScalarProgram::compile(const Computation& computation) {
  auto program = std::make_unique<ScalarProgram>();
  ScalarCompiler compiler(*program);
  std::vector<ScalarCompiler::Value> arguments;
  for (const Instruction* parameter : computation.parameters()) {
    if (parameter == nullptr || !parameter->shape().isScalar()) return nullptr;
    program->parameterTypes_.push_back(parameter->shape().elementType());
    arguments.push_back({compiler.newSlot(parameter->shape().elementType())});
  }
  const auto root = compiler.compile(computation, arguments, 0);
  if (!root) return nullptr;
  for (const int slot : *root) {
    program->results_.push_back(slot);
    program->resultTypes_.push_back(program->slotTypes_[slot]);
  }
  program->singleBinaryOp_ = singleOpOf(computation);
  return program;
}

ScalarProgram::Scratch::Scratch(const ScalarProgram& program) {
  constexpr size_t kAlign = 16;
  std::vector<size_t> offsets;
  size_t size = 0;
  for (const ElementType type : program.slotTypes_) {
    offsets.push_back(size);
    size += (static_cast<size_t>(kLanes * elementStorageBytes(type)) + kAlign - 1) / kAlign * kAlign;
  }
  bytes_.resize(size + kAlign);
  auto* base = reinterpret_cast<std::byte*>((reinterpret_cast<uintptr_t>(bytes_.data()) + kAlign - 1) /
                                            kAlign * kAlign);
  for (const size_t offset : offsets) slots_.push_back(base + offset);
  for (const ConstantLanes& constant : program.constants_) {
    auto* lanes = static_cast<std::byte*>(slots_[constant.slot]);
    for (int64_t i = 0; i < kLanes; ++i) {
      std::memcpy(lanes + static_cast<size_t>(i) * constant.element.size(), constant.element.data(),
                  constant.element.size());
    }
  }
}

void ScalarProgram::run(Scratch& scratch, const void* const* parameters, void* const* results,
                        int64_t count) const {
  CHECK(count <= kLanes);
  const auto slotOf = [&](int slot) -> const void* {
    return static_cast<size_t>(slot) < parameterTypes_.size() ? parameters[slot] : scratch.slots_[slot];
  };
  for (const Step& step : steps_) {
    const void* operands[ElementKernel::kMaxOperands];
    for (int k = 0; k < step.kernel.operandCount(); ++k) operands[k] = slotOf(step.operands[k]);
    step.kernel.run(scratch.slots_[step.result], operands, count);
  }
  // A result may overlay a parameter that another result still needs, so those that are plain parameters are
  // first brought to safety.
  for (const int slot : results_) {
    if (static_cast<size_t>(slot) < parameterTypes_.size()) {
      std::memcpy(scratch.slots_[slot], parameters[slot],
                  static_cast<size_t>(count * elementStorageBytes(slotTypes_[slot])));
    }
  }
  for (size_t i = 0; i < results_.size(); ++i) {
    const int slot = results_[i];
    std::memcpy(results[i], scratch.slots_[slot],
                static_cast<size_t>(count * elementStorageBytes(slotTypes_[slot])));
  }
}

void ScalarProgram::runMany(Scratch& scratch, const void* const* parameters, void* const* results,
                            int64_t count) const {
  absl::InlinedVector<const void*, 4> from(parameters, parameters + parameterCount());
  absl::InlinedVector<void*, 4> to(results, results + resultCount());
  for (int64_t start = 0; start < count; start += kLanes) {
    const int64_t lanes = std::min(kLanes, count - start);
    run(scratch, from.data(), to.data(), lanes);
    for (size_t i = 0; i < from.size(); ++i) {
      from[i] = static_cast<const std::byte*>(from[i]) + lanes * elementStorageBytes(parameterTypes_[i]);
    }
    for (size_t i = 0; i < to.size(); ++i) {
      to[i] = static_cast<std::byte*>(to[i]) + lanes * elementStorageBytes(resultTypes_[i]);
    }
  }
}

}  // namespace hilo
