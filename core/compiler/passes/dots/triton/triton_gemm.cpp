#include "core/compiler/passes/dots/triton/triton_gemm.h"

#include "core/analysis/call_graph.h"
#include "core/analysis/saturating.h"
#include "core/compiler/pass/main_computations.h"
#include "core/compiler/passes/dot_dimensions.h"
#include "core/compiler/passes/dots/triton/gemm_members.h"
#include "core/compiler/passes/dots/triton/hoist_bitcasts.h"
#include "core/compiler/passes/fusion/make_fusion.h"
#include "core/compiler/passes/shape_ops.h"

namespace hilo {
namespace {

constexpr size_t kLongestChain = 16;

bool isTensorCoreType(ElementType type) {
  return type == ElementType::F16 || type == ElementType::BF16 || type == ElementType::F32 ||
         type == ElementType::S8 || type == ElementType::F8E4M3FN || type == ElementType::F8E5M2;
}

int64_t freeSize(const Instruction& dot, size_t side) {
  int64_t size = 1;
  for (const int64_t d : dotSide(dot, side).free)
    size = saturatingMultiply(size, dot.operand(side)->shape().dimension(static_cast<size_t>(d)));
  return size;
}

// Why it stays; "" where it becomes a kernel.
std::string_view whyNot(const Instruction& dot, const GemmFusionSettings& settings) {
  if (dot.operandCount() != 2 || dot.has(Attr::SparsityConfig) || dot.has(Attr::ControlPredecessors))
    return "sparse, or ordered by control dependencies";
  if (!isCanonicalDot(dot))
    return "more than one free or contracting dimension, or batch dimensions behind others";
  for (const Instruction* operand : dot.operands()) {
    if (!isTensorCoreType(operand->shape().elementType())) return "no type of the tensor cores";
    if (!isPlainArray(operand->shape()) || operand->shape().elementCount() == 0) return "no plain arrays";
  }
  if (dotSide(dot, 0).free.empty() || dotSide(dot, 1).free.empty()) return "a vector";
  const int64_t contracted =
      dot.operand(0)->shape().dimension(static_cast<size_t>(dotSide(dot, 0).contracting[0]));
  const int64_t free = saturatingAdd(freeSize(dot, 0), freeSize(dot, 1));
  if (saturatingMultiply(contracted, free) < settings.smallest) return "small";
  return "";
}

// Work of one array, element by element, or that moves nothing; of no unsigned numbers, which XLA's kernels
// of tiles do not have.
bool isChainLink(const Instruction& i) {
  return i.operandCount() == 1 && !isUnsigned(i.shape().elementType()) && isPlainArray(i.shape()) &&
         !i.has(Attr::ControlPredecessors) && (isElementwise(i.opcode()) || i.opcode() == Opcode::Bitcast) &&
         i.opcode() != Opcode::Copy;
}

bool isReadOnce(const Instruction& i) { return i.users().size() == 1 && !i.isRoot(); }

bool canTakeIn(const Instruction& operand) {
  return isChainLink(operand) && isReadOnce(operand) && isWorthComputing(operand);
}

// Nothing is done in the kernel but the dot, in a way that a library has too.
bool isPureProduct(const Instruction& dot, const std::vector<Instruction*>& members) {
  return dot.get<Attr::Algorithm>().value_or(DotAlgorithm::Unset) == DotAlgorithm::Unset &&
         std::ranges::all_of(members, [](const Instruction* i) {
           return i->opcode() == Opcode::Dot || i->opcode() == Opcode::Bitcast;
         });
}

// The dot, what follows it, and what leads to it; users before their operands.
std::vector<Instruction*> membersOf(Instruction& dot) {
  std::vector<Instruction*> members = {&dot};
  for (Instruction* last = &dot; isReadOnce(*last) && members.size() < kLongestChain;) {
    last = last->users()[0];
    if (!isChainLink(*last) || last->opcode() == Opcode::Bitcast) break;
    members.insert(members.begin(), last);
  }
  for (Instruction* operand : dot.operands()) {
    for (size_t k = 0; k < kLongestChain && canTakeIn(*operand); ++k) {
      members.push_back(operand);
      operand = operand->operand(0);
    }
  }
  return members;
}

}  // namespace

Result<bool> fuseGemms(Module& module, PassContext& context, const GemmFusionSettings& settings) {
  TRY(const CallGraph graph, CallGraph::build(module));
  bool changed = false;
  for (Computation* computation : unfusedComputations(module)) {
    if (!graph.runsInstructions(*computation)) continue;
    std::vector<Instruction*> dots;
    for (Instruction* i : computation->instructions()) {
      if (i->opcode() == Opcode::Dot) dots.push_back(i);
    }
    for (Instruction* dot : dots) {
      if (context.cancelled()) return changed;
      if (const std::string_view why = whyNot(*dot, settings); !why.empty()) {
        context.remark(*dot, "missed", std::string(why));
        continue;
      }
      const std::vector<Instruction*> members = settings.wide ? gemmMembers(*dot) : membersOf(*dot);
      if (!settings.any && isPureProduct(*dot, members)) {
        context.remark(*dot, "missed", "a product alone");
        continue;
      }
      if (!context.mayChange(*dot)) return changed;
      FusedRoots roots;
      Instruction* fusion = makeFusion(members, roots);
      context.remark(*dot, "fused", fmt::format("with {} others", members.size() - 1));
      fusion->set<Attr::FusionKindKind>(FusionKind::Custom);
      fusion->set<Attr::BackendConfig>(R"({"fusion_backend_config":{"kind":"__triton_gemm"}})");
      fusion->setName(module.uniqueName("gemm_fusion_dot"));
      fusion->get<Attr::Calls>()->setName(fmt::format("{}_computation", fusion->name()));
      for (Instruction* member : members) {
        if (member->users().empty() && !member->isRoot()) computation->remove(member);
      }
      if (settings.wide) takeOutBitcasts(*fusion);
      changed = true;
    }
  }
  return changed;
}

Instruction* dotOf(const Computation& fused) {
  Instruction* dot = nullptr;
  for (Instruction* i : fused.instructions()) {
    if (i->opcode() != Opcode::Dot) continue;
    if (dot != nullptr) return nullptr;
    dot = i;
  }
  return dot;
}

}  // namespace hilo
