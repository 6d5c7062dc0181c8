#include "core/analysis/tiling/tiling_space.h"

#include <absl/container/flat_hash_set.h>
#include <fmt/format.h>

#include <algorithm>

#include "core/analysis/indexing/operand_indexing.h"
#include "core/analysis/saturating.h"
#include "core/analysis/scalar_integer.h"
#include "core/analysis/tiling/first_array.h"
#include "core/hlo/ir/module.h"

namespace hilo {
namespace {

using Expression = AffineExpression;
using Kind = IndexVariable::Kind;
using Place = std::vector<Expression>;

constexpr size_t kMostInstructions = 5000;  // an instruction may lie at many places
constexpr int kDeepest = 1000;              // operands of operands
constexpr IndexRange kIndices = {-(int64_t{1} << 50), int64_t{1} << 50};

bool isEntered(const Instruction& instruction) {
  return instruction.opcode() == Opcode::Fusion || instruction.opcode() == Opcode::Call;
}

// From the root to the operands, each at its place by the space's variables.
class SpaceBuilder {
 public:
  explicit SpaceBuilder(const Instruction& outermost) : outermost_(outermost) {}

  Result<TilingSpace> build() {
    TRY_STATUS(addRoots(isEntered(outermost_) ? *outermost_.calledComputations()[0]->root() : outermost_));
    for (const TilingVariable& variable : space_.variables) {
      if (variable.index.range.isEmpty()) return no(*variable.instruction, "it has no elements");
    }
    return std::move(space_);
  }

 private:
  // What the operands of concatenates and all-gathers between the root and an instruction are.
  struct Way {
    std::vector<TiledInstruction::Within> within;
    std::vector<TiledInstruction::Gathered> gathered;
  };

  std::unexpected<Diagnostic> no(const Instruction& instruction, std::string why) const {
    return fail("not-tileable",
                fmt::format("%{} ({}): {}", instruction.name(), instruction.opcodeText(), why),
                {.instruction = std::string(instruction.name())});
  }

  // Results that others are made of come last: their tiles are those of the others where that covers them.
  Status addRoots(const Instruction& root) {
    std::vector<const Instruction*> results = {&root};
    if (root.opcode() == Opcode::Tuple) results.assign(root.operands().begin(), root.operands().end());
    space_.roots.resize(results.size());
    space_.rootElements.resize(results.size());
    for (const bool isExtra : {false, true}) {
      for (size_t i = 0; i < results.size(); ++i) {
        if (isMadeOf(results, i) == isExtra) TRY_STATUS(addRoot(*results[i], i, isExtra));
      }
    }
    return {};
  }

  static bool isMadeOf(const std::vector<const Instruction*>& results, size_t extra) {
    return std::ranges::any_of(results, [&](const Instruction* other) {
      return other != results[extra] && reaches(*other, *results[extra]);
    });
  }

  static bool reaches(const Instruction& from, const Instruction& to) {
    std::vector<const Instruction*> open = {&from};
    absl::flat_hash_set<const Instruction*> seen;
    while (!open.empty()) {
      const Instruction* at = open.back();
      open.pop_back();
      if (at == &to) return true;
      if (!seen.insert(at).second) continue;
      open.insert(open.end(), at->operands().begin(), at->operands().end());
    }
    return false;
  }

  Status addRoot(const Instruction& result, size_t number, bool isExtra) {
    const Shape shape = firstArray(result.shape());
    if (!shape.isArray()) return no(result, "its result is no array");
    space_.rootElements[number] = elementNumber(result);
    if (const auto known = isExtra ? coveredBefore(result, shape) : std::nullopt) {
      space_.roots[number] = *known;
      return {};
    }
    TRY(space_.roots[number], visit(result, placeOfRoot(result, shape), {}, 0));
    return {};
  }

  // Results of the same sizes share their tiles.
  Place placeOfRoot(const Instruction& result, Shape shape) {
    const std::vector<int64_t> sizes(shape.dimensions().begin(), shape.dimensions().end());
    const auto known = std::ranges::find(rootPlaces_, sizes, [](const auto& root) { return root.first; });
    if (known != rootPlaces_.end()) return known->second;
    Place place;
    for (size_t d = 0; d < sizes.size(); ++d)
      place.push_back(variable({{Kind::Dimension, {0, sizes[d] - 1}}, &result, d}));
    rootPlaces_.emplace_back(sizes, place);
    return place;
  }

