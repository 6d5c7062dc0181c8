#include "core/compiler/passes/fusion/partial_sort_fusion.h"

#include <fmt/format.h>

#include "core/analysis/call_graph.h"
#include "core/analysis/partial_sort.h"

namespace hilo {
namespace {

void fuse(const PartialSort& part) {
  Computation& outer = part.sort->parent();
  Module& module = outer.module();
  Computation* fused = module.createComputation(module.uniqueName("first_of_sort"), &outer);
  std::vector<Instruction*> operands(part.sort->operands().begin(), part.sort->operands().end()), parameters;
  for (Instruction* operand : operands)
    parameters.push_back(fused->createParameter(static_cast<int64_t>(parameters.size()), operand->shape()));
  absl::flat_hash_map<const Instruction*, Instruction*> inner;
  inner[part.sort] = fused->createLike(*part.sort, parameters);
  const auto copyOn = [&](const Instruction& original, Instruction* operand) {
    return fused->createLike(original, {&operand, 1});
  };
  std::vector<Instruction*> results;
  std::vector<Shape> shapes;
  for (const auto& [slice, array] : part.slices) {
    Instruction* from = slice->operand(0);
    if (!inner.contains(from)) inner[from] = copyOn(*from, inner.at(part.sort));
    results.push_back(copyOn(*slice, inner.at(from)));
    shapes.push_back(slice->shape());
  }
  const bool isOne = results.size() == 1;
  const Shape shape = isOne ? shapes[0] : Shape::tuple(shapes);
  fused->setRoot(isOne ? results[0] : fused->create(Opcode::Tuple, shape, results));
  Instruction* fusion =
      outer.create(Opcode::Fusion, shape, operands, module.uniqueName("first_of_sort_fusion"), part.sort);
  fusion->set<Attr::FusionKindKind>(FusionKind::Custom);
  fusion->set<Attr::Calls>(fused);
  if (const OpMetadata* metadata = part.sort->get<Attr::Metadata>()) fusion->set<Attr::Metadata>(metadata);
  for (size_t i = 0; i < part.slices.size(); ++i) {
    Instruction* slice = part.slices[i].slice;
    Instruction* value = fusion;
    if (!isOne) {
      value = outer.create(Opcode::GetTupleElement, slice->shape(), {fusion}, {}, slice);
      value->set<Attr::Index>(static_cast<int64_t>(i));
    }
    outer.replaceAllUses(slice, value);
  }
}

}  // namespace

Result<bool> fusePartialSorts(Module& module, PassContext& context) {
  TRY(const CallGraph graph, CallGraph::build(module));
  const std::vector<Computation*> computations(module.computations().begin(), module.computations().end());
  bool changed = false;
  for (Computation* computation : computations) {
    const CallContext calls = graph.node(*computation).context;
    if (calls == CallContext::Embedded || calls == CallContext::Both) continue;
    for (Instruction* instruction : computation->instructions()) {
      if (context.cancelled()) return changed;
      const auto part = partialSort(*instruction);
      if (!part) continue;
      if (!context.mayChange(*instruction)) return changed;
      context.remark(*instruction, "fused",
                     fmt::format("only the first {} of each line are used", part->kept));
      fuse(*part);
      changed = true;
    }
  }
  return changed;
}

}  // namespace hilo
