// A backend_config, or a part of one, read without trust: what has another type than asked for counts as not
// there, but text, which is given as it is written.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

namespace hilo::library {

class CallConfig {
 public:
  explicit CallConfig(nlohmann::json json) : json_(std::move(json)) {}

  bool empty() const { return !json_.is_object() || json_.empty(); }
  bool has(const char* name) const { return find(name) != nullptr; }
  CallConfig part(const char* name) const {
    const nlohmann::json* found = find(name);
    return CallConfig(found != nullptr && found->is_object() ? *found : nlohmann::json::object());
  }
  double number(const char* name, double otherwise) const {
    const nlohmann::json* found = find(name);
    return found != nullptr && found->is_number() ? found->get<double>() : otherwise;
  }
  bool flag(const char* name, bool otherwise) const {
    const nlohmann::json* found = find(name);
    return found != nullptr && found->is_boolean() ? found->get<bool>() : otherwise;
  }
  std::string text(const char* name, const char* otherwise) const {
    const nlohmann::json* found = find(name);
    if (found == nullptr) return otherwise;
    return found->is_string() ? found->get<std::string>() : found->dump();
  }
  // Numbers of dimensions, which may be written as strings, as protobuf's JSON does for 64 bits; empty where
  // the list is not there, nothing where it holds something else.
  std::optional<std::vector<int64_t>> dimensions(const char* name) const {
    std::vector<int64_t> list;
    const nlohmann::json* found = find(name);
    if (found == nullptr) return list;
    for (const nlohmann::json& one : found->is_array() ? *found : nlohmann::json::array({*found})) {
      int64_t dimension = -1;
      if (one.is_number_integer()) dimension = one.get<int64_t>();
      if (one.is_string()) dimension = std::strtoll(one.get_ref<const std::string&>().c_str(), nullptr, 10);
      if (dimension < 0) return std::nullopt;
      list.push_back(dimension);
    }
    return list;
  }

 private:
  const nlohmann::json* find(const char* name) const {
    if (!json_.is_object()) return nullptr;
    const auto found = json_.find(name);
    return found == json_.end() ? nullptr : &*found;
  }

  nlohmann::json json_;
};

}  // namespace hilo::library
