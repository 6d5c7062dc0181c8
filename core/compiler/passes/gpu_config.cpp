#include "core/compiler/passes/gpu_config.h"

#include <nlohmann/json.hpp>

#include "core/hlo/ir/module.h"

namespace hilo {
namespace {

// Keeps the order of what is there.
using Json = nlohmann::ordered_json;

Json configOf(const Instruction& instruction) {
  const std::string_view text = instruction.get<Attr::BackendConfig>();
  return text.empty() ? Json::object() : Json::parse(text, nullptr, /*allow_exceptions=*/false);
}

}  // namespace

bool setGpuConfig(Instruction& instruction, std::string_view part, std::string_view field,
                  std::string_view value) {
  Json config = configOf(instruction);
  if (!config.is_object()) return false;
  Json* at = &config;
  if (!part.empty()) {
    at = &config[std::string(part)];
    if (at->is_null()) *at = Json::object();
    if (!at->is_object()) return false;
  }
  Json& place = (*at)[std::string(field)];
  Json wanted = Json::parse(value);
  if (place == wanted) return false;
  place = std::move(wanted);
  instruction.set<Attr::BackendConfig>(config.dump());
  return true;
}

void eraseGpuConfig(Instruction& instruction, std::string_view part, std::string_view field) {
  if (gpuConfig(instruction, part, field).empty()) return;
  Json config = configOf(instruction);
  Json& at = part.empty() ? config : config[std::string(part)];
  at.erase(std::string(field));
  instruction.set<Attr::BackendConfig>(config.dump());
}

std::string gpuConfig(const Instruction& instruction, std::string_view part, std::string_view field) {
  const Json config = configOf(instruction);
  if (!config.is_object()) return "";
  const Json* at = &config;
  if (!part.empty()) {
    const auto found = config.find(std::string(part));
    if (found == config.end() || !found->is_object()) return "";
    at = &*found;
  }
  const auto found = at->find(std::string(field));
  if (found == at->end()) return "";
  return found->is_string() ? found->get<std::string>() : found->dump();
}

std::string gpuFusionKind(const Instruction& instruction) {
  if (instruction.opcode() != Opcode::Fusion) return "";
  return gpuConfig(instruction, "fusion_backend_config", "kind");
}

}  // namespace hilo
