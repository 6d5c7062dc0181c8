#include "core/compiler/passes/reductions/scan_rewriter.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/compiler/passes/constants.h"
#include "core/compiler/passes/rewrite_each.h"
#include "core/compiler/passes/shape_ops.h"

namespace hilo {
namespace {

size_t dimensionOf(const Instruction& scan) { return static_cast<size_t>(scan.dimensions()[0]); }
int64_t lengthOf(const Instruction& scan) { return scan.operand(0)->shape().dimension(dimensionOf(scan)); }

// What it gives and what it carries on are the sum of what it gets.
bool addsUp(const Computation& step) {
  const Instruction& root = *step.root();
  if (root.opcode() != Opcode::Tuple || root.operandCount() != 2 || root.operand(0) != root.operand(1))
    return false;
  const Instruction& sum = *root.operand(0);
  return sum.opcode() == Opcode::Add && sum.operand(0) != sum.operand(1) &&
         std::ranges::all_of(sum.operands(),
                             [](const Instruction* o) { return o->opcode() == Opcode::Parameter; });
}

// Dead readers are not looked at.
bool isReadByElement(const Instruction& scan) {
  bool isRead = false;
  for (const Instruction* user : scan.users()) {
    if (user->users().empty() && !user->isRoot()) continue;
    if (user->opcode() != Opcode::GetTupleElement) return false;
    isRead = true;
  }
  return isRead;
}

bool isRunningSum(const Instruction& i) {
  if (i.opcode() != Opcode::Scan || i.isRoot() || i.operandCount() != 2 || !i.shape().isTuple() ||
      i.get<Attr::NumCarries>() != 1 || !i.get<Attr::IsAssociative>().value_or(false) ||
      !addsUp(*i.get<Attr::ToApply>()) || !isReadByElement(i))
    return false;
  const Shape shape = i.operand(0)->shape();
  const auto behind = shape.dimensions().subspan(dimensionOf(i) + 1);
  return liesRowMajor(shape) && shape == i.shape().tupleShapes()[0] && lengthOf(i) > 0 &&
         std::ranges::all_of(behind, [](int64_t size) { return size == 1; });
}

Instruction* call(Instruction& scan) {
  const Shape shape = scan.operand(0)->shape();
  // The workspace gets its size later.
  const Shape shapes[] = {shape, arrayLike(shape, ElementType::U8, std::array<int64_t, 1>{0})};
  Instruction* made =
      scan.parent().create(Opcode::CustomCall, Shape::tuple(shapes), {scan.operand(0)}, {}, &scan);
  made->set<Attr::CustomCallTarget>("xla.gpu.ext.cub_scan_unassigned_scratch_size");
  if (shape.layout() != nullptr) made->set<Attr::OperandLayoutConstraints>(std::array{shape});
  const bool isReverse = scan.get<Attr::IsReverse>().value_or(false);
  made->set<Attr::BackendConfig>(fmt::format(
      R"({{"vector_length":"1","row_length":"{}","column_length":"{}","kind":"SUM","is_reverse":{}}})",
      lengthOf(scan), shape.elementCount() / lengthOf(scan), isReverse));
  return elementOfTuple(made, 0, scan);
}

// Of every row, what the sum starts from.
Instruction* startEverywhere(Instruction& scan) {
  const Shape shape = scan.operand(0)->shape();
  std::vector<int64_t> dimensions;
  for (int64_t d = 0; d < static_cast<int64_t>(shape.rank()); ++d) {
    if (d != scan.dimensions()[0]) dimensions.push_back(d);
  }
  return broadcastTo(scan.operand(1), shape.dimensions(), dimensions, scan);
}

Instruction* totals(Instruction& scan, Instruction* sums) {
  std::vector<SliceRange> ranges;
  for (const int64_t size : sums->shape().dimensions()) ranges.push_back({.limit = size});
  SliceRange& along = ranges[dimensionOf(scan)];
  const bool isReverse = scan.get<Attr::IsReverse>().value_or(false);
  along = isReverse ? SliceRange{.limit = 1} : SliceRange{.start = along.limit - 1, .limit = along.limit};
  std::vector<int64_t> sizes(sums->shape().dimensions().begin(), sums->shape().dimensions().end());
  sizes[dimensionOf(scan)] = 1;
  Instruction* last = scan.parent().create(
      Opcode::Slice, arrayLike(sums->shape(), sums->shape().elementType(), sizes), {sums}, {}, &scan);
  last->set<Attr::Slice>(ranges);
  return reshapeTo(last, scan.shape().tupleShapes()[1].dimensions(), scan);
}

Instruction* rewritten(Instruction& scan) {
  Instruction* sums = call(scan);
  if (!algebra::isAll(*scan.operand(1), 0))
    sums = scan.parent().create(Opcode::Add, sums->shape(), {sums, startEverywhere(scan)}, {}, &scan);
  return scan.parent().create(Opcode::Tuple, scan.shape(), {sums, totals(scan, sums)}, {}, &scan);
}

}  // namespace

Result<bool> rewriteScans(Module& module, PassContext& context) {
  return rewriteEach(module, context, "rewritten", isRunningSum, rewritten);
}

}  // namespace hilo
