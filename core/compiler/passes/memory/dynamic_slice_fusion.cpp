#include "core/compiler/passes/memory/dynamic_slice_fusion.h"

#include <algorithm>

#include "core/compiler/pass/main_computations.h"
#include "core/compiler/passes/gpu_config.h"
#include "core/compiler/passes/memory/slice_fusion_body.h"
#include "core/compiler/passes/move_readers.h"
#include "core/compiler/passes/shape_ops.h"
#include "core/hlo/ir/side_effects.h"

namespace hilo {
namespace {

constexpr std::string_view kConfig =
    R"({"fusion_backend_config":{"kind":"__custom_fusion","custom_fusion_config":{"name":"dynamic_slice_fusion"}}})";

bool isLibraryCall(const Instruction& i) {
  if (i.opcode() != Opcode::CustomCall) return false;
  if (i.get<Attr::ApiVersion>() == CustomCallApiVersion::TypedFfi) return true;
  const std::string epilogue = gpuConfig(i, "gemm_backend_config", "epilogue");
  return i.get<Attr::CustomCallTarget>() == "__cublas$lt$matmul" &&
         (epilogue.empty() || epilogue == "DEFAULT");
}

bool isTied(const Instruction& i) { return i.has(Attr::ControlPredecessors) || i.wasControlPredecessor(); }

bool isFused(const Instruction& i) {
  if (!isLibraryCall(i) || isTied(i) || hasSideEffect(i)) return false;
  const auto isArray = [](Shape shape) { return shape.isArray(); };
  const bool isFlat =
      i.shape().isTuple() ? std::ranges::all_of(i.shape().tupleShapes(), isArray) : i.shape().isArray();
  return isFlat &&
         std::ranges::all_of(i.operands(), [](const Instruction* o) { return o->shape().isArray(); });
}

// What is read of a tuple are elements.
bool isReadByElements(const Instruction& call) {
  return !call.shape().isTuple() || std::ranges::all_of(call.users(), [](const Instruction* user) {
    return user->opcode() == Opcode::GetTupleElement;
  });
}

// The last of what the fusion does: it stands there.
Instruction* lastOf(Instruction& call, const SlicePaths& paths) {
  absl::flat_hash_set<const Instruction*> updates;
  for (const SlicedResult& result : paths.results) {
    if (result.update != nullptr) updates.insert(result.update);
  }
  Instruction* last = &call;
  for (Instruction* i = &call; i != nullptr && !updates.empty(); i = i->next()) {
    if (updates.erase(i) > 0) last = i;
  }
  return last;
}

class SliceFusionMaker {
 public:
  SliceFusionMaker(Instruction& call, const SlicePaths& paths)
      : call_(call), paths_(paths), computation_(call.parent()), end_(lastOf(call, paths)) {}

  Instruction* make(const SliceFusionBody& body) {
    Computation* computed = body.make();
    Module& module = call_.module();
    fusion_ = computation_.create(Opcode::Fusion, computed->root()->shape(), body.operands(),
                                  module.uniqueName("dynamic_slice_fusion"), end_);
    fusion_->set<Attr::FusionKindKind>(FusionKind::Custom);
    fusion_->set<Attr::Calls>(computed);
    fusion_->set<Attr::BackendConfig>(kConfig);
    if (const OpMetadata* metadata = call_.get<Attr::Metadata>()) fusion_->set<Attr::Metadata>(metadata);
    if (!paths_.hasUpdates()) {
      computation_.replaceAllUses(&call_, fusion_);
      computation_.remove(&call_);
      return fusion_;
    }
    Instruction* const previous = call_.previous();
    for (const SlicedResult& result : paths_.results) replace(result);
    removeDead();
    moveReadersBehind(previous == nullptr ? *computation_.first() : *previous, *fusion_, made_);
    return fusion_;
  }

