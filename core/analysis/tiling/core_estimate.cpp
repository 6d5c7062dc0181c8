#include "core/analysis/tiling/core_estimate.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/analysis/cost/op_work.h"
#include "core/analysis/dimension_order.h"
#include "core/analysis/tiling/tile_traffic.h"
#include "core/hlo/ir/instruction.h"
#include "core/hlo/ir/op_facts.h"

namespace hilo {
namespace {

using Kind = IndexVariable::Kind;

constexpr double kLineBytes = 64;

// A line that comes from behind the cache, in cycles: among neighbours, and alone.
struct Cache {
  int64_t bytes, ways;
  double streamedCycles, scatteredCycles;
};
constexpr Cache kCaches[] = {{32 << 10, 8, 2, 2}, {512 << 10, 8, 4, 4}, {32 << 20, 16, 10, 40}};

constexpr int64_t kNeighbours = 4;  // lines from which on the next ones are fetched ahead
constexpr double kRunCycles = 3, kTileCycles = 20, kElementCycles = 1;
// Where elementNs was measured, and what it is from on for what calls the C library.
constexpr double kMeasuredMHz = 3000, kMeasuredLanes = 8, kCallNs = 2;

bool isIn(const std::vector<size_t>& variables, size_t v) {
  return std::ranges::find(variables, v) != variables.end();
}

// What is read or written, its dimensions from major to minor.
struct Array {
  struct Dimension {
    int64_t size = 1;
    std::vector<size_t> variables;  // that move it
  };
  std::vector<Dimension> dimensions;
  double elementBytes = 4;

  bool moves(size_t variable) const {
    return std::ranges::any_of(dimensions, [&](const Dimension& d) { return isIn(d.variables, variable); });
  }
};

// How far a loop nest goes along each variable.
using Extents = std::vector<double>;

double along(const Array::Dimension& dimension, const Extents& extents) {
  double all = 1;
  for (const size_t v : dimension.variables) all *= extents[v];
  return std::min(all, static_cast<double>(dimension.size));
}

// Lines one after the other, and of these so many runs.
double linesOfRun(const Array& array, const Extents& extents) {
  if (array.dimensions.empty()) return 1;
  return std::ceil(along(array.dimensions.back(), extents) * array.elementBytes / kLineBytes);
}
double runs(const Array& array, const Extents& extents) {
  double all = 1;
  for (size_t d = 0; d + 1 < array.dimensions.size(); ++d) all *= along(array.dimensions[d], extents);
  return all;
}

// What of the cache the lines take: of its bytes, and of the ways of the fullest of the places that they fall
// on. Other arrays have bytes in common with it, and seldom that place.
struct CacheShare {
  double bytes, ways;
};
CacheShare shareOf(const Cache& cache, const Array& array, const Extents& extents) {
  const double lines = linesOfRun(array, extents), count = runs(array, extents);
  const int64_t places = cache.bytes / static_cast<int64_t>(kLineBytes) / cache.ways;
  double taken = lines;
  if (count > 1) {
    const double bytes = static_cast<double>(array.dimensions.back().size) * array.elementBytes;
    const auto apart = std::max<int64_t>(1, static_cast<int64_t>(bytes / kLineBytes));
    taken = lines * std::min(count, static_cast<double>(places / std::gcd(places, apart)));
  }
  taken = std::min(taken, static_cast<double>(places));
  return {lines * count * kLineBytes / static_cast<double>(cache.bytes),
          lines * count / taken / static_cast<double>(cache.ways)};
}

class CoreEstimator {
 public:
  CoreEstimator(const TilingSpace& space, const FusionTiling& tiling, const CoreDescription& core)
      : space_(space), tiling_(tiling), core_(core) {
    findArrays();
    findLoops();
  }

  CoreEstimate run() {
    double streamed = 0;
    for (const Cache& cache : kCaches) {
      const Lines lines = linesInto(cache);
      streamed = std::max(streamed, lines.streamed * cache.streamedCycles);
      estimate_.scatteredNs += ns(lines.scattered * cache.scatteredCycles);
      estimate_.memoryBytes = (lines.streamed + lines.scattered) * kLineBytes;
      if (&cache == &kCaches[0]) estimate_.nearBytes = estimate_.memoryBytes;
    }
    estimate_.streamedNs = ns(streamed);
    estimate_.computeNs = ns(computeCycles());
    estimate_.ns = std::max(estimate_.computeNs, estimate_.streamedNs) + estimate_.scatteredNs;
    return estimate_;
  }

