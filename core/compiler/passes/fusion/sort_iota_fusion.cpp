#include "core/compiler/passes/fusion/sort_iota_fusion.h"

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include <algorithm>

#include "core/compiler/passes/rewrite_each.h"

namespace hilo {
namespace {

bool isIota(const Instruction* i) { return i->opcode() == Opcode::Iota; }

bool sortsIota(const Instruction& i) {
  return i.opcode() == Opcode::Sort && std::ranges::any_of(i.operands(), isIota);
}

Instruction* fused(Instruction& sort) {
  Module& module = sort.module();
  Computation* body =
      module.createComputation(module.uniqueName(fmt::format("fused_{}", sort.name())), &sort.parent());
  absl::flat_hash_map<const Instruction*, Instruction*> inner;
  std::vector<Instruction*> read, operands;
  for (Instruction* operand : sort.operands()) {
    if (!inner.contains(operand) && isIota(operand)) inner[operand] = body->createLike(*operand, {});
    if (!inner.contains(operand)) {
      inner[operand] = body->createParameter(static_cast<int64_t>(read.size()), operand->shape());
      read.push_back(operand);
    }
    operands.push_back(inner.at(operand));
  }
  body->setRoot(body->createLike(sort, operands));
  Instruction* fusion = sort.parent().create(Opcode::Fusion, sort.shape(), read, {}, &sort);
  fusion->set<Attr::FusionKindKind>(FusionKind::Custom);
  fusion->set<Attr::Calls>(body);
  if (const OpMetadata* metadata = sort.get<Attr::Metadata>()) fusion->set<Attr::Metadata>(metadata);
  return fusion;
}

}  // namespace

Result<bool> fuseSortsWithIotas(Module& module, PassContext& context) {
  return rewriteEach(module, context, "fused", sortsIota, fused);
}

}  // namespace hilo
