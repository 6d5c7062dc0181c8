#include "core/compiler/passes/table/pass_list.h"

#include <charconv>

#include "core/compiler/passes/table/all_passes.h"
#include "core/compiler/passes/table/xla_passes.h"
#include "core/hlo/text/parse_state.h"

namespace hilo {
namespace {

std::string_view trimmed(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t\n");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\n") - first + 1);
}

// Takes what stands before the first comma outside braces off the front, with the comma.
std::string_view takeItem(std::string_view& list) {
  int depth = 0;
  size_t end = 0;
  for (; end < list.size(); ++end) {
    if (list[end] == '{') ++depth;
    if (list[end] == '}') --depth;
    if (list[end] == ',' && depth == 0) break;
  }
  const std::string_view item = list.substr(0, end);
  list.remove_prefix(std::min(end + 1, list.size()));
  return trimmed(item);
}

using FindPass = std::function<std::optional<ConfiguredPass>(std::string_view)>;

Result<ConfiguredPass> passCalled(std::string_view name, const FindPass& find) {
  if (auto pass = find(name)) {
    if (pass->pass->isThere()) return *std::move(pass);
    return fail("pass-not-there", fmt::format("the pass {} of XLA's GPU pipeline is not there yet", name));
  }
  std::vector<std::string_view> names;
  for (const Pass& pass : allPasses()) names.push_back(pass.name);
  return fail("unknown-pass", fmt::format("no pass is called '{}'", name), {}, didYouMean(name, names));
}

Status parseSettings(std::string_view text, ConfiguredPass& configured) {
  while (!text.empty()) {
    const std::string_view item = takeItem(text);
    const size_t equals = item.find('=');
    if (equals == std::string_view::npos) {
      return fail("bad-pass-list", fmt::format("{}: '{}' sets nothing", configured.pass->name, item), {},
                  {"a setting is written name=value"});
    }
    TRY(SettingChange change,
        parseSetting(configured.pass->settings, configured.pass->name, trimmed(item.substr(0, equals)),
                     trimmed(item.substr(equals + 1))));
    if (std::ranges::find(configured.settings, change.setting, &SettingChange::setting) !=
        configured.settings.end())
      return fail("bad-pass-list",
                  fmt::format("{}: {} is set twice", configured.pass->name, change.setting->name));
    configured.settings.push_back(std::move(change));
  }
  return {};
}

Result<ConfiguredPass> parsePass(std::string_view item, const FindPass& find) {
  const size_t brace = item.find('{');
  TRY(ConfiguredPass configured, passCalled(trimmed(item.substr(0, brace)), find));
  if (brace == std::string_view::npos) return configured;
  if (!item.ends_with('}')) {
    return fail("bad-pass-list", fmt::format("{}: its settings do not end with '}}'", configured.name()), {},
                {"write NAME{SETTING=VALUE,...}"});
  }
  TRY_STATUS(parseSettings(item.substr(brace + 1, item.size() - brace - 2), configured));
  return configured;
}

}  // namespace

Result<std::vector<ConfiguredPass>> parsePassList(std::string_view list) {
  return parsePassList(list, passByName);
}

Result<std::vector<ConfiguredPass>> parsePassList(std::string_view list, const FindPass& find) {
  std::vector<ConfiguredPass> passes;
  while (!list.empty()) {
    TRY(ConfiguredPass configured, parsePass(takeItem(list), find));
    passes.push_back(std::move(configured));
  }
  return passes;
}

Result<FuelByPass> parseFuel(std::string_view text) {
  FuelByPass fuel;
  while (!text.empty()) {
    const std::string_view item = takeItem(text);
    const size_t equals = std::min(item.find('='), item.size());
    const std::string_view number = trimmed(item.substr(std::min(equals + 1, item.size())));
    int64_t rewrites = -1;
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), rewrites);
    if (error != std::errc() || end != number.data() + number.size() || rewrites < 0) {
      return fail("bad-fuel", fmt::format("'{}' is no fuel", item), {},
                  {"write PASS=N: as many rewrites as the pass may make"});
    }
    fuel[std::string(trimmed(item.substr(0, equals)))] = rewrites;
  }
  return fuel;
}

std::string fuelText(const FuelByPass& fuel) {
  std::string text;
  for (const auto& [pass, rewrites] : fuel)
    text += fmt::format("{}{}={}", text.empty() ? "" : ",", pass, rewrites);
  return text;
}

}  // namespace hilo
