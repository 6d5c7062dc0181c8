#include "core/compiler/spmd/spmd_partitioner.h"

#include "core/compiler/spmd/partitioner.h"
#include "core/compiler/spmd/rotations.h"

namespace hilo {

bool hasShardings(const Module& module) {
  for (const Computation* computation : module.computations()) {
    for (const Instruction* i : computation->instructions()) {
      if (i->has(Attr::Sharding)) return true;
    }
  }
  return false;
}

namespace {

bool isShardyAttribute(const FrontendAttribute& attribute) { return attribute.name.starts_with("xla.sdy."); }

bool isPartitioned(const Module& module) {
  const auto isMark = [](const FrontendAttribute& attribute) {
    return attribute.name == "is_spmd_generated";
  };
  for (const Computation* computation : module.computations()) {
    for (const Instruction* i : computation->instructions()) {
      if (std::ranges::any_of(i->get<Attr::FrontendAttributes>(), isMark)) return true;
    }
  }
  return false;
}

// A call that only marks results: the sharding it carries stands beside it too.
bool onlyMarks(std::string_view target) { return target == "xla.sdy.FuncResultSharding"; }

const Instruction* firstShardyCall(const Module& module) {
  for (const Computation* computation : module.computations()) {
    for (const Instruction* i : computation->instructions()) {
      const std::string_view target = i->get<Attr::CustomCallTarget>();
      if (target.starts_with("xla.sdy.") && !onlyMarks(target)) return i;
    }
  }
  return nullptr;
}

}  // namespace

bool isMadeForShardy(const Module& module) {
  return std::ranges::any_of(module.get<Attr::FrontendAttributes>(), isShardyAttribute);
}

Status checkNotShardyOnly(const Module& module) {
  const std::vector<std::string> remedy = {"run shardy-xla before, as the pipeline spmd does"};
  if (const Instruction* call = firstShardyCall(module)) {
    return refuse(*call, "shardy-unsupported",
                  fmt::format("{} calls {}: shardings of Shardy, which GSPMD's rules do not spread",
                              call->name(), call->get<Attr::CustomCallTarget>()),
                  remedy);
  }
  if (!isMadeForShardy(module) || hasShardings(module)) return {};
  return fail("shardy-unsupported",
              "the module has shardings of Shardy (xla.sdy.*) alone, which GSPMD's rules do not spread", {},
              remedy);
}

Result<bool> partitionModule(Module& module, PassContext& context, const PartitionSettings& settings) {
  if (module.partitionCount() <= 1) return false;
  TRY_STATUS(checkNotShardyOnly(module));
  if (!hasShardings(module)) return false;
  if (isPartitioned(module)) {
    context.remark(*module.entry()->root(), "missed", "the module is the program of one device already");
    return false;
  }
  markRotations(module);
  TRY_STATUS(Partitioner(module, context, settings).run());
  return true;
}

Result<bool> removeShardings(Module& module, PassContext& context) {
  constexpr std::string_view kCarriers[] = {"Sharding", "SPMDShardToFullShape", "SPMDFullToShardShape"};
  bool changed = false;
  for (Computation* computation : module.computations()) {
    for (Instruction* i : computation->instructions()) {
      const bool isCarrier =
          std::ranges::find(kCarriers, i->get<Attr::CustomCallTarget>()) != std::end(kCarriers);
      if (isCarrier && i->operandCount() == 1 && i->shape() == i->operand(0)->shape()) {
        context.remark(*i, "removed", "it only carries a sharding");
        changed = true;
        if (!i->has(Attr::ControlPredecessors)) {
          computation->replaceAllUses(i, i->operand(0));
          computation->remove(i);
          continue;
        }
        Instruction* operand = i->operand(0);
        i->become(Opcode::Copy, std::vector{operand});
      }
      changed |= i->has(Attr::Sharding);
      i->erase(Attr::Sharding);
    }
  }
  return changed;
}

}  // namespace hilo
