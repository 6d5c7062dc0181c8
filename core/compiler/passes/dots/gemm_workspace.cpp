#include "core/compiler/passes/dots/gemm_workspace.h"

#include <algorithm>

#include "core/compiler/passes/dots/gemm_call.h"
#include "core/compiler/passes/shape_ops.h"

namespace hilo {
namespace {

bool lacksWorkspace(const Instruction& i) {
  if (i.opcode() != Opcode::CustomCall || !i.shape().isArray()) return false;
  const std::string_view target = i.get<Attr::CustomCallTarget>();
  return target == "__cublas$gemm" || target == "__cublas$lt$matmul" || target == kF8Gemm;
}

// __cublas$gemm needs no more than a copy of what it reads.
int64_t workspaceOf(const Instruction& call, int64_t bytes) {
  if (call.get<Attr::CustomCallTarget>() != "__cublas$gemm") return bytes;
  int64_t read = 0;
  for (const Instruction* operand : call.operands()) read += operand->shape().byteSize();
  return std::min(bytes, read);
}

// What was the result is the first element now.
void moveAliases(Instruction& call) {
  if (!call.has(Attr::OutputToOperandAliasing)) return;
  constexpr int64_t kFirst[] = {0};
  std::vector<AliasEntry> aliases;
  for (AliasEntry alias : call.get<Attr::OutputToOperandAliasing>()) {
    alias.outputIndex = kFirst;
    aliases.push_back(alias);
  }
  call.set<Attr::OutputToOperandAliasing>(aliases);
}

}  // namespace

bool addGemmWorkspaces(Computation& computation, int64_t bytes, PassContext& context) {
  std::vector<Instruction*> calls;
  for (Instruction* i : computation.instructions()) {
    if (lacksWorkspace(*i)) calls.push_back(i);
  }
  bool changed = false;
  for (Instruction* call : calls) {
    if (context.cancelled() || !context.mayChange(*call)) return changed;
    context.remark(*call, "rewritten", "has a workspace");
    const std::vector<Instruction*> operands(call->operands().begin(), call->operands().end());
    const int64_t size = workspaceOf(*call, bytes);
    Instruction* made = computation.createLike(*call, operands, call);
    made->setShape(Shape::tuple(
        std::array{call->shape(), arrayLike(call->shape(), ElementType::S8, std::span(&size, 1))}));
    moveAliases(*made);
    computation.replaceAllUses(call, elementOfTuple(made, 0, *call));
    computation.remove(call);
    changed = true;
  }
  return changed;
}

}  // namespace hilo
