#include "core/compiler/passes/collectives/collective_fusion.h"

#include <algorithm>
#include <bit>
#include <ranges>

#include "core/compiler/pass/main_computations.h"
#include "core/compiler/passes/collectives/collective_match.h"
#include "core/compiler/passes/control_edges.h"
#include "core/compiler/passes/fusion/make_fusion.h"
#include "core/compiler/passes/gpu_config.h"
#include "core/compiler/passes/shape_ops.h"

namespace hilo {
namespace {

constexpr int64_t kWarp = 32, kElementsOfThread = 4, kMostThreads = 512, kMostBlocks = 32;

std::string strategyOf(const Instruction& collective) {
  return gpuConfig(collective, "collective_backend_config", "kernel_strategy");
}

bool isTwoShot(const Instruction& collective) {
  return strategyOf(collective) == "KERNEL_STRATEGY_TRITON_TWO_SHOT";
}

bool hasKernel(const Instruction& i) {
  return (i.opcode() == Opcode::AllReduce || i.opcode() == Opcode::AllGather) &&
         (isTwoShot(i) || strategyOf(i) == "KERNEL_STRATEGY_TRITON_ONE_SHOT");
}

int64_t roundedUpDivision(int64_t a, int64_t b) { return (a + b - 1) / b; }

int64_t powerBelow(int64_t number) {
  return static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(number)));
}

int64_t powerAbove(int64_t number) {
  return static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(number)));
}

struct KernelTiles {
  int64_t warps = 1;  // of a block
  std::vector<int64_t> sizes;
};

// Powers of two, so that there are about `blocks` of them: dimensions that vary slowest are cut first.
std::vector<int64_t> tilesOf(Shape shape, int64_t blocks) {
  std::vector<int64_t> order(shape.rank());
  for (size_t d = 0; d < order.size(); ++d) order[d] = static_cast<int64_t>(order.size() - 1 - d);
  if (shape.layout() != nullptr) std::ranges::copy(shape.layout()->minorToMajor, order.begin());
  std::vector<int64_t> sizes(shape.rank(), 1);
  for (const int64_t d : order | std::views::reverse) {
    const auto at = static_cast<size_t>(d);
    const int64_t size = shape.dimension(at);
    sizes[at] = powerAbove(roundedUpDivision(size, powerBelow(std::min(blocks, size))));
    blocks = std::max<int64_t>(1, blocks / roundedUpDivision(size, sizes[at]));
  }
  return sizes;
}

Shape lineOf(Shape shape) {
  const int64_t elements = shape.elementCount();
  return arrayLike(shape, shape.elementType(), std::span(&elements, 1));
}

// As the kernel sees it.
Shape reducedShape(const Instruction& reduction) {
  const Shape shape = reduction.shape();
  return isTwoShot(reduction) && shape.rank() > 1 ? lineOf(shape) : shape;
}

KernelTiles kernelTiles(const Instruction& reduction, int64_t devices) {
  const Shape shape = reducedShape(reduction);
  const int64_t elements = shape.elementCount() / (isTwoShot(reduction) ? devices : 1);
  const int64_t inWarps = roundedUpDivision(elements, kElementsOfThread * kWarp) * kWarp;
  const int64_t threads = std::clamp(powerAbove(inWarps), kWarp, kMostThreads);
  const int64_t blocks = std::clamp<int64_t>(roundedUpDivision(inWarps, threads), 1, kMostBlocks);
  return {threads / kWarp, tilesOf(shape, blocks)};
}

bool lieAlike(Shape a, Shape b) {
  return a == b || (liesRowMajor(a) && liesRowMajor(b) && a.withoutLayout() == b.withoutLayout());
}

// Why it stays as it is; "" where it does not.
std::string_view whyNot(const Instruction& collective) {
  if (collective.opcode() == Opcode::AllGather) return "there is no kernel for all-gathers";
  const Shape shape = collective.shape();
  if (collective.operandCount() != 1 || !isPlainArray(shape) || shape.elementCount() == 0 ||
      !lieAlike(collective.operand(0)->shape(), shape))
    return "its arrays are several, empty, or lie otherwise than the result";
  const auto devices = groupSizeOf(collective);
  if (!devices || *devices < 1) return "groups are of different sizes, or not written out";
  int64_t tile = 1;
  for (const int64_t size : kernelTiles(collective, *devices).sizes) tile *= size;
  return isTwoShot(collective) && tile % *devices != 0 ? "the devices of a group cannot share its tiles" : "";
}

std::string configOf(const KernelTiles& tiles) {
  std::string sizes;
  for (const int64_t size : tiles.sizes) sizes += fmt::format("{}\"{}\"", sizes.empty() ? "" : ",", size);
  return fmt::format(R"({{"output_tiles":[{{"sizes":[{}]}}],"num_warps":"{}","num_ctas":1,"num_stages":1}})",
                     sizes, tiles.warps);
}

// The reduction of one dimension, where its kernel wants that, its value given back as it was.
Instruction* asReduced(Instruction& reduction) {
  const Shape shape = reducedShape(reduction);
  if (shape == reduction.shape()) return &reduction;
  Computation& computation = reduction.parent();
  Instruction* line = bitcastTo(reduction.operand(0), shape, reduction);
  Instruction* reduced = computation.createLike(reduction, {{line}}, &reduction);
  reduced->setShape(shape);
  computation.replaceAllUses(&reduction, bitcastTo(reduced, reduction.shape(), reduction));
  redirectControlPredecessors(computation, {{&reduction, reduced}});
  computation.remove(&reduction);
  return reduced;
}

void fuse(Instruction& collective) {
  const std::string config = configOf(kernelTiles(collective, *groupSizeOf(collective)));
  Instruction* reduction = asReduced(collective);
  Computation& computation = reduction->parent();
  const auto stated = reduction->get<Attr::ControlPredecessors>();
  const std::vector<Instruction*> before(stated.begin(), stated.end());
  reduction->erase(Attr::ControlPredecessors);
  FusedRoots roots;
  Instruction* fusion = makeFusion({&reduction, 1}, roots);
  if (!before.empty()) fusion->set<Attr::ControlPredecessors>(std::span<Instruction* const>(before));
  fusion->set<Attr::FusionKindKind>(FusionKind::Custom);
  fusion->set<Attr::BackendConfig>(reduction->get<Attr::BackendConfig>());
  setGpuConfig(*fusion, "fusion_backend_config", "kind", "\"__triton_collective\"");
  setGpuConfig(*fusion, "fusion_backend_config", "block_level_fusion_config", config);
  if (reduction->has(Attr::FrontendAttributes))
    fusion->set<Attr::FrontendAttributes>(reduction->get<Attr::FrontendAttributes>());
  redirectControlPredecessors(computation, {{reduction, fusion}});
  computation.remove(reduction);
}

}  // namespace

Result<bool> fuseCollectives(Module& module, PassContext& context) {
  bool changed = false;
  for (Computation* computation : unfusedComputations(module)) {
    for (Instruction* i : computation->instructions()) {
      if (context.cancelled()) return changed;
      if (!hasKernel(*i)) continue;
      if (const std::string_view why = whyNot(*i); !why.empty()) {
        context.remark(*i, "missed", fmt::format("no fusion: {}", why));
        continue;
      }
      if (!context.mayChange(*i)) return changed;
      context.remark(*i, "fused", "a kernel of the program reduces it");
      fuse(*i);
      changed = true;
    }
  }
  return changed;
}

}  // namespace hilo
