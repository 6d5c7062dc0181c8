#include "core/compiler/passes/collectives/merged_attributes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace hilo {
namespace {

std::string_view commonFolders(std::string_view a, std::string_view b) {
  const auto differ = std::ranges::mismatch(a, b).in1;
  const std::string_view alike = a.substr(0, static_cast<size_t>(differ - a.begin()));
  return alike.substr(0, alike.rfind('/') + 1);
}

// `names`: at least one.
std::string mergedNames(const std::vector<std::string_view>& names) {
  if (std::ranges::all_of(names, [&](std::string_view name) { return name == names[0]; }))
    return std::string(names[0]);
  std::string_view folders = names[0];
  for (const std::string_view name : names) folders = commonFolders(folders, name);
  std::vector<std::string_view> rest;
  for (const std::string_view name : names) rest.push_back(name.substr(folders.size()));
  return fmt::format("{}({})", folders, fmt::join(rest, ":"));
}

void mergeNames(std::span<Instruction* const> of, Instruction& merged) {
  std::vector<std::string_view> names;
  for (const Instruction* i : of) {
    if (const OpMetadata* metadata = i->get<Attr::Metadata>();
        metadata != nullptr && !metadata->opName.empty())
      names.push_back(metadata->opName);
  }
  if (names.empty()) return;
  const OpMetadata* first = of[0]->get<Attr::Metadata>();
  OpMetadata metadata = first == nullptr ? OpMetadata{} : *first;
  const std::string name = mergedNames(names);
  metadata.opName = name;
  merged.set<Attr::Metadata>(&metadata);
}

void mergeFrontendAttributes(std::span<Instruction* const> of, Instruction& merged) {
  std::map<std::string_view, std::set<std::string_view>> values;
  for (const Instruction* i : of) {
    for (const FrontendAttribute& attribute : i->get<Attr::FrontendAttributes>())
      values[attribute.name].insert(attribute.value);
  }
  std::map<std::string_view, std::string> texts;
  for (const auto& [name, each] : values) texts[name] = fmt::format("{}", fmt::join(each, ","));
  std::vector<FrontendAttribute> attributes;
  for (const auto& [name, text] : texts) attributes.push_back({name, text});
  if (!attributes.empty()) merged.set<Attr::FrontendAttributes>(attributes);
}

}  // namespace

void mergeAttributes(std::span<Instruction* const> of, Instruction& merged) {
  mergeNames(of, merged);
  mergeFrontendAttributes(of, merged);
}

}  // namespace hilo
