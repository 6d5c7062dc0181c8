#include "core/compiler/pass/pass.h"

#include <fmt/format.h>

namespace hilo {

void PassContext::remark(const Instruction& instruction, std::string_view kind, std::string message,
                         std::vector<std::pair<std::string, std::string>> facts) {
  remarks_.push_back({instruction.id(), std::string(instruction.name()), std::string(kind),
                      std::move(message), std::move(facts)});
}

void ConfiguredPass::set(SettingChange change) {
  std::erase_if(settings, [&](const SettingChange& known) { return known.setting == change.setting; });
  settings.push_back(std::move(change));
}

std::vector<EffectiveSetting> effectiveSettings(const ConfiguredPass& configured, const Module& module) {
  const Pass& pass = *configured.pass;
  if (pass.defaultsFor == nullptr) return {};
  const std::vector<SettingValue> defaults = pass.defaultsFor(pass, module);
  std::vector<EffectiveSetting> effective;
  for (size_t i = 0; i < pass.settings.size(); ++i) {
    const auto changed = std::ranges::find(configured.settings, &pass.settings[i], &SettingChange::setting);
    const SettingValue& value = changed == configured.settings.end() ? defaults[i] : changed->value;
    effective.push_back(
        {std::string(pass.settings[i].name), settingText(value), /*isDefault=*/value == defaults[i]});
  }
  return effective;
}

std::string passText(std::string_view name, std::span<const EffectiveSetting> settings) {
  std::vector<std::string> parts;
  for (const EffectiveSetting& setting : settings) {
    if (!setting.isDefault) parts.push_back(fmt::format("{}={}", setting.name, setting.value));
  }
  return parts.empty() ? std::string(name) : fmt::format("{}{{{}}}", name, fmt::join(parts, ","));
}

std::string passText(const ConfiguredPass& configured) {
  std::vector<EffectiveSetting> settings;
  for (const SettingChange& change : configured.settings) {
    settings.push_back({std::string(change.setting->name), settingText(change.value), /*isDefault=*/false});
  }
  return passText(configured.name(), settings);
}

}  // namespace hilo
