#include "core/workspace/document/step_json.h"

#include <nlohmann/json.hpp>

namespace hilo {
namespace {

// Bytes that are no UTF-8 are replaced: a name from a dump may hold any.
std::string textOf(const nlohmann::json& list) {
  return list.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

bool isTexts(const nlohmann::json& item, size_t count) {
  return item.is_array() && item.size() == count &&
         std::ranges::all_of(item, [](const auto& part) { return part.is_string(); });
}

nlohmann::json factsToJson(const Remark& remark) {
  nlohmann::json facts = nlohmann::json::array();
  for (const auto& [key, value] : remark.facts) facts.push_back(nlohmann::json::array({key, value}));
  return facts;
}

std::vector<std::pair<std::string, std::string>> factsFromJson(const nlohmann::json& list) {
  std::vector<std::pair<std::string, std::string>> facts;
  for (const auto& fact : list) {
    if (isTexts(fact, 2)) facts.emplace_back(fact[0], fact[1]);
  }
  return facts;
}

}  // namespace

std::string remarksToJson(const std::vector<Remark>& remarks) {
  nlohmann::json list = nlohmann::json::array();
  for (const Remark& remark : remarks) {
    list.push_back(nlohmann::json::array({remark.name, remark.kind, remark.message}));
    if (!remark.facts.empty()) list.back().push_back(factsToJson(remark));
  }
  return textOf(list);
}

std::vector<Remark> remarksFromJson(std::string_view json, const Module* module) {
  const auto list = nlohmann::json::parse(json, nullptr, /*allow_exceptions=*/false);
  std::vector<Remark> remarks;
  if (!list.is_array()) return remarks;
  for (const auto& item : list) {
    if (!isTexts(item, 3) && !(item.is_array() && item.size() == 4 && item[3].is_array())) continue;
    if (!item[0].is_string() || !item[1].is_string() || !item[2].is_string()) continue;
    Remark remark{.name = item[0], .kind = item[1], .message = item[2]};
    if (item.size() == 4) remark.facts = factsFromJson(item[3]);
    const Instruction* named = module == nullptr ? nullptr : module->findInstruction(remark.name);
    if (named != nullptr) remark.instruction = named->id();
    remarks.push_back(std::move(remark));
  }
  return remarks;
}

std::string settingsToJson(const std::vector<EffectiveSetting>& settings) {
  nlohmann::json list = nlohmann::json::array();
  for (const EffectiveSetting& setting : settings)
    list.push_back({setting.name, setting.value, setting.isDefault});
  return textOf(list);
}

std::vector<EffectiveSetting> settingsFromJson(std::string_view json) {
  const auto list = nlohmann::json::parse(json, nullptr, /*allow_exceptions=*/false);
  std::vector<EffectiveSetting> settings;
  if (!list.is_array()) return settings;
  for (const auto& item : list) {
    if (!item.is_array() || item.size() != 3) continue;
    if (!item[0].is_string() || !item[1].is_string() || !item[2].is_boolean()) continue;
    settings.push_back({item[0], item[1], item[2]});
  }
  return settings;
}

}  // namespace hilo