 private:
  struct Loop {
    size_t variable;
    double count;
  };
  struct Lines {
    double streamed = 0, scattered = 0;
  };

  double ns(double cycles) const { return cycles / (core_.clockMHz * 1e-3); }

  void findArrays() {
    const auto add = [&](size_t i) {
      const TiledInstruction& tiled = space_.instructions[i];
      const Shape shape = tiled.instruction->shape();
      if (!shape.isArray() || shape.rank() == 0) return;
      Array array{.elementBytes = elementBits(shape.elementType()) / 8.0};
      for (const int64_t d : majorToMinor(shape)) {
        const auto number = static_cast<size_t>(d);
        Array::Dimension dimension{.size = shape.dimension(number)};
        for (size_t v = 0; v < space_.variables.size(); ++v) {
          if (tiled.place[number].uses(v)) dimension.variables.push_back(v);
        }
        array.dimensions.push_back(std::move(dimension));
      }
      arrays_.push_back(std::move(array));
    };
    for (size_t i = 0; i < space_.instructions.size(); ++i) {
      const Opcode opcode = space_.instructions[i].instruction->opcode();
      if (space_.instructions[i].operands.empty() && opcode != Opcode::Iota && opcode != Opcode::Constant)
        add(i);
    }
    for (const size_t root : space_.roots) add(root);
  }

  void findLoops() {
    for (const size_t v : space_.tiled())
      loops_.push_back({v, static_cast<double>(std::max<int64_t>(1, tilesAlong(tiling_.variables[v])))});
    firstInTile_ = loops_.size();
    for (const size_t v : elementOrder())
      loops_.push_back({v, static_cast<double>(tiling_.variables[v].count())});
  }

  // Variables of the result as it lies in memory, with the folded ones before the last.
  std::vector<size_t> elementOrder() const {
    std::vector<size_t> order;
    if (!space_.roots.empty() && !arrays_.empty()) {
      for (const auto& dimension : arrays_.back().dimensions) {
        for (const size_t v : dimension.variables) {
          if (!isIn(order, v)) order.push_back(v);
        }
      }
    }
    const size_t last = order.empty() ? 0 : order.size() - 1;
    for (const size_t v : space_.tiled()) {
      if (!isIn(order, v)) order.insert(order.begin() + static_cast<ptrdiff_t>(last), v);
    }
    std::erase_if(order, [&](size_t v) { return space_.variables[v].index.kind == Kind::Runtime; });
    return order;
  }

  // Of the loops from this one inwards.
  Extents extentsFrom(size_t loop) const {
    Extents extents(space_.variables.size(), 1);
    for (; loop < loops_.size(); ++loop) extents[loops_[loop].variable] *= loops_[loop].count;
    return extents;
  }

  // Once for each turn of the loops outside of those whose lines the cache holds. Loops that do not move an
  // array find its lines there; one along its runs finds lines that the turn before has begun.
  Lines linesInto(const Cache& cache) const {
    size_t held = 0;
    const auto fits = [&] {
      double bytes = 0, ways = 0;
      for (const Array& array : arrays_) {
        const CacheShare share = shareOf(cache, array, extentsFrom(held));
        bytes += share.bytes;
        ways = std::max(ways, share.ways);
      }
      return bytes <= 1 && ways <= 1;
    };
    while (held < loops_.size() && !fits()) ++held;
    Lines lines;
    for (const Array& array : arrays_) {
      Extents extents = extentsFrom(held);
      size_t outside = held;
      while (outside > 0 && !array.moves(loops_[outside - 1].variable)) --outside;
      if (outside > 0 && isIn(array.dimensions.back().variables, loops_[outside - 1].variable)) {
        --outside;
        extents[loops_[outside].variable] *= loops_[outside].count;
      }
      double turns = 1;
      for (size_t i = 0; i < outside; ++i) turns *= loops_[i].count;
      const double run = linesOfRun(array, extents);
      (run >= kNeighbours ? lines.streamed : lines.scattered) += turns * run * runs(array, extents);
    }
    return lines;
  }

