// Operations that move elements.
#include <fmt/format.h>

#include <numeric>

#include "tests/support/module_fuzzer/module_writer.h"

namespace hilo::fuzz {
namespace {

Sizes without(const Sizes& sizes, const std::vector<int64_t>& dimensions) {
  Sizes left;
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (std::ranges::find(dimensions, static_cast<int64_t>(d)) == dimensions.end()) left.push_back(sizes[d]);
  }
  return left;
}

std::vector<Value> starts(ModuleWriter& w, const Value& x, const Sizes& window) {
  std::vector<Value> indices;
  for (size_t d = 0; d < x.rank(); ++d) indices.push_back(w.index(x.sizes[d] - window[d] + 1));
  return indices;
}

// What gather and scatter have in common: windows of an operand, and index vectors that say where they start.
struct Windows {
  std::vector<int64_t> collapsed;  // operand dimensions the window takes one element of and leaves out
  std::vector<int64_t> indexMap;   // the operand dimension of each index
  Sizes window;                    // of every operand dimension
  Sizes positions;                 // index vectors
  Sizes indexSizes;                // positions with the index vector's dimension put in
  size_t indexVectorDim = 0;
  Sizes result;                     // positions and windows mixed
  std::vector<int64_t> windowDims;  // of the result
};

Windows makeWindows(ModuleWriter& w, const Value& x) {
  Windows made;
  Sizes kept;
  for (size_t d = 0; d < x.rank(); ++d) {
    const bool collapse = w.oneIn(2) && x.sizes[d] > 0;
    made.window.push_back(collapse ? 1 : w.between(0, x.sizes[d]));
    collapse ? made.collapsed.push_back(static_cast<int64_t>(d)) : kept.push_back(made.window.back());
  }
  made.indexMap = w.permutation(x.rank());
  made.indexMap.resize(w.below(x.rank() + 1));
  made.positions = w.anySizes(0, 2);
  made.indexSizes = made.positions;
  made.indexVectorDim = w.below(made.positions.size() + 1);
  if (made.indexMap.size() == 1 && w.oneIn(2)) {
    made.indexVectorDim = made.positions.size();  // no dimension for one index
  } else {
    made.indexSizes.insert(made.indexSizes.begin() + static_cast<ptrdiff_t>(made.indexVectorDim),
                           static_cast<int64_t>(made.indexMap.size()));
  }
  std::vector<bool> isWindow(made.positions.size() + kept.size());
  for (size_t i : w.permutation(isWindow.size())) {
    if (static_cast<size_t>(std::ranges::count(isWindow, true)) < kept.size()) isWindow[i] = true;
  }
  size_t fromKept = 0, fromPositions = 0;
  for (size_t d = 0; d < isWindow.size(); ++d) {
    if (isWindow[d]) made.windowDims.push_back(static_cast<int64_t>(d));
    made.result.push_back(isWindow[d] ? kept[fromKept++] : made.positions[fromPositions++]);
  }
  return made;
}

ElementType indexType(ModuleWriter& w) {
  constexpr ElementType kTypes[] = {ElementType::S32, ElementType::S64, ElementType::U8, ElementType::U32,
                                    ElementType::S16};
  return w.oneOf(kTypes);
}

}  // namespace

