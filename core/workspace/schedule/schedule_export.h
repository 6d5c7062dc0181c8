// An order taken out of the study, in a form that other compilers of the module keep to.
#pragma once

#include "core/workspace/schedule/schedule_study.h"

namespace hilo {

enum class ScheduleExport : uint8_t {
  Module,      // the module in this order, marked as scheduled
  Control,     // the module as it came, with control dependencies for the edits
  Annotations  // the module as it came, hidden collectives and what hides them in scheduling groups
};
// "module", "control", "annotations". Error kind "unknown-export".
Result<ScheduleExport> scheduleExportFromName(std::string_view name);

struct ExportedSchedule {
  std::shared_ptr<const Module> module;
  size_t added = 0;                // control dependencies, or groups
  std::vector<std::string> notes;  // what could not be said in this form
};
// Control: of each pinned or moved instruction, behind what stands before it and in front of what stands
// after it, of those that take time or start or end something. Annotations: one group for each asynchronous
// pair with something between, its start and done included; pairs that overlap share the group of the first.
// Groups that are there stay as they are.
Result<ExportedSchedule> exportSchedule(const ScheduleStudy& study, const ScheduleOutcome& outcome,
                                        ScheduleExport form);

}  // namespace hilo
