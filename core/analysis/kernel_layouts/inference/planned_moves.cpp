#include "core/analysis/kernel_layouts/inference/planned_moves.h"

#include <algorithm>
#include <numeric>

#include "core/base/check.h"

namespace hilo::inference {
namespace {

constexpr int64_t kMostElements = 1 << 18;  // more than shared memory holds

const LayoutConstant& layoutOf(const LayoutExpression& expression, const KernelLayouts& layouts) {
  return layouts.outcome.layouts.at(*expression.variable()).layout;
}

void count(PlannedMove& move, const SharedArray& array) {
  if (elementCount(array.shape) > kMostElements) {
    move.notCounted = "the array is larger than shared memory";
    return;
  }
  const auto registers = RegisterMap::of(std::get<RegisterLayout>(move.registers), array.shape);
  const auto shared = SharedMap::of(inMemory(array, move.memory), array.shape, array.elementBits);
  const auto transfer = registers && shared ? planTransfer(*registers, *shared) : Result<SharedTransfer>();
  if (registers && shared && transfer) {
    move.wavefronts = transfer->wavefronts();
    move.least = transfer->least();
    return;
  }
  move.notCounted = !registers ? registers.error().message
                    : !shared  ? shared.error().message
                               : transfer.error().message;
}

}  // namespace

SharedLayout inMemory(const SharedArray& array, const SharedTransforms& transforms) {
  std::vector<int64_t> order(array.shape.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, [&](int64_t a, int64_t b) {
    return array.strides[static_cast<size_t>(a)] > array.strides[static_cast<size_t>(b)];
  });
  SharedLayout layout{.transforms = {},
                      .swizzleBytes = transforms.swizzleBytes == 0 ? 16 : transforms.swizzleBytes};
  if (!std::ranges::is_sorted(order)) layout.transforms.emplace_back(TransposeTransform{order});
  if (transforms.tile.empty()) return layout;
  const size_t untiled = array.shape.size() - transforms.tile.size();
  Sizes tile;
  for (int64_t dimension : order)
    if (static_cast<size_t>(dimension) >= untiled)
      tile.push_back(transforms.tile[static_cast<size_t>(dimension) - untiled]);
  layout.transforms.emplace_back(TileTransform{std::move(tile)});
  return layout;
}

std::vector<PlannedMove> plannedMoves(const KernelLayouts& layouts) {
  CHECK(layouts.isFound(), "the layouts are not known");
  std::vector<PlannedMove> moves;
  for (const KernelConstraint& one : layouts.derived.constraints) {
    const auto* shared = std::get_if<SharedMove>(&one.constraint.relation);
    if (!shared) continue;
    const LayoutConstant& first = layoutOf(one.constraint.first, layouts);
    const LayoutConstant& second = layoutOf(*one.constraint.second, layouts);
    const bool isLoad = std::holds_alternative<SharedTransforms>(first);
    PlannedMove move{.op = one.op,
                     .registers = isLoad ? second : first,
                     .memory = std::get<SharedTransforms>(isLoad ? first : second),
                     .notCounted = {}};
    count(move, shared->array);
    moves.push_back(std::move(move));
  }
  return moves;
}

}  // namespace hilo::inference