  // Where the instruction lies already so that each of its elements is one of the other results' elements.
  // Source: SymbolicTileAnalysis, roots that reuse tiles of the real root.
  std::optional<size_t> coveredBefore(const Instruction& result, Shape shape) const {
    for (size_t i = 0; i < space_.instructions.size(); ++i) {
      const TiledInstruction& tiled = space_.instructions[i];
      if (tiled.instruction == &result && tiled.within.empty() && tiled.gathered.empty() &&
          goesThroughEach(tiled.place, shape))
        return i;
    }
    return std::nullopt;
  }

  bool goesThroughEach(const Place& place, Shape shape) const {
    int64_t count = 1;
    const TilingVariable* first = nullptr;
    for (size_t v = 0; v < space_.variables.size(); ++v) {
      const TilingVariable& variable = space_.variables[v];
      const bool isUsed = std::ranges::any_of(place, [&](const Expression& at) { return at.uses(v); });
      const int64_t size = variable.index.range.upper + 1;
      if (!isUsed) continue;
      if (variable.index.kind != Kind::Dimension) return false;
      if (first == nullptr) first = &variable;
      count = saturatingMultiply(count, size);
    }
    return first != nullptr && count == shape.elementCount() && usesAllOf(place, *first->instruction);
  }

  // Else several tiles of the other result would have the same tile of this one.
  bool usesAllOf(const Place& place, const Instruction& root) const {
    for (size_t v = 0; v < space_.variables.size(); ++v) {
      const TilingVariable& variable = space_.variables[v];
      const bool isOfRoot = variable.index.kind == Kind::Dimension && variable.instruction == &root;
      const bool isUsed = std::ranges::any_of(place, [&](const Expression& at) { return at.uses(v); });
      if (isOfRoot && variable.index.range.upper > 0 && !isUsed) return false;
    }
    return true;
  }

  // The one there is, or a new one.
  Expression variable(TilingVariable wanted) {
    const auto same = std::ranges::find_if(space_.variables, [&](const TilingVariable& known) {
      return known.index == wanted.index && known.instruction == wanted.instruction &&
             known.number == wanted.number;
    });
    const auto number = static_cast<size_t>(same - space_.variables.begin());
    if (same == space_.variables.end()) space_.variables.push_back(std::move(wanted));
    return Expression::variable(number);
  }

  Result<size_t> visit(const Instruction& instruction, const Place& place, const Way& way, int depth) {
    if (depth > kDeepest || space_.instructions.size() > kMostInstructions)
      return no(instruction, "the fusion is too large to be tiled");
    const Instruction* entered = nullptr;
    if (isEntered(instruction) && &instruction != &outermost_) entered = &instruction;
    const bool isTaken =
        instruction.opcode() == Opcode::GetTupleElement && !isGiven(instruction) && !isOfLeaf(instruction);
    if (isTaken && isEntered(*instruction.operand(0))) entered = instruction.operand(0);
    const Instruction* inner = entered != nullptr ? entered->calledComputations()[0]->root() : &instruction;
    if (isTaken) inner = tupleElement(instruction, entered != nullptr ? *inner : *instruction.operand(0));
    if (inner != &instruction) {
      if (entered != nullptr) callers_.push_back(entered);
      auto result = visit(*inner, place, way, depth + 1);
      if (entered != nullptr) callers_.pop_back();
      return result;
    }
    if (instruction.opcode() == Opcode::Parameter && !callers_.empty())
      return visitArgument(instruction, place, way, depth);
    const auto known = std::ranges::find_if(space_.instructions, [&](const TiledInstruction& tiled) {
      return tiled.instruction == &instruction && tiled.caller == caller() && tiled.place == place &&
             sameIndices(tiled.within, way.within) && sameDevices(tiled.gathered, way.gathered);
    });
    if (known != space_.instructions.end()) return static_cast<size_t>(known - space_.instructions.begin());
    TiledInstruction tiled{&instruction, caller(), place, {}, way.within, way.gathered};
    if (!isLeaf(instruction)) TRY_STATUS(visitOperands(tiled, depth));
    space_.instructions.push_back(std::move(tiled));
    return space_.instructions.size() - 1;
  }

  const Instruction* caller() const { return callers_.empty() ? nullptr : callers_.back(); }

  // A parameter of an inner fusion is the fusion's operand.
  Result<size_t> visitArgument(const Instruction& parameter, const Place& place, const Way& way, int depth) {
    const Instruction* caller = callers_.back();
    callers_.pop_back();
    auto result =
        visit(*caller->operand(static_cast<size_t>(parameter.parameterNumber())), place, way, depth + 1);
    callers_.push_back(caller);
    return result;
  }

  // An element of what the fusion is given as a tuple.
  bool isGiven(const Instruction& element) const {
    return callers_.empty() && element.operand(0)->opcode() == Opcode::Parameter;
  }

