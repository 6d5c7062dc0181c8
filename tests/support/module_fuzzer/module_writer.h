// Writes random modules as text. The same seed gives the same module on every machine. What operations there
// are to choose from is makers.def; a maker asks the writer for operands of the shapes it needs and adds its
// instruction. Arrays are small (up to 1,500 elements, mostly far fewer, rank up to 4), of every element
// type, in random layouts.
#pragma once

#include <string>
#include <vector>

#include "core/hlo/ir/device_grid.h"
#include "core/hlo/ir/element_type.h"
#include "core/hlo/ir/opcode.h"

namespace hilo::fuzz {

struct Options {
  uint64_t seed = 0;
  int operations = 20;
  // Only operations whose result does not depend on the order of rounding.
  bool exactOnly = false;
  DeviceGrid devices = {};  // of more than one: with what devices exchange
};

using Sizes = std::vector<int64_t>;

struct Value {
  std::string name;
  ElementType type = ElementType::F32;
  Sizes sizes;
  std::string layout;  // "{0,1}"

  int64_t count() const;
  size_t rank() const { return sizes.size(); }
  std::string shape() const;  // "f32[2,3]{0,1}"
};

class ModuleWriter {
 public:
  explicit ModuleWriter(const Options& options) : options_(options), state_(options.seed * 2 + 1) {}
  std::string write();

  // Numbers.
  uint64_t next();
  size_t below(size_t limit) { return static_cast<size_t>(next() % limit); }
  int64_t between(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(below(static_cast<size_t>(high - low + 1)));
  }
  bool oneIn(size_t n) { return below(n) == 0; }
  template <typename Container>
  const auto& oneOf(const Container& choices) {
    return choices[below(std::size(choices))];
  }
  std::vector<int64_t> permutation(size_t n);
  bool exactOnly() const { return options_.exactOnly; }
  DeviceGrid devices() const { return options_.devices; }
  int freshNumber() { return names_++; }

  // Types and shapes.
  ElementType anyType();
  ElementType numberType();  // not pred
  ElementType floatType();
  ElementType integerType();
  Sizes anySizes(size_t leastRank = 0, size_t mostRank = 4);

  // Operands.
  const Value& pick();
  // A value of this kind, made if there is none.
  Value valueOf(ElementType type, const Sizes& sizes);
  Value pickOf(bool (*accepts)(ElementType), size_t leastRank = 0);
  Value scalar(ElementType type, double number);
  Value index(int64_t below);  // an s32 scalar that mostly lies in [0, below)

  // Adds an instruction: "f32[2]{0} add(a, b), ..." gets a name and a random layout.
  Value add(ElementType type, const Sizes& sizes, const std::string& opcode,
            const std::vector<Value>& operands, const std::string& attributes = "");
  // An instruction whose value is not kept for others; `shape` is text.
  std::string addRaw(const std::string& shape, const std::string& opcode,
                     const std::vector<std::string>& operands, const std::string& attributes = "");
  void keep(Value value);

  // A computation with scalar parameters p0, p1, ... and the given last line ("ROOT r = ..." without ROOT).
  std::string scalarComputation(const std::vector<ElementType>& parameters, const std::string& body,
                                ElementType result);
  // combine(a, b) for reductions over a type, with its neutral element.
  struct Combiner {
    std::string computation;
    double initial;
  };
  Combiner combiner(ElementType type);
  // Some operations on parameters, in a computation of their own; returns its name and the root's value.
  struct Body {
    std::string name;
    Value root;
    std::vector<Value> all;
  };
  // With `givesAll` the root is a tuple of every value.
  Body body(const std::vector<Value>& parameters, int operations, bool givesAll = false);
  // A computation from the lines written by `write`, which returns its root line ("f32[] add(a, b)").
  template <typename F>
  std::string computation(F&& write) {
    enter();
    const std::string root = write();
    return leave(root);
  }

  // Devices may meet in the computation being written where they may in the one around it: all of them come
  // there, as often.
  void mayMeet() { scopes_.back().mayMeet = scopes_[scopes_.size() - 2].mayMeet; }
  // Exact ones, in the computation being written: what is rounded inside is not seen from outside.
  void addOperations(int count);
  std::string randomLayout(size_t rank);
  std::string fresh(const char* prefix) { return prefix + std::to_string(names_++); }

 private:
  struct Scope {
    std::string lines;
    std::vector<Value> values;
    bool isEntry = false, mayMeet = false;
  };
  void enter() { scopes_.emplace_back(); }
  std::string leave(const std::string& root);
  void addOne();
  Value parameter(ElementType type, const Sizes& sizes);

  Options options_;
  uint64_t state_;
  int names_ = 0, parameters_ = 0;
  std::string computations_;
  std::vector<Scope> scopes_;
};

std::string list(const std::vector<int64_t>& numbers);     // "{0,2}"
std::string typedNumber(ElementType type, double number);  // as in constant(...)
bool anyElementType(ElementType);
// Whether an elementwise opcode has a meaning for operands of these types, and which type it gives.
std::optional<ElementType> elementwiseResult(Opcode opcode, const std::vector<ElementType>& operands);

#define MAKER(function, ...) void function(ModuleWriter& writer);
#include "tests/support/module_fuzzer/makers.def"

}  // namespace hilo::fuzz
