#include "core/compiler/passes/layout/normal_scatter.h"

#include <algorithm>
#include <numeric>

#include "core/compiler/passes/layout/memory_form.h"

namespace hilo {
namespace {

bool holds(std::span<const int64_t> dims, int64_t d) { return std::ranges::find(dims, d) != dims.end(); }

// Whether the dimensions that are not `others` lie in their own order.
bool restIsInOrder(Shape shape, std::span<const int64_t> others) {
  Dims rest = orderOf(shape);
  std::erase_if(rest, [&](int64_t d) { return holds(others, d); });
  return std::ranges::is_sorted(rest);
}

// Where in memory the window dimensions of the updates stand, in the order of the operand's in memory.
Dims windowPlaces(const Instruction& scatter) {
  const auto inserted = scatter.get<Attr::InsertedWindowDims>();
  const Dims order = orderOf(scatter.shape()), places = placesOf(scatter.operand(2)->shape());
  Dims updateOf(order.size(), -1), result;
  auto next = scatter.get<Attr::UpdateWindowDims>().begin();
  for (int64_t d = 0; d < static_cast<int64_t>(order.size()); ++d) {
    if (!holds(inserted, d)) updateOf[static_cast<size_t>(d)] = *next++;
  }
  for (const int64_t d : order) {
    const int64_t update = updateOf[static_cast<size_t>(d)];
    if (update >= 0) result.push_back(places[static_cast<size_t>(update)]);
  }
  return result;
}

}  // namespace

Instruction* normalScatter(Instruction& i) {
  const auto isLaid = [](const Instruction* operand) { return hasOrder(operand->shape()); };
  if (i.operandCount() != 3 || !std::ranges::all_of(i.operands(), isLaid) ||
      !i.get<Attr::InputBatchingDims>().empty())
    return nullptr;
  const Shape input = i.operand(0)->shape(), indices = i.operand(1)->shape(), updates = i.operand(2)->shape();
  const int64_t vector = i.get<Attr::IndexVectorDim>().value_or(0);
  if (orderOf(input) != orderOf(i.shape()) || !restIsInOrder(indices, std::span(&vector, 1)) ||
      !restIsInOrder(updates, i.get<Attr::UpdateWindowDims>()))
    return nullptr;
  const Dims inputPlaces = placesOf(input), indexPlaces = placesOf(indices);
  const auto moved = [&](std::span<const int64_t> dims) {
    return permuted(std::span<const int64_t>(inputPlaces), {dims.begin(), dims.end()});
  };
  Dims inserted = moved(i.get<Attr::InsertedWindowDims>());
  std::ranges::sort(inserted);
  const Dims scattered = moved(i.get<Attr::ScatterDimsToOperandDims>());
  const Dims wanted = windowPlaces(i);
  Dims window = wanted;
  std::ranges::sort(window);
  Dims permutation(updates.rank());
  std::iota(permutation.begin(), permutation.end(), 0);
  for (size_t k = 0; k < window.size(); ++k) permutation[static_cast<size_t>(window[k])] = wanted[k];
  Instruction* updated = normal(i.operand(2), i);
  if (wanted != window) updated = groupedTranspose(updated, permutation, i);
  Instruction* made =
      i.parent().createLike(i, {{normal(i.operand(0), i), normal(i.operand(1), i), updated}}, &i);
  made->setShape(inMemory(i.shape()));
  made->set<Attr::UpdateWindowDims>(window);
  made->set<Attr::InsertedWindowDims>(inserted);
  made->set<Attr::ScatterDimsToOperandDims>(scattered);
  if (vector < static_cast<int64_t>(indices.rank()))
    made->set<Attr::IndexVectorDim>(indexPlaces[static_cast<size_t>(vector)]);
  return made;
}

}  // namespace hilo
