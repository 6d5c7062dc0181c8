#include "core/compiler/passes/canonicalize/topk_splitter.h"

#include <algorithm>
#include <bit>

#include "core/compiler/passes/constants.h"
#include "core/compiler/passes/rewrite_each.h"
#include "core/compiler/passes/shape_ops.h"

namespace hilo {
namespace {

constexpr int64_t kAlignment = 1024, kMostParts = 1024;

int64_t sizeOf(const Instruction& topk) { return topk.operand(0)->shape().dimensions().back(); }
int64_t countOf(const Instruction& topk) { return topk.shape().tupleShapes()[0].dimensions().back(); }

// Of one row. More than the root of all are about as much to find among parts as to sort.
bool isLong(const Instruction& i, const TopKParts& parts) {
  if (i.opcode() != Opcode::CustomCall || i.get<Attr::CustomCallTarget>() != "TopK" ||
      i.operandCount() != 1 || !i.shape().isTuple() || i.shape().tupleShapes().size() != 2 ||
      i.get<Attr::ToApply>() == nullptr)
    return false;
  const Shape data = i.operand(0)->shape();
  const bool isRow = data.rank() == 1 || (data.rank() == 2 && data.dimension(0) == 1);
  return isRow && liesRowMajor(data) && sizeOf(i) > parts.longest && sizeOf(i) % kAlignment == 0 &&
         countOf(i) * countOf(i) <= sizeOf(i);
}

// The largest of each part, and where they stand in the whole: [parts, k] each.
std::pair<Instruction*, Instruction*> partsOf(Instruction& topk, int64_t parts) {
  const int64_t size = sizeOf(topk) / parts, k = countOf(topk);
  const Shape data = topk.operand(0)->shape();
  Instruction* rows = reshapeTo(topk.operand(0), std::array{parts, size}, topk);
  const Shape values = arrayLike(data, data.elementType(), std::array{parts, k}),
              places = arrayLike(data, ElementType::S32, std::array{parts, k});
  Instruction* call = topk.parent().createLike(topk, std::array{rows}, &topk);
  call->setShape(Shape::tuple(std::array{values, places}));
  const Shape starts = arrayLike(data, ElementType::S32, std::array{parts});
  Instruction* numbers = topk.parent().create(Opcode::Iota, starts, {}, {}, &topk);
  numbers->set<Attr::IotaDimension>(0);
  Instruction* sizes = algebra::makeSplat(topk, starts, static_cast<double>(size));
  Instruction* firsts = topk.parent().create(Opcode::Multiply, starts, {numbers, sizes}, {}, &topk);
  Instruction* within = elementOfTuple(call, 1, topk);
  Instruction* from = broadcastTo(firsts, places.dimensions(), std::array<int64_t, 1>{0}, topk);
  return {elementOfTuple(call, 0, topk),
          topk.parent().create(Opcode::Add, places, {within, from}, {}, &topk)};
}

Instruction* split(Instruction& topk, const TopKParts& limits) {
  const auto all = static_cast<uint64_t>(sizeOf(topk) / limits.longest);
  const int64_t parts = std::min(static_cast<int64_t>(std::bit_floor(all)), kMostParts);
  const auto [values, places] = partsOf(topk, parts);
  const std::array<int64_t, 1> line = {parts * countOf(topk)};
  Instruction* lines[] = {reshapeTo(values, line, topk), reshapeTo(places, line, topk)};
  // Stable, since parts lie in order: equal elements come as in the whole.
  Instruction* sort = topk.parent().create(
      Opcode::Sort, Shape::tuple(std::array{lines[0]->shape(), lines[1]->shape()}), lines, {}, &topk);
  sort->set<Attr::Dimensions>(std::array<int64_t, 1>{0});
  sort->set<Attr::IsStable>(true);
  sort->set<Attr::ToApply>(topk.get<Attr::ToApply>());
  std::vector<Instruction*> results;
  for (size_t k = 0; k < 2; ++k) {
    Instruction* first =
        cutTo(elementOfTuple(sort, static_cast<int64_t>(k), topk), std::array{countOf(topk)}, topk);
    results.push_back(reshapeTo(first, topk.shape().tupleShapes()[k].dimensions(), topk));
  }
  return topk.parent().create(Opcode::Tuple, topk.shape(), results, {}, &topk);
}

}  // namespace

Result<bool> splitTopKs(Module& module, PassContext& context, const TopKParts& parts) {
  return rewriteEach(
      module, context, "split", [&](const Instruction& i) { return isLong(i, parts); },
      [&](Instruction& i) { return split(i, parts); });
}

}  // namespace hilo
