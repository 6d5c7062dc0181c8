#include "core/compiler/passes/canonicalize/top_k_decomposer.h"

#include "core/compiler/passes/rewrite_each.h"
#include "core/compiler/passes/shape_ops.h"
#include "core/hlo/expand/expansion.h"

namespace hilo {
namespace {

constexpr const char* kText = R"(HloModule top_k
before { a = $TYPE[] parameter(0)
  b = $TYPE[] parameter(1)
  c = s32[] parameter(2)
  d = s32[] parameter(3)
  ROOT r = pred[] compare(a, b), direction=$DIRECTION$ORDER }
ENTRY e { x = $VALUES parameter(0)
  i = $PLACES iota(), iota_dimension=$LAST
  both = ($VALUES, $PLACES) sort(x, i), dimensions={$LAST}, is_stable=true, to_apply=before
  v = $VALUES get-tuple-element(both), index=0
  p = $PLACES get-tuple-element(both), index=1
  firstv = $KEPT slice(v), slice={$RANGES}
  firstp = $KEPTPLACES slice(p), slice={$RANGES}
  ROOT t = ($KEPT, $KEPTPLACES) tuple(firstv, firstp) })";

// What is taken are layouts as they come: without any, or in row-major order.
bool isTopK(const Instruction& i) {
  if (i.opcode() != Opcode::TopK) return false;
  const Shape shape = i.operand(0)->shape();
  return !shape.isDynamic() && liesRowMajor(shape) &&
         std::ranges::all_of(i.shape().tupleShapes(), liesRowMajor) && !isComplex(shape.elementType());
}

Instruction* sorted(Instruction& topK) {
  const library::Expansion of(topK);
  const Shape values = topK.operand(0)->shape().withoutLayout(), kept = of.result(0).withoutLayout();
  const size_t last = values.rank() - 1;
  std::vector<std::string> ranges;
  for (const int64_t size : kept.dimensions()) ranges.push_back(fmt::format("[0:{}]", size));
  const bool isLargest = topK.get<Attr::Largest>().value_or(true);
  return of.callText(kText,
                     {{"$TYPE", std::string(elementTypeName(values.elementType()))},
                      {"$DIRECTION", isLargest ? "GT" : "LT"},
                      {"$ORDER", isFloat(values.elementType()) ? ", type=TOTALORDER" : ""},
                      {"$VALUES", toString(values)},
                      {"$PLACES", toString(values.withElementType(ElementType::S32))},
                      {"$KEPTPLACES", toString(kept.withElementType(ElementType::S32))},
                      {"$KEPT", toString(kept)},
                      {"$RANGES", fmt::format("{}", fmt::join(ranges, ","))},
                      {"$LAST", std::to_string(last)}},
                     std::array{topK.operand(0)});
}

}  // namespace

Result<bool> decomposeTopK(Module& module, PassContext& context) {
  return rewriteEach(module, context, "expanded", isTopK, sorted);
}

}  // namespace hilo