  // Of all points of a loop nest, and how often its innermost loop is turned to.
  struct Nest {
    double turns = 1, steps = 1, lanes = 1;  // steps of one turn, each of so many elements
  };

  double computeCycles() const {
    double tiles = 1;
    for (size_t i = 0; i < firstInTile_; ++i) tiles *= loops_[i].count;
    double cycles = tiles * kTileCycles, turned = 0;
    for (const TiledInstruction& tiled : space_.instructions) {
      if (!isComputed(tiled)) continue;
      const Nest nest = nestOf(tiled);
      cycles += nest.turns * nest.steps * stepCycles(*tiled.instruction, nest.lanes);
      turned = std::max(turned, nest.turns);
    }
    if (turned > 0) return cycles + turned * kRunCycles;
    const Nest moved = nestOf(space_.instructions.back());
    return cycles + moved.turns * (kRunCycles + moved.steps * kElementCycles);
  }

  static bool isComputed(const TiledInstruction& tiled) {
    const Opcode opcode = tiled.instruction->opcode();
    return !tiled.operands.empty() && !hasFact(opcode, OpFact::MovesElements) &&
           !hasFact(opcode, OpFact::RenamesBytes);
  }

  // The loops over what it is at and what it folds; tiles of results that do not move it compute it again.
  Nest nestOf(const TiledInstruction& tiled) const {
    Nest nest;
    size_t inner = loops_.size();
    for (size_t i = 0; i < loops_.size(); ++i) {
      const bool isOfTiles = i < firstInTile_;
      const bool isOfResults = space_.variables[loops_[i].variable].index.kind == Kind::Dimension;
      if (!isAlong(tiled, loops_[i].variable) && !(isOfTiles && isOfResults)) continue;
      nest.turns *= loops_[i].count;
      if (!isOfTiles) inner = i;
    }
    if (inner == loops_.size()) return nest;
    nest.turns /= loops_[inner].count;
    nest.lanes = lanes(loops_[inner].variable);
    nest.steps = std::ceil(loops_[inner].count / nest.lanes);
    return nest;
  }

  bool isAlong(const TiledInstruction& tiled, size_t v) const {
    const TilingVariable& variable = space_.variables[v];
    return std::ranges::any_of(tiled.place, [&](const AffineExpression& at) { return at.uses(v); }) ||
           (variable.index.kind == Kind::Symbol && variable.instruction == tiled.instruction);
  }

  // A function is a series of instructions on a vector, or a call for each of its elements.
  static double stepCycles(const Instruction& instruction, double lanes) {
    const Shape shape = instruction.shape();
    if (!shape.isArray() || !isElementwise(instruction.opcode()) || !isCostly(instruction.opcode()))
      return kElementCycles;
    const double ns = elementNs(instruction.opcode(), shape.elementType());
    return ns * kMeasuredMHz * 1e-3 * (ns < kCallNs ? kMeasuredLanes : lanes);
  }

  // Vectors of elements that are neighbours in all arrays.
  double lanes(size_t variable) const {
    double bytes = 1;
    for (const Array& array : arrays_) {
      if (array.moves(variable) && !isIn(array.dimensions.back().variables, variable)) return 1;
      bytes = std::max(bytes, array.elementBytes);
    }
    return std::max(1.0, static_cast<double>(core_.vectorBytes) / bytes);
  }

  const TilingSpace& space_;
  const FusionTiling& tiling_;
  const CoreDescription core_;
  std::vector<Array> arrays_;  // the last is the last result
  std::vector<Loop> loops_;    // outermost first
  size_t firstInTile_ = 0;
  CoreEstimate estimate_;
};

}  // namespace

CoreEstimate estimateOnCore(const TilingSpace& space, const FusionTiling& tiling,
                            const CoreDescription& core) {
  return CoreEstimator(space, tiling, core).run();
}

std::vector<CoreRanking> rankOnCore(const TilingSpace& space, const CoreDescription& core, size_t tried) {
  std::vector<CoreRanking> ranked;
  for (const auto& sizes : legalTilings(space, tried)) {
    if (const auto tiling = tilingWith(space, sizes))
      ranked.push_back({sizes, estimateOnCore(space, *tiling, core)});
  }
  std::ranges::stable_sort(ranked, {}, [](const CoreRanking& each) { return each.estimate.ns; });
  return ranked;
}

}  // namespace hilo
