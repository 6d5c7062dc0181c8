#include "core/compiler/passes/memory/host_offload/host_calls.h"

#include <absl/container/flat_hash_map.h>

#include "core/analysis/call_graph.h"
#include "core/analysis/memory/memory_space.h"
#include "core/compiler/pass/clone_computation.h"
#include "core/compiler/pass/main_computations.h"
#include "core/compiler/passes/collectives/async_pair_maker.h"
#include "core/compiler/passes/memory/host_offload/placement_calls.h"
#include "core/compiler/passes/shape_ops.h"

namespace hilo {
namespace {

constexpr std::string_view kHostThread = "host";

bool isHostCall(const Instruction& i) {
  if (i.opcode() != Opcode::Call) return false;
  return isHostCompute(i) || i.get<Attr::BackendConfig>().find("DEVICE_TYPE_HOST") != std::string_view::npos;
}

// What the host runs is its own, at any depth; what is applied to elements belongs to nobody.
void takeToHost(Computation& computation) {
  setThread(computation, kHostThread);
  for (Instruction* i : computation.instructions()) {
    if (callContextOf(i->opcode()) != CallContext::ControlFlow) continue;
    for (Computation* called : i->calledComputations()) {
      Computation* copy = cloneComputation(*called, &computation);
      redirectCall(*i, called, copy);
      takeToHost(*copy);
    }
  }
}

Shape plainShape(Shape shape) {
  if (shape.isTuple()) {
    std::vector<Shape> parts;
    for (const Shape part : shape.tupleShapes()) parts.push_back(plainShape(part));
    return Shape::tuple(parts);
  }
  if (!shape.isArray() || shape.layout() == nullptr) return shape;
  Layout layout = *shape.layout();
  layout.tiles.clear();
  layout.memorySpace = kDeviceSpace;
  return shape.withLayout(&layout);
}

// The computation of a call, written anew for the host.
class HostWork {
 public:
  explicit HostWork(Instruction& call)
      : call_(call),
        made_(call.module().createComputation(
            call.module().uniqueName(fmt::format("{}.host", call.get<Attr::ToApply>()->name())),
            &call.parent())) {}

  // A call of it in front of the old one.
  Instruction* run() {
    const Computation& old = *call_.get<Attr::ToApply>();
    absl::flat_hash_map<const Instruction*, Instruction*> twins;
    for (size_t k = 0; k < old.parameters().size(); ++k)
      twins[old.parameters()[k]] = given(*call_.operand(k));
    for (const Instruction* i : old.instructions()) {
      if (i->opcode() == Opcode::Parameter) continue;
      std::vector<Instruction*> operands;
      for (const Instruction* operand : i->operands()) operands.push_back(twins.at(operand));
      twins[i] = made_->createLike(*i, operands);
    }
    made_->setRoot(twins.at(old.root()));
    for (Instruction* i : made_->instructions()) i->setShape(plainShape(i->shape()));
    takeToHost(*made_);
    Instruction* call = call_.parent().createLike(call_, operands_, &call_);
    call->set<Attr::ToApply>(made_);
    return call;
  }

 private:
  // The value of an operand within: of a tuple its parts, of a constant a copy, else a parameter.
  Instruction* given(Instruction& operand) {
    const Instruction& source = isMoveToHost(operand) ? *operand.operand(0) : operand;
    if (source.opcode() == Opcode::Constant) return made_->createLike(source, {});
    if (!operand.shape().isTuple()) {
      operands_.push_back(&operand);
      return made_->createParameter(static_cast<int64_t>(operands_.size()) - 1, operand.shape());
    }
    std::vector<Instruction*> parts;
    for (size_t k = 0; k < operand.shape().tupleShapes().size(); ++k) {
      const bool isMade = operand.opcode() == Opcode::Tuple;
      parts.push_back(
          given(isMade ? *operand.operand(k) : *elementOfTuple(&operand, static_cast<int64_t>(k), call_)));
    }
    return made_->create(Opcode::Tuple, operand.shape(), parts);
  }

  Instruction& call_;
  Computation* made_;
  std::vector<Instruction*> operands_;
};

void start(Instruction& old) {
  Computation& computation = old.parent();
  Instruction* call = HostWork(old).run();
  const Shape context[] = {Shape::scalar(ElementType::U32)};
  const AsyncPair pair = wrappedAsync(*call, context);
  runOnThread(pair, kHostThread);
  computation.replaceAllUses(&old, pair.done);
  computation.remove(call);
  computation.remove(&old);
}

}  // namespace

Result<bool> startHostCalls(Module& module, PassContext& context) {
  TRY(const CallGraph graph, CallGraph::build(module));
  std::vector<Instruction*> calls;
  for (Computation* computation : unfusedComputations(module)) {
    if (!graph.runsInstructions(*computation)) continue;
    for (Instruction* i : computation->instructions()) {
      if (isHostCall(*i)) calls.push_back(i);
    }
  }
  for (size_t k = 0; k < calls.size(); ++k) {
    if (context.cancelled() || !context.mayChange(*calls[k])) return k > 0;
    context.remark(*calls[k], "started", "the host runs it beside the device's work");
    start(*calls[k]);
  }
  return !calls.empty();
}

}  // namespace hilo
