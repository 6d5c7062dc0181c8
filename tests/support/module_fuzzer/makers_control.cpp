// Computations called, looped over and chosen from.
#include <fmt/format.h>

#include "tests/support/module_fuzzer/module_writer.h"

namespace hilo::fuzz {
namespace {

std::vector<Value> someValues(ModuleWriter& w, size_t most) {
  std::vector<Value> values;
  for (size_t i = 1 + w.below(most); i > 0; --i) values.push_back(w.pick());
  return values;
}

// Parameters may lie otherwise in memory than what is passed for them.
std::vector<Value> laidOutAnew(ModuleWriter& w, std::vector<Value> values) {
  for (Value& value : values) value.layout = w.randomLayout(value.rank());
  return values;
}

std::vector<std::string> namesOf(const std::vector<Value>& values) {
  std::vector<std::string> names;
  for (const Value& value : values) names.push_back(value.name);
  return names;
}

}  // namespace

void addTupleElement(ModuleWriter& w) {
  const std::vector<Value> parts = someValues(w, 3);
  std::vector<std::string> shapes;
  for (const Value& part : parts) shapes.push_back(part.shape());
  const std::string tuple = w.addRaw(fmt::format("({})", fmt::join(shapes, ", ")), "tuple", namesOf(parts));
  const size_t i = w.below(parts.size());
  Value element = parts[i];
  element.name = w.addRaw(element.shape(), "get-tuple-element", {tuple}, fmt::format("index={}", i));
  w.keep(element);
}

void addCall(ModuleWriter& w) {
  const auto arguments = someValues(w, 2);
  const auto called = w.body(laidOutAnew(w, arguments), 2);
  w.add(called.root.type, called.root.sizes, "call", arguments, "to_apply=" + called.name);
}

// Everything made inside is given.
void addFusion(ModuleWriter& w) {
  const auto arguments = someValues(w, 3);
  const auto called = w.body(arguments, 4, true);
  std::vector<std::string> shapes;
  for (const Value& value : called.all) shapes.push_back(value.shape());
  const std::string both = w.addRaw(fmt::format("({})", fmt::join(shapes, ", ")), "fusion",
                                    namesOf(arguments), "kind=kLoop, calls=" + called.name);
  for (size_t i = 0; i < called.all.size(); ++i) {
    Value element = called.all[i];
    element.name = w.addRaw(element.shape(), "get-tuple-element", {both}, fmt::format("index={}", i));
    w.keep(element);
  }
}

// A few turns on a counter and some arrays. What the body hands on is any of its values of the right shape:
// the array itself, another one, one updated in its place.
void addWhile(ModuleWriter& w) {
  const std::vector<Value> arrays = someValues(w, 3);
  std::vector<std::string> shapes = {"s32[]"};
  for (const Value& array : arrays) shapes.push_back(array.shape());
  const std::string state = fmt::format("({})", fmt::join(shapes, ", "));
  const std::string condition = w.computation([&] {
    const std::string s = w.addRaw(state, "parameter", {"0"});
    const std::string i = w.addRaw("s32[]", "get-tuple-element", {s}, "index=0");
    return fmt::format("pred[] compare({}, {}), direction=LT", i, w.addRaw("s32[]", "constant", {"3"}));
  });
  const std::string body = w.computation([&] {
    w.mayMeet();
    const std::string s = w.addRaw(state, "parameter", {"0"});
    Value counter{w.addRaw("s32[]", "get-tuple-element", {s}, "index=0"), ElementType::S32, {}, ""};
    w.keep(counter);
    for (size_t i = 0; i < arrays.size(); ++i) {
      Value inner = arrays[i];
      inner.name = w.addRaw(inner.shape(), "get-tuple-element", {s}, fmt::format("index={}", i + 1));
      w.keep(inner);
      if (!w.oneIn(3)) continue;
      std::vector<Value> operands(inner.rank(), counter);
      operands.insert(operands.begin(), {inner, w.valueOf(inner.type, Sizes(inner.rank(), 1))});
      if (inner.count() > 0) w.add(inner.type, inner.sizes, "dynamic-update-slice", operands);
    }
    w.addOperations(2);
    std::vector<std::string> next = {
        w.addRaw("s32[]", "add", {counter.name, w.addRaw("s32[]", "constant", {"1"})})};
    for (const Value& array : arrays) {
      const Value value = w.valueOf(array.type, array.sizes);
      next.push_back(value.layout == array.layout ? value.name
                                                  : w.addRaw(array.shape(), "copy", {value.name}));
    }
    return fmt::format("{} tuple({})", state, fmt::join(next, ", "));
  });
  std::vector<std::string> first = namesOf(arrays);
  first.insert(first.begin(), w.scalar(ElementType::S32, static_cast<double>(w.between(0, 4))).name);
  const std::string loop = w.addRaw(state, "while", {w.addRaw(state, "tuple", first)},
                                    fmt::format("condition={}, body={}", condition, body));
  for (size_t i = 0; i < arrays.size(); ++i) {
    Value result = arrays[i];
    result.name = w.addRaw(result.shape(), "get-tuple-element", {loop}, fmt::format("index={}", i + 1));
    w.keep(result);
  }
}

// Every branch gives an array of the argument's shape.
void addConditional(ModuleWriter& w) {
  const Value x = w.pick();
  const size_t branches = 2 + w.below(2);
  std::vector<std::string> names;
  for (size_t i = 0; i < branches; ++i) {
    names.push_back(w.computation([&] {
      const Value inner = laidOutAnew(w, {x})[0];
      const std::string a = w.addRaw(inner.shape(), "parameter", {"0"});
      const char* opcode = i == 0                        ? "copy"
                           : x.type == ElementType::Pred ? "not"
                           : isUnsigned(x.type)          ? "popcnt"
                                                         : "negate";
      return fmt::format("{} {}({})", inner.shape(), opcode, a);
    }));
  }
  const bool byPred = branches == 2 && w.oneIn(2);
  const Value selector = byPred ? w.valueOf(ElementType::Pred, {}) : w.index(static_cast<int64_t>(branches));
  std::vector<Value> operands(branches + 1, x);
  operands[0] = selector;
  w.add(x.type, x.sizes, "conditional", operands,
        byPred ? fmt::format("true_computation={}, false_computation={}", names[0], names[1])
               : fmt::format("branch_computations={{{}}}", fmt::join(names, ", ")));
}

// A call that runs on its own.
void addAsync(ModuleWriter& w) {
  const auto arguments = someValues(w, 2);
  std::vector<std::string> shapes;
  for (const Value& argument : arguments) shapes.push_back(argument.shape());
  const auto called = w.body(arguments, 2);
  const std::string wrapped = w.computation([&] {
    std::vector<std::string> names;
    for (size_t i = 0; i < arguments.size(); ++i)
      names.push_back(w.addRaw(arguments[i].shape(), "parameter", {std::to_string(i)}));
    return fmt::format("{} call({}), to_apply={}", called.root.shape(), fmt::join(names, ", "), called.name);
  });
  const std::string start =
      w.addRaw(fmt::format("(({}), {}, u32[])", fmt::join(shapes, ", "), called.root.shape()), "async-start",
               namesOf(arguments), "calls=" + wrapped);
  Value result = called.root;
  result.name = w.addRaw(result.shape(), "async-done", {start});
  w.keep(result);
}

void addBarrier(ModuleWriter& w) {
  const Value x = w.pick();
  w.add(x.type, x.sizes, "opt-barrier", {x});
}

}  // namespace hilo::fuzz
