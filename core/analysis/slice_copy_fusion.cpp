#include "core/analysis/slice_copy_fusion.h"

#include <nlohmann/json.hpp>

#include "core/analysis/contiguous_slice.h"
#include "core/hlo/ir/op_facts.h"

namespace hilo {
namespace {

nlohmann::json configOf(const Instruction& instruction) {
  const std::string_view text = instruction.get<Attr::BackendConfig>();
  auto json = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  return json.is_object() ? json : nlohmann::json::object();
}

bool hasSliceConfig(const Instruction& slicing) { return configOf(slicing).contains("dynamic_slice_config"); }

const Instruction* behindRenaming(const Instruction* i) {
  while (hasFact(i->opcode(), OpFact::RenamesBytes)) i = i->operand(0);
  return i;
}

bool slicesAreUsable(const Computation& body) {
  return std::ranges::all_of(body.instructions(), [](const Instruction* i) {
    switch (i->opcode()) {
      case Opcode::Slice:
        return isContiguousSlice(*i);
      case Opcode::DynamicSlice:
      case Opcode::DynamicUpdateSlice:
        return hasSliceConfig(*i);
      default:
        return true;
    }
  });
}

// Does the copied value come straight from a parameter, whole or as a slice?
bool comesFromParameter(const Instruction& copied) {
  bool isSliced = false;
  const Instruction* at = &copied;
  while (at->opcode() != Opcode::Parameter) {
    if (at->opcode() == Opcode::Slice || at->opcode() == Opcode::DynamicSlice) {
      isSliced = true;
    } else if (!hasFact(at->opcode(), OpFact::RenamesBytes)) {
      return false;
    }
    at = at->operand(0);
  }
  return isSliced || at->shape().byteSize() == copied.shape().byteSize();
}

bool isCustomCopy(const Instruction& fusion, const Computation& body) {
  const nlohmann::json config = configOf(fusion);
  const auto name = config.value(
      nlohmann::json::json_pointer("/fusion_backend_config/custom_fusion_config/name"), std::string());
  if (name != "dynamic_slice_fusion") return false;
  const Instruction* hero = nullptr;
  for (const Instruction* i : body.instructions()) {
    switch (i->opcode()) {
      case Opcode::Parameter:
      case Opcode::Constant:
      case Opcode::Slice:
      case Opcode::DynamicSlice:
      case Opcode::DynamicUpdateSlice:
      case Opcode::Bitcast:
      case Opcode::Reshape:
      case Opcode::Tuple:
      case Opcode::GetTupleElement:
        continue;
      default:
        if (hero != nullptr) return false;
        hero = i;
    }
  }
  return hero != nullptr && hero->opcode() == Opcode::Copy;
}

}  // namespace

bool isDynamicSliceCopyFusion(const Instruction& instruction) {
  const Computation* body = instruction.get<Attr::Calls>();
  if (instruction.opcode() != Opcode::Fusion || body == nullptr) return false;
  if (instruction.get<Attr::BackendConfig>().find("__dynamic_memcpy") != std::string_view::npos) return true;
  if (instruction.get<Attr::FusionKindKind>() == FusionKind::Custom) return isCustomCopy(instruction, *body);
  const Instruction* root = body->root();
  const Instruction* slicing = behindRenaming(root);
  const Instruction* copied = slicing->opcode() == Opcode::DynamicSlice         ? root
                              : slicing->opcode() == Opcode::DynamicUpdateSlice ? slicing->operand(1)
                                                                                : nullptr;
  return copied != nullptr && copied->shape().isArray() && hasSliceConfig(*slicing) &&
         slicesAreUsable(*body) && comesFromParameter(*copied);
}

}  // namespace hilo
