#include "core/compiler/passes/collectives/sync_collectives.h"

#include "core/analysis/async_chain.h"
#include "core/analysis/async_op.h"
#include "core/compiler/pass/main_computations.h"
#include "core/compiler/passes/control_edges.h"

namespace hilo {
namespace {

std::optional<Opcode> syncOpcode(Opcode start) {
  const AsyncFacts facts = asyncFacts(start);
  const bool isStart = facts.step == AsyncStep::Start && isCollectiveCommunication(facts.whole);
  return isStart ? std::optional(facts.whole) : std::nullopt;
}

// The collective alone in the computation a start wraps.
const Instruction* wrappedCollective(const Instruction& start) {
  const Instruction* wrapped = asyncWrappedInstruction(start);
  const bool isAlone = wrapped != nullptr && isCollectiveCommunication(wrapped->opcode()) &&
                       wrapped->parent().instructionCount() == wrapped->operandCount() + 1;
  if (!isAlone) return nullptr;
  for (size_t i = 0; i < wrapped->operandCount(); ++i) {
    const Instruction& operand = *wrapped->operand(i);
    if (operand.opcode() != Opcode::Parameter || operand.parameterNumber() != static_cast<int64_t>(i))
      return nullptr;
  }
  return wrapped;
}

class Converter {
 public:
  Converter(Computation& computation, PassContext& context, bool all)
      : computation_(computation), context_(context), all_(all) {}

  bool run() {
    std::vector<Instruction*> dones;
    for (Instruction* i : computation_.instructions()) {
      const CanonicalAsyncOp op = canonicalAsyncOp(*i, false);
      if (op.role == AsyncRole::Done && isCollectiveCommunication(op.inner)) dones.push_back(i);
    }
    for (Instruction* done : dones) tryOne(*done);
    if (replacedBy_.empty()) return false;
    redirectControlPredecessors(computation_, replacedBy_);
    for (Instruction* done : dones) {
      if (!replacedBy_.contains(done)) continue;
      Instruction* start = done->operand(0);
      done->erase(Attr::ControlPredecessors);
      start->erase(Attr::ControlPredecessors);
      computation_.remove(done);
      computation_.remove(start);
    }
    return true;
  }

 private:
  void tryOne(Instruction& done) {
    Instruction* start = done.operand(0);
    if (start->users().size() != 1) return miss(done, "something else reads its start");
    const bool isWrapped = start->opcode() == Opcode::AsyncStart;
    const Instruction* wrapped = isWrapped ? wrappedCollective(*start) : nullptr;
    if (isWrapped ? wrapped == nullptr : !syncOpcode(start->opcode()).has_value())
      return miss(done, "its start is not in this computation, or does more");
    if (!all_) {
      if (const Instruction* between = workBetween(*start, done))
        return miss(done, fmt::format("%{} runs meanwhile", between->name()));
    }
    if (context_.mayChange(done)) convert(*start, done, wrapped);
  }

  void miss(const Instruction& done, std::string why) {
    context_.remark(done, "missed", fmt::format("stays asynchronous: {}", why));
  }

  static const Instruction* workBetween(const Instruction& start, const Instruction& done) {
    for (const Instruction* i = start.next(); i != nullptr && i != &done; i = i->next()) {
      if (!isNopForScheduling(*i)) return i;
    }
    return nullptr;
  }

  void convert(Instruction& start, Instruction& done, const Instruction* wrapped) {
    Instruction* sync = nullptr;
    if (wrapped != nullptr) {
      sync = computation_.createLike(*wrapped, start.operands(), &done);
      copyAttributes(start, *sync, {Attr::FrontendAttributes, Attr::Metadata, Attr::BackendConfig});
    } else {
      sync = computation_.create(*syncOpcode(start.opcode()), done.shape(), start.operands(), {}, &done);
      for (const Attribute& attribute : start.attributes()) {
        if (attribute.key != Attr::ControlPredecessors && attribute.key != Attr::UniqueId)
          sync->attributeList().append(computation_.module().arena(), attribute);
      }
      computation_.module().recordProvenance(sync->id(), start.id());
    }
    sync->setShape(done.shape());
    std::vector<Instruction*> before;
    for (const Instruction* half : {&start, &done}) {
      for (Instruction* predecessor : half->get<Attr::ControlPredecessors>()) {
        if (predecessor != &start && std::ranges::find(before, predecessor) == before.end())
          before.push_back(predecessor);
      }
    }
    if (!before.empty()) sync->set<Attr::ControlPredecessors>(std::span<Instruction* const>(before));
    context_.remark(done, "synchronous", fmt::format("%{} in place of the start and the done", sync->name()));
    computation_.replaceAllUses(&done, sync);
    replacedBy_[&start] = replacedBy_[&done] = sync;
  }

  void copyAttributes(const Instruction& from, Instruction& to, std::initializer_list<Attr> keys) {
    for (const Attr key : keys) {
      const Attribute* attribute = from.find(key);
      if (attribute != nullptr && !to.has(key))
        to.attributeList().append(computation_.module().arena(), *attribute);
    }
  }

  Computation& computation_;
  PassContext& context_;
  const bool all_;
  absl::flat_hash_map<const Instruction*, Instruction*> replacedBy_;
};

}  // namespace

Result<bool> makeCollectivesSync(Module& module, PassContext& context, bool all) {
  if (!all && !module.isScheduled()) {
    return fail("not-scheduled", "what runs between a start and its done is known of scheduled modules", {},
                {"--passes=disable-async-collectives makes all of them synchronous"});
  }
  bool changed = false;
  for (Computation* computation : mainComputations(module)) {
    if (context.cancelled()) return changed;
    changed |= Converter(*computation, context, all).run();
  }
  return changed;
}

Result<bool> makeUnhiddenCollectivesSync(Module& module, PassContext& context) {
  return makeCollectivesSync(module, context, false);
}
Result<bool> makeAllCollectivesSync(Module& module, PassContext& context) {
  return makeCollectivesSync(module, context, true);
}

}  // namespace hilo
