#include "core/compiler/passes/schedule/pdl_launch.h"

#include <algorithm>
#include <charconv>
#include <set>

#include "core/analysis/async_op.h"
#include "core/compiler/pass/main_computations.h"
#include "core/compiler/passes/dots/triton/triton_gemm.h"
#include "core/compiler/passes/gpu_config.h"

namespace hilo {
namespace {

constexpr std::string_view kLaunch = "xla.pdl_launch", kVariant = "xla.no_invariant_operands";

bool isProductKernel(const Instruction& i) {
  const std::string kind = gpuFusionKind(i);
  return (kind == "__triton_gemm" || kind == "__triton_nested_gemm_fusion") &&
         dotOf(*i.get<Attr::Calls>()) != nullptr;
}

void setAttribute(Instruction& i, std::string_view name, std::string_view value) {
  std::vector<FrontendAttribute> all;
  for (const FrontendAttribute& attribute : i.get<Attr::FrontendAttributes>()) {
    if (attribute.name != name) all.push_back(attribute);
  }
  const auto place = std::ranges::upper_bound(all, name, {}, &FrontendAttribute::name);
  all.insert(place, {.name = name, .value = value});
  i.set<Attr::FrontendAttributes>(all);
}

// The next kernel in the schedule; null where something else runs first.
Instruction* nextFusion(const Instruction& from) {
  for (Instruction* i = from.next(); i != nullptr; i = i->next()) {
    switch (i->opcode()) {
      case Opcode::Parameter:
      case Opcode::Constant:
      case Opcode::Tuple:
      case Opcode::GetTupleElement:
      case Opcode::Bitcast:
        continue;
      default:
        return i->opcode() == Opcode::Fusion ? i : nullptr;
    }
  }
  return nullptr;
}

bool comesFrom(const Instruction* value, const Instruction& producer) {
  while (value != &producer) {
    if (value->opcode() == Opcode::GetTupleElement && value->operand(0)->opcode() == Opcode::Tuple) {
      value = value->operand(0)->operand(static_cast<size_t>(value->tupleIndex()));
    } else if (value->opcode() == Opcode::Bitcast || value->opcode() == Opcode::GetTupleElement) {
      value = value->operand(0);
    } else {
      return false;
    }
  }
  return true;
}

// Numbers of operands, "0,2"; what is no number is left out.
std::set<size_t> variantOperands(const Instruction& i) {
  std::set<size_t> operands;
  const std::string_view text = frontendAttribute(i, kVariant).value_or("");
  for (const char *at = text.data(), *end = at + text.size(); at < end;) {
    size_t number = 0;
    const auto [rest, error] = std::from_chars(at, end, number);
    if (error == std::errc()) operands.insert(number);
    at = std::find(rest, end, ',') + 1;
  }
  return operands;
}

void annotate(Instruction& producer, Instruction& next) {
  setAttribute(producer, kLaunch, "true");
  std::set<size_t> operands = variantOperands(next);
  const size_t before = operands.size();
  for (size_t k = 0; k < next.operandCount(); ++k) {
    if (comesFrom(next.operand(k), producer)) operands.insert(k);
  }
  if (operands.size() > before) setAttribute(next, kVariant, fmt::format("{}", fmt::join(operands, ",")));
}

}  // namespace

Result<bool> annotatePdlLaunches(Module& module, PassContext& context) {
  if (!module.isScheduled())
    return fail("not-scheduled", "which kernel follows another is known of scheduled modules");
  bool changed = false;
  for (Computation* computation : unfusedComputations(module)) {
    for (Instruction* i : computation->instructions()) {
      if (context.cancelled()) return changed;
      if (!isProductKernel(*i) || hasFrontendAttribute(*i, kLaunch, "true")) continue;
      Instruction* next = nextFusion(*i);
      if (next == nullptr) continue;
      if (!context.mayChange(*i)) return changed;
      annotate(*i, *next);
      context.remark(*i, "annotated", fmt::format("%{} may start before it ends", next->name()));
      changed = true;
    }
  }
  return changed;
}

}  // namespace hilo
