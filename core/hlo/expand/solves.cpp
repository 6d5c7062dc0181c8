// Triangular systems and Cholesky factors, for which HLO has operations.
#include "core/hlo/expand/expansion.h"
#include "core/hlo/ir/enums.h"

namespace hilo::library {
namespace {

// 1 for each matrix that has a NaN.
Instruction* withoutFactor(const Expansion& call, Instruction* factor, Shape info) {
  Instruction* isNan =
      call.add(Opcode::Compare, factor->shape().withElementType(ElementType::Pred), {factor, factor});
  isNan->set<Attr::Direction>(ComparisonDirection::Ne);
  const auto rank = static_cast<int64_t>(factor->shape().rank());
  Instruction* any = call.reduce(isNan, std::array{rank - 2, rank - 1}, Opcode::Or, 0);
  return call.convert(any, info.elementType());
}

}  // namespace

// Operands: A, B. Results: X, workspace.
Result<Instruction*> expandTriangularSolve(Expansion& call) {
  TRY_STATUS(call.needsOperands(2, 2));
  TRY_STATUS(call.needsResults(1, 2));
  TRY(const CallConfig config, call.config());
  const auto transposed = enumFromText<TransposeA>(config.text("transpose_a", "NO_TRANSPOSE"));
  if (!transposed) return call.refuse("has an unknown transpose_a");
  Instruction* solution =
      call.add(Opcode::TriangularSolve, call.result(0), {call.operand(0), call.operand(1)});
  solution->set<Attr::LeftSide>(config.flag("left_side", false));
  solution->set<Attr::Lower>(config.flag("lower", false));
  solution->set<Attr::UnitDiagonal>(config.flag("unit_diagonal", false));
  solution->set<Attr::TransposeAKind>(*transposed);
  return call.give({solution});
}

// Operand: A. Results: the factor, workspace, whether there is none, a number a matrix.
Result<Instruction*> expandCholesky(Expansion& call) {
  TRY_STATUS(call.needsOperands(1, 1));
  TRY_STATUS(call.needsResults(3, 3));
  TRY(const CallConfig config, call.config());
  if (call.result(0).rank() < 2) return call.malformed("gives no matrix");
  Instruction* factor = call.add(Opcode::Cholesky, call.result(0), {call.operand(0)});
  factor->set<Attr::Lower>(config.flag("lower", false));
  return call.give({factor, call.zeros(call.result(1)), withoutFactor(call, factor, call.result(2))});
}

// Operand: A. Results: the factor, whether there is none. uplo is a letter.
Result<Instruction*> expandPotrf(Expansion& call) {
  TRY_STATUS(call.needsOperands(1, 1));
  TRY_STATUS(call.needsResults(2, 2));
  TRY(const CallConfig config, call.config());
  if (call.result(0).rank() < 2) return call.malformed("gives no matrix");
  Instruction* factor = call.add(Opcode::Cholesky, call.result(0), {call.operand(0)});
  factor->set<Attr::Lower>(config.number("uplo", 'U') == 'L' || config.flag("lower", false));
  return call.give({factor, withoutFactor(call, factor, call.result(1))});
}

// Operands: A, B. Result: X. The attributes are LAPACK's letters.
Result<Instruction*> expandTrsm(Expansion& call) {
  TRY_STATUS(call.needsOperands(2, 2));
  TRY_STATUS(call.needsResults(1, 1));
  TRY(const CallConfig config, call.config());
  const auto is = [&](const char* name, char letter) { return config.number(name, 0) == letter; };
  for (const auto& [name, letters] :
       {std::pair("side", "LR"), {"uplo", "LU"}, {"diag", "NU"}, {"trans_x", "NTC"}}) {
    if (std::string_view(letters).find(static_cast<char>(config.number(name, 0))) == std::string_view::npos)
      return call.refuse(fmt::format("has an unknown {}", name));
  }
  Instruction* solution =
      call.add(Opcode::TriangularSolve, call.result(0), {call.operand(0), call.operand(1)});
  solution->set<Attr::LeftSide>(is("side", 'L'));
  solution->set<Attr::Lower>(is("uplo", 'L'));
  solution->set<Attr::UnitDiagonal>(is("diag", 'U'));
  solution->set<Attr::TransposeAKind>(is("trans_x", 'T')   ? TransposeA::Transpose
                                      : is("trans_x", 'C') ? TransposeA::Adjoint
                                                           : TransposeA::NoTranspose);
  return call.give({solution});
}

}  // namespace hilo::library
