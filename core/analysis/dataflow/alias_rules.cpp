#include "core/analysis/dataflow/alias_rules.h"

#include "core/analysis/async_chain.h"
#include "core/analysis/backend.h"
#include "core/base/check.h"

namespace hilo {
namespace {

using Pairs = std::vector<InPlacePair>;
using Source = std::pair<const Instruction*, ShapeIndex>;

bool isNoOp(const Instruction& instruction, Backend backend) {
  return instruction.opcode() == Opcode::Bitcast ||
         (backend == Backend::Gpu && instruction.opcode() == Opcode::Reshape);
}

Source followIndirections(const Instruction* instruction, ShapeIndex index, Backend backend) {
  std::tie(instruction, index) = followTuples(instruction, std::move(index));
  while (index.empty() && isNoOp(*instruction, backend)) instruction = instruction->operand(0);
  return {instruction, index};
}

Pairs declaredPairs(std::span<const AliasEntry> aliasing) {
  Pairs pairs;
  for (const AliasEntry& entry : aliasing) {
    pairs.push_back({static_cast<uint32_t>(entry.parameter), shapeIndexOf(entry.parameterIndex),
                     shapeIndexOf(entry.outputIndex)});
  }
  return pairs;
}

// Operand i is output i; a single operand is the whole output.
Pairs firstOperands(size_t count) {
  Pairs pairs;
  if (count == 1) return {{0, {}, {}}};
  for (size_t i = 0; i < count; ++i)
    pairs.push_back({static_cast<uint32_t>(i), {}, {static_cast<int64_t>(i)}});
  return pairs;
}

// Writes its slices into operand 1.
Pairs permutePairs(const Instruction& permute, ShapeIndex result) {
  if (!permute.has(Attr::SliceSizesList) || permute.operandCount() != 4) return {};
  Pairs pairs = {{1, {}, result}};
  for (size_t i = 0; i < permute.operand(1)->shape().tupleShapes().size(); ++i) {
    ShapeIndex element = result;
    element.push_back(static_cast<int64_t>(i));
    pairs.push_back({1, {static_cast<int64_t>(i)}, element});
  }
  return pairs;
}

bool startsWithUnboundResult(const Instruction& link, const ShapeIndex& output) {
  const auto result = subshapeAt(link.shape(), {ShapeIndex{1}.data(), 1});
  return !output.empty() && output[0] == 1 && result && result->isTuple() && result->tupleShapes().empty();
}

// What the start declares, for the operands that this link binds.
Pairs asyncPairs(const Instruction& link) {
  const Instruction* start = asyncChainStart(link);
  if (start == nullptr) return {};
  const auto declared = start->get<Attr::OutputToOperandAliasing>();
  if (declared.empty()) return {};
  Pairs pairs;
  if (link.opcode() == Opcode::AsyncDone) {
    for (const AliasEntry& entry : declared) {
      if (entry.outputIndex.empty() || entry.outputIndex[0] != 1) continue;
      const ShapeIndex result = shapeIndexOf(entry.outputIndex.subspan(1));
      ShapeIndex chain = {0, entry.parameter};
      chain.insert(chain.end(), entry.parameterIndex.begin(), entry.parameterIndex.end());
      if (!subshapeAt(link.shape(), result) || !subshapeAt(link.operand(0)->shape(), chain)) continue;
      pairs.push_back({0, chain, result});
    }
    return pairs;
  }
  const bool isStart = link.opcode() == Opcode::AsyncStart;
  const auto before =
      isStart ? int64_t{0} : static_cast<int64_t>(asyncBoundOperands(*link.operand(0)).size());
  const auto count = static_cast<int64_t>(link.operandCount());
  for (const AliasEntry& entry : declared) {
    const ShapeIndex output = shapeIndexOf(entry.outputIndex);
    const int64_t operand = entry.parameter - before + (isStart ? 0 : 1);
    if (operand < (isStart ? 0 : 1) || operand >= count) continue;
    if (output.empty() || startsWithUnboundResult(link, output) || !subshapeAt(link.shape(), output))
      continue;
    pairs.push_back({static_cast<uint32_t>(operand), shapeIndexOf(entry.parameterIndex), output});
  }
  return pairs;
}

Pairs fusionPairs(const Instruction& fusion, Backend backend);

// As inside a fusion: what a nested fusion declares of itself is not looked at, what its body does is.
Pairs bodyPairs(const Instruction& source, Backend backend) {
  return source.opcode() == Opcode::Fusion ? fusionPairs(source, backend) : inPlacePairs(source, backend);
}

// From each array the fusion gives back to the parameter it is written into, if there is one.
Pairs fusionPairs(const Instruction& fusion, Backend backend) {
  const Computation* body = fusion.get<Attr::Calls>();
  if (body == nullptr) return {};
  Pairs pairs;
  const SubshapeTable table(fusion.shape());
  for (const SubshapeTable::Part& part : table.parts()) {
    if (part.shape.isTuple()) continue;
    const auto [writer, output] = followIndirections(body->root(), part.index, backend);
    Source from = {nullptr, {}};
    for (const InPlacePair& pair : bodyPairs(*writer, backend)) {
      if (pair.outputIndex != output || pair.operandNumber >= writer->operandCount()) continue;
      from = followIndirections(writer->operand(pair.operandNumber), pair.operandIndex, backend);
      if (from.first->opcode() != Opcode::Fusion) continue;
      const Instruction* nested = from.first;
      for (const InPlacePair& inner : inPlacePairs(*nested, backend)) {
        if (inner.outputIndex == from.second && inner.operandNumber < nested->operandCount())
          from = followIndirections(nested->operand(inner.operandNumber), inner.operandIndex, backend);
      }
    }
    if (from.first == nullptr || from.first->opcode() != Opcode::Parameter) continue;
    pairs.push_back({static_cast<uint32_t>(from.first->parameterNumber()), from.second, part.index});
  }
  return pairs;
}

bool isElementwise(const Instruction& instruction) {
  switch (instruction.opcode()) {
    case Opcode::Copy:
    case Opcode::Constant:
    case Opcode::Rng:
      return true;
    case Opcode::Map: {
      const auto dimensions = instruction.dimensions();
      for (size_t i = 0; i < dimensions.size(); ++i) {
        if (dimensions[i] != static_cast<int64_t>(i)) return false;
      }
      return dimensions.empty() || dimensions.size() == instruction.shape().rank();
    }
    case Opcode::BitcastConvert:
      return elementStorageBytes(instruction.shape().elementType()) ==
             elementStorageBytes(instruction.operand(0)->shape().elementType());
    case Opcode::Fusion: {
      const Computation* body = instruction.get<Attr::Calls>();
      if (body == nullptr) return false;
      return std::ranges::all_of(body->instructions(), [](const Instruction* fused) {
        return fused->opcode() == Opcode::Parameter || isElementwise(*fused);
      });
    }
    default:
      return isElementwise(instruction.opcode());
  }
}

}  // namespace

std::pair<const Instruction*, ShapeIndex> followTuples(const Instruction* instruction, ShapeIndex index) {
  for (;;) {
    if (instruction->opcode() == Opcode::Tuple && !index.empty() &&
        index.front() < static_cast<int64_t>(instruction->operandCount())) {
      instruction = instruction->operand(static_cast<size_t>(index.front()));
      index.erase(index.begin());
    } else if (instruction->opcode() == Opcode::GetTupleElement) {
      index.insert(index.begin(), instruction->tupleIndex());
      instruction = instruction->operand(0);
    } else {
      return {instruction, index};
    }
  }
}

std::vector<InPlacePair> inPlacePairs(const Instruction& user, Backend backend) {
  switch (user.opcode()) {
    case Opcode::DynamicUpdateSlice:
      return firstOperands(1);
    case Opcode::Scatter:
      return firstOperands(user.operandCount() / 2);
    case Opcode::AllReduceStart:
      return firstOperands(user.operandCount());
    case Opcode::CollectivePermute:
      return permutePairs(user, {});
    case Opcode::CollectivePermuteStart:
      return permutePairs(user, {1});
    case Opcode::CustomCall:
      return declaredPairs(user.get<Attr::OutputToOperandAliasing>());
    case Opcode::Fusion: {
      Pairs pairs = fusionPairs(user, backend);
      const Pairs declared = declaredPairs(user.get<Attr::OutputToOperandAliasing>());
      pairs.insert(pairs.end(), declared.begin(), declared.end());
      return pairs;
    }
    case Opcode::AsyncStart:
    case Opcode::AsyncUpdate:
    case Opcode::AsyncDone:
      return asyncPairs(user);
    case Opcode::SetDimensionSize:
      return firstOperands(1);
    case Opcode::RaggedAllToAll:
      return {{1, {}, {}}};
    default:
      return {};
  }
}

bool isElementwiseUpTo(const Instruction& from, const Instruction& end, size_t operandNumber) {
  std::vector<const Instruction*> pending = {&from};
  absl::flat_hash_set<const Instruction*> seen;
  while (!pending.empty()) {
    const Instruction* at = pending.back();
    pending.pop_back();
    for (const Instruction* user : at->users()) {
      for (size_t i = 0; i < user->operandCount(); ++i) {
        if (user->operand(i) != at) continue;
        if (user == &end ? i != operandNumber : !isElementwiseOnOperand(*user, i)) return false;
      }
      if (user != &end && seen.insert(user).second) pending.push_back(user);
    }
  }
  return true;
}

bool isElementwiseOnOperand(const Instruction& user, size_t operandNumber) {
  if (user.opcode() == Opcode::DynamicUpdateSlice) return operandNumber == 0;
  if (user.opcode() != Opcode::Fusion) return isElementwise(user);
  const Computation* body = user.get<Attr::Calls>();
  if (body == nullptr || operandNumber >= body->parameters().size()) return false;
  std::vector<const Instruction*> pending = {body->parameters()[operandNumber]};
  absl::flat_hash_set<const Instruction*> seen(pending.begin(), pending.end());
  while (!pending.empty()) {
    const Instruction* at = pending.back();
    pending.pop_back();
    for (const Instruction* next : at->users()) {
      if (seen.contains(next)) continue;
      for (size_t i = 0; i < next->operandCount(); ++i) {
        if (next->operand(i) == at && !isElementwiseOnOperand(*next, i)) return false;
      }
      seen.insert(next);
      pending.push_back(next);
    }
  }
  return true;
}

}  // namespace hilo
