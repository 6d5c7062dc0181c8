// What the order of arrays in memory costs a module: its copies and transposes with their causes, longest
// first, the padding of its tiles, and what another layout would give. A module that has no layouts yet goes
// through the pipeline gpu first; of a dump the causes are those of XLA's own result.
//
// Plain data, never changed once made: any thread.
#pragma once

#include <absl/container/flat_hash_set.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/analysis/layouts/layout_moves.h"
#include "core/workspace/passes/pass_series.h"
#include "core/workspace/schedule/schedule_study.h"

namespace hilo {

struct OpenedDump;

// A layout to try: of an entry parameter, of the entry's result ("result", "result.1"), or of an instruction
// of the module before layout assignment, whose users then find it so.
struct LayoutConstraint {
  std::string instruction;
  std::string layout;  // XLA's text: "{0,1}"
  friend bool operator==(const LayoutConstraint&, const LayoutConstraint&) = default;
};

// Of "Arg_0.1={0,1}", as the command line takes them. Error kind "bad-constraint".
Result<std::vector<LayoutConstraint>> layoutConstraintsFromTexts(const std::vector<std::string>& texts);

struct LayoutRequest {
  std::shared_ptr<const Module> module;
  // The same before layout assignment, where a dump has it: tells the program's own transposes, and is what
  // constraints are tried on.
  std::shared_ptr<const Module> before = nullptr;
  std::string path = {};  // of the file it was read from; "" for none
  std::vector<LayoutConstraint> constraints = {};
  // On which times are estimated: a built-in device or a path; "": what the module was compiled for.
  std::string device = {};
};

struct LayoutRow {
  LayoutMove move;
  int64_t times = 1;     // trips of the loops around it
  double ns = 0;         // of the kernel that it is in, all trips, estimated
  std::string recorded;  // what layout assignment itself said when it made the copy; "" of XLA's
  int64_t totalBytes() const { return move.bytes * times; }
};

// An array of which a part is padding.
struct PaddedArray {
  InstructionId instruction;
  std::string name, opcode, shape;
  int64_t bytes = 0, wastedBytes = 0;
};

struct LayoutStudy {
  LayoutRequest request;
  std::string device, deviceText;
  PassSeries series;                       // of the pipeline gpu; no steps where the module came laid out
  std::shared_ptr<const Module> module;    // whose moves these are
  std::shared_ptr<const Lineage> lineage;  // from tried() to it; null where there is none
  std::vector<LayoutRow> rows;             // longest first
  std::vector<PaddedArray> padded;         // what wastes most first
  int64_t bytes = 0;                       // of all moves, with loops
  double aloneNs = 0;                      // kernels that only move
  double sharedNs = 0;                     // kernels that move and compute
  std::optional<ScheduleMetrics> metrics;  // of a step; none where it could not be simulated, which notes say
  std::vector<std::string> notes;

  bool isOurs() const { return !series.steps.empty(); }
  // What constraints are tried on; null: nothing.
  const std::shared_ptr<const Module>& tried() const { return isOurs() ? request.module : request.before; }
};

// Whether layouts were assigned: it is scheduled, or has fusions, bitcasts or copies into another order.
bool isLaidOut(const Module& module);

// Error kinds: those of optimize() and costOfModule(), "bad-constraint", "no-such-instruction",
// "already-laid-out" (constraints, and nothing is there of before layout assignment), "cancelled".
Result<std::shared_ptr<const LayoutStudy>> makeLayoutStudy(const LayoutRequest& request,
                                                           const JobContext& context);

// Of a dump: a stage, of which `module` was read, or the last one, with the stage before layout
// assignment beside it, else the first.
Result<LayoutRequest> layoutRequestOf(const OpenedDump& dump, size_t moduleIndex, size_t stage,
                                      std::shared_ptr<const Module> module);
Result<LayoutRequest> layoutRequestOf(const OpenedDump& dump, size_t moduleIndex);

// Layouts put in for layout assignment to keep. Kinds "bad-constraint", "no-such-instruction".
Result<std::shared_ptr<const Module>> withLayouts(const Module& module,
                                                  const std::vector<LayoutConstraint>& constraints);

}  // namespace hilo
