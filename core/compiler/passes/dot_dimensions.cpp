#include "core/compiler/passes/dot_dimensions.h"

#include <algorithm>

namespace hilo {

DotSide dotSide(const Instruction& dot, size_t side) {
  const auto batch = side == 0 ? dot.get<Attr::LhsBatchDims>() : dot.get<Attr::RhsBatchDims>();
  const auto summed = side == 0 ? dot.get<Attr::LhsContractingDims>() : dot.get<Attr::RhsContractingDims>();
  DotSide of{
      .batch = {batch.begin(), batch.end()}, .free = {}, .contracting = {summed.begin(), summed.end()}};
  for (int64_t d = 0; d < static_cast<int64_t>(dot.operand(side)->shape().rank()); ++d) {
    if (std::ranges::find(batch, d) == batch.end() && std::ranges::find(summed, d) == summed.end())
      of.free.push_back(d);
  }
  return of;
}

void setDotSide(Instruction& dot, size_t side, std::span<const int64_t> batch,
                std::span<const int64_t> contracting) {
  const auto put = [&]<Attr A>(std::span<const int64_t> dims) {
    if (dims.empty()) {
      dot.erase(A);
    } else {
      dot.set<A>(dims);
    }
  };
  if (side == 0) {
    put.operator()<Attr::LhsBatchDims>(batch);
    put.operator()<Attr::LhsContractingDims>(contracting);
  } else {
    put.operator()<Attr::RhsBatchDims>(batch);
    put.operator()<Attr::RhsContractingDims>(contracting);
  }
}

bool isCanonicalDot(const Instruction& dot) {
  for (size_t side = 0; side < 2; ++side) {
    const DotSide of = dotSide(dot, side);
    if (of.contracting.size() != 1 || of.free.size() > 1) return false;
    for (size_t i = 0; i < of.batch.size(); ++i) {
      if (of.batch[i] != static_cast<int64_t>(i)) return false;
    }
  }
  return true;
}

bool isMatrixProduct(const Instruction& dot) {
  bool hasRows = false;
  for (size_t side = 0; side < 2; ++side) {
    const DotSide of = dotSide(dot, side);
    const Shape shape = dot.operand(side)->shape();
    if (of.contracting.size() != 1 || of.free.size() > 1) return false;
    if (std::ranges::find(of.batch, static_cast<int64_t>(shape.rank()) - 1) != of.batch.end()) return false;
    hasRows |= of.free.size() == 1 && shape.dimension(static_cast<size_t>(of.free[0])) != 1;
    if (of.batch.size() > 1 && !isCanonicalDot(dot)) return false;
  }
  return hasRows;
}

}  // namespace hilo