 private:
  void replace(const SlicedResult& result) {
    const bool isTuple = call_.shape().isTuple();
    if (isTuple && result.element == nullptr) return;
    Instruction* given = isTuple ? made(elementOfTuple(fusion_, result.index, *end_)) : fusion_;
    std::vector<Instruction*> heads;
    for (Instruction* user : call_.users()) {
      if (isTuple && user->tupleIndex() == result.index) heads.push_back(user);
    }
    if (!isTuple) heads.push_back(&call_);
    for (Instruction* head : heads) {
      if (result.update == nullptr)
        computation_.replaceAllUses(head, given);
      else
        readBack(*head, result, given);
    }
    if (result.update != nullptr) computation_.replaceAllUses(result.update, given);
    dead_.insert(dead_.end(), {result.update});
    dead_.insert(dead_.end(), result.path.rbegin(), result.path.rend());
    if (isTuple) dead_.insert(dead_.end(), heads.begin(), heads.end());
  }

  // Others that read what is written read it where it is.
  void readBack(Instruction& head, const SlicedResult& result, Instruction* given) {
    const Instruction* next = result.path.empty() ? result.update : result.path[0];
    std::vector<Instruction*> others;
    for (Instruction* user : head.users()) {
      if (user != next) others.push_back(user);
    }
    if (others.empty()) return;
    const Instruction& update = *result.update;
    std::vector<Instruction*> operands = {given};
    operands.insert(operands.end(), update.operands().begin() + 2, update.operands().end());
    const Shape part = update.operand(1)->shape();
    Instruction* value = made(computation_.create(Opcode::DynamicSlice, part, operands, {}, end_));
    value->set<Attr::DynamicSliceSizes>(part.dimensions());
    if (part != head.shape()) value = made(bitcastTo(value, head.shape(), *end_));
    for (Instruction* user : others) {
      for (size_t n = 0; n < user->operandCount(); ++n) {
        if (user->operand(n) == &head) user->setOperand(n, value);
      }
    }
  }

  Instruction* made(Instruction* instruction) {
    made_.push_back(instruction);
    return instruction;
  }

  void removeDead() {
    dead_.push_back(&call_);
    for (Instruction* dead : dead_) {
      if (dead != nullptr && dead->users().empty() && !dead->isRoot()) computation_.remove(dead);
    }
  }

  Instruction& call_;
  const SlicePaths& paths_;
  Computation& computation_;
  Instruction* end_;
  Instruction* fusion_ = nullptr;
  std::vector<Instruction*> made_, dead_;
};

// Whether the call gives what its fusion would read, or an offset at which it would write.
bool feedsItself(Instruction& call, const SlicePaths& paths, const SliceFusionBody& body) {
  std::vector<Instruction*> read = body.operands();
  for (const SlicedResult& result : paths.results) {
    if (result.update == nullptr) continue;
    const auto operands = result.update->operands();
    read.insert(read.end(), operands.begin() + 2, operands.end());
  }
  return leadsToAnyBefore(call, *lastOf(call, paths), read);
}

bool fuse(Instruction& call, PassContext& context, const DynamicSliceFusionSettings& settings) {
  const SlicePaths paths = slicePathsOf(call, settings);
  if (paths.isEmpty()) return false;
  const SliceFusionBody body(call, paths);
  if ((paths.hasUpdates() && !isReadByElements(call)) || feedsItself(call, paths, body)) {
    context.remark(call, "missed",
                   "what it gives leads to something that its slices are cut from or written to");
    return false;
  }
  if (!context.mayChange(call)) return false;
  context.remark(call, "fused", "with the slices it reads and writes");
  SliceFusionMaker(call, paths).make(body);
  return true;
}

}  // namespace

Result<bool> fuseDynamicSlices(Module& module, PassContext& context,
                               const DynamicSliceFusionSettings& settings) {
  bool changed = false;
  for (Computation* computation : unfusedComputations(module)) {
    std::vector<Instruction*> calls;
    for (Instruction* i : computation->instructions()) {
      if (isFused(*i)) calls.push_back(i);
    }
    for (Instruction* call : calls) {
      if (context.cancelled()) return changed;
      changed |= fuse(*call, context, settings);
    }
  }
  return changed;
}

}  // namespace hilo
