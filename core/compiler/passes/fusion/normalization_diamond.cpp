#include "core/compiler/passes/fusion/normalization_diamond.h"

#include <absl/container/flat_hash_set.h>

#include <algorithm>

#include "core/compiler/passes/fusion/fusible.h"
#include "core/compiler/passes/fusion/triton_support.h"
#include "core/compiler/passes/shape_ops.h"

namespace hilo {
namespace {

bool isReadOnce(const Instruction& i) { return i.users().size() == 1 && !i.isRoot(); }

bool isBinary(const Instruction& i) { return opcodeClass(i.opcode()) == OpcodeClass::ElementwiseBinary; }

// A scalar constant or a parameter, made larger.
bool isSpread(const Instruction& i) {
  return i.opcode() == Opcode::Broadcast &&
         (isScalarConstant(*i.operand(0)) || i.operand(0)->opcode() == Opcode::Parameter);
}

bool worksOnOneValue(const Instruction& i) {
  if (!isBinary(i)) return opcodeClass(i.opcode()) == OpcodeClass::ElementwiseUnary;
  return i.operand(0) == i.operand(1) || isSpread(*i.operand(0)) != isSpread(*i.operand(1));
}

// Upwards along what works on one value.
class Walk {
 public:
  explicit Walk(int64_t capability) : capability_(capability) {}

  bool passes(const Instruction& i) const {
    if (!isReadOnce(i) || !liesRowMajor(i.shape())) return false;
    return i.opcode() == Opcode::Bitcast || (worksOnOneValue(i) && !tritonRefusal(i, capability_));
  }

  static Instruction* above(const Instruction& i) {
    return i.operand(isBinary(i) && isSpread(*i.operand(0)) ? 1 : 0);
  }

  Instruction* toTheEnd(Instruction* i) const {
    while (passes(*i)) i = above(*i);
    return i;
  }

  // Null where something else is in the way.
  Instruction* upTo(Opcode opcode, Instruction* i) const {
    while (i->opcode() != opcode) {
      if (!passes(*i)) return nullptr;
      i = above(*i);
    }
    return i;
  }

  bool leadsTo(const Instruction& producer, Instruction* i) const {
    while (i != &producer) {
      if (!passes(*i)) return false;
      i = above(*i);
    }
    return true;
  }

 private:
  int64_t capability_;
};

bool isConstantStart(const Instruction& start, int64_t capability) {
  if (start.opcode() == Opcode::Constant) return true;
  return start.opcode() == Opcode::Convert && start.operand(0)->opcode() == Opcode::Constant &&
         !tritonRefusal(start, capability);
}

std::string reductionRefusal(const Instruction& reduce, int64_t capability) {
  if (auto refusal = tritonRefusal(reduce, capability)) return *refusal;
  const auto last = static_cast<int64_t>(reduce.operand(0)->shape().rank()) - 1;
  const auto dimensions = reduce.dimensions();
  if (dimensions.size() != 1 || dimensions[0] != last) return "does not fold the last dimension alone";
  if (!isConstantStart(*reduce.operand(1), capability)) return "does not start from a constant";
  if (!liesRowMajor(reduce.shape())) return "its result is not in row-major order";
  return isReadOnce(reduce) ? "" : "is read several times";
}

std::string broadcastRefusal(const Instruction& broadcast) {
  const auto last = static_cast<int64_t>(broadcast.shape().rank()) - 1;
  const auto dimensions = broadcast.dimensions();
  if (std::ranges::find(dimensions, last) != dimensions.end())
    return "does not repeat a number along its row";
  if (!liesRowMajor(broadcast.shape())) return "is not in row-major order";
  return isReadOnce(broadcast) ? "" : "is read several times";
}

NormalizationDiamond noDiamond(const Instruction& at, std::string_view whyNot) {
  return {.whyNot = fmt::format("no kernel of rows: {} {}", at.name(), whyNot)};
}

}  // namespace

NormalizationDiamond normalizationDiamond(Instruction& root, int64_t capability) {
  if (!isBinary(root)) return {};
  const Walk walk(capability);
  Instruction* broadcast = walk.upTo(Opcode::Broadcast, root.operand(1));
  if (broadcast == nullptr) return {};
  Instruction* reduce = walk.upTo(Opcode::Reduce, broadcast->operand(0));
  if (reduce == nullptr) return {};

  if (tritonRefusal(root, capability)) return noDiamond(root, "is nothing that Triton has");
  if (const auto refusal = reductionRefusal(*reduce, capability); !refusal.empty())
    return noDiamond(*reduce, refusal);
  if (const auto refusal = broadcastRefusal(*broadcast); !refusal.empty())
    return noDiamond(*broadcast, refusal);
  Instruction* producer = walk.toTheEnd(reduce->operand(0));
  if (!liesRowMajor(producer->shape())) return noDiamond(*producer, "is not in row-major order");
  if (!walk.leadsTo(*producer, root.operand(0)))
    return noDiamond(root, fmt::format("does not read {}, which {} folds", producer->name(), reduce->name()));
  return {.root = &root, .producer = producer};
}

std::vector<Instruction*> membersOf(const NormalizationDiamond& diamond) {
  absl::flat_hash_set<const Instruction*> pending = {diamond.root};
  std::vector<Instruction*> members;
  for (Instruction* i = diamond.root; !pending.empty(); i = i->previous()) {
    if (pending.erase(i) == 0) continue;
    members.push_back(i);
    for (Instruction* operand : i->operands()) {
      if (operand != diamond.producer && operand->opcode() != Opcode::Parameter) pending.insert(operand);
    }
  }
  return members;
}

}  // namespace hilo
