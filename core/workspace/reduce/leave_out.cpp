#include <absl/container/flat_hash_set.h>

#include <algorithm>

#include "core/workspace/reduce/moves.h"

namespace hilo {
namespace {

using Instructions = absl::flat_hash_set<const Instruction*>;

bool isTupleOfResults(const Instruction& instruction) {
  return instruction.isRoot() && instruction.opcode() == Opcode::Tuple;
}

bool isInput(const Instruction& instruction) {
  return instruction.opcode() == Opcode::Parameter || instruction.opcode() == Opcode::Constant;
}

void addResult(std::vector<Instruction*>& results, Instruction* result) {
  if (std::ranges::find(results, result) == results.end()) results.push_back(result);
}

// The results there were and that stay, and what only those that go read.
std::vector<Instruction*> resultsWithout(Computation& entry, const Instructions& gone) {
  std::vector<Instruction*> results;
  Instruction* root = entry.root();
  if (isTupleOfResults(*root)) {
    for (Instruction* result : root->operands()) {
      if (!gone.contains(result)) addResult(results, result);
    }
  } else if (!gone.contains(root)) {
    results.push_back(root);
  }
  for (Instruction* instruction : entry.instructions()) {
    if (gone.contains(instruction) || isInput(*instruction) || instruction->users().empty()) continue;
    const bool isLeft = std::ranges::all_of(instruction->users(), [&](const Instruction* user) {
      return gone.contains(user) || isTupleOfResults(*user);
    });
    if (isLeft) addResult(results, instruction);
  }
  return results;
}

// A tuple of results that is no longer the root.
bool isTupleAlone(const Instruction& instruction) {
  return instruction.opcode() == Opcode::Tuple && !instruction.isRoot() && instruction.users().empty();
}

void setResults(Computation& entry, const std::vector<Instruction*>& results) {
  if (results.size() == 1) return entry.setRoot(results[0]);
  std::vector<Shape> shapes;
  for (const Instruction* result : results) shapes.push_back(result->shape());
  entry.setRoot(entry.create(Opcode::Tuple, Shape::tuple(shapes), results));
}

}  // namespace

std::vector<MoveSite> leaveOutSites(const Module& module) {
  std::vector<MoveSite> sites;
  for (const Instruction* instruction : module.entry()->instructions()) {
    if (!isInput(*instruction) && !isTupleOfResults(*instruction)) sites.push_back({instruction->id()});
  }
  return sites;
}

bool leaveOut(Draft& draft, std::span<const MoveSite> at) {
  Computation& entry = *draft.module->entry();
  Instructions gone;
  for (const MoveSite& site : at) {
    const Instruction* instruction = draft.module->instruction(site.instruction);
    if (instruction != nullptr && &instruction->parent() == &entry) gone.insert(instruction);
  }
  const std::vector<Instruction*> results = resultsWithout(entry, gone);
  if (gone.empty() || results.empty()) return false;
  Instruction* oldRoot = entry.root();
  setResults(entry, results);
  if (isTupleAlone(*oldRoot)) gone.insert(oldRoot);
  std::vector<Instruction*> leaving;  // users before what they use
  for (Instruction* instruction = entry.last(); instruction != nullptr;
       instruction = instruction->previous()) {
    if (gone.contains(instruction)) leaving.push_back(instruction);
  }
  const auto stays = [&](const Instruction* user) { return !gone.contains(user); };
  for (Instruction* instruction : leaving) {
    if (std::ranges::none_of(instruction->users(), stays)) continue;
    if (!isValueShape(instruction->shape())) return false;
    entry.replaceAllUses(instruction, draft.addParameterFor(*instruction));
  }
  entry.removeAll(leaving);
  return true;
}

}  // namespace hilo
