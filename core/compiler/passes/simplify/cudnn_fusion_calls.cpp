#include "core/compiler/passes/simplify/cudnn_fusion_calls.h"

#include "core/compiler/pass/clone_computation.h"
#include "core/compiler/passes/rewrite_each.h"

namespace hilo {
namespace {

constexpr std::string_view kTarget = "__cudnn$fusion";

bool isCudnnFusion(const Instruction& i) {
  return i.opcode() == Opcode::CustomCall && i.get<Attr::CustomCallTarget>() == kTarget &&
         i.calledComputations().size() == 1;
}

Instruction* fused(Instruction& call) {
  Instruction* fusion = call.parent().create(Opcode::Fusion, call.shape(), call.operands(), {}, &call);
  fusion->set<Attr::FusionKindKind>(FusionKind::Custom);
  fusion->set<Attr::Calls>(cloneComputation(*call.calledComputations()[0], &call.parent()));
  fusion->set<Attr::BackendConfig>(fmt::format(R"({{"fusion_backend_config":{{"kind":"{}"}}}})", kTarget));
  if (const OpMetadata* metadata = call.get<Attr::Metadata>()) fusion->set<Attr::Metadata>(metadata);
  return fusion;
}

}  // namespace

Result<bool> convertCudnnCalls(Module& module, PassContext& context) {
  return rewriteEach(module, context, "converted", isCudnnFusion, fused);
}

}  // namespace hilo
