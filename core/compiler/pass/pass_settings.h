// Settings of passes. A pass that has some takes a plain struct, whose initialisers are the defaults:
//
//   struct UnrollLimits { int64_t tripCountThreshold = 64; };
//   Result<bool> unrollLoops(Module& module, PassContext& context, const UnrollLimits& limits = {});
//
// and its line of passes.def gives each field a name, which people write as `while-loop-unroller{
// trip_count_threshold=16}`, and says what it is for:
//
//   setting<&UnrollLimits::tripCountThreshold>("trip_count_threshold", "loops that run more often stay")
//
// Names are XLA's where XLA has the setting.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "core/base/result.h"

namespace hilo {

// Of a number: no limit. Written "unlimited".
inline constexpr int64_t kUnlimited = INT64_MAX;

// A choice among names is the name.
using SettingValue = std::variant<bool, int64_t, std::string>;
std::string settingText(const SettingValue& value);

// Which values a number may have.
struct SettingRange {
  int64_t least = 0;
  int64_t most = kUnlimited;
};

struct PassSetting {
  std::string_view name;
  std::string_view summary;
  SettingValue fallback;  // the default
  SettingRange range;
  std::vector<std::string_view> choices;  // of a choice
  // Of the struct that the pass takes.
  SettingValue (*read)(const PassSetting& setting, const void* fields) = nullptr;
  void (*write)(const PassSetting& setting, void* fields, const SettingValue& value) = nullptr;
};

// What may be written: "true or false", "a whole number of at least 1", "one of default, gpu".
std::string allowedText(const PassSetting& setting);

const PassSetting* findSetting(std::span<const PassSetting> settings, std::string_view name);

// The setting of that name and the value that `text` says; numbers may end in KB, MB, GB, KiB, MiB, GiB.
// `owner`, whose settings they are, is for messages. Error kinds: "unknown-setting" (what there is in the
// notes), "bad-setting" (what is allowed in the message).
struct SettingChange {
  const PassSetting* setting = nullptr;
  SettingValue value;
};
Result<SettingChange> parseSetting(std::span<const PassSetting> settings, std::string_view owner,
                                   std::string_view name, std::string_view text);
// Whether fields that a program filled in have values that could be written. Error kind "bad-setting".
Status checkSettings(std::span<const PassSetting> settings, std::string_view owner, const void* fields);

namespace setting_detail {

template <typename Member>
struct MemberOf;
template <typename Class, typename Field>
struct MemberOf<Field Class::*> {
  using Owner = Class;
  using Type = Field;
};

template <auto member>
SettingValue read(const PassSetting& setting, const void* fields) {
  using Owner = MemberOf<decltype(member)>::Owner;
  const auto& field = static_cast<const Owner*>(fields)->*member;
  if constexpr (std::is_enum_v<std::remove_cvref_t<decltype(field)>>) {
    return std::string(setting.choices[static_cast<size_t>(field)]);
  } else {
    return field;
  }
}

template <auto member>
void write(const PassSetting& setting, void* fields, const SettingValue& value) {
  using Owner = MemberOf<decltype(member)>::Owner;
  using Field = MemberOf<decltype(member)>::Type;
  auto& field = static_cast<Owner*>(fields)->*member;
  if constexpr (std::is_enum_v<Field>) {
    const auto& name = std::get<std::string>(value);
    for (size_t i = 0; i < setting.choices.size(); ++i) {
      if (setting.choices[i] == name) field = static_cast<Field>(i);
    }
  } else {
    field = std::get<Field>(value);
  }
}

template <auto member>
PassSetting make(std::string_view name, std::string_view summary, SettingRange range,
                 std::vector<std::string_view> choices) {
  PassSetting setting{.name = name,
                      .summary = summary,
                      .range = range,
                      .choices = std::move(choices),
                      .read = &read<member>,
                      .write = &write<member>};
  const typename MemberOf<decltype(member)>::Owner defaults{};
  setting.fallback = setting.read(setting, &defaults);
  return setting;
}

}  // namespace setting_detail

// A field of type bool or int64_t.
template <auto member>
PassSetting setting(std::string_view name, std::string_view summary, SettingRange range = {}) {
  return setting_detail::make<member>(name, summary, range, {});
}

// A field of an enum; `choices` are the names of its enumerators, in their order.
template <auto member>
PassSetting choice(std::string_view name, std::string_view summary, std::vector<std::string_view> choices) {
  return setting_detail::make<member>(name, summary, {}, std::move(choices));
}

}  // namespace hilo
