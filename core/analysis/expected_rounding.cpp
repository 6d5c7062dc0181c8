#include "core/analysis/expected_rounding.h"

#include <absl/container/flat_hash_map.h>
#include <absl/container/node_hash_map.h>
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "core/analysis/contraction_cost.h"
#include "core/analysis/post_order_walk.h"
#include "core/analysis/while_loop.h"
#include "core/hlo/eval/compare.h"
#include "core/hlo/expand/dot_algorithm.h"
#include "core/hlo/expand/library_calls.h"
#include "core/hlo/ir/device_grid.h"
#include "core/hlo/ir/op_facts.h"
#include "core/hlo/ir/replica_groups.h"

namespace hilo {
namespace {

constexpr int64_t kMostVisits = 1'000'000;

// Of one array; `squares` is the square of what is expected.
struct Growth {
  double squares = 0;
  int64_t terms = 1;
};
using Leaves = std::vector<Growth>;  // an array each, in the order of the tuple

Growth worse(Growth a, Growth b) { return {std::max(a.squares, b.squares), std::max(a.terms, b.terms)}; }

Growth worst(const Leaves& leaves) {
  Growth most;
  for (const Growth& leaf : leaves) most = worse(most, leaf);
  return most;
}

bool isRounded(Shape array) { return isFloat(array.elementType()) || isComplex(array.elementType()); }

void addArrays(Shape shape, std::vector<Shape>& arrays) {
  if (shape.isTuple()) {
    for (const Shape element : shape.tupleShapes()) addArrays(element, arrays);
  } else if (shape.isArray()) {
    arrays.push_back(shape);
  }
}
std::vector<Shape> arraysOf(Shape shape) {
  std::vector<Shape> arrays;
  addArrays(shape, arrays);
  return arrays;
}

bool adds(const Computation* applied) {
  if (applied == nullptr || applied->root() == nullptr) return false;
  const Instruction& root = *applied->root();
  const auto isParameter = [](const Instruction* i) { return i->opcode() == Opcode::Parameter; };
  return root.opcode() == Opcode::Add && std::ranges::all_of(root.operands(), isParameter);
}

// Whether what is applied to terms rounds: a maximum does not.
bool rounds(const Computation* applied) {
  return applied != nullptr && std::ranges::any_of(applied->instructions(), [](const Instruction* i) {
           return i->shape().isArray() && isRounded(i->shape()) && !roundsNothing(i->opcode());
         });
}

int64_t elementsOf(const Instruction& instruction) {
  const std::vector<Shape> arrays = arraysOf(instruction.shape());
  return arrays.empty() ? 1 : std::max<int64_t>(1, arrays[0].elementCount());
}

int64_t elementsOfOperand(const Instruction& instruction, size_t operand) {
  return operand < instruction.operands().size() ? elementsOf(*instruction.operand(operand)) : 1;
}

int64_t windowElements(const Instruction& instruction) {
  int64_t elements = 1;
  const Window* window = instruction.get<Attr::Window>();
  if (window == nullptr) return 1;
  for (const WindowDimension& dimension : window->dimensions)
    elements = std::min<int64_t>(int64_t{1} << 40, elements * std::max<int64_t>(1, dimension.size));
  return elements;
}

int64_t groupSize(const Instruction& collective) {
  size_t largest = 0;
  if (const ReplicaGroups* groups = collective.get<Attr::ReplicaGroups>()) {
    for (const auto& group : expandReplicaGroups(*groups)) largest = std::max(largest, group.size());
  }
  return largest > 0 ? static_cast<int64_t>(largest)
                     : std::max<int64_t>(1, gridOf(collective.module()).count());
}

int64_t fftRoundings(const Instruction& fft) {
  int64_t stages = 0;
  for (const int64_t length : fft.get<Attr::FftLength>())
    stages += std::bit_width(static_cast<uint64_t>(std::max<int64_t>(1, length)) - 1);
  return 4 * stages;
}

// Windows of updates, which may all go to one place.
int64_t updatesOf(const Instruction& scatter) {
  const size_t updates = (scatter.operands().size() - 1) / 2 + 1;
  const auto sizes = scatter.operand(updates)->shape().dimensions();
  const auto inWindow = scatter.get<Attr::UpdateWindowDims>();
  int64_t windows = 1;
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (std::ranges::find(inWindow, static_cast<int64_t>(d)) == inWindow.end()) windows *= sizes[d];
  }
  return windows;
}

// Along the dimensions that it names.
int64_t scanned(const Instruction& scan) {
  const auto sizes = scan.operand(0)->shape().dimensions();
  int64_t terms = 1;
  for (const int64_t d : scan.get<Attr::Dimensions>()) {
    if (d >= 0 && static_cast<size_t>(d) < sizes.size()) terms *= sizes[static_cast<size_t>(d)];
  }
  return terms;
}

int64_t rowsOfMatrix(const Instruction& instruction) {
  const auto sizes = instruction.operand(0)->shape().dimensions();
  return sizes.empty() ? 1 : sizes.back();
}

// How often the terms of one element of the result are rounded as they are added up: 0 where none are.
int64_t termsOf(const Instruction& instruction) {
  const int64_t elements = elementsOf(instruction);
  switch (instruction.opcode()) {
    case Opcode::Dot:
    case Opcode::RaggedDot:
    case Opcode::ScaledDot:
      return dotFlops(instruction) / 2 / elements;
    case Opcode::Convolution:
      return convolutionFlops(instruction) / 2 / elements;
    case Opcode::Reduce:
      return rounds(instruction.get<Attr::ToApply>()) ? elementsOfOperand(instruction, 0) / elements : 0;
    case Opcode::ReduceWindow:
      return rounds(instruction.get<Attr::ToApply>()) ? windowElements(instruction) : 0;
    case Opcode::SelectAndScatter:
      return rounds(instruction.get<Attr::Scatter>()) ? windowElements(instruction) : 0;
    case Opcode::Scatter:
      return rounds(instruction.get<Attr::ToApply>()) ? updatesOf(instruction) : 0;
    case Opcode::AllReduce:
    case Opcode::AllReduceStart:
    case Opcode::ReduceScatter:
      return rounds(instruction.get<Attr::ToApply>()) ? groupSize(instruction) : 0;
    case Opcode::Scan:
      return rounds(instruction.get<Attr::ToApply>()) ? scanned(instruction) : 0;
    case Opcode::BatchNormGrad:
    case Opcode::BatchNormTraining:
      return elementsOfOperand(instruction, 0) / elementsOfOperand(instruction, 1);
    case Opcode::Cholesky:
    case Opcode::TriangularSolve:
      return rowsOfMatrix(instruction);
    case Opcode::Fft:
      return fftRoundings(instruction);
    default:
      return 0;
  }
}

bool isExpanded(const Instruction& instruction) {
  return instruction.opcode() == Opcode::CustomCall ? !expansionRefusal(instruction)
                                                    : hasAlgorithmOfItsOwn(instruction);
}

// Whether its result is made of numbers that were there before, once terms are set aside.
bool keepsNumbers(const Instruction& instruction) {
  const OpcodeClass family = opcodeClass(instruction.opcode());
  if (family == OpcodeClass::Collective || family == OpcodeClass::Communication ||
      family == OpcodeClass::Async)
    return true;
  switch (instruction.opcode()) {
    case Opcode::Reduce:
    case Opcode::ReduceWindow:
    case Opcode::Scan:
    case Opcode::Scatter:
    case Opcode::SelectAndScatter:
      return true;
    default:
      return roundsNothing(instruction.opcode());
  }
}

// The bits that a rounding to the result's type loses: none where a type that holds fewer is converted.
bool losesBits(const Instruction& convert) {
  const Shape from = convert.operand(0)->shape(), to = convert.shape();
  return !isRounded(from) || !isRounded(to) || epsilonOf(to.elementType()) > epsilonOf(from.elementType());
}

class Analysis {
 public:
  Result<Leaves> through(const Computation& computation, const std::vector<Leaves>& arguments) {
    absl::flat_hash_map<const Instruction*, Leaves> known;
    for (const Instruction* instruction : orderOf(computation)) {
      if (++visits_ > kMostVisits)
        return fail("too-large", "calls within calls are too many to estimate rounding of");
      if (instruction->opcode() == Opcode::Parameter) {
        const auto number = static_cast<size_t>(instruction->parameterNumber());
        const size_t arrays = arraysOf(instruction->shape()).size();
        const bool isGiven = number < arguments.size() && arguments[number].size() == arrays;
        known[instruction] = isGiven ? arguments[number] : Leaves(arrays);
        continue;
      }
      std::vector<Leaves> operands;
      for (const Instruction* operand : instruction->operands()) operands.push_back(known.at(operand));
      TRY(known[instruction], of(*instruction, operands));
    }
    return std::move(known.at(computation.root()));
  }

