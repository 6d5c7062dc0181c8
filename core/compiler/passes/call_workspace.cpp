#include "core/compiler/passes/call_workspace.h"

#include <algorithm>

#include "core/analysis/saturating.h"
#include "core/compiler/passes/control_edges.h"
#include "core/compiler/passes/shape_ops.h"

namespace hilo {
namespace {

int64_t roundedUp(int64_t bytes) {
  constexpr int64_t kAlign = 256;
  return saturatingMultiply(saturatingAdd(bytes, kAlign - 1) / kAlign, kAlign);
}

}  // namespace

bool mayGetWorkspace(const Instruction& call) {
  return !call.isRoot() && std::ranges::all_of(call.users(), [](const Instruction* user) {
    return user->opcode() == Opcode::GetTupleElement;
  });
}

void giveWorkspace(Instruction& call, const SizedCall& sized, PassContext& context) {
  const int64_t bytes = roundedUp(sized.bytes);
  std::vector<Shape> shapes(call.shape().tupleShapes().begin(), call.shape().tupleShapes().end());
  shapes.back() = arrayLike(call.operand(0)->shape(), ElementType::U8, std::vector<int64_t>{bytes});
  Instruction* made = call.parent().createLike(call, call.operands(), &call);
  made->setShape(Shape::tuple(shapes));
  made->set<Attr::CustomCallTarget>(sized.target);
  made->set<Attr::ApiVersion>(CustomCallApiVersion::TypedFfi);
  made->set<Attr::BackendConfig>(sized.config);
  context.remark(call, "sized", fmt::format("{} bytes of workspace", bytes));
  redirectControlPredecessors(call.parent(), {{&call, made}});
  // The workspace, whose shape is another, is read by nobody.
  call.parent().replaceAllUses(&call, made);
  for (Instruction* user : made->users())
    user->setShape(made->shape().tupleShapes()[static_cast<size_t>(user->tupleIndex())]);
  call.parent().remove(&call);
}

}  // namespace hilo
