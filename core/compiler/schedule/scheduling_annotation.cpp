#include "core/compiler/schedule/scheduling_annotation.h"

#include <charconv>

#include "core/analysis/async_op.h"

namespace hilo {
namespace {

// A field of an annotation: nothing when it is empty.
Result<std::optional<int64_t>> parseField(const Instruction& instruction, std::string_view whole,
                                          std::string_view text, std::string_view field, bool mayBeNegative) {
  if (text.empty()) return std::optional<int64_t>();
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool isNumber = error == std::errc() && end == text.data() + text.size();
  if (isNumber && (number >= 0 || mayBeNegative)) return std::optional(number);
  return fail("bad-scheduling-annotation",
              fmt::format("Instruction has a {} scheduling annotation {}, inst: {}, annotation: {}",
                          isNumber ? "negative" : "non-integer", field, instruction.name(), whole),
              {.computation = std::string(instruction.parent().name()),
               .instruction = std::string(instruction.name())});
}

void replaceAttribute(Instruction& instruction, std::optional<std::string> value) {
  std::vector<FrontendAttribute> kept;
  bool placed = false;
  for (const FrontendAttribute& attribute : instruction.get<Attr::FrontendAttributes>()) {
    if (attribute.name != kSchedulingGroupAttribute) {
      kept.push_back(attribute);
    } else if (value && !placed) {
      kept.push_back({attribute.name, *value});
      placed = true;
    }
  }
  if (value && !placed) kept.push_back({kSchedulingGroupAttribute, *value});
  std::ranges::sort(kept, {}, &FrontendAttribute::name);
  if (kept.empty()) {
    instruction.erase(Attr::FrontendAttributes);
  } else {
    instruction.set<Attr::FrontendAttributes>(kept);
  }
}

}  // namespace

Result<std::optional<SchedulingAnnotation>> schedulingAnnotation(const Instruction& instruction) {
  const auto text = frontendAttribute(instruction, kSchedulingGroupAttribute);
  if (!text) return std::optional<SchedulingAnnotation>();
  if (*text == kNoSchedulingGroup) return std::optional<SchedulingAnnotation>();
  const size_t colon = std::min(text->find(':'), text->size());
  const std::string_view iteration = text->substr(std::min(colon + 1, text->size()));
  if (iteration.find(':') != std::string_view::npos) {
    return fail(
        "bad-scheduling-annotation",
        fmt::format("Instruction has more than 2 scheduling annotation fields, inst: {}, annotation: {}",
                    instruction.name(), *text),
        {.computation = std::string(instruction.parent().name()),
         .instruction = std::string(instruction.name())});
  }
  SchedulingAnnotation annotation;
  TRY(annotation.group, parseField(instruction, *text, text->substr(0, colon), "group id", false));
  TRY(annotation.iteration, parseField(instruction, *text, iteration, "iteration id", true));
  return std::optional(annotation);
}

std::string toString(const SchedulingAnnotation& annotation) {
  const std::string group = annotation.group ? fmt::format("{}", *annotation.group) : std::string();
  return annotation.iteration ? fmt::format("{}:{}", group, *annotation.iteration) : group;
}

void setSchedulingAnnotation(Instruction& instruction, const SchedulingAnnotation& annotation) {
  replaceAttribute(instruction, toString(annotation));
}

bool removeSchedulingAnnotation(Instruction& instruction) {
  if (!frontendAttribute(instruction, kSchedulingGroupAttribute)) return false;
  replaceAttribute(instruction, std::nullopt);
  return true;
}

int64_t nextSchedulingGroup(const Module& module) {
  int64_t next = 0;
  for (const Computation* computation : module.computations()) {
    for (const Instruction* instruction : computation->instructions()) {
      const auto annotation = schedulingAnnotation(*instruction);
      if (annotation && *annotation && (*annotation)->group) next = std::max(next, *(*annotation)->group + 1);
    }
  }
  return next;
}

Result<SchedulingGroups> SchedulingGroups::of(const Computation& computation) {
  SchedulingGroups result;
  for (const Instruction* instruction : computation.instructions()) {
    TRY(const auto annotation, schedulingAnnotation(*instruction));
    if (!annotation || !annotation->group) continue;
    auto group = std::ranges::find(result.groups_, *annotation->group, &Group::id);
    if (group == result.groups_.end())
      group = result.groups_.insert(group, {.id = *annotation->group, .instructions = {}});
    group->instructions.push_back(instruction);
  }
  return result;
}

std::span<const Instruction* const> SchedulingGroups::instructions(int64_t id) const {
  const auto group = std::ranges::find(groups_, id, &Group::id);
  return group == groups_.end() ? std::span<const Instruction* const>() : group->instructions;
}

}  // namespace hilo
