#include "core/compiler/passes/fusion/make_fusion.h"

#include <algorithm>
#include <optional>
#include <ranges>

#include "core/analysis/fusion_hero.h"

namespace hilo {
namespace {

// The body of one fusion while it is filled.
struct Body {
  Computation* computation;
  const FusedRoots& roots;
  std::vector<Instruction*> operands;  // of the fusion, by parameter number
  absl::flat_hash_map<const Instruction*, Instruction*> inner;

  // A value that is stored for others too may be computed here all the same.
  Instruction* of(Instruction* outer) {
    if (const auto root = roots.find(outer); root != roots.end()) {
      if (const auto copy = inner.find(root->second); copy != inner.end()) return copy->second;
    }
    const auto [found, isNew] = inner.try_emplace(outer, nullptr);
    if (isNew) {
      operands.push_back(outer);
      found->second = computation->createParameter(static_cast<int64_t>(operands.size() - 1), outer->shape());
    }
    return found->second;
  }
};

std::string fusionName(const Computation& fused) {
  std::string name(fusionHero(fused)->opcodeText());
  std::ranges::replace(name, '-', '_');
  return name + "_fusion";
}

constexpr int64_t kWarp = 32;

// The sizes of an array in memory cut into what is in front of, of and behind the reduced dimensions;
// nullopt: the reduced dimensions do not lie together.
struct Cut {
  int64_t before = 1, reduced = 1, behind = 1;
};
std::optional<Cut> cutOf(const Instruction& reduce) {
  const Shape shape = reduce.operand(0)->shape();
  Cut cut;
  bool left = false;
  for (size_t k = 0; k < shape.rank(); ++k) {
    const size_t d = shape.layout() == nullptr
                         ? k
                         : static_cast<size_t>(shape.layout()->minorToMajor[shape.rank() - 1 - k]);
    const int64_t size = shape.dimension(d);
    if (size == 1) continue;
    if (std::ranges::find(reduce.dimensions(), static_cast<int64_t>(d)) != reduce.dimensions().end()) {
      if (left) return std::nullopt;
      cut.reduced *= size;
    } else {
      left |= cut.reduced > 1;
      (cut.reduced > 1 ? cut.behind : cut.before) *= size;
    }
  }
  return cut;
}

// Whether threads that share the elements of a result are worth it.
bool sharesThreads(const Instruction& reduce) {
  const auto cut = cutOf(reduce);
  if (!cut || cut->reduced == 0) return false;
  if (cut->behind == 1) return cut->reduced >= kWarp || kWarp % cut->reduced == 0;
  return cut->reduced >= kWarp && cut->behind >= kWarp;
}

// Sizes and permutation of a transpose with neighbours that stay together made one.
bool isTiledTranspose(const Instruction& transpose) {
  std::vector<int64_t> sizes, order;
  const auto dims = transpose.dimensions();
  for (size_t i = 0; i < dims.size(); ++i) {
    const int64_t size = transpose.shape().dimension(i);
    if (size == 1) continue;
    if (!order.empty() && dims[i] == order.back() + 1) {
      sizes.back() *= size;
      order.back() = dims[i];
    } else {
      sizes.push_back(size);
      order.push_back(dims[i]);
    }
  }
  if (sizes.size() < 2 || order.back() == static_cast<int64_t>(dims.size()) - 1) return false;
  // The two dimensions that lie side by side before and behind it.
  const int64_t minor = sizes.back();
  const size_t other = static_cast<size_t>(std::ranges::max_element(order) - order.begin());
  const int64_t least = std::min(minor, sizes[other]);
  return least >= 16 || (least >= 8 && minor * sizes[other] >= 64 * 64);
}

bool hasKernelOfItsOwn(const Instruction& i) {
  if (i.opcode() == Opcode::Scatter) return true;
  if (i.opcode() == Opcode::Reduce) return sharesThreads(i);
  return i.opcode() == Opcode::Transpose && isTiledTranspose(i);
}

}  // namespace

FusionKind fusionKindOf(const Computation& fused) {
  const Instruction* root = fused.root();
  while (root != nullptr && root->opcode() == Opcode::Bitcast) root = root->operand(0);
  if (root != nullptr && root->opcode() == Opcode::Concatenate) return FusionKind::Input;
  for (const Instruction* instruction : fused.instructions()) {
    if (hasKernelOfItsOwn(*instruction)) return FusionKind::Input;
  }
  return FusionKind::Loop;
}

Instruction* makeFusion(std::span<Instruction* const> members, FusedRoots& roots) {
  Instruction& root = *members[0];
  Computation& outer = root.parent();
  Module& module = outer.module();
  Body body{module.createComputation(module.uniqueName("fused_computation"), &outer), roots, {}, {}};
  for (Instruction* member : members | std::views::reverse) {
    std::vector<Instruction*> operands;
    for (Instruction* operand : member->operands()) operands.push_back(body.of(operand));
    Instruction* copy = body.computation->createLike(*member, operands);
    body.inner[member] = copy;
    body.computation->setRoot(copy);
  }
  Instruction* fusion = outer.create(Opcode::Fusion, root.shape(), body.operands,
                                     module.uniqueName(fusionName(*body.computation)), &root);
  fusion->set<Attr::FusionKindKind>(fusionKindOf(*body.computation));
  fusion->set<Attr::Calls>(body.computation);
  if (const OpMetadata* metadata = root.get<Attr::Metadata>()) fusion->set<Attr::Metadata>(metadata);
  outer.replaceAllUses(&root, fusion);
  roots[fusion] = &root;
  return fusion;
}

}  // namespace hilo
