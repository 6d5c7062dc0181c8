#include "core/workspace/kernels/kernel_description.h"

#include <nlohmann/json.hpp>

namespace hilo {
namespace {

using nlohmann::json;

std::optional<int64_t> number(const json& of, const char* name) {
  const auto found = of.find(name);
  if (found == of.end() || !found->is_number_integer()) return {};
  return found->get<int64_t>();
}

std::string text(const json& of, const char* name) {
  const auto found = of.find(name);
  return found != of.end() && found->is_string() ? found->get<std::string>() : "";
}

uint32_t line(const json& of) { return static_cast<uint32_t>(number(of, "line").value_or(0)); }

KernelSizes sizes(const json& of, const char* name) {
  KernelSizes result;
  const auto found = of.find(name);
  if (found == of.end() || !found->is_array()) return result;
  for (const json& size : *found)
    result.push_back(size.is_number_integer() ? std::optional(size.get<int64_t>()) : std::nullopt);
  return result;
}

// The objects of a list.
template <typename Visit>
void each(const json& of, const char* name, Visit visit) {
  const auto found = of.find(name);
  if (found == of.end() || !found->is_array()) return;
  for (const json& item : *found) {
    if (item.is_object()) visit(item);
  }
}

}  // namespace

Result<KernelDescription> parseKernelDescription(std::string_view text_) {
  constexpr int kMostDepth = 8;
  const auto keepShallow = [](int depth, json::parse_event_t, json&) { return depth <= kMostDepth; };
  const json all = json::parse(text_, keepShallow, /*allow_exceptions=*/false);
  if (!all.is_object()) return fail("plugin-broke-contract", "the description of a kernel is no JSON object");
  KernelDescription made{.name = text(all, "name")};
  if (const KernelSizes arch = sizes(all, "arch"); arch.size() == 2) {
    made.archMajor = arch[0];
    made.archMinor = arch[1];
  }
  each(all, "launches", [&](const json& of) {
    made.launches.push_back(
        {line(of), sizes(of, "grid"), sizes(of, "cluster"), sizes(of, "block"), number(of, "sharedBytes")});
  });
  each(all, "refs", [&](const json& of) {
    made.arrays.push_back({text(of, "name"), text(of, "memory"), text(of, "type"), line(of),
                           number(of, "bytes"), number(of, "offset")});
  });
  each(all, "barriers", [&](const json& of) {
    const bool isOfTensorCores = of.value("tensorCore", json(false)) == json(true);
    made.barriers.push_back(
        {text(of, "name"), line(of), number(of, "count"), number(of, "arrivals"), isOfTensorCores});
  });
  if (const auto operations = all.find("operations"); operations != all.end() && operations->is_object()) {
    for (const auto& [name, count] : operations->items()) {
      if (count.is_number_integer()) made.operations.emplace_back(name, count.get<int64_t>());
    }
  }
  made.program = text(all, "program");
  made.notFollowed = text(all, "notFollowed");
  made.kernelText = text(all, "kernelText");
  made.noKernelText = text(all, "noKernelText");
  return made;
}

}  // namespace hilo
