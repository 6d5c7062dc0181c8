#include "core/compiler/pipelines/xla_flags.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <ranges>

#include "core/base/check.h"
#include "core/hlo/text/parse_state.h"

namespace hilo {
namespace {

constexpr XlaFlag kFlags[] = {
#define FLAG(name, type, fallback, effect) {name, FlagType::type, fallback, FlagEffect::effect},
#include "core/compiler/pipelines/xla_flags.def"
};

bool isBlank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

bool isTrue(std::string_view text) { return text == "true" || text == "1" || text.empty(); }

std::optional<int64_t> asNumber(std::string_view text) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

bool mayHave(const XlaFlag& flag, std::string_view value) {
  if (flag.type == FlagType::Bool) return isTrue(value) || value == "false" || value == "0";
  return flag.type == FlagType::Text || asNumber(value).has_value();
}

// Takes a word off the front: up to a blank outside quotes; quotes are dropped.
std::string takeWord(std::string_view& text) {
  std::string word;
  char quote = 0;
  size_t i = 0;
  for (; i < text.size() && (quote != 0 || !isBlank(text[i])); ++i) {
    const char c = text[i];
    if (quote == 0 && (c == '"' || c == '\'')) {
      quote = c;
    } else if (c == quote) {
      quote = 0;
    } else {
      word += c;
    }
  }
  text.remove_prefix(i);
  return word;
}

std::string noteOn(std::string_view name, const XlaFlag* flag) {
  if (flag == nullptr) {
    std::vector<std::string_view> names;
    for (const XlaFlag& known : kFlags) names.push_back(known.name);
    const auto near = didYouMean(name, names);
    return fmt::format("unknown flag {}{}", name, near.empty() ? "" : "; " + near.front());
  }
  switch (flag->effect) {
    case FlagEffect::Here:
      return "";
    case FlagEffect::NoEffect:
      return fmt::format("{} has no effect here", name);
    case FlagEffect::Deprecated:
      return fmt::format("{} is deprecated", name);
    case FlagEffect::Removed:
      return fmt::format("{} is of older versions of XLA and has no effect", name);
  }
  return "";
}

const XlaFlag& flagOf(std::string_view name) {
  const XlaFlag* flag = findXlaFlag(name);
  CHECK(flag != nullptr, name);
  return *flag;
}

}  // namespace

std::span<const XlaFlag> xlaFlags() { return kFlags; }

const XlaFlag* findXlaFlag(std::string_view name) {
  const auto found = std::ranges::lower_bound(kFlags, name, {}, &XlaFlag::name);
  return found == std::end(kFlags) || found->name != name ? nullptr : found;
}

Result<XlaFlags> XlaFlags::parse(std::string_view text) {
  XlaFlags flags;
  while (true) {
    while (!text.empty() && isBlank(text.front())) text.remove_prefix(1);
    if (text.empty()) return flags;
    const std::string word = takeWord(text);
    std::string_view name = word;
    if (name.starts_with("--")) {
      name.remove_prefix(2);
      const size_t equals = std::min(name.find('='), name.size());
      TRY_STATUS(flags.take(name.substr(0, equals), name.substr(std::min(equals + 1, name.size()))));
    } else if (name.ends_with(':')) {
      name.remove_suffix(1);
      while (!text.empty() && isBlank(text.front())) text.remove_prefix(1);
      TRY_STATUS(flags.take(name, takeWord(text)));
    } else {
      return fail("bad-flag", fmt::format("'{}' is no flag", word), {}, {"write --xla_NAME=VALUE"});
    }
  }
}

Status XlaFlags::take(std::string_view name, std::string_view value) {
  const XlaFlag* flag = findXlaFlag(name);
  if (std::string note = noteOn(name, flag); !note.empty()) notes_.push_back(std::move(note));
  if (flag == nullptr) return {};
  if (!mayHave(*flag, value)) {
    return fail("bad-flag",
                fmt::format("{} takes {}, not '{}'", name,
                            flag->type == FlagType::Bool ? "true or false" : "a whole number", value));
  }
  // Lines of a debug options file repeat the name of a list.
  std::string& kept = values_[std::string(name)];
  const bool isList = flag->type == FlagType::Text && !kept.empty() && name.ends_with("_hlo_passes");
  kept = isList ? fmt::format("{},{}", kept, value) : std::string(value);
  return {};
}

std::string_view XlaFlags::text(std::string_view flag) const {
  const auto found = values_.find(flag);
  return found == values_.end() ? flagOf(flag).fallback : found->second;
}

bool XlaFlags::on(std::string_view flag) const {
  CHECK(flagOf(flag).type == FlagType::Bool, flag);
  return isTrue(text(flag));
}

int64_t XlaFlags::number(std::string_view flag) const {
  CHECK(flagOf(flag).type == FlagType::Number, flag);
  const auto value = asNumber(text(flag));
  CHECK(value.has_value(), flag);
  return *value;
}

std::vector<std::string> XlaFlags::list(std::string_view flag) const {
  std::vector<std::string> items;
  for (const auto part : std::views::split(text(flag), ',')) {
    if (const std::string_view item(part.begin(), part.end()); !item.empty()) items.emplace_back(item);
  }
  return items;
}

}  // namespace hilo
