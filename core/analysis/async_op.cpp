#include "core/analysis/async_op.h"

#include <nlohmann/json.hpp>

#include "core/analysis/async_chain.h"

namespace hilo {

CanonicalAsyncOp canonicalAsyncOp(const Instruction& instruction, bool p2pIsAsync) {
  const Opcode opcode = instruction.opcode();
  const AsyncFacts facts = asyncFacts(opcode);
  const bool isStep = facts.step == AsyncStep::Start || facts.step == AsyncStep::Done;
  const bool isP2p = facts.whole == Opcode::Send || facts.whole == Opcode::Recv;
  if (!isStep || (isP2p && !p2pIsAsync)) return {AsyncRole::None, opcode};
  Opcode inner = facts.whole;
  if (inner == Opcode::Opaque) {
    const Instruction* wrapped = asyncWrappedInstruction(instruction);
    if (wrapped != nullptr) inner = wrapped->opcode();
  }
  return {facts.step == AsyncStep::Start ? AsyncRole::Start : AsyncRole::Done, inner};
}

const Instruction* startOfDone(const Instruction& done) {
  if (done.operandCount() == 0) return nullptr;
  const Instruction* start = done.operand(0);
  if (start->opcode() == Opcode::AsyncUpdate) start = asyncChainStart(*start);
  return start != nullptr && canonicalAsyncOp(*start, true).role == AsyncRole::Start ? start : nullptr;
}

const Instruction& asyncOperation(const Instruction& start) {
  if (start.opcode() != Opcode::AsyncStart) return start;
  const Instruction* wrapped = asyncWrappedInstruction(start);
  return wrapped == nullptr ? start : *wrapped;
}

Shape resultOfStart(const Instruction& start) {
  const Shape shape = asyncOperation(start).shape();
  const bool namesOperands =
      start.opcode() == Opcode::AllGatherStart || start.opcode() == Opcode::CollectivePermuteStart;
  return namesOperands && shape.isTuple() && shape.tupleShapes().size() >= 2 ? shape.tupleShapes()[1] : shape;
}

std::optional<std::string_view> frontendAttribute(const Instruction& instruction, std::string_view name) {
  for (const FrontendAttribute& attribute : instruction.get<Attr::FrontendAttributes>()) {
    if (attribute.name == name) return attribute.value;
  }
  return std::nullopt;
}

bool hasFrontendAttribute(const Instruction& instruction, std::string_view name, std::string_view value) {
  return frontendAttribute(instruction, name) == value;
}

std::string_view executionThread(const Computation& computation) {
  const std::string_view thread = computation.attributes().get<Attr::ExecutionThread>();
  return thread.empty() ? "main" : thread;
}

std::string_view asyncExecutionThread(const Instruction& link) {
  const Instruction* start = asyncChainStart(link);
  const std::string_view thread =
      start == nullptr ? std::string_view() : start->get<Attr::AsyncExecutionThread>();
  if (!thread.empty()) return thread;
  const Computation* wrapped = asyncWrappedComputation(link);
  return wrapped == nullptr ? "main" : executionThread(*wrapped);
}

bool isSyncCollective(const Instruction& start) {
  const std::string_view config = start.get<Attr::BackendConfig>();
  if (config.find("is_sync") == std::string_view::npos) return false;
  const auto json = nlohmann::json::parse(config, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) return false;
  const auto collective = json.find("collective_backend_config");
  if (collective == json.end() || !collective->is_object()) return false;
  const auto sync = collective->find("is_sync");
  return sync != collective->end() && sync->is_boolean() && sync->get<bool>();
}

bool transposeIsBitcast(const Instruction& transpose) {
  const Shape input = transpose.operand(0)->shape(), output = transpose.shape();
  if (!input.isArray() || !output.isArray() || input.rank() != output.rank()) return false;
  const auto dimensions = transpose.dimensions();
  if (dimensions.size() != output.rank()) return false;
  const Layout descending = Layout::descending(output.rank());
  const Layout& from = input.layout() != nullptr ? *input.layout() : descending;
  const Layout& to = output.layout() != nullptr ? *output.layout() : descending;
  if (from.minorToMajor.size() != dimensions.size() || to.minorToMajor.size() != dimensions.size())
    return false;
  for (size_t i = 0; i < dimensions.size(); ++i) {
    const auto outputDimension = static_cast<size_t>(to.minorToMajor[i]);
    if (outputDimension >= dimensions.size() || dimensions[outputDimension] != from.minorToMajor[i])
      return false;
  }
  return true;
}

bool isNopForScheduling(const Instruction& instruction) {
  switch (instruction.opcode()) {
    case Opcode::GetTupleElement:
    case Opcode::Bitcast:
    case Opcode::Constant:
    case Opcode::Parameter:
    case Opcode::Broadcast:
    case Opcode::Iota:
      return true;
    case Opcode::Transpose:
      return transposeIsBitcast(instruction);
    case Opcode::Tuple:
      return instruction.users().size() == 1 && instruction.users()[0]->opcode() == Opcode::While;
    default:
      return false;
  }
}

}  // namespace hilo
