// Operations that fold many elements into one, and that apply computations.
#include <fmt/format.h>

#include "tests/support/module_fuzzer/module_writer.h"

namespace hilo::fuzz {
namespace {

struct RandomWindow {
  std::string text;
  Sizes result;
};

// A window over every dimension of `sizes`. Padding and dilations only where asked for.
RandomWindow makeWindow(ModuleWriter& w, const Sizes& sizes, bool dilates) {
  std::vector<int64_t> size, stride, baseDilation, windowDilation;
  std::vector<std::string> padding;
  RandomWindow made;
  for (const int64_t base : sizes) {
    size.push_back(w.between(1, 3));
    stride.push_back(w.between(1, 3));
    baseDilation.push_back(dilates && w.oneIn(3) ? 2 : 1);
    windowDilation.push_back(dilates && w.oneIn(3) ? 2 : 1);
    const int64_t low = w.between(0, 2), high = w.between(0, 2);
    padding.push_back(fmt::format("{}_{}", low, high));
    const int64_t holes = base == 0 ? 0 : (base - 1) * baseDilation.back() + 1;
    const int64_t room = holes + low + high, reach = (size.back() - 1) * windowDilation.back() + 1;
    made.result.push_back(room < reach ? 0 : (room - reach) / stride.back() + 1);
  }
  made.text = fmt::format("window={{size={} stride={} pad={}", fmt::join(size, "x"), fmt::join(stride, "x"),
                          fmt::join(padding, "x"));
  if (dilates) {
    made.text += fmt::format(" lhs_dilate={} rhs_dilate={}", fmt::join(baseDilation, "x"),
                             fmt::join(windowDilation, "x"));
  }
  made.text += "}";
  return made;
}

bool isOrdered(ElementType type) { return !isComplex(type) && type != ElementType::Pred; }

}  // namespace

void addReduce(ModuleWriter& w) {
  const Value x = w.pick();
  const auto combine = w.combiner(x.type);
  const Value initial = w.scalar(x.type, combine.initial);
  std::vector<int64_t> dimensions;
  Sizes sizes;
  for (size_t d = 0; d < x.rank(); ++d)
    w.oneIn(2) ? dimensions.push_back(static_cast<int64_t>(d)) : sizes.push_back(x.sizes[d]);
  w.add(x.type, sizes, "reduce", {x, initial},
        fmt::format("dimensions={}, to_apply={}", list(dimensions), combine.computation));
}

// The largest element and where it stands: two arrays reduced together.
void addArgMax(ModuleWriter& w) {
  const Value x = w.pickOf(isOrdered, 1);
  const auto d = static_cast<int64_t>(w.below(x.rank()));
  const Value places = w.add(ElementType::S32, x.sizes, "iota", {}, fmt::format("iota_dimension={}", d));
  const Value low = w.scalar(x.type, -4), none = w.scalar(ElementType::S32, -1);
  const std::string type(elementTypeName(x.type));
  const std::string larger = w.computation([&] {
    const std::string a = w.addRaw(type + "[]", "parameter", {"0"}),
                      i = w.addRaw("s32[]", "parameter", {"1"}),
                      b = w.addRaw(type + "[]", "parameter", {"2"}),
                      j = w.addRaw("s32[]", "parameter", {"3"});
    const std::string takes = w.addRaw("pred[]", "compare", {a, b}, "direction=GE");
    const std::string value = w.addRaw(type + "[]", "select", {takes, a, b}),
                      place = w.addRaw("s32[]", "select", {takes, i, j});
    return fmt::format("({}[], s32[]) tuple({}, {})", type, value, place);
  });
  Value out{"", x.type, x.sizes, ""};
  out.sizes.erase(out.sizes.begin() + d);
  out.layout = w.randomLayout(out.rank());
  Value at = out;
  at.type = ElementType::S32;
  const std::string both = w.addRaw(fmt::format("({}, {})", out.shape(), at.shape()), "reduce",
                                    {x.name, places.name, low.name, none.name},
                                    fmt::format("dimensions={{{}}}, to_apply={}", d, larger));
  out.name = w.addRaw(out.shape(), "get-tuple-element", {both}, "index=0");
  at.name = w.addRaw(at.shape(), "get-tuple-element", {both}, "index=1");
  w.keep(out);
  w.keep(at);
}

void addReduceWindow(ModuleWriter& w) {
  const Value x = w.pickOf(anyElementType, 1);
  const RandomWindow window = makeWindow(w, x.sizes, true);
  const auto combine = w.combiner(x.type);
  const Value initial = w.scalar(x.type, combine.initial);
  w.add(x.type, window.result, "reduce-window", {x, initial},
        fmt::format("{}, to_apply={}", window.text, combine.computation));
}

void addSelectAndScatter(ModuleWriter& w) {
  const Value x = w.pickOf(isOrdered, 1);
  const RandomWindow window = makeWindow(w, x.sizes, false);
  const Value source = w.valueOf(x.type, window.result), initial = w.scalar(x.type, 0);
  const std::string select = w.scalarComputation(
      {x.type, x.type}, w.oneIn(2) ? "compare(p0, p1), direction=GE" : "compare(p0, p1), direction=LT",
      ElementType::Pred);
  w.add(x.type, x.sizes, "select-and-scatter", {x, source, initial},
        fmt::format("{}, select={}, scatter={}", window.text, select, w.combiner(x.type).computation));
}

void addMap(ModuleWriter& w) {
  const Value x = w.pickOf(isOrdered), y = w.valueOf(x.type, x.sizes);
  std::vector<int64_t> dimensions;
  for (size_t d = 0; d < x.rank(); ++d) dimensions.push_back(static_cast<int64_t>(d));
  const std::string type(elementTypeName(x.type));
  const std::string both = w.computation([&] {
    const std::string a = w.addRaw(type + "[]", "parameter", {"0"}),
                      b = w.addRaw(type + "[]", "parameter", {"1"});
    const std::string more = w.addRaw(type + "[]", "maximum", {a, b});
    return fmt::format("{}[] subtract({}, {})", type, more, a);
  });
  w.add(x.type, x.sizes, "map", {x, y}, fmt::format("dimensions={}, to_apply={}", list(dimensions), both));
}

void addSort(ModuleWriter& w) {
  // The sign of a NaN, which decides where it stands, is nobody's promise.
  const Value key = w.pickOf(w.exactOnly() ? isIntegral : isOrdered, 1);
  const Value other = w.valueOf(w.anyType(), key.sizes);
  const bool total = isFloat(key.type);
  const std::string compare =
      w.scalarComputation({key.type, key.type, other.type, other.type},
                          fmt::format("compare(p{}, direction={}{}", w.oneIn(2) ? "0, p1)" : "1, p0)",
                                      w.oneIn(2) ? "LT" : "GT", total ? ", type=TOTALORDER" : ""),
                          ElementType::Pred);
  Value a = key, b = other;
  a.layout = w.randomLayout(a.rank());
  b.layout = a.layout;
  const std::string sorted =
      w.addRaw(fmt::format("({}, {})", a.shape(), b.shape()), "sort", {key.name, other.name},
               fmt::format("dimensions={{{}}}, is_stable=true, to_apply={}", w.below(key.rank()), compare));
  a.name = w.addRaw(a.shape(), "get-tuple-element", {sorted}, "index=0");
  b.name = w.addRaw(b.shape(), "get-tuple-element", {sorted}, "index=1");
  w.keep(a);
  w.keep(b);
}

void addTopK(ModuleWriter& w) {
  const Value x = w.pickOf(w.exactOnly() ? isIntegral : isOrdered, 1);
  Value best = x, places = x;
  best.sizes.back() = w.between(0, x.sizes.back());
  places.sizes = best.sizes;
  places.type = ElementType::S32;
  const std::string both =
      w.addRaw(fmt::format("({}, {})", best.shape(), places.shape()), "topk", {x.name},
               fmt::format("k={}, largest={}", best.sizes.back(), w.oneIn(2) ? "true" : "false"));
  best.name = w.addRaw(best.shape(), "get-tuple-element", {both}, "index=0");
  places.name = w.addRaw(places.shape(), "get-tuple-element", {both}, "index=1");
  w.keep(best);
  w.keep(places);
}

// Running sums.
void addScan(ModuleWriter& w) {
  const Value x = w.pickOf(isOrdered, 1);
  const size_t d = w.below(x.rank());
  Value slice = x;
  slice.sizes.erase(slice.sizes.begin() + static_cast<ptrdiff_t>(d));
  slice.layout = w.randomLayout(slice.rank());
  const Value start = w.valueOf(x.type, slice.sizes);
  Value carry = slice, out = x;
  const std::string step = w.computation([&] {
    const std::string a = w.addRaw(slice.shape(), "parameter", {"0"}),
                      c = w.addRaw(slice.shape(), "parameter", {"1"});
    const std::string sum = w.addRaw(slice.shape(), "add", {a, c});
    return fmt::format("({0}, {0}) tuple({1}, {1})", slice.shape(), sum);
  });
  const std::string both =
      w.addRaw(fmt::format("({}, {})", out.shape(), carry.shape()), "scan", {x.name, start.name},
               fmt::format("dimensions={{{}}}, num_carries=1, is_reverse={}, to_apply={}", d,
                           w.oneIn(2) ? "true" : "false", step));
  out.name = w.addRaw(out.shape(), "get-tuple-element", {both}, "index=0");
  carry.name = w.addRaw(carry.shape(), "get-tuple-element", {both}, "index=1");
  w.keep(out);
  w.keep(carry);
}

}  // namespace hilo::fuzz
