// Schedules as XLA dumps them (ScheduleProto of xla.proto, --xla_dump_latency_hiding_schedule): a module and,
// for each computation, its instructions in order with the times the scheduler reckoned with.
#pragma once

#include "core/analysis/schedule/timeline.h"

namespace hilo {

// Binary. Times are the timeline's; a cycle is a nanosecond (a unit, for cost models that count abstractly).
// Memory is that of the computation's own steps, what it calls not counted. Error kinds: those of
// AliasAnalysis::run, "proto-too-large".
Result<std::string> writeScheduleProto(const Module& module, const Timeline& timeline);

// The module of a schedule's file in the order it gives. Computations it does not name keep theirs. Error
// kinds: those of loadFile; "no-schedule" (the file holds none), "no-module", "bad-schedule" with XLA's
// messages: an instruction twice, missing, or before what it needs.
Result<std::shared_ptr<const Module>> moduleInOrderOf(const std::string& path);

// A file's order as ScheduleScenario::order has it, for a module with the same names: from a schedule's file
// the names, computation by computation, else the file's text. Error kinds: those of readBytes; "no-module",
// "bad-schedule" (ids that are not in the file's module).
Result<std::string> orderTextOf(const std::string& path);

}  // namespace hilo
