#include "core/hlo/eval/infeeds.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "core/hlo/eval/npy.h"

namespace hilo {
namespace {

void collectArrays(Shape shape, std::vector<NamedShape>& arrays) {
  if (shape.isArray()) arrays.push_back({fmt::format("arg{}", arrays.size()), shape});
  for (const Shape element : shape.tupleShapes()) collectArrays(element, arrays);
}

// The arrays from `next` on as a value of the shape.
Literal valueOf(Shape shape, std::vector<Literal>& arrays, size_t& next) {
  if (shape.isArray()) return std::move(arrays[next++]);
  std::vector<Literal> elements;
  for (const Shape element : shape.tupleShapes()) elements.push_back(valueOf(element, arrays, next));
  return Literal::tuple(std::move(elements));
}

std::vector<NamedShape> partsOf(Shape shape) {
  std::vector<NamedShape> parts;
  collectArrays(shape, parts);
  return parts;
}

Result<Literal> loadInfeed(const std::string& path, Shape shape) {
  TRY(std::vector<Literal> arrays, loadArguments(path, partsOf(shape)));
  size_t next = 0;
  return valueOf(shape, arrays, next);
}

}  // namespace

Result<InfeedValues> makeInfeeds(std::span<const Shape> shapes, uint64_t seed, const MakingOptions& options) {
  constexpr int kOfEach = 3;
  std::vector<Shape> wanted;
  for (int i = 0; i < kOfEach; ++i) wanted.insert(wanted.end(), shapes.begin(), shapes.end());
  // Others than those of arguments.
  TRY(auto values, makeArguments(wanted, ~seed, options));
  return InfeedValues{.values = std::move(values), .repeats = true};
}

Result<InfeedValues> loadInfeeds(std::span<const std::string> paths, std::span<const Shape> shapes) {
  if (shapes.empty()) return fail("wrong-argument", "nothing here takes values by infeed");
  // What has the most arrays first: what is more than a value needs is passed over.
  std::vector<Shape> wanted(shapes.begin(), shapes.end());
  std::ranges::stable_sort(wanted, std::greater(), [](Shape shape) { return partsOf(shape).size(); });
  InfeedValues infeed;
  for (const std::string& path : paths) {
    Result<Literal> value = loadInfeed(path, wanted[0]);
    for (size_t i = 1; i < wanted.size() && !value; ++i) value = loadInfeed(path, wanted[i]);
    if (!value) return std::unexpected(std::move(value).error());
    infeed.values.push_back(*std::move(value));
  }
  return infeed;
}

}  // namespace hilo
