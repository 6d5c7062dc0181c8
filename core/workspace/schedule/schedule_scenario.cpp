#include "core/workspace/schedule/schedule_scenario.h"

#include <nlohmann/json.hpp>

namespace hilo {
namespace {

using Json = nlohmann::ordered_json;

// Fields read in order; the first that is not of its type is told.
class Reader {
 public:
  Reader(const Json& json, const std::string& file) : json_(json), file_(file) {}

  template <typename T>
  void field(const char* name, T& value) {
    const auto found = json_.find(name);
    if (found == json_.end()) return;
    known_.push_back(name);
    try {
      found->get_to(value);
    } catch (const Json::exception&) {
      if (problem_.empty()) problem_ = fmt::format("'{}' is not of the right type", name);
    }
  }
  Status finish() {
    for (const auto& [name, value] : json_.items()) {
      if (problem_.empty() && std::ranges::find(known_, name) == known_.end())
        problem_ = fmt::format("'{}' is not a field of a scenario", name);
    }
    if (problem_.empty()) return {};
    return fail("bad-scenario", problem_, {.file = file_});
  }

 private:
  const Json& json_;
  const std::string& file_;
  std::vector<std::string> known_;
  std::string problem_;
};

}  // namespace

void to_json(Json& json, const ScheduleMove& move) {
  json = {{"instruction", move.instruction}, {"before", move.before}};
}
void from_json(const Json& json, ScheduleMove& move) {
  json.at("instruction").get_to(move.instruction);
  json.at("before").get_to(move.before);
}
void to_json(Json& json, const SchedulePin& pin) {
  json = {{"instruction", pin.instruction}, {"after", pin.after}, {"before", pin.before}};
}
void from_json(const Json& json, SchedulePin& pin) {
  json.at("instruction").get_to(pin.instruction);
  json.at("after").get_to(pin.after);
  json.at("before").get_to(pin.before);
}

void ScheduleScenario::set(const std::string& setting, const std::string& value) {
  std::erase_if(settings, [&](const auto& known) { return known.first == setting; });
  settings.emplace_back(setting, value);
}

std::string scenarioText(const ScheduleScenario& s) {
  const ScheduleScenario plain;
  Json json = Json::object();
  if (!s.name.empty()) json["name"] = s.name;
  json["preset"] = s.preset;
  json["device"] = s.device;
  if (!s.settings.empty()) json["settings"] = s.settings;
  if (!s.profileText.empty()) json["profile"] = s.profileText;
  if (!s.profileName.empty()) json["profileName"] = s.profileName;
  if (!s.latenciesUs.empty()) json["latenciesUs"] = s.latenciesUs;
  if (!s.order.empty()) json["order"] = s.order;
  if (!s.pins.empty()) json["pins"] = s.pins;
  if (!s.moves.empty()) json["moves"] = s.moves;
  return json.dump(2, ' ', false, Json::error_handler_t::replace);
}

Result<ScheduleScenario> parseScenario(const std::string& text, const std::string& file) {
  const Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) return fail("bad-scenario", "a JSON object is expected", {.file = file});
  ScheduleScenario s;
  Reader reader(json, file);
  reader.field("name", s.name);
  reader.field("preset", s.preset);
  reader.field("device", s.device);
  reader.field("settings", s.settings);
  reader.field("profile", s.profileText);
  reader.field("profileName", s.profileName);
  reader.field("latenciesUs", s.latenciesUs);
  reader.field("order", s.order);
  reader.field("pins", s.pins);
  reader.field("moves", s.moves);
  TRY_STATUS(reader.finish());
  return s;
}

}  // namespace hilo