  // An element of what nobody looks into, such as a loop, whose elements may be of any shapes.
  bool isOfLeaf(const Instruction& element) const {
    const Instruction& tuple = *element.operand(0);
    return tuple.opcode() != Opcode::Tuple && !isEntered(tuple) && isLeaf(tuple);
  }

  static const Instruction* tupleElement(const Instruction& element, const Instruction& tuple) {
    if (tuple.opcode() != Opcode::Tuple) return &tuple;
    return tuple.operand(static_cast<size_t>(element.tupleIndex()));
  }

  static bool sameIndices(std::span<const TiledInstruction::Within> a,
                          std::span<const TiledInstruction::Within> b) {
    return std::ranges::equal(a, b, [](const auto& x, const auto& y) {
      return x.index == y.index && x.size == y.size && x.concatenate == y.concatenate;
    });
  }

  static bool sameDevices(std::span<const TiledInstruction::Gathered> a,
                          std::span<const TiledInstruction::Gathered> b) {
    return std::ranges::equal(a, b, [](const auto& x, const auto& y) {
      return x.device == y.device && x.allGather == y.allGather;
    });
  }

  // An instruction that is looked at alone reads its operands as they are.
  bool isLeaf(const Instruction& instruction) const {
    return instruction.operandCount() == 0 || (!isEntered(outermost_) && &instruction != &outermost_) ||
           instruction.opcode() == Opcode::Parameter || instruction.opcode() == Opcode::GetTupleElement;
  }

  Status visitOperands(TiledInstruction& tiled, int depth) {
    const Instruction& instruction = *tiled.instruction;
    for (size_t i = 0; i < instruction.operandCount(); ++i) {
      const auto map = indexing(instruction, i);
      if (!map) return no(instruction, "which elements it reads does not follow from indices");
      TRY(const Place place, placeOf(tiled, *map));
      Way way{tiled.within, tiled.gathered};
      TRY_STATUS(addConstraints(tiled, i, *map, way.within));
      if (instruction.opcode() == Opcode::AllGather) way.gathered.push_back(gatheredBy(tiled));
      TRY(const size_t operand, visit(*instruction.operand(i), place, way, depth + 1));
      tiled.operands.push_back(operand);
    }
    return {};
  }

  static std::optional<IndexingMap> indexing(const Instruction& instruction, size_t operand) {
    if (instruction.opcode() == Opcode::Scan) return scanIndexing(instruction, operand);
    if (instruction.opcode() == Opcode::AllGather) return gatherIndexing(instruction);
    return operandIndexing(instruction, operand);
  }

  // In the operand of whichever device it is. Several arrays at once would each have a size of their own.
  static std::optional<IndexingMap> gatherIndexing(const Instruction& allGather) {
    const auto [along, own] = gatheredAlong(allGather);
    if (allGather.operandCount() != 1 || !allGather.shape().isArray() || own == 0) return std::nullopt;
    IndexingMap map = identityMap(allGather.shape().dimensions());
    map.results[along] = map.results[along].modulo(own);
    return map;
  }

  // The dimension, and the elements along it that each device has.
  static std::pair<size_t, int64_t> gatheredAlong(const Instruction& allGather) {
    const auto along = static_cast<size_t>(allGather.dimensions()[0]);
    const Shape own = allGather.operand(0)->shape();
    return {along, along < own.rank() ? own.dimension(along) : 0};
  }

  TiledInstruction::Gathered gatheredBy(const TiledInstruction& tiled) const {
    const Instruction& allGather = *tiled.instruction;
    const auto [along, own] = gatheredAlong(allGather);
    return {.device = simplified(tiled.place[along].dividedBy(own)),
            .devices = allGather.shape().dimension(along) / own,
            .allGather = &allGather};
  }

  // A tile of a scan reads the operands' tile, after those before it; what it starts with
  // has no such dimension.
  static IndexingMap scanIndexing(const Instruction& scan, size_t operand) {
    IndexingMap map = identityMap(firstArray(scan.shape()).dimensions());
    const auto carries = static_cast<size_t>(scan.get<Attr::NumCarries>().value_or(0));
    if (operand + carries >= scan.operandCount())
      map.results.erase(map.results.begin() + scan.dimensions()[0]);
    return map;
  }

