#include "core/compiler/codegen/lower/backend_attributes.h"

#include <nlohmann/json.hpp>

#include "core/hlo/expand/ffi_attributes.h"
#include "plugins/sdk/custom_call.h"

namespace hilo {
namespace {

CustomCallAttribute attributeOf(const std::string& name, const nlohmann::json& value) {
  CustomCallAttribute attribute{.name = name};
  if (value.is_string() || value.is_object()) {
    attribute.kind = HILO_ATTRIBUTE_STRING;
    attribute.text = value.is_string() ? value.get<std::string>() : value.dump();
  } else if (value.is_boolean()) {
    attribute.kind = HILO_ATTRIBUTE_BOOL;
    attribute.integers = {value.get<bool>()};
  } else if (value.is_array()) {
    const bool isFloat = !value.empty() && value[0].is_number_float();
    attribute.kind = isFloat ? HILO_ATTRIBUTE_FLOATS : HILO_ATTRIBUTE_INTEGERS;
    if (isFloat) attribute.floats = value.get<std::vector<double>>();
    if (!isFloat) attribute.integers = value.get<std::vector<int64_t>>();
  } else if (value.is_number_float()) {
    attribute.kind = HILO_ATTRIBUTE_FLOAT;
    attribute.floats = {value.get<double>()};
  } else {
    attribute.kind = HILO_ATTRIBUTE_INTEGER;
    attribute.integers = {value.get<int64_t>()};
  }
  return attribute;
}

}  // namespace

Result<std::vector<CustomCallAttribute>> parseBackendAttributes(std::string_view text) {
  TRY(const nlohmann::json dictionary, parseFfiAttributes(text));
  std::vector<CustomCallAttribute> attributes;
  for (const auto& [name, value] : dictionary.items()) attributes.push_back(attributeOf(name, value));
  return attributes;
}

}  // namespace hilo