 private:
  // Operands first.
  const std::vector<const Instruction*>& orderOf(const Computation& computation) {
    const auto [found, isNew] = orders_.try_emplace(&computation);
    if (isNew) {
      PostOrderWalk<const Instruction> walk(idsOf(computation));
      for (const Instruction* instruction : computation.instructions()) {
        walk.visit(instruction, [](const Instruction* each, std::vector<const Instruction*>& needs) {
          needs.insert(needs.end(), each->operands().begin(), each->operands().end());
        });
      }
      found->second = walk.takeOrder();
    }
    return found->second;
  }

  Result<Leaves> of(const Instruction& instruction, const std::vector<Leaves>& operands) {
    switch (instruction.opcode()) {
      case Opcode::Tuple:
        return joined(operands);
      case Opcode::GetTupleElement:
        return elementOf(instruction, operands[0]);
      case Opcode::AddDependency:
      case Opcode::Domain:
      case Opcode::OptBarrier:
        return operands[0];
      case Opcode::Call:
      case Opcode::Fusion:
        return through(*instruction.calledComputations()[0], operands);
      case Opcode::Conditional:
        return ofBranches(instruction, operands);
      case Opcode::While:
        return ofLoop(instruction, operands[0]);
      default:
        break;
    }
    if (isExpanded(instruction)) {
      TRY(auto expansion, expandedAlone(instruction));
      return through(*expansions_.emplace_back(std::move(expansion))->entry(), operands);
    }
    return ofOperation(instruction, operands);
  }

