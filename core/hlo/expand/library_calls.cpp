#include "core/hlo/expand/library_calls.h"

#include "core/hlo/expand/dot_algorithm.h"
#include "core/hlo/expand/dynamic_padding.h"
#include "core/hlo/expand/expansion.h"

namespace hilo {
namespace library {

#define LIBRARY_CALL(target, function) Result<Instruction*> function(Expansion&);
#include "core/hlo/expand/library_calls.def"

namespace {

struct Row {
  std::string_view target;
  Result<Instruction*> (*expand)(Expansion&);
};
constexpr Row kRows[] = {
#define LIBRARY_CALL(target, function) {target, function},
#include "core/hlo/expand/library_calls.def"
};

const Row* findRow(std::string_view target) {
  const auto found = std::ranges::find(kRows, target, &Row::target);
  return found == std::end(kRows) ? nullptr : &*found;
}

}  // namespace

// Annotations.
Result<Instruction*> giveBackOperand(Expansion& call) {
  TRY_STATUS(call.needsOperands(1, 1));
  Instruction* operand = call.operand(0);
  if (operand->shape().withoutLayout() != call.shape().withoutLayout())
    return call.refuse("changes the shape");
  if (operand->shape() == call.shape() || call.shape().isTuple()) return operand;
  return call.add(Opcode::Copy, call.shape(), {operand});
}

}  // namespace library

bool isLibraryCall(std::string_view target) { return library::findRow(target) != nullptr; }

bool isIdentityTarget(std::string_view target) {
  const library::Row* row = library::findRow(target);
  return row != nullptr && row->expand == library::giveBackOperand;
}

Result<Instruction*> expandLibraryCall(Instruction& call) {
  library::Expansion expansion(call);
  const library::Row* row = library::findRow(call.get<Attr::CustomCallTarget>());
  if (row == nullptr) return expansion.unknownTarget();
  return row->expand(expansion);
}

Result<std::unique_ptr<Module>> expandedAlone(const Instruction& instruction) {
  auto module = std::make_unique<Module>(instruction.name());
  Computation* entry = module->createComputation(module->uniqueName("expansion"));
  std::vector<Instruction*> parameters;
  for (const Instruction* operand : instruction.operands())
    parameters.push_back(entry->createParameter(static_cast<int64_t>(parameters.size()), operand->shape(),
                                                module->uniqueName("operand")));
  module->setEntry(entry);
  Instruction* copy = entry->createLike(instruction, parameters);
  auto given = copy->opcode() == Opcode::CustomCall ? expandLibraryCall(*copy)
               : takesPadding(*copy)                ? expandDynamicPadding(*copy)
                                                    : expandDotAlgorithm(*copy);
  if (!given) {
    Diagnostic error = std::move(given).error();
    error.place.computation = std::string(instruction.parent().name());
    error.place.instruction = std::string(instruction.name());
    return std::unexpected(std::move(error));
  }
  entry->setRoot(*given);
  entry->remove(copy);
  return module;
}

std::optional<Diagnostic> expansionRefusal(const Instruction& instruction) {
  auto alone = expandedAlone(instruction);
  return alone ? std::nullopt : std::optional(std::move(alone).error());
}

}  // namespace hilo
