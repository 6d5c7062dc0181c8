#include "tests/support/module_fuzzer/module_writer.h"

#include <fmt/format.h>

#include <map>
#include <numeric>

#include "core/base/check.h"
#include "core/hlo/eval/evaluate.h"
#include "core/hlo/text/parse.h"
#include "core/hlo/verify/verify.h"

namespace hilo::fuzz {
namespace {

constexpr int64_t kMostElements = 200, kMostOfLong = 1500;
constexpr int kMostParameters = 10;

enum class Exactness { Exact, Rounded };
struct Maker {
  void (*add)(ModuleWriter&);
  size_t weight;
  Exactness exactness;
  bool forDevices;
};
constexpr Maker kMakers[] = {
#define MAKER(function, weight, exactness) {function, weight, Exactness::exactness, false},
#define DEVICE_MAKER(function, weight, exactness) {function, weight, Exactness::exactness, true},
#include "tests/support/module_fuzzer/makers.def"
};

const std::vector<ElementType>& arrayTypes() {
  static const auto& types = *[] {
    auto* all = new std::vector<ElementType>();
    for (int i = 0; i < kElementTypeCount; ++i) {
      if (isArrayElement(static_cast<ElementType>(i))) all->push_back(static_cast<ElementType>(i));
    }
    return all;
  }();
  return types;
}

// Common types more often, so that values of one type meet.
constexpr ElementType kCommon[] = {ElementType::F32, ElementType::F32,  ElementType::S32, ElementType::BF16,
                                   ElementType::F64, ElementType::Pred, ElementType::U8,  ElementType::C64};

}  // namespace

int64_t Value::count() const {
  return std::accumulate(sizes.begin(), sizes.end(), int64_t{1}, std::multiplies<>());
}
std::string Value::shape() const {
  return fmt::format("{}[{}]{}", elementTypeName(type), fmt::join(sizes, ","), sizes.empty() ? "" : layout);
}

std::string list(const std::vector<int64_t>& numbers) {
  return fmt::format("{{{}}}", fmt::join(numbers, ","));
}

bool anyElementType(ElementType) { return true; }

std::string typedNumber(ElementType type, double number) {
  if (type == ElementType::Pred) return number != 0 ? "true" : "false";
  if (isComplex(type)) return fmt::format("({}, {})", number, number / 2);
  if (type == ElementType::F8E8M0FNU) return number <= 1 ? "1" : "2";
  if (isFloat(type)) return fmt::format("{}", number);
  const int bits = elementBits(type);
  const auto highest =
      isSigned(type) ? (int64_t{1} << (std::min(bits, 32) - 1)) - 1 : (int64_t{1} << std::min(bits, 32)) - 1;
  const int64_t lowest = isSigned(type) ? -highest - 1 : 0;
  return fmt::format("{}", std::clamp(static_cast<int64_t>(number), lowest, highest));
}

// splitmix64: the same numbers everywhere, unlike the standard distributions.
uint64_t ModuleWriter::next() {
  uint64_t z = (state_ += 0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

std::vector<int64_t> ModuleWriter::permutation(size_t n) {
  std::vector<int64_t> order(n);
  std::iota(order.begin(), order.end(), 0);
  for (size_t i = n; i > 1; --i) std::swap(order[i - 1], order[below(i)]);
  return order;
}

ElementType ModuleWriter::anyType() { return oneIn(2) ? oneOf(arrayTypes()) : oneOf(kCommon); }
ElementType ModuleWriter::numberType() {
  for (;;) {
    const ElementType type = anyType();
    if (type != ElementType::Pred) return type;
  }
}
ElementType ModuleWriter::floatType() {
  for (;;) {
    const ElementType type = anyType();
    if (isFloat(type)) return type;
  }
}
ElementType ModuleWriter::integerType() {
  for (;;) {
    const ElementType type = anyType();
    if (isIntegral(type)) return type;
  }
}

Sizes ModuleWriter::anySizes(size_t leastRank, size_t mostRank) {
  constexpr int64_t kSizes[] = {1, 2, 2, 3, 3, 4, 5, 7, 8};
  Sizes sizes(leastRank + below(mostRank - leastRank + 1));
  int64_t count = 1;
  for (int64_t& size : sizes) {
    size = oneIn(40) ? 0 : oneOf(kSizes);
    if (size * count > kMostElements) size = 1;
    count *= std::max<int64_t>(1, size);
  }
  // Now and then one long dimension: loops take it several elements at a time, with a rest.
  constexpr int64_t kLong[] = {16, 17, 33, 64, 70, 130, 300};
  if (!sizes.empty() && std::ranges::count(sizes, 0) == 0 && oneIn(5)) {
    int64_t& size = sizes[below(sizes.size())];
    const int64_t longer = oneOf(kLong);
    if (count / size * longer <= kMostOfLong) size = longer;
  }
  return sizes;
}

std::string ModuleWriter::randomLayout(size_t rank) {
  std::vector<int64_t> order(rank);
  std::iota(order.rbegin(), order.rend(), 0);
  return list(oneIn(3) ? permutation(rank) : order);
}

const Value& ModuleWriter::pick() { return oneOf(scopes_.back().values); }

Value ModuleWriter::pickOf(bool (*accepts)(ElementType), size_t leastRank) {
  for (int tries = 0; tries < 20; ++tries) {
    const Value& value = pick();
    if (accepts(value.type) && value.rank() >= leastRank) return value;
  }
  for (;;) {
    const ElementType type = anyType();
    if (accepts(type)) return valueOf(type, anySizes(leastRank));
  }
}

Value ModuleWriter::parameter(ElementType type, const Sizes& sizes) {
  Value value{fmt::format("p{}", parameters_), type, sizes, randomLayout(sizes.size())};
  scopes_.back().lines += fmt::format("  {} = {} parameter({})\n", value.name, value.shape(), parameters_++);
  keep(value);
  return value;
}

Value ModuleWriter::valueOf(ElementType type, const Sizes& sizes) {
  if (!oneIn(6)) {
    std::vector<const Value*> fitting;
    for (const Value& value : scopes_.back().values) {
      if (value.type == type && value.sizes == sizes) fitting.push_back(&value);
    }
    if (!fitting.empty()) return *oneOf(fitting);
  }
  if (scopes_.back().isEntry && parameters_ < kMostParameters) return parameter(type, sizes);
  if (!sizes.empty() && !oneIn(3)) {
    const Value counted = add(type == ElementType::Pred || isComplex(type) ? ElementType::S32 : type, sizes,
                              "iota", {}, fmt::format("iota_dimension={}", below(sizes.size())));
    return counted.type == type ? counted : add(type, sizes, "convert", {counted});
  }
  const Value number = scalar(type, static_cast<double>(between(-3, 3)));
  return sizes.empty() ? number : add(type, sizes, "broadcast", {number}, "dimensions={}");
}

Value ModuleWriter::scalar(ElementType type, double number) {
  Value value{fresh("c"), type, {}, ""};
  scopes_.back().lines +=
      fmt::format("  {} = {} constant({})\n", value.name, value.shape(), typedNumber(type, number));
  keep(value);
  return value;
}

Value ModuleWriter::index(int64_t below) {
  return scalar(
      ElementType::S32,
      static_cast<double>(oneIn(4) ? between(-3, below + 3) : between(0, std::max<int64_t>(0, below - 1))));
}

std::string ModuleWriter::addRaw(const std::string& shape, const std::string& opcode,
                                 const std::vector<std::string>& operands, const std::string& attributes) {
  std::string name = fresh("v");
  scopes_.back().lines += fmt::format("  {} = {} {}({}){}{}\n", name, shape, opcode,
                                      fmt::join(operands, ", "), attributes.empty() ? "" : ", ", attributes);
  return name;
}

Value ModuleWriter::add(ElementType type, const Sizes& sizes, const std::string& opcode,
                        const std::vector<Value>& operands, const std::string& attributes) {
  Value value{"", type, sizes, randomLayout(sizes.size())};
  std::vector<std::string> names;
  for (const Value& operand : operands) names.push_back(operand.name);
  value.name = addRaw(value.shape(), opcode, names, attributes);
  keep(value);
  return value;
}

void ModuleWriter::keep(Value value) { scopes_.back().values.push_back(std::move(value)); }

std::string ModuleWriter::leave(const std::string& root) {
  const std::string name = fresh("f");
  computations_ += fmt::format("{} {{\n{}  ROOT {} = {}\n}}\n", name, scopes_.back().lines, fresh("r"), root);
  scopes_.pop_back();
  return name;
}

std::string ModuleWriter::scalarComputation(const std::vector<ElementType>& parameters,
                                            const std::string& body, ElementType result) {
  const std::string name = fresh("f");
  computations_ += name + " {\n";
  for (size_t i = 0; i < parameters.size(); ++i)
    computations_ += fmt::format("  p{} = {}[] parameter({})\n", i, elementTypeName(parameters[i]), i);
  computations_ += fmt::format("  ROOT r = {}[] {}\n}}\n", elementTypeName(result), body);
  return name;
}

ModuleWriter::Combiner ModuleWriter::combiner(ElementType type) {
  if (type == ElementType::Pred) {
    const bool isAnd = oneIn(2);
    return {scalarComputation({type, type}, isAnd ? "and(p0, p1)" : "or(p0, p1)", type), isAnd ? 1.0 : 0.0};
  }
  const bool canOrder = !isComplex(type);
  switch (below(canOrder ? 4 : 2)) {
    case 0:
    case 1:
      return {scalarComputation({type, type}, "add(p0, p1)", type), 0};
    case 2:
      return {scalarComputation({type, type}, "maximum(p0, p1)", type), -4};
    default:
      return {scalarComputation({type, type}, "minimum(p1, p0)", type), 4};
  }
}

namespace {

std::string tupleOf(const std::vector<Value>& values) {
  std::string names, shapes;
  for (const Value& value : values) {
    names += (names.empty() ? "" : ", ") + value.name;
    shapes += (shapes.empty() ? "" : ", ") + value.shape();
  }
  return fmt::format("({}) tuple({})", shapes, names);
}

}  // namespace

ModuleWriter::Body ModuleWriter::body(const std::vector<Value>& parameters, int operations, bool givesAll) {
  enter();
  for (size_t i = 0; i < parameters.size(); ++i) {
    Value inner = parameters[i];
    inner.name = fresh("a");
    scopes_.back().lines += fmt::format("  {} = {} parameter({})\n", inner.name, inner.shape(), i);
    keep(inner);
  }
  addOperations(operations);
  Value root = pick();
  std::string line = fmt::format("{} copy({})", root.shape(), root.name);
  std::vector<Value> all = scopes_.back().values;
  if (givesAll) line = tupleOf(all);
  return {leave(line), root, std::move(all)};
}

void ModuleWriter::addOperations(int count) {
  const bool exactOnly = std::exchange(options_.exactOnly, true);
  for (int i = 0; i < count; ++i) addOne();
  options_.exactOnly = exactOnly;
}

void ModuleWriter::addOne() {
  size_t total = 0;
  const auto isAllowed = [&](const Maker& maker) {
    if (maker.forDevices && !scopes_.back().mayMeet) return false;
    return !options_.exactOnly || maker.exactness == Exactness::Exact;
  };
  for (const Maker& maker : kMakers) total += isAllowed(maker) ? maker.weight : 0;
  size_t at = below(total);
  for (const Maker& maker : kMakers) {
    if (!isAllowed(maker)) continue;
    if (at < maker.weight) return maker.add(*this);
    at -= maker.weight;
  }
}

std::string ModuleWriter::write() {
  enter();
  scopes_.back().isEntry = true;
  scopes_.back().mayMeet = options_.devices.count() > 1;
  parameter(ElementType::F32, {2, 3});
  parameter(anyType(), anySizes(1));
  for (int i = 0; i < options_.operations; ++i) addOne();
  // Everything that was made is given, so that each can be looked at.
  const DeviceGrid grid = options_.devices;
  const std::string header = grid.count() == 1 ? ""
                                               : fmt::format(", replica_count={}, num_partitions={}",
                                                             grid.replicas, grid.partitions);
  return fmt::format("HloModule fuzz_{}{}\n{}ENTRY e {{\n{}  ROOT root = {}\n}}\n", options_.seed, header,
                     computations_, scopes_.back().lines, tupleOf(scopes_.back().values));
}

std::optional<ElementType> elementwiseResult(Opcode opcode, const std::vector<ElementType>& operands) {
  static auto& known =
      *new std::map<std::pair<Opcode, std::vector<ElementType>>, std::optional<ElementType>>();
  const auto [entry, isNew] = known.try_emplace({opcode, operands});
  if (!isNew) return entry->second;
  std::vector<ElementType> results = {operands[0], ElementType::Pred};
  if (isComplex(operands[0])) results.push_back(complexComponent(operands[0]));
  for (const ElementType complex : {ElementType::C64, ElementType::C128}) {
    if (complexComponent(complex) == operands[0]) results.push_back(complex);
  }
  for (const ElementType result : results) {
    std::string text = "HloModule m\nENTRY e {\n", names;
    for (size_t i = 0; i < operands.size(); ++i) {
      text += fmt::format("  p{0} = {1}[1] parameter({0})\n", i, elementTypeName(operands[i]));
      names += fmt::format("{}p{}", i == 0 ? "" : ", ", i);
    }
    text += fmt::format("  ROOT r = {}[1] {}({})\n}}\n", elementTypeName(result), opcodeName(opcode), names);
    const auto module = parseModuleStrictly(text);
    CHECK(module.has_value(), text);
    if (hasErrors(verify(**module)) || !checkRunnable(**module).empty()) continue;
    entry->second = result;
    break;
  }
  return entry->second;
}

}  // namespace hilo::fuzz
