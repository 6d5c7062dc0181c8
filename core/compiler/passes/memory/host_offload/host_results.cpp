#include "core/compiler/passes/memory/host_offload/host_results.h"

#include <algorithm>

#include "core/analysis/memory/memory_space.h"
#include "core/compiler/passes/memory/host_offload/placement_calls.h"

namespace hilo {
namespace {

// Nothing on the device needs the value here. Another piece of work on the host may, in its own time.
bool mayStayOnHost(const ValuePosition& at, const EntryShapes& entry) {
  const Instruction& i = *at.instruction;
  if (!passesOn(i) || i.opcode() == Opcode::AsyncStart || i.opcode() == Opcode::AsyncDone) return false;
  if (i.opcode() == Opcode::CustomCall && !isMoveToHost(i)) return false;
  if (!i.isRoot() || !i.parent().isEntry()) return true;
  const std::optional<Shape> result = subshapeAt(entry.result, at.index);
  return result && isAllOnHost(*result);
}

bool isResult(const ValuePosition& at) {
  return at.instruction->isRoot() && at.instruction->parent().isEntry();
}

// All positions behind `from`; empty where one is the device's, or none is a result of the program.
std::vector<ValuePosition> pathsToResults(const ValuePosition& from, const OffloadPaths& paths) {
  std::vector<ValuePosition> all = {from};
  absl::flat_hash_set<ValuePosition> seen = {from};
  for (size_t k = 0; k < all.size(); ++k) {
    for (const ValuePosition& to : paths.walk().next(all[k])) {
      if (!mayStayOnHost(to, paths.entry())) return {};
      if (seen.insert(to).second) all.push_back(to);
    }
  }
  return std::ranges::any_of(all, isResult) ? all : std::vector<ValuePosition>();
}

}  // namespace

bool keepResultsOnHost(Instruction& start, OffloadPaths& paths) {
  if (start.users().size() != 1 || start.users()[0]->opcode() != Opcode::AsyncDone) return false;
  Instruction& done = *start.users()[0];
  std::vector<Instruction*> moves;
  bool changed = false;
  for (const SubshapeTable::Part& part : SubshapeTable(done.shape()).parts()) {
    if (!part.shape.isArray()) continue;
    const std::vector<ValuePosition> all = pathsToResults({&done, part.index}, paths);
    if (all.empty()) continue;
    for (const ValuePosition& at : all) {
      paths.place(at);
      if (isMoveToHost(*at.instruction)) moves.push_back(at.instruction);
    }
    ShapeIndex inStart = part.index;
    inStart.insert(inStart.begin(), 1);
    paths.place({&start, inStart});
    paths.place({start.get<Attr::Calls>()->root(), part.index});
    changed = true;
  }
  for (Instruction* move : moves) bypass(*move);
  return changed;
}

}  // namespace hilo
