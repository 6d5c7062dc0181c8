#include "core/compiler/pass/pass_settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "core/hlo/text/parse_state.h"

namespace hilo {
namespace {

constexpr std::string_view kUnlimitedText = "unlimited";

struct Unit {
  std::string_view ending;
  int64_t factor;
};
constexpr Unit kUnits[] = {{"KiB", 1 << 10}, {"MiB", 1 << 20},  {"GiB", 1 << 30},
                           {"KB", 1'000},    {"MB", 1'000'000}, {"GB", 1'000'000'000}};

std::optional<int64_t> parseNumber(std::string_view text) {
  if (text == kUnlimitedText) return kUnlimited;
  int64_t factor = 1, number = 0;
  for (const Unit& unit : kUnits) {
    if (!text.ends_with(unit.ending)) continue;
    factor = unit.factor;
    text.remove_suffix(unit.ending.size());
    break;
  }
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  if (__builtin_mul_overflow(number, factor, &number)) return std::nullopt;
  return number;
}

bool isAllowed(const PassSetting& setting, const SettingValue& value) {
  const auto* number = std::get_if<int64_t>(&value);
  return number == nullptr || (*number >= setting.range.least && *number <= setting.range.most);
}

std::optional<SettingValue> parseValue(const PassSetting& setting, std::string_view text) {
  if (std::holds_alternative<bool>(setting.fallback)) {
    if (text != "true" && text != "false") return std::nullopt;
    return SettingValue(text == "true");
  }
  if (std::holds_alternative<std::string>(setting.fallback)) {
    const bool isChoice = !setting.choices.empty();
    if (isChoice && std::ranges::find(setting.choices, text) == setting.choices.end()) return std::nullopt;
    return SettingValue(std::string(text));
  }
  const auto number = parseNumber(text);
  return number ? std::optional<SettingValue>(*number) : std::nullopt;
}

std::unexpected<Diagnostic> badSetting(const PassSetting& setting, std::string_view owner,
                                       std::string_view text) {
  return fail("bad-setting", fmt::format("{}: the setting {} is {}, not '{}'", owner, setting.name,
                                         allowedText(setting), text));
}

}  // namespace

std::string settingText(const SettingValue& value) {
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
  if (const auto* name = std::get_if<std::string>(&value)) return *name;
  const int64_t number = std::get<int64_t>(value);
  return number == kUnlimited ? std::string(kUnlimitedText) : fmt::format("{}", number);
}

std::string allowedText(const PassSetting& setting) {
  if (std::holds_alternative<bool>(setting.fallback)) return "true or false";
  if (std::holds_alternative<std::string>(setting.fallback) && setting.choices.empty()) return "any text";
  if (std::holds_alternative<std::string>(setting.fallback))
    return fmt::format("one of {}", fmt::join(setting.choices, ", "));
  const auto& [least, most] = setting.range;
  if (most == kUnlimited) return fmt::format("a whole number of at least {}", least);
  return fmt::format("a whole number from {} to {}", least, most);
}

const PassSetting* findSetting(std::span<const PassSetting> settings, std::string_view name) {
  const auto found = std::ranges::find(settings, name, &PassSetting::name);
  return found == settings.end() ? nullptr : &*found;
}

Result<SettingChange> parseSetting(std::span<const PassSetting> settings, std::string_view owner,
                                   std::string_view name, std::string_view text) {
  const PassSetting* setting = findSetting(settings, name);
  if (setting == nullptr) {
    if (settings.empty())
      return fail("unknown-setting", fmt::format("{} has no settings, so no '{}'", owner, name));
    std::vector<std::string_view> names;
    for (const PassSetting& known : settings) names.push_back(known.name);
    std::vector<std::string> notes = didYouMean(name, names);
    // Of many those that go on like it, where there are such.
    const auto isLike = [&](std::string_view known) { return known.contains(name); };
    if (std::ranges::any_of(names, isLike)) std::erase_if(names, std::not_fn(isLike));
    notes.push_back(fmt::format("there are: {}", fmt::join(names, ", ")));
    return fail("unknown-setting", fmt::format("{} has no setting '{}'", owner, name), {}, std::move(notes));
  }
  auto value = parseValue(*setting, text);
  if (!value || !isAllowed(*setting, *value)) return badSetting(*setting, owner, text);
  return SettingChange{setting, *std::move(value)};
}

Status checkSettings(std::span<const PassSetting> settings, std::string_view owner, const void* fields) {
  for (const PassSetting& setting : settings) {
    const SettingValue value = setting.read(setting, fields);
    if (!isAllowed(setting, value)) return badSetting(setting, owner, settingText(value));
  }
  return {};
}

}  // namespace hilo