  // What stands for the map's own variables in the space.
  std::vector<Expression> variablesOf(const TiledInstruction& tiled, const IndexingMap& map) {
    std::vector<Expression> by(map.variables.size());
    size_t dimension = 0, folded = 0, read = 0;
    for (size_t i = 0; i < by.size(); ++i) {
      IndexVariable own = map.variables[i];
      if (own.kind == Kind::Dimension) {
        by[i] = tiled.place[dimension++];
        continue;
      }
      if (const auto known = constantRead(own)) {
        by[i] = Expression(*known);
        continue;
      }
      for (Expression& place : own.place) place = simplified(place.replaced(by));
      size_t& number = own.kind == Kind::Symbol ? folded : read;
      by[i] = variable({std::move(own), tiled.instruction, number++});
    }
    return by;
  }

  static std::optional<int64_t> constantRead(const IndexVariable& variable) {
    const bool isConstant = variable.read != nullptr && variable.read->opcode() == Opcode::Constant;
    if (!isConstant || variable.range.isEmpty()) return std::nullopt;
    const auto number = scalarInteger(variable.read->literal());
    if (!number) return std::nullopt;
    return std::clamp(*number, variable.range.lower, variable.range.upper);
  }

  Result<Place> placeOf(const TiledInstruction& tiled, const IndexingMap& map) {
    if (map.dimensionCount() != tiled.place.size())
      return no(*tiled.instruction, "its results differ in rank");
    const auto by = variablesOf(tiled, map);
    Place place;
    for (const Expression& result : map.results) {
      place.push_back(simplified(result.replaced(by)));
      if (!kIndices.contains(place.back().range(ranges())))
        return no(*tiled.instruction, "its indices are too large");
    }
    return place;
  }

  // A constraint on what is an index of the operand says where the operand ends: what lies outside is masked.
  Status addConstraints(const TiledInstruction& tiled, size_t operand, const IndexingMap& map,
                        std::vector<TiledInstruction::Within>& within) {
    const Instruction& instruction = *tiled.instruction;
    const auto by = variablesOf(tiled, map);
    for (const IndexConstraint& constraint : map.constraints) {
      if (instruction.opcode() == Opcode::Concatenate) {
        within.push_back({.index = simplified(constraint.expression.replaced(by)),
                          .size = constraint.range.upper + 1,
                          .isFirst = operand == 0,
                          .isLast = operand + 1 == instruction.operandCount(),
                          .concatenate = &instruction});
      } else if (std::ranges::find(map.results, constraint.expression) == map.results.end()) {
        return no(instruction, instruction.opcode() == Opcode::Pad
                                   ? "it pads between elements"
                                   : "it reads between elements of a dilated base");
      }
    }
    return {};
  }

  Expression simplified(const Expression& expression) const {
    const auto known = ranges();
    const bool isEmpty = std::ranges::any_of(known, &IndexRange::isEmpty);
    return isEmpty ? expression : expression.simplified(known);
  }

  std::vector<IndexRange> ranges() const {
    std::vector<IndexRange> all;
    for (const TilingVariable& variable : space_.variables) all.push_back(variable.index.range);
    return all;
  }

  const Instruction& outermost_;
  TilingSpace space_;
  std::vector<const Instruction*> callers_;  // fusions inside of the fusion, the innermost last
  std::vector<std::pair<std::vector<int64_t>, Place>> rootPlaces_;
};

}  // namespace

bool TiledInstruction::isRead(std::span<const int64_t> first) const {
  return std::ranges::all_of(within, [&](const Within& operand) {
    const int64_t at = operand.index.evaluate(first);
    return at >= 0 && at < operand.size;
  });
}

std::vector<size_t> TilingSpace::tiled() const {
  std::vector<size_t> numbers;
  for (size_t i = 0; i < variables.size(); ++i) {
    if (variables[i].index.kind != Kind::Runtime) numbers.push_back(i);
  }
  return numbers;
}

std::vector<std::string> TilingSpace::names() const {
  std::vector<std::string> names;
  size_t counts[3] = {};
  constexpr const char* kPrefixes[] = {"d", "s", "rt"};
  for (const TilingVariable& variable : variables) {
    const auto kind = static_cast<size_t>(variable.index.kind);
    names.push_back(fmt::format("{}{}", kPrefixes[kind], counts[kind]++));
  }
  return names;
}

size_t elementNumber(const Instruction& value) {
  if (value.opcode() != Opcode::GetTupleElement) return 0;
  const auto number = static_cast<size_t>(value.tupleIndex());
  const Instruction* maker = value.operand(0);
  while (isEntered(*maker)) maker = maker->calledComputations()[0]->root();
  return maker->opcode() == Opcode::Tuple ? elementNumber(*maker->operand(number)) : number;
}

Result<TilingSpace> tilingSpace(const Instruction& instruction) { return SpaceBuilder(instruction).build(); }

}  // namespace hilo
