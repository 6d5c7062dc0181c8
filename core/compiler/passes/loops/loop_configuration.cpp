#include "core/compiler/passes/loops/loop_configuration.h"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <set>

#include "core/compiler/passes/constants.h"

namespace hilo {
namespace {

// An element of what the loop carries plus a constant.
struct Moved {
  int64_t index = 0, by = 0;
};

std::optional<Moved> movedElement(const Instruction& value) {
  const Instruction* element = &value;
  int64_t by = 0;
  if (value.opcode() == Opcode::Add) {
    const size_t constant = value.operand(0)->opcode() == Opcode::Constant ? 0 : 1;
    const auto step = algebra::scalarInteger(*value.operand(constant));
    if (!step) return std::nullopt;
    by = *step;
    element = value.operand(1 - constant);
  }
  if (element->opcode() != Opcode::GetTupleElement || element->operand(0)->opcode() != Opcode::Parameter)
    return std::nullopt;
  return Moved{element->tupleIndex(), by};
}

// What an iteration gives the next one at `index`.
std::optional<Moved> updateOf(const Instruction& loop, int64_t index) {
  const Instruction& root = *loop.get<Attr::Body>()->root();
  if (root.opcode() != Opcode::Tuple) return std::nullopt;
  return movedElement(*root.operand(static_cast<size_t>(index)));
}

std::optional<int64_t> firstOf(const Instruction& loop, int64_t index) {
  const Instruction& init = *loop.operand(0);
  if (init.opcode() != Opcode::Tuple) return std::nullopt;
  return algebra::scalarInteger(*init.operand(static_cast<size_t>(index)));
}

// The element that starts at a constant, moves by one and is compared with one, however often that is.
std::optional<int64_t> comparedElement(const Instruction& loop) {
  const Instruction& root = *loop.get<Attr::Condition>()->root();
  if (root.opcode() != Opcode::Compare) return std::nullopt;
  for (size_t side = 0; side < 2; ++side) {
    const auto element = movedElement(*root.operand(side));
    if (!element || element->by != 0 || root.operand(1 - side)->opcode() != Opcode::Constant) continue;
    const auto update = updateOf(loop, element->index);
    const Instruction& init = *loop.operand(0);
    const bool isKnown = init.opcode() == Opcode::Tuple &&
                         init.operand(static_cast<size_t>(element->index))->opcode() == Opcode::Constant;
    if (isKnown && update && update->index == element->index && update->by != 0) return element->index;
  }
  return std::nullopt;
}

bool movesOverHost(const Instruction& i) {
  return i.opcode() == Opcode::CustomCall && (i.get<Attr::CustomCallTarget>() == "MoveToHost" ||
                                              i.get<Attr::CustomCallTarget>() == "MoveToDevice");
}

// Elements by which the body of a loop that offloads to the host slices.
std::set<int64_t> slicingElements(const Computation& body) {
  std::set<int64_t> indices;
  if (std::ranges::none_of(body.instructions(), [](const Instruction* i) { return movesOverHost(*i); }))
    return indices;
  for (const Instruction* i : body.instructions()) {
    if (i->opcode() != Opcode::DynamicSlice && i->opcode() != Opcode::DynamicUpdateSlice) continue;
    for (size_t k = i->opcode() == Opcode::DynamicSlice ? 1 : 2; k < i->operandCount(); ++k) {
      if (const auto element = movedElement(*i->operand(k))) indices.insert(element->index);
    }
  }
  return indices;
}

// Start and step of an element that counts by itself, or lags an iteration behind the counter.
std::optional<Moved> motionOf(const Instruction& loop, int64_t index,
                              const std::optional<InductionVariable>& counter) {
  const auto update = updateOf(loop, index);
  const auto first = firstOf(loop, index);
  if (!update || !first) return std::nullopt;
  if (update->index == index) return Moved{*first, update->by};
  if (!counter || update->index != counter->tupleIndex ||
      *first != counter->init - counter->step + update->by)
    return std::nullopt;
  return Moved{*first, counter->step};
}

std::string dynamicVariables(const Instruction& loop, const std::optional<InductionVariable>& counter) {
  std::string text;
  for (const int64_t index : slicingElements(*loop.get<Attr::Body>())) {
    const auto motion = motionOf(loop, index, counter);
    const std::string moves =
        motion ? fmt::format(R"(,"init":"{}","step":"{}")", motion->index, motion->by) : "";
    text += fmt::format(R"({}{{"tuple_index":"{}"{}}})", text.empty() ? "" : ",", index, moves);
  }
  return text.empty() ? "" : fmt::format(R"(,"dynamic_variables":[{}])", text);
}

// Numbers of 64 bits are strings in it.
using Json = nlohmann::ordered_json;

std::optional<Json> configOf(const Instruction& loop) {
  const std::string_view text = loop.get<Attr::BackendConfig>();
  Json config = text.empty() ? Json() : Json::parse(text, nullptr, /*allow_exceptions=*/false);
  return config.is_object() ? std::optional(std::move(config)) : std::nullopt;
}

std::optional<int64_t> numberIn(const Json& of, const char* field) {
  if (!of.is_object() || !of.contains(field)) return std::nullopt;
  const Json& value = of[field];
  const std::string text = value.is_string() ? value.get<std::string>() : value.dump();
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

// A start and a step.
void doubleStep(Json& motion, bool isFirstInFront) {
  const auto init = numberIn(motion, "init"), step = numberIn(motion, "step");
  if (!init || !step) return;
  motion["init"] = std::to_string(isFirstInFront ? *init + *step : *init);
  motion["step"] = std::to_string(2 * *step);
}

}  // namespace

std::string loopConfiguration(const Instruction& loop, const std::optional<InductionVariable>& counter) {
  const auto index = counter ? std::optional(counter->tupleIndex) : comparedElement(loop);
  if (!index) return "";
  const std::string trips =
      counter
          ? fmt::format(R"("known_trip_count":{{"n":"{}"}},"known_init_step":{{"init":"{}","step":"{}"}},)",
                        counter->trips, counter->init, counter->step)
          : "";
  return fmt::format(R"({{{}"known_induction_variable":{{"tuple_index":"{}"}}{}}})", trips, *index,
                     dynamicVariables(loop, counter));
}

void stateTrips(Instruction& loop, int64_t trips) {
  auto config = configOf(loop);
  if (!config || !config->contains("known_trip_count")) return;
  (*config)["known_trip_count"] = {{"n", std::to_string(trips)}};
  loop.set<Attr::BackendConfig>(config->dump());
}

void doubleSteps(Instruction& loop, int64_t trips, bool isFirstInFront) {
  stateTrips(loop, trips);
  auto config = configOf(loop);
  if (!config) return;
  if (config->contains("known_init_step")) doubleStep((*config)["known_init_step"], isFirstInFront);
  if (config->contains("dynamic_variables")) {
    for (Json& variable : (*config)["dynamic_variables"]) doubleStep(variable, isFirstInFront);
  }
  loop.set<Attr::BackendConfig>(config->dump());
}

}  // namespace hilo
