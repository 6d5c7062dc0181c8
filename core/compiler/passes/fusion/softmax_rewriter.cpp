#include "core/compiler/passes/fusion/softmax_rewriter.h"

#include <algorithm>
#include <limits>
#include <ranges>

#include "core/analysis/call_graph.h"
#include "core/compiler/pass/main_computations.h"
#include "core/compiler/passes/fusion/block_tiles.h"
#include "core/compiler/passes/fusion/make_fusion.h"
#include "core/compiler/passes/fusion/normalization_diamond.h"
#include "core/compiler/passes/fusion/priority_plan.h"
#include "core/hlo/text/print.h"

namespace hilo {
namespace {

constexpr int64_t kFirstWithTriton = 80;

std::vector<NormalizationDiamond> diamondsIn(Computation& computation, PassContext& context,
                                             int64_t capability) {
  std::vector<NormalizationDiamond> diamonds;
  for (Instruction* i : computation.instructions()) {
    NormalizationDiamond diamond = normalizationDiamond(*i, capability);
    if (!diamond.whyNot.empty()) context.remark(*i, "missed", diamond.whyNot);
    if (diamond.producer != nullptr) diamonds.push_back(std::move(diamond));
  }
  return diamonds;
}

// Nobody waits for it, nor it for somebody, but through operands.
bool isFree(const Instruction* i) {
  return !i->has(Attr::ControlPredecessors) && !i->wasControlPredecessor() && !i->shape().isDynamic();
}

// In place of the root of `members`; those that nothing reads any more go.
Instruction* fuse(std::span<Instruction* const> members) {
  FusedRoots roots;
  Instruction* fusion = makeFusion(members, roots);
  Module& module = fusion->parent().module();
  fusion->setName(module.uniqueName("triton_softmax"));
  fusion->get<Attr::Calls>()->setName(module.uniqueName("triton_softmax_computation"));
  for (Instruction* member : members) {
    if (member->users().empty()) member->parent().remove(member);
  }
  return fusion;
}

// A copy of a diamond by itself, what it reads as parameters.
struct Trial {
  std::unique_ptr<Module> module;
  std::vector<Instruction*> members;
};

Trial copyOf(std::span<Instruction* const> members) {
  Trial trial{std::make_unique<Module>("trial"), {}};
  Computation* entry = trial.module->createComputation("entry");
  trial.module->setEntry(entry);
  absl::flat_hash_map<const Instruction*, Instruction*> copies;
  for (const Instruction* member : members | std::views::reverse) {
    std::vector<Instruction*> operands;
    for (const Instruction* operand : member->operands()) {
      Instruction*& copy = copies[operand];
      if (copy == nullptr)
        copy = entry->createParameter(static_cast<int64_t>(entry->parameters().size()), operand->shape());
      operands.push_back(copy);
    }
    Instruction* copy = copies[member] = entry->createLike(*member, operands);
    trial.members.insert(trial.members.begin(), copy);
  }
  entry->setRoot(trial.members[0]);
  return trial;
}

// Time of the kernels that priority-fusion makes of the computation.
double nsOfKernels(const Computation& computation, const GpuRates& rates) {
  PassContext unlimited;
  absl::flat_hash_map<const Instruction*, std::vector<Instruction*>> kernels;
  for (std::vector<Instruction*>& kernel : planPriorityFusion(computation, unlimited, rates))
    kernels[kernel[0]] = std::move(kernel);
  const std::vector<Instruction*> all(computation.instructions().begin(), computation.instructions().end());
  KernelCosts costs(all, rates);
  absl::flat_hash_set<const Instruction*> stored = {computation.root()};
  double ns = 0;
  for (Instruction* i : all | std::views::reverse) {
    if (!stored.contains(i) || i->operandCount() == 0) continue;
    std::vector<Instruction*>& kernel = kernels[i];
    if (kernel.empty()) kernel = {i};
    std::vector<uint32_t> numbers;
    for (const Instruction* member : kernel) {
      numbers.push_back(costs.numberOf(*member));
      for (const Instruction* operand : member->operands()) {
        if (std::ranges::find(kernel, operand) == kernel.end()) stored.insert(operand);
      }
    }
    const bool isBitcast = kernel.size() == 1 && i->opcode() == Opcode::Bitcast;
    if (!isBitcast) ns += costs.of(numbers).ns + kLaunchNs;
  }
  return ns;
}

// The tiles to make a kernel of members with. Layers of a model repeat: what is alike is estimated once.
class TileChooser {
 public:
  explicit TileChooser(const SoftmaxFusions& which) : which_(which) {}

  // The error says why it had better be none.
  const Result<BlockTiles>& tilesFor(std::span<Instruction* const> members) {
    const Trial trial = copyOf(members);
    const auto [known, isNew] =
        known_.try_emplace(printModule(*trial.module, PrintOptions::fingerprint()), BlockTiles());
    if (isNew) known->second = estimate(trial);
    return known->second;
  }

 private:
  Result<BlockTiles> estimate(const Trial& trial) const {
    const double apart = which_.onlyIfQuicker ? nsOfKernels(*trial.module->entry(), which_)
                                              : std::numeric_limits<double>::infinity();
    TRY(BlockTiles tiles, quickestTiles(*fuse(trial.members), which_, /*readsOnce=*/true));
    const double together = tiles.ns + kLaunchNs;
    if (together > apart)
      return fail("slower", fmt::format("kernels by themselves take {:.0f} ns, one of rows {:.0f} ns", apart,
                                        together));
    return tiles;
  }

  const SoftmaxFusions& which_;
  absl::flat_hash_map<std::string, Result<BlockTiles>> known_;
};

// The last first: what another reads stays there until it is its turn.
bool fuseDiamonds(Computation& computation, PassContext& context, int64_t capability, TileChooser& chooser) {
  bool changed = false;
  const std::vector<NormalizationDiamond> diamonds = diamondsIn(computation, context, capability);
  for (const NormalizationDiamond& diamond : diamonds | std::views::reverse) {
    if (context.cancelled()) return changed;
    const bool isGone = computation.module().instruction(diamond.root->id()) == nullptr;
    if (isGone) continue;  // into one behind it
    const std::vector<Instruction*> members = membersOf(diamond);
    if (!std::ranges::all_of(members, isFree)) {
      context.remark(*diamond.root, "missed", "no kernel of rows: something waits for a part of it");
      continue;
    }
    const Result<BlockTiles>& tiles = chooser.tilesFor(members);
    if (!tiles) {
      context.remark(*diamond.root, "missed", "no kernel of rows: " + tiles.error().message);
      continue;
    }
    if (!context.mayChange(*diamond.root)) return changed;
    context.remark(*diamond.root, "fused",
                   fmt::format("a kernel of the rows of {}", diamond.producer->name()));
    setBlockTiles(*fuse(members), *tiles);
    changed = true;
  }
  return changed;
}

}  // namespace

Result<bool> fuseSoftmaxes(Module& module, PassContext& context, const SoftmaxFusions& which) {
  if (which.capability < kFirstWithTriton)
    return fail("unsupported-gpu",
                fmt::format("Triton makes kernels for compute capability 8.0 and later, this GPU has {}.{}",
                            which.capability / 10, which.capability % 10));
  TRY(const CallGraph graph, CallGraph::build(module));
  TileChooser chooser(which);
  bool changed = false;
  for (Computation* computation : unfusedComputations(module)) {
    if (graph.runsInstructions(*computation))
      changed |= fuseDiamonds(*computation, context, which.capability, chooser);
  }
  return changed;
}

}  // namespace hilo
