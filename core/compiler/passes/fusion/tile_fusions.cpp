#include "core/compiler/passes/fusion/tile_fusions.h"

#include <algorithm>
#include <ranges>
#include <string>
#include <vector>

#include "core/compiler/passes/fusion/fusible.h"
#include "core/compiler/passes/fusion/make_fusion.h"
#include "core/compiler/passes/gpu_config.h"
#include "core/compiler/passes/simplify/call_inliner.h"

namespace hilo {
namespace {

// A fusion that gives back what it is given has nothing to join.
bool worksSomethingOut(const Instruction& fusion) {
  return fusion.get<Attr::Calls>()->root()->opcode() != Opcode::Parameter;
}

bool isTileFusion(const Instruction& i) {
  return gpuFusionKind(i) == "__triton" && i.shape().isArray() && worksSomethingOut(i) &&
         i.get<Attr::BackendConfig>().contains("block_level_fusion_config");
}

bool isInTiles(const Instruction& i) {
  if (!i.shape().isArray() || isComplex(i.shape().elementType())) return false;
  return i.opcode() == Opcode::Parameter || i.opcode() == Opcode::Broadcast || isScalarConstant(i) ||
         isElementwise(i.opcode());
}

// A loop, as a fusion or an instruction by itself, all of which tiles can do.
bool isLoop(const Instruction& i) {
  if (i.has(Attr::ControlPredecessors)) return false;
  if (i.opcode() != Opcode::Fusion) return isFusible(i) && isInTiles(i);
  return i.get<Attr::FusionKindKind>() == FusionKind::Loop && worksSomethingOut(i) &&
         std::ranges::all_of(i.get<Attr::Calls>()->instructions(),
                             [](const Instruction* inner) { return isInTiles(*inner); });
}

// The instructions of a kernel, users first: of a fusion, taken out of it.
std::vector<Instruction*> takenApart(Instruction& kernel) {
  if (kernel.opcode() != Opcode::Fusion) return {&kernel};
  Computation& computation = kernel.parent();
  const Instruction *before = kernel.previous(), *after = kernel.next();
  inlineCall(kernel);
  std::vector<Instruction*> members;
  for (Instruction* i = before == nullptr ? computation.first() : before->next(); i != after; i = i->next())
    members.insert(members.begin(), i);
  return members;
}

// One kernel with this tiling of two, the second of which alone reads the first.
Instruction* join(Instruction& producer, Instruction& consumer, const std::string& tiling) {
  Computation& computation = consumer.parent();
  std::vector<Instruction*> members = takenApart(producer);
  const std::vector<Instruction*> users = takenApart(consumer);
  members.insert(members.begin(), users.begin(), users.end());
  FusedRoots roots;
  Instruction* fusion = makeFusion(members, roots);
  fusion->set<Attr::FusionKindKind>(FusionKind::Custom);
  fusion->set<Attr::BackendConfig>(tiling);
  for (Instruction* member : members) {
    if (member->users().empty()) computation.remove(member);
  }
  return fusion;
}

bool isReadAloneBy(const Instruction& value, const Instruction& user) {
  return !value.isRoot() &&
         std::ranges::all_of(value.users(), [&](const Instruction* i) { return i == &user; });
}

Instruction* operandToTake(const Instruction& kernel) {
  for (Instruction* operand : kernel.operands()) {
    if (isScalarConstant(*operand) || (isLoop(*operand) && isReadAloneBy(*operand, kernel))) return operand;
  }
  return nullptr;
}

bool goesIntoReaders(const Instruction& kernel) {
  return !kernel.isRoot() && !kernel.users().empty() &&
         std::ranges::all_of(kernel.users(), [&](const Instruction* user) {
           return isLoop(*user) &&
                  std::ranges::equal(user->shape().dimensions(), kernel.shape().dimensions());
         });
}

void readInstead(Instruction& reader, const Instruction& value, Instruction& instead) {
  for (size_t k = 0; k < reader.operandCount(); ++k) {
    if (reader.operand(k) == &value) reader.setOperand(k, &instead);
  }
}

Instruction* takeIn(Instruction& kernel, Instruction& operand) {
  const std::string tiling(kernel.get<Attr::BackendConfig>());
  if (isReadAloneBy(operand, kernel)) return join(operand, kernel, tiling);
  Instruction* copy = kernel.parent().createLike(operand, {}, &kernel);  // of a constant
  readInstead(kernel, operand, *copy);
  return join(*copy, kernel, tiling);
}

// The kernels that its readers become.
std::vector<Instruction*> putIntoReaders(Instruction& kernel) {
  const std::string tiling(kernel.get<Attr::BackendConfig>());
  const std::vector<Instruction*> readers(kernel.users().begin(), kernel.users().end());
  std::vector<Instruction*> grown;
  for (Instruction* reader : readers) {
    Instruction* copy = kernel.parent().createLike(kernel, kernel.operands(), reader);
    readInstead(*reader, kernel, *copy);
    grown.push_back(join(*copy, *reader, tiling));
  }
  kernel.parent().remove(&kernel);
  return grown;
}

}  // namespace

bool growTileFusions(Computation& computation, PassContext& context) {
  std::vector<Instruction*> pending;
  for (Instruction* i : computation.instructions()) {
    if (isTileFusion(*i)) pending.push_back(i);
  }
  bool changed = false;
  while (!pending.empty() && !context.cancelled()) {
    Instruction* kernel = pending.back();
    pending.pop_back();
    Instruction* operand = operandToTake(*kernel);
    if (operand == nullptr && !goesIntoReaders(*kernel)) continue;
    if (!context.mayChange(*kernel)) return changed;
    context.remark(*kernel, "fused", operand != nullptr ? "takes in an operand" : "goes into its readers");
    changed = true;
    if (operand != nullptr) {
      pending.push_back(takeIn(*kernel, *operand));
    } else {
      const std::vector<Instruction*> grown = putIntoReaders(*kernel);
      pending.insert(pending.end(), grown.begin(), grown.end());
    }
  }
  return changed;
}

}  // namespace hilo
