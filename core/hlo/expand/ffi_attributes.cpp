#include "core/hlo/expand/ffi_attributes.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/hlo/ir/call_attributes.h"

namespace hilo {
namespace {

using nlohmann::json;
using Kind = CallAttribute::Kind;

// JSON holds no other strings; a kernel's bytes are none.
json utf8(const std::string& text) {
  if (std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; })) return text;
  return json::parse(json(text).dump(-1, ' ', false, json::error_handler_t::replace));
}

json jsonOf(const std::vector<CallAttribute>& attributes);

json valueOf(const CallAttribute& attribute) {
  switch (attribute.kind) {
    case Kind::String:
      return utf8(attribute.text);
    case Kind::Dictionary:
      return jsonOf(attribute.members);
    case Kind::Array:
      return attribute.isFloat() ? json(attribute.floats) : json(attribute.integers);
    case Kind::Scalar:
      if (attribute.type == ElementType::Pred) return attribute.integers[0] != 0;
      return attribute.isFloat() ? json(attribute.floats[0]) : json(attribute.integers[0]);
  }
  return {};
}

json jsonOf(const std::vector<CallAttribute>& attributes) {
  json object = json::object();
  for (const CallAttribute& attribute : attributes) object[attribute.name] = valueOf(attribute);
  return object;
}

}  // namespace

Result<json> parseFfiAttributes(std::string_view text) {
  TRY(const auto attributes, parseCallAttributes(text));
  return jsonOf(attributes);
}

Result<json> parseCallConfig(std::string_view text) {
  // Depth is bounded: the library recurses.
  constexpr int kMaxDepth = 100;
  const auto keepShallow = [](int depth, json::parse_event_t, json&) { return depth <= kMaxDepth; };
  json config = json::parse(text, keepShallow, /*allow_exceptions=*/false);
  return config.is_object() ? Result<json>(std::move(config)) : parseFfiAttributes(text);
}

}  // namespace hilo
