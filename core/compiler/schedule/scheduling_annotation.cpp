#include "core/compiler/schedule/scheduling_annotation.h"

#include <charconv>

#include "core/analysis/schedule/async_op.h"

namespace hilo {
namespace {

std::optional<int64_t> parseNumber(std::string_view text) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < 0) return std::nullopt;
  return number;
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
  const size_t colon = std::min(text->find(':'), text->size());
  const std::string_view group = text->substr(0, colon);
  SchedulingAnnotation annotation;
  annotation.group = parseNumber(group);
  bool valid = annotation.group.has_value() || group == kNoSchedulingGroup;
  if (colon < text->size()) {
    annotation.iteration = parseNumber(text->substr(colon + 1));
    valid &= annotation.iteration.has_value();
  }
  if (!valid) {
    return fail("bad-scheduling-annotation",
                fmt::format("{}=\"{}\" is not GROUP or GROUP:ITERATION", kSchedulingGroupAttribute, *text),
                {.computation = std::string(instruction.parent().name()),
                 .instruction = std::string(instruction.name())});
  }
  return std::optional(annotation);
}

std::string toString(const SchedulingAnnotation& annotation) {
  const std::string group =
      annotation.group ? fmt::format("{}", *annotation.group) : std::string(kNoSchedulingGroup);
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
