#include "core/compiler/passes/dots/triangular_solve_rewriter.h"

#include "core/compiler/pass/main_computations.h"
#include "core/compiler/passes/shape_ops.h"

namespace hilo {
namespace {

// Addresses of the two matrices of each batch; of one matrix none are needed.
int64_t workspaceBytes(Shape shape) {
  int64_t batch = 1;
  for (size_t d = 0; d + 2 < shape.rank(); ++d) batch *= shape.dimension(d);
  return batch == 1 ? 0 : 2 * batch * static_cast<int64_t>(sizeof(void*));
}

Instruction* callOf(Instruction& solve) {
  Computation& computation = solve.parent();
  const std::vector<int64_t> bytes = {workspaceBytes(solve.operand(1)->shape())};
  const std::vector<Shape> results = {solve.shape(), arrayLike(solve.shape(), ElementType::S8, bytes)};
  Instruction* call = computation.create(Opcode::CustomCall, Shape::tuple(results), solve.operands(),
                                         solve.module().uniqueName("triangular-solve"), &solve);
  call->set<Attr::CustomCallTarget>("__cublas$triangularSolve");
  constexpr std::string_view kTransposes[] = {"TRANSPOSE_INVALID", "NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"};
  const auto transpose = solve.get<Attr::TransposeAKind>().value_or(TransposeA::NoTranspose);
  call->set<Attr::BackendConfig>(fmt::format(
      R"({{"left_side":{},"lower":{},"unit_diagonal":{},"transpose_a":"{}"}})",
      solve.get<Attr::LeftSide>().value_or(false), solve.get<Attr::Lower>().value_or(false),
      solve.get<Attr::UnitDiagonal>().value_or(false), kTransposes[static_cast<size_t>(transpose)]));
  if (const OpMetadata* metadata = solve.get<Attr::Metadata>()) call->set<Attr::Metadata>(metadata);
  Instruction* result = computation.create(Opcode::GetTupleElement, solve.shape(), {call}, {}, &solve);
  result->set<Attr::Index>(0);
  return result;
}

}  // namespace

Result<bool> rewriteTriangularSolves(Module& module, PassContext& context) {
  bool changed = false;
  for (Computation* computation : unfusedComputations(module)) {
    for (Instruction* solve : computation->instructions()) {
      if (context.cancelled()) return changed;
      if (solve->opcode() != Opcode::TriangularSolve || solve->has(Attr::ControlPredecessors)) continue;
      if (!context.mayChange(*solve)) return changed;
      computation->replaceAllUses(solve, callOf(*solve));
      computation->remove(solve);
      changed = true;
    }
  }
  return changed;
}

}  // namespace hilo