  static Leaves joined(const std::vector<Leaves>& operands) {
    Leaves all;
    for (const Leaves& operand : operands) all.insert(all.end(), operand.begin(), operand.end());
    return all;
  }

  static Leaves elementOf(const Instruction& instruction, const Leaves& tuple) {
    const auto shapes = instruction.operand(0)->shape().tupleShapes();
    size_t first = 0;
    for (int64_t i = 0; i < instruction.tupleIndex(); ++i)
      first += arraysOf(shapes[static_cast<size_t>(i)]).size();
    const auto begin = tuple.begin() + static_cast<std::ptrdiff_t>(first);
    return {begin, begin + static_cast<std::ptrdiff_t>(arraysOf(instruction.shape()).size())};
  }

  Result<Leaves> ofBranches(const Instruction& conditional, const std::vector<Leaves>& operands) {
    Leaves all(arraysOf(conditional.shape()).size());
    const auto branches = conditional.calledComputations();
    for (size_t b = 0; b < branches.size(); ++b) {
      TRY(const Leaves branch, through(*branches[b], {operands[b + 1]}));
      for (size_t i = 0; i < all.size(); ++i) all[i] = worse(all[i], branch[i]);
    }
    return all;
  }

  // Each turn adds what the second does: by then all that the state carries around has come around.
  Result<Leaves> ofLoop(const Instruction& loop, const Leaves& state) {
    const Computation& body = *loop.get<Attr::Body>();
    const int64_t turns = tripCount(loop).value_or(1);
    if (turns < 1) return state;
    TRY(Leaves first, through(body, {state}));
    if (turns == 1) return first;
    TRY(Leaves second, through(body, {first}));
    for (size_t i = 0; i < second.size(); ++i) {
      const double each = std::max(0., second[i].squares - first[i].squares);
      second[i].squares += static_cast<double>(turns - 2) * each;
    }
    return second;
  }

  Result<Leaves> ofOperation(const Instruction& instruction, const std::vector<Leaves>& operands) {
    Growth most;
    for (const Leaves& operand : operands) most = worse(most, worst(operand));
    if (instruction.opcode() == Opcode::AsyncStart) {
      TRY(const Leaves wrapped, through(*instruction.calledComputations()[0], operands));
      most = worse(most, worst(wrapped));
    }
    const int64_t terms = termsOf(instruction);
    most.terms = std::max(most.terms, terms);
    Leaves leaves;
    for (const Shape array : arraysOf(instruction.shape()))
      leaves.push_back(isRounded(array) ? rounded(instruction, array.elementType(), most, terms) : Growth());
    return leaves;
  }

  static Growth rounded(const Instruction& instruction, ElementType type, Growth growth, int64_t terms) {
    const double epsilon = epsilonOf(type), summed = std::min(epsilon, epsilonOf(ElementType::F32));
    const bool isLossless = instruction.opcode() == Opcode::Convert && !losesBits(instruction);
    if (terms > 0) growth.squares += static_cast<double>(terms) * summed * summed;
    if (terms > 0 ? epsilon > summed : !isLossless && !keepsNumbers(instruction))
      growth.squares += epsilon * epsilon;
    return growth;
  }

  int64_t visits_ = 0;
  absl::node_hash_map<const Computation*, std::vector<const Instruction*>> orders_;
  std::vector<std::unique_ptr<Module>> expansions_;  // to the end, as orders are of their computations
};

}  // namespace

bool addsTerms(const Instruction& instruction) {
  if (hasFact(instruction.opcode(), OpFact::Contracts)) return true;
  switch (instruction.opcode()) {
    case Opcode::AllReduce:
    case Opcode::Reduce:
    case Opcode::ReduceScatter:
    case Opcode::ReduceWindow:
    case Opcode::Scatter:
      return adds(instruction.get<Attr::ToApply>());
    case Opcode::SelectAndScatter:
      return adds(instruction.get<Attr::Scatter>());
    default:
      return false;
  }
}

bool roundsNothing(Opcode opcode) {
  const OpcodeClass family = opcodeClass(opcode);
  return family == OpcodeClass::DataMovement || family == OpcodeClass::Leaf ||
         family == OpcodeClass::Ordering || hasFact(opcode, OpFact::PicksNumbers);
}

Result<std::vector<ExpectedRounding>> expectedRounding(const Module& module) {
  TRY(const Leaves leaves, Analysis().through(*module.entry(), {}));
  std::vector<ExpectedRounding> expected;
  for (const Growth& leaf : leaves) expected.push_back({std::sqrt(leaf.squares), leaf.terms});
  return expected;
}

}  // namespace hilo
