// A module with shardings, partitioned: the program of one device, its collectives by cost with what made
// each necessary, full rematerializations, work that devices do more than once, and what a step of it takes.
// The pipeline spmd makes the program; the reasons are its remarks (core/compiler/spmd/spmd_remarks.h).
//
// Plain data, never changed once made: any thread.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/analysis/device_mesh.h"
#include "core/workspace/passes/pass_series.h"
#include "core/workspace/schedule/schedule_study.h"

namespace hilo {

// An annotation put behind an instruction: its value lies so from there on.
struct ShardingConstraint {
  std::string instruction;  // a name in the module that shardings spread over (Partitioning::spread)
  std::string sharding;     // XLA's text: "{devices=[8,1]<=[8]}"
  friend bool operator==(const ShardingConstraint&, const ShardingConstraint&) = default;
};

// Of "dot.8={devices=[8,1]<=[8]}", as the command line takes them. Error kind "bad-constraint".
Result<std::vector<ShardingConstraint>> constraintsFromTexts(const std::vector<std::string>& texts);

struct PartitionRequest {
  std::shared_ptr<const Module> module;
  std::string path = {};  // of the file it was read from; "" for none
  int64_t devices = 0;    // 0: as many as the module asks for
  std::vector<ShardingConstraint> constraints = {};
  // On which times are estimated: a built-in device or a path; "": what the module was compiled for.
  std::string device = {};
  // Operations go the way that moves fewest bytes, not the first in XLA's order.
  bool fewestBytes = false;
};

// An instruction that gives or wants a value.
struct MoveEnd {
  InstructionId instruction;  // in Partitioning::spread; invalid where it is not there by this name
  std::string name, opcode;
  std::string sharding;  // what it has there, in XLA's text
  std::string rule;      // who says so: "from operand %a by dot", "stated by the module"
  std::string source;    // "model.py:12"
};

// Why a value had to move.
struct MoveCause {
  std::string text;  // one sentence
  std::string what;  // the partitioner's words: "operand 1 of %dot, %w"
  MoveEnd producer, consumer;
  std::string from, to;  // shardings; "" where partial results are put together
  AxisNames lostAxes;    // that cut the value in `from` and no longer in `to`
};

struct PartitionCollective {
  InstructionId instruction;  // in Partitioning::local
  std::string name, kind, shape;
  std::string source;
  AxisNames axes;                  // that it runs along; empty where it does not run along axes
  int64_t groupSize = 0;           // devices that take part together
  int64_t bytes = 0;               // once, the larger of operands and result, on one device
  int64_t times = 1;               // trips of the loops around it
  double ns = 0;                   // all of them, estimated
  double exposedNs = 0;            // of that, what no work hides in the order that the scheduler makes
  std::optional<MoveCause> cause;  // none: it was in the module before
};

// A value brought from one sharding to another by collectives.
struct Reshard {
  MoveCause cause;
  std::vector<size_t> collectives;  // of Partitioning::collectives
  int64_t bytes = 0;                // with loops
  double ns = 0, exposedNs = 0;
};

// All of an array came to each device though both shardings cut it.
struct FullRematerialization {
  MoveCause cause;
  std::string shape;
  int64_t bytes = 0;  // of the whole array
};

// The same work done by several devices.
struct Replication {
  InstructionId instruction;  // in Partitioning::local
  std::string name, opcode, source;
  int64_t shares = 0;   // of the work each device does
  int64_t of = 0;       // of so many: as many as there are devices
  double wastedNs = 0;  // in a step, loops counted
  std::string text;     // "each device computes all 8 shares of this dot: ..."
};

// An array and how it lies.
struct ShardedArray {
  InstructionId instruction;  // in Partitioning::spread
  std::string name, opcode, shape, sharding;
  std::string axes;        // "dimension 0 along fsdp"; "" where nothing is cut
  int64_t wholeBytes = 0;  // of all of it
  int64_t partBytes = 0;   // of what a device holds
  int64_t copies = 0;      // devices that hold the same part
};

class MoveCauses;

struct Partitioning {
  PartitionRequest request;
  std::string device;                    // on which times are estimated
  std::string deviceText;                // with why it is this one
  PassSeries series;                     // from the module as it was to the program of one device
  std::shared_ptr<const Module> spread;  // with all shardings; null for a module that was partitioned before
  std::shared_ptr<const Module> local;   // what one device runs
  DeviceMesh mesh;
  std::shared_ptr<const MoveCauses> causes;      // of this module; null where `spread` is
  std::vector<PartitionCollective> collectives;  // longest first
  std::vector<Reshard> reshards;                 // the same
  std::vector<FullRematerialization> fullRematerializations;
  std::vector<Replication> replications;  // what wastes most first
  std::vector<ShardedArray> arrays;       // with a sharding, largest on a device first
  ScheduleMetrics metrics;                // of one device, in the order that the scheduler makes
  std::vector<std::string> notes;
};

// Partitions and schedules. A module that is partitioned already is only looked at: its collectives have no
// cause. Error kinds: those of optimize() and scheduleModule(), "not-sharded" (one partition, or no
// sharding), "no-such-instruction" and "bad-constraint", "bad-device-count", "cancelled".
Result<std::shared_ptr<const Partitioning>> makePartitioning(const PartitionRequest& request,
                                                             const JobContext& context);

// "fsdp 8", "data 2 x tensor 4"; "8 devices" where there are no axes.
std::string meshText(const DeviceMesh& mesh);

}  // namespace hilo
