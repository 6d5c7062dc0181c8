// What operands offer a result.
#include "core/compiler/spmd/op_factors.h"
#include "core/compiler/spmd/spread_rules.h"
#include "core/compiler/spmd/tiling_steps.h"

namespace hilo {
namespace {

// One instruction that looks at its operands.
struct Taker {
  const ShardingState& state;
  const Instruction& instruction;
  int level;
  std::vector<Offer> offers;

  bool hasOneUser() const {
    const auto isRoot = [](const Instruction* user) { return user->isRoot(); };
    return static_cast<int64_t>(instruction.users().size()) -
               std::ranges::count_if(instruction.users(), isRoot) ==
           1;
  }
  void offer(const Instruction* from, const Tiling& tiling, bool mayReplace) {
    offers.push_back({from, Tilings(leavesOf(instruction.shape()).size(), tiling), mayReplace});
  }
  size_t rank() const {
    const Shape shape = leavesOf(instruction.shape())[0];
    return shape.isArray() ? shape.rank() : 0;
  }
  // The tiling of an operand that can be handed on.
  const Tiling* tilingOf(size_t operand) const {
    const Tiling* tiling = state.arrayOf(instruction.operand(operand));
    return tiling == nullptr || tiling->isOneDevice || tiling->isPartial ? nullptr : tiling;
  }
};

bool isConcatOfLayers(const Instruction& concatenate, const ShardingState& state) {
  const auto along = static_cast<size_t>(concatenate.dimensions()[0]);
  return std::ranges::all_of(concatenate.operands(), [&](const Instruction* operand) {
    const Tiling* tiling = state.arrayOf(operand);
    if (tiling == nullptr || tiling->isOneDevice || tiling->tileCount() == 1 || tiling->tiles[along] > 1)
      return false;
    const bool isLayer =
        operand->opcode() == Opcode::Reshape && (operand->operand(0)->opcode() == Opcode::Parameter ||
                                                 operand->operand(0)->opcode() == Opcode::GetTupleElement);
    return isLayer;
  });
}

bool hasDilation(const Instruction& instruction, bool baseOnly) {
  const auto* window = instruction.get<Attr::Window>();
  return window != nullptr && std::ranges::any_of(window->dimensions, [&](const WindowDimension& d) {
           return d.baseDilation > 1 || (!baseOnly && d.windowDilation > 1);
         });
}

// The tiles along the sorted dimension must be able to go to another one later.
bool canSort(const Taker& taker, const Tiling& tiling) {
  const auto along = static_cast<size_t>(taker.instruction.dimensions()[0]);
  const int64_t tiles = tiling.tiles[along];
  if (tiles == 1) return true;
  const Shape shape = taker.instruction.operand(0)->shape();
  for (size_t d = 0; d < shape.rank(); ++d) {
    if (d != along && shape.dimension(d) % (tiling.tiles[d] * tiles) == 0) return true;
  }
  return false;
}

void offerEach(Taker& taker) {
  const Instruction& instruction = taker.instruction;
  const Opcode opcode = instruction.opcode();
  if (opcode == Opcode::Concatenate && taker.level == 0 && !isConcatOfLayers(instruction, taker.state))
    return;
  if (opcode == Opcode::ReduceWindow && hasDilation(instruction, false)) return;
  const bool takesAll = (isElementwise(opcode) && taker.level > 0) || opcode == Opcode::ReduceWindow;
  const bool mayReplace =
      taker.hasOneUser() && (!isElementwise(opcode) || instruction.operandCount() == 1 || taker.level == 0);
  std::optional<size_t> best;
  for (size_t i = 0; i < instruction.operandCount(); ++i) {
    const Tiling* tiling = taker.tilingOf(i);
    if (tiling == nullptr || tiling->rank() != taker.rank()) continue;
    if (takesAll) taker.offer(instruction.operand(i), *tiling, mayReplace);
    if (!best || saysMore(*tiling, *taker.tilingOf(*best))) best = i;
  }
  if (takesAll || !best) return;
  const Tiling& tiling = *taker.tilingOf(*best);
  if (opcode == Opcode::Sort && !tiling.isReplicated() && !canSort(taker, tiling)) return;
  taker.offer(instruction.operand(*best), tiling, mayReplace);
}

void offerFirst(Taker& taker) {
  if (taker.instruction.opcode() == Opcode::SelectAndScatter && hasDilation(taker.instruction, true)) return;
  const Tiling* tiling = taker.tilingOf(0);
  if (tiling != nullptr && tiling->rank() == taker.rank())
    taker.offer(taker.instruction.operand(0), *tiling, taker.hasOneUser());
}

Tiling throughFactors(const Taker& taker, const OpFactors& factors, size_t operand, const Tiling& tiling) {
  return renamed(renamed(tiling, dimensionOfFactor(factors, operand)), factorOfResult(factors, taker.rank()));
}

// How many operands hand on a sharding along factors.
size_t givers(const Instruction& instruction) {
  if (instruction.opcode() == Opcode::Reduce) return instruction.operandCount() / 2;
  const Opcode opcode = instruction.opcode();
  return opcode == Opcode::Gather || opcode == Opcode::Dot || opcode == Opcode::Convolution ? 2 : 1;
}

void offerFactors(Taker& taker) {
  const Instruction& instruction = taker.instruction;
  const Opcode opcode = instruction.opcode();
  if (opcode == Opcode::Broadcast && taker.level < 3) return;
  const size_t operands = givers(instruction);
  const OpFactors factors = opFactors(instruction);
  const bool mayReplace = opcode != Opcode::Gather && taker.hasOneUser();
  // A gather takes from its indices first.
  for (size_t k = 0; k < operands; ++k) {
    const size_t i = opcode == Opcode::Gather ? operands - 1 - k : k;
    const Tiling* tiling = taker.tilingOf(i);
    if (tiling == nullptr || (opcode == Opcode::Broadcast && tiling->isReplicated())) continue;
    taker.offer(instruction.operand(i), throughFactors(taker, factors, i, *tiling), mayReplace);
  }
}

// What the only users ahead would give back, if there is one way.
std::optional<Tiling> lookAhead(const ShardingState& state, const Instruction& instruction, int depth) {
  if (instruction.users().size() != 1 || depth > 64) return std::nullopt;
  const Instruction& user = *instruction.users()[0];
  Tilings ofUser;
  if (const Tilings* known = state.of(&user)) {
    ofUser = *known;
  } else if (const auto ahead = lookAhead(state, user, depth + 1)) {
    ofUser = {*ahead};
  } else {
    return std::nullopt;
  }
  const auto offer = offerOfUser(state, instruction, user, ofUser, 9);
  return offer && offer->size() == 1 ? std::optional(offer->front()) : std::nullopt;
}

void offerDot(Taker& taker) {
  offerFactors(taker);
  for (Offer& offer : taker.offers) offer.mayReplace = false;
  if (taker.offers.size() != 2) return;
  const Shape shape = taker.instruction.shape();
  const auto bytes = [&](size_t i) { return taker.instruction.operand(i)->shape().byteSize(); };
  bool rhsFirst = bytes(0) < bytes(1);
  if (const auto ahead = lookAhead(taker.state, taker.instruction, 0)) {
    const auto fits = [&](const Offer& offer) { return isInside(shape, *ahead, offer.tilings[0]); };
    if (fits(taker.offers[0]) != fits(taker.offers[1])) rhsFirst = fits(taker.offers[1]);
  }
  if (rhsFirst) std::swap(taker.offers[0], taker.offers[1]);
}

bool cutsWindows(const Taker& taker, size_t operand, std::span<const int64_t> spatial) {
  const Tiling* tiling = taker.state.arrayOf(taker.instruction.operand(operand));
  for (size_t i = 0; tiling != nullptr && i < spatial.size(); ++i) {
    const bool isCut = tiling->tiles[static_cast<size_t>(spatial[i])] > 1;
    if (isCut && spatialRole(taker.instruction, i) == SpatialRole::Window) return true;
  }
  return false;
}

// Smaller than the result along every window, or along the first two and small.
bool hasSmallKernel(const Instruction& convolution, const ConvolutionDimensionNumbers& labels) {
  int64_t kernels = 1, outputs = 1;
  for (size_t i = 0; i < labels.kernelSpatial.size(); ++i) {
    const int64_t kernel =
        convolution.operand(1)->shape().dimension(static_cast<size_t>(labels.kernelSpatial[i]));
    const int64_t output = convolution.shape().dimension(static_cast<size_t>(labels.outputSpatial[i]));
    kernels *= kernel;
    outputs *= output;
    if (kernel >= output && (i < 2 || kernel > 3 || kernels >= outputs)) return false;
  }
  return true;
}

void offerConvolution(Taker& taker) {
  const Instruction& convolution = taker.instruction;
  const auto* labels = convolution.get<Attr::DimLabels>();
  if (labels == nullptr) return;
  const bool isCut =
      cutsWindows(taker, 0, labels->inputSpatial) || cutsWindows(taker, 1, labels->kernelSpatial);
  const bool hasGroups = convolution.get<Attr::FeatureGroupCount>().value_or(1) > 1 ||
                         convolution.get<Attr::BatchGroupCount>().value_or(1) > 1;
  if (!isCut && !hasGroups) return offerDot(taker);
  const Tiling* image = taker.tilingOf(0);
  if (image == nullptr) return;
  const bool isSmall = hasSmallKernel(convolution, *labels);
  if (isSmall && image->tiles[static_cast<size_t>(labels->inputFeature)] > 1) return;
  std::vector<int64_t> from(taker.rank(), -1);
  from[static_cast<size_t>(labels->outputBatch)] = labels->inputBatch;
  if (isSmall) from[static_cast<size_t>(labels->outputFeature)] = labels->inputFeature;
  for (size_t i = 0; isSmall && i < labels->inputSpatial.size(); ++i)
    from[static_cast<size_t>(labels->outputSpatial[i])] = labels->inputSpatial[i];
  taker.offer(convolution.operand(0), renamed(*image, from), false);
}

void offerReshape(Taker& taker) {
  const Tiling* tiling = taker.tilingOf(0);
  if (tiling == nullptr) return;
  const auto from = taker.instruction.operand(0)->shape().dimensions(),
             to = taker.instruction.shape().dimensions();
  taker.offer(taker.instruction.operand(0), reshapedInPart(*tiling, from, to), taker.hasOneUser());
}

void offerUpdate(Taker& taker) {
  const Instruction& update = taker.instruction;
  if (const Tiling* tiling = taker.tilingOf(1))
    taker.offer(update.operand(1), throughFactors(taker, opFactors(update), 1, *tiling), taker.hasOneUser());
  if (const Tiling* tiling = taker.tilingOf(0)) taker.offer(update.operand(0), *tiling, false);
}

// Each array of the result for itself; the others as they are.
void offerLeaf(Taker& taker, const Instruction* from, size_t leaf, const Tiling& tiling) {
  const auto leaves = leavesOf(taker.instruction.shape());
  Tilings tilings;
  if (const Tilings* current = taker.state.of(&taker.instruction)) tilings = *current;
  for (size_t i = tilings.size(); i < leaves.size(); ++i)
    tilings.push_back(replicatedTiling(leaves[i].rank(), taker.state.partitions()));
  tilings[leaf] = tiling;
  taker.offers.push_back({from, std::move(tilings), false});
}

void offerScatter(Taker& taker) {
  const Instruction& scatter = taker.instruction;
  const size_t arrays = scatter.operandCount() / 2;
  const OpFactors factors = opFactors(scatter);
  for (size_t i = 0; i < scatter.operandCount(); ++i) {
    const Tiling* tiling = taker.tilingOf(i);
    if (tiling == nullptr) continue;
    const bool isIndex = i == arrays;
    for (size_t leaf = isIndex ? 0 : i % (arrays + 1); leaf < arrays; ++leaf) {
      offerLeaf(taker, scatter.operand(i), leaf,
                i < arrays ? *tiling : throughFactors(taker, factors, i, *tiling));
      if (!isIndex) break;
    }
  }
}

void offerBatches(Taker& taker) {
  const Instruction& call = taker.instruction;
  const OpFactors factors = opFactors(call);
  for (size_t i = 0; i < call.operandCount(); ++i) {
    const Tiling* tiling = taker.tilingOf(i);
    if (tiling == nullptr) continue;
    const Tiling batches = renamed(*tiling, dimensionOfFactor(factors, i));
    Tilings results;
    for (const Shape leaf : leavesOf(call.shape()))
      results.push_back(renamed(batches, factorOfResult(factors, leaf.rank())));
    taker.offers.push_back({call.operand(i), std::move(results), taker.hasOneUser()});
  }
}

void offerScan(Taker& taker) {
  const Instruction& scan = taker.instruction;
  const auto leaves = leavesOf(scan.shape());
  const auto carries = static_cast<size_t>(scan.get<Attr::NumCarries>().value_or(0));
  if (carries > leaves.size() || carries > scan.operandCount() || scan.dimensions().empty()) return;
  const size_t inputs = scan.operandCount() - carries, outputs = leaves.size() - carries;
  const int64_t scanned = scan.dimensions()[0];
  for (size_t i = 0; i < scan.operandCount(); ++i) {
    const Tiling* tiling = taker.tilingOf(i);
    if (tiling == nullptr) continue;
    const Shape array = scan.operand(i)->shape();
    std::vector<int64_t> kept;
    for (int64_t d = 0; d < static_cast<int64_t>(array.rank()); ++d) {
      if (d != scanned) kept.push_back(d);
    }
    const bool isInput = i < inputs;
    for (size_t leaf = 0; leaf < leaves.size(); ++leaf) {
      const bool isCarry = leaf >= outputs;
      if (!isInput && leaf != outputs + i - inputs) continue;
      const bool drops = isInput && isCarry;
      const Tiling offered = drops ? renamed(*tiling, kept) : *tiling;
      if (leaves[leaf].rank() == offered.rank()) offerLeaf(taker, scan.operand(i), leaf, offered);
    }
  }
}

// Each element as what is put there; what no one knows is replicated.
void offerTuple(Taker& taker) {
  const Instruction& tuple = taker.instruction;
  const Tilings* current = taker.state.of(&tuple);
  Tilings result;
  const Instruction* from = nullptr;
  for (const Instruction* operand : tuple.operands()) {
    const Tilings* known = taker.state.of(operand);
    const auto leaves = leavesOf(operand->shape());
    for (size_t i = 0; i < leaves.size(); ++i) {
      const size_t rank = leaves[i].isArray() ? leaves[i].rank() : 0;
      const Tiling otherwise =
          current != nullptr ? (*current)[result.size()] : replicatedTiling(rank, taker.state.partitions());
      const bool isBetter = known != nullptr && (current == nullptr || saysMore((*known)[i], otherwise));
      if (isBetter && from == nullptr) from = operand;
      result.push_back(isBetter ? (*known)[i] : otherwise);
    }
  }
  if (from != nullptr) taker.offers.push_back({from, std::move(result), false});
}

void offerElement(Taker& taker) {
  const Instruction* tuple = taker.instruction.operand(0);
  const Tilings* known = taker.state.of(tuple);
  const int64_t index = taker.instruction.tupleIndex();
  if (known == nullptr) return;
  size_t leaf = 0;
  for (int64_t i = 0; i < index; ++i)
    leaf += leavesOf(tuple->shape().tupleShapes()[static_cast<size_t>(i)]).size();
  const auto begin = known->begin() + static_cast<int64_t>(leaf);
  const auto count = static_cast<int64_t>(leavesOf(taker.instruction.shape()).size());
  taker.offers.push_back({tuple, Tilings(begin, begin + count), taker.hasOneUser()});
}

void offerState(Taker& taker) {
  const Instruction* start = taker.instruction.operand(0);
  if (const Tilings* known = taker.state.of(start)) taker.offers.push_back({start, *known, false});
}

void offerAll(Taker& taker) {
  switch (spreadOf(taker.instruction)) {
    case Spread::Each:
      offerEach(taker);
      break;
    case Spread::First:
    case Spread::Reverse:
      offerFirst(taker);
      break;
    case Spread::Factors:
      offerFactors(taker);
      break;
    case Spread::Dot:
      offerDot(taker);
      break;
    case Spread::Convolution:
      offerConvolution(taker);
      break;
    case Spread::Reshape:
      offerReshape(taker);
      break;
    case Spread::Update:
      offerUpdate(taker);
      break;
    case Spread::Scatter:
      offerScatter(taker);
      break;
    case Spread::Scan:
      offerScan(taker);
      break;
    case Spread::Batches:
      offerBatches(taker);
      break;
    case Spread::Tuple:
      offerTuple(taker);
      break;
    case Spread::Element:
      offerElement(taker);
      break;
    case Spread::State:
      offerState(taker);
      break;
    default:
      break;
  }
}

}  // namespace

std::vector<Offer> offersOfOperands(const ShardingState& state, const Instruction& instruction, int level) {
  Taker taker{state, instruction, level, {}};
  offerAll(taker);
  return std::move(taker.offers);
}

}  // namespace hilo