void addConstant(ModuleWriter& w) {
  const Value number = w.scalar(w.anyType(), static_cast<double>(w.between(-3, 3)));
  const Sizes sizes = w.anySizes();
  w.add(number.type, sizes, "broadcast", {number}, "dimensions={}");
}
void addIota(ModuleWriter& w) {
  const Sizes sizes = w.anySizes(1);
  const ElementType type = w.numberType();
  w.add(type, sizes, "iota", {}, fmt::format("iota_dimension={}", w.below(sizes.size())));
}
void addBroadcast(ModuleWriter& w) {
  const Value x = w.pick();
  if (x.count() > 40 || x.rank() > 3) return;
  Sizes sizes(x.rank() + w.below(2) + (x.rank() < 2 ? 1 : 0));
  std::vector<int64_t> mapped = w.permutation(sizes.size());
  mapped.resize(x.rank());
  if (!w.oneIn(4)) std::ranges::sort(mapped);
  for (int64_t& size : sizes) size = w.between(1, 4);
  for (size_t d = 0; d < x.rank(); ++d) sizes[static_cast<size_t>(mapped[d])] = x.sizes[d];
  w.add(x.type, sizes, "broadcast", {x}, fmt::format("dimensions={}", list(mapped)));
}
void addReshape(ModuleWriter& w) {
  const Value x = w.pick();
  Sizes sizes;
  int64_t rest = x.count();
  if (rest == 0) return;
  while (rest > 1 && sizes.size() < 4) {
    int64_t size = w.between(2, rest);
    while (rest % size != 0) --size;
    sizes.push_back(sizes.size() == 3 ? rest : size);
    rest /= sizes.back();
  }
  if (rest > 1) sizes.push_back(rest);
  if (w.oneIn(3)) sizes.insert(sizes.begin() + static_cast<ptrdiff_t>(w.below(sizes.size() + 1)), 1);
  w.add(x.type, sizes, "reshape", {x});
}
void addTranspose(ModuleWriter& w) {
  const Value x = w.pick();
  const auto order = w.permutation(x.rank());
  Sizes sizes;
  for (const int64_t d : order) sizes.push_back(x.sizes[static_cast<size_t>(d)]);
  w.add(x.type, sizes, "transpose", {x}, fmt::format("dimensions={}", list(order)));
}
void addCopy(ModuleWriter& w) {
  const Value x = w.pick();
  w.add(x.type, x.sizes, "copy", {x});
}
// The same memory in another shape.
void addBitcast(ModuleWriter& w) {
  const Value x = w.pick();
  w.add(x.type, {x.count()}, "bitcast", {x});
}
void addSlice(ModuleWriter& w) {
  const Value x = w.pick();
  Sizes sizes;
  std::vector<std::string> ranges;
  for (const int64_t size : x.sizes) {
    const int64_t start = w.between(0, size), limit = w.between(start, size), stride = w.between(1, 3);
    ranges.push_back(fmt::format("[{}:{}:{}]", start, limit, stride));
    sizes.push_back((limit - start + stride - 1) / stride);
  }
  w.add(x.type, sizes, "slice", {x}, fmt::format("slice={{{}}}", fmt::join(ranges, ", ")));
}
void addReverse(ModuleWriter& w) {
  const Value x = w.pickOf(anyElementType, 1);
  auto dimensions = w.permutation(x.rank());
  dimensions.resize(1 + w.below(x.rank()));
  w.add(x.type, x.sizes, "reverse", {x}, fmt::format("dimensions={}", list(dimensions)));
}
void addPad(ModuleWriter& w) {
  const Value x = w.pickOf(anyElementType, 1);
  if (x.count() > 60) return;
  Sizes sizes;
  std::vector<std::string> padding;
  for (const int64_t size : x.sizes) {
    const int64_t low = w.between(-1, 2), high = w.between(-1, 2),
                  interior = w.oneIn(3) ? w.between(1, 2) : 0;
    const int64_t padded = low + high + size + std::max<int64_t>(0, size - 1) * interior;
    if (padded < 0) return;
    padding.push_back(fmt::format("{}_{}_{}", low, high, interior));
    sizes.push_back(padded);
  }
  const Value value = w.valueOf(x.type, {});
  w.add(x.type, sizes, "pad", {x, value}, fmt::format("padding={}", fmt::join(padding, "x")));
}
void addConcatenate(ModuleWriter& w) {
  const Value x = w.pickOf(anyElementType, 1);
  const size_t along = w.below(x.rank());
  std::vector<Value> parts = {x};
  Sizes sizes = x.sizes;
  for (size_t more = w.below(4); more > 0 && sizes[along] < 20; --more) {
    Sizes own = x.sizes;
    if (w.oneIn(2)) own[along] = w.between(0, 3);
    parts.push_back(w.valueOf(x.type, own));
    sizes[along] += own[along];
  }
  w.add(x.type, sizes, "concatenate", parts, fmt::format("dimensions={{{}}}", along));
}
void addDynamicSlice(ModuleWriter& w) {
  const Value x = w.pick();
  Sizes window;
  for (const int64_t size : x.sizes) window.push_back(w.between(0, size));
  std::vector<Value> operands = starts(w, x, window);
  operands.insert(operands.begin(), x);
  w.add(x.type, window, "dynamic-slice", operands, fmt::format("dynamic_slice_sizes={}", list(window)));
}
void addDynamicUpdateSlice(ModuleWriter& w) {
  const Value x = w.pick();
  Sizes window;
  for (const int64_t size : x.sizes) window.push_back(w.between(0, size));
  std::vector<Value> operands = {x, w.valueOf(x.type, window)};
  const auto indices = starts(w, x, window);
  operands.insert(operands.end(), indices.begin(), indices.end());
  w.add(x.type, x.sizes, "dynamic-update-slice", operands);
}
void addGather(ModuleWriter& w) {
  const Value x = w.pick();
  const Windows made = makeWindows(w, x);
  const Value indices = w.valueOf(indexType(w), made.indexSizes);
  w.add(x.type, made.result, "gather", {x, indices},
        fmt::format("offset_dims={}, collapsed_slice_dims={}, start_index_map={}, index_vector_dim={}, "
                    "slice_sizes={}",
                    list(made.windowDims), list(made.collapsed), list(made.indexMap), made.indexVectorDim,
                    list(made.window)));
}
void addScatter(ModuleWriter& w) {
  const Value x = w.pick();
  const Windows made = makeWindows(w, x);
  const Value indices = w.valueOf(indexType(w), made.indexSizes);
  const Value updates = w.valueOf(x.type, made.result);
  const std::string combine =
      w.oneIn(3) ? w.scalarComputation({x.type, x.type}, "copy(p1)", x.type) : w.combiner(x.type).computation;
  w.add(x.type, x.sizes, "scatter", {x, indices, updates},
        fmt::format("update_window_dims={}, inserted_window_dims={}, scatter_dims_to_operand_dims={}, "
                    "index_vector_dim={}, to_apply={}",
                    list(made.windowDims), list(made.collapsed), list(made.indexMap), made.indexVectorDim,
                    combine));
}
// The sum and the size of an array part of which counts.
void addRealSize(ModuleWriter& w) {
  const Value x = w.pickOf(isIntegral, 1);
  const size_t d = w.below(x.rank());
  std::string sizes;
  for (size_t i = 0; i < x.rank(); ++i)
    sizes += fmt::format("{}{}{}", i == 0 ? "" : ",", i == d ? "<=" : "", x.sizes[i]);
  const Value size = w.scalar(ElementType::S32, static_cast<double>(w.between(0, x.sizes[d])));
  const std::string real =
      w.addRaw(fmt::format("{}[{}]{}", elementTypeName(x.type), sizes, x.layout), "set-dimension-size",
               {x.name, size.name}, fmt::format("dimensions={{{}}}", d));
  const auto combine = w.combiner(x.type);
  const Value initial = w.scalar(x.type, combine.initial);
  Value asIs;
  asIs.name = real;
  w.add(x.type, without(x.sizes, {static_cast<int64_t>(d)}), "reduce", {asIs, initial},
        fmt::format("dimensions={{{}}}, to_apply={}", d, combine.computation));
  w.add(ElementType::S32, {}, "get-dimension-size", {asIs}, fmt::format("dimensions={{{}}}", d));
}

}  // namespace hilo::fuzz
