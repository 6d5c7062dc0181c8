// Runs: a module executed by an engine, what it took and what came out; and two runs compared.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/analysis/expected_rounding.h"
#include "core/hlo/eval/literal_digest.h"
#include "core/hlo/ir/host_feed.h"
#include "core/runtime/device/open_device.h"
#include "core/runtime/trace/thunk_times.h"
#include "core/workspace/job_queue.h"
#include "core/workspace/open/opened.h"
#include "core/workspace/run/timings.h"
#include "core/workspace/run/worker.h"

namespace hilo {

struct Program;

using RunId = TypedId<struct RunTag>;

// Where a run's arguments come from.
struct ArgumentSource {
  enum class Kind : uint8_t { Seed, File, Snapshot, Given };
  Kind kind = Kind::Seed;
  uint64_t seed = 0;           // Seed: generated, valid as indices and shift counts where they are used so
  std::string path;            // File: .npy (one parameter) or .npz (arg0, arg1, ... or parameter names)
  std::vector<Literal> given;  // Given, Snapshot
  // Of devices 1, 2, ... where each has its own: files (File) or lists (Given, Snapshot). Empty: all devices
  // take the same.
  std::vector<std::string> otherPaths;
  std::vector<std::vector<Literal>> otherGiven;
  // Parameters by name or number, each with the .npy file whose array takes the place of what the above gives
  // it, on all devices.
  std::vector<std::pair<std::string, std::string>> named;
  // Files of what infeeds take, a list for all devices or one a device; none: made up from the seed.
  std::vector<std::vector<std::string>> infeedPaths;
  // The values themselves, in the place of both. None: not settled.
  std::vector<InfeedValues> infeeds;
};

struct RunRequest {
  std::shared_ptr<const Module> module;
  // A program in the module's place. One for this machine's processor has the engine "program", whatever is
  // asked for; one of grids runs on the device of `engine`.
  std::shared_ptr<const Program> program = nullptr;
  // What there is to say of how the program was made.
  std::vector<std::string> compileNotes = {};
  // The file the module was read from, where it still is what was read: what lies beside it may say how
  // to compile it.
  std::string source = {};
  // A name, and flags of that engine after it: "reference", "name:no-passes+quick".
  std::string engine = "reference";
  ArgumentSource arguments;
  int repeat = 1;
  std::string label;  // kept with the run: "before", "after simplify"
  // How many devices run it side by side. 0: as many as the module asks for (replica_count x num_partitions)
  // where the engine has several, else one.
  int64_t devices = 0;
  // Compiled code runs in a worker process when set; see ownWorker.
  std::optional<WorkerOptions> worker = std::nullopt;
  // One more run, not among the samples, that says what each thunk took.
  bool timesThunks = false;
  // Of an engine that checks; kind "unsupported-check" of others.
  DeviceChecks checks = {};
};

struct RunRecord {
  RunId id;  // in its store; invalid until added
  std::string moduleName;
  uint64_t moduleHash =
      0;  // XXH3 of the canonical text: equal for modules that differ in names and metadata alone
  std::string engine;
  std::string argumentsDescription;  // "seed 7", "args.npz", "snapshot"
  std::string label;
  std::string flags;
  std::string machine;                // "x86_64, 16 x AMD EPYC ..."
  std::string startedAt;              // UTC, ISO 8601
  std::string version;                // of Hilo
  Timings timings;                    // of execution alone
  int warmUps = 0;                    // runs before the first sample
  std::vector<ThunkTime> thunkTimes;  // the longest first; empty unless asked for
  int64_t compileNs = 0;
  int64_t devices = 1;
  std::vector<std::string> resultNames;  // of the output's elements, or of the one array it is
  uint64_t outputDigest = 0;             // XXH3 over the output's leaves: shapes and bytes
  // Of several devices: a tuple of what each gave, by its number. Held in memory after execute(); after
  // RunStore::get() only where they were within the store's limit.
  std::optional<Literal> output;
  std::vector<std::string> notes;  // "constant.3 was elided: filled from seed 7"
  Diagnostics findings;            // of an engine that checked the last run
  // The most that one device held at once, and what the program planned for it: its arguments, constants,
  // temporaries and results. 0 where nobody counts, and after RunStore::get().
  int64_t mostHeldBytes = 0, plannedBytes = 0;
  // Of each array of one device's output; empty of a saved program, and after RunStore::get().
  std::vector<ExpectedRounding> rounding;
};

// One leaf of the output of two runs.
struct LeafComparison {
  std::string path;  // "{1,0}"; "" for an array output; "device 3 {1,0}" where there are several devices
  std::string name;  // of the result it is, or is a part of, in run a; "" where it is not known
  std::string shape;
  int64_t elements = 0;
  int64_t mismatches = 0;  // beyond the tolerance
  // Of these, further off than the rounding of sums along the way explains; `rounding` says what is expected.
  int64_t beyondRounding = 0;
  ExpectedRounding rounding;
  double maxAbsError = 0;
  double maxRelError = 0;
  double maxUlpError = 0;
  std::string firstMismatch;  // "[3,0]: 1.5 and 1.25"; "" when none
  int64_t nanA = 0, nanB = 0, infA = 0, infB = 0;
  std::vector<int64_t> ulpHistogram;  // counts of elements with error 0, 1, 2, 3-4, 5-8, ... ULP
};

// DiffersByRounding: some elements are beyond the tolerance of their type, none beyond what rounding
// explains: further off than 4 * relative * (magnitude of the element + typical magnitude of the array), with
// the relative rounding that expectedRounding() gives. The typical magnitude, the median of those that are
// not 0, stands for that of partial sums; it counts where terms are added up on the way. Only asked where no
// tolerance was given.
enum class Verdict : uint8_t { Match, DiffersByRounding, Differs };
inline constexpr int kVerdictCount = 3;
// "match", "differ by rounding", "differ"
const char* verdictName(Verdict verdict);

struct RunComparison {
  RunRecord a, b;
  double medianRatio = 0;  // b's median over a's; 0 when either has no samples
  // Of runs taken in turns; nullopt else.
  std::optional<Ratio> pairedRatio;
  bool comparable = false;    // both outputs at hand and of one shape
  std::string notComparable;  // why not
  Verdict verdict = Verdict::Differs;
  bool bitwiseEqual = false;
  bool hasNaNsAlone = false;  // every element is NaN on both sides: that they agree says nothing
  std::vector<LeafComparison> leaves;
};

// How far outputs may differ and still match: |a-b| <= absolute + relative * |b| for floats; integers
// exactly. Negative: by element type (8 units in the last place's worth, see hlo/eval/compare.h).
struct Tolerance {
  double absolute = -1;
  double relative = -1;
};

struct EngineInfo {
  std::string name;
  std::string description;
  std::vector<std::pair<std::string, std::string>> flags;  // name and description
  bool checks = false;                                     // takes RunRequest::checks
};
std::vector<EngineInfo> listEngines();

// Whether the engine that is named takes RunRequest::checks; and whether it runs programs of grids. False
// of an unknown one.
bool engineChecks(const std::string& engine);
bool runsDumpedKernels(const std::string& engine);

// Names and shapes of what a request's module or program takes, by number.
std::vector<std::pair<std::string, std::string>> parametersOf(const RunRequest& request);

// The same of what it gives: the elements of its tuple, or the one array.
std::vector<std::pair<std::string, std::string>> resultsOf(const RunRequest& request);

// Why `engine` cannot run `module` on as many devices as it asks for, one Diagnostic an obstacle; empty when
// it can. An unknown engine is one of kind "unknown-engine".
Diagnostics whyNotRunnable(const Module& module, const std::string& engine);

// Runs and times it: warm-up runs, then the samples. Errors: "not-runnable" (the reasons in the notes),
// "unknown-engine", "wrong-argument", "wrong-device-count", "cancelled", and the engine's own.
Result<RunRecord> execute(const RunRequest& request, const JobContext& context);
// Several in turns, so that what slows the machine down for a while slows all: after every one's
// warm-up, each round takes one sample of each, forwards and backwards by turns. All are repeated as
// often as the first.
Result<std::vector<RunRecord>> executeInTurns(std::span<const RunRequest> requests,
                                              const JobContext& context);
// The same where a run that fails says why and the others go on. Error kind: "cancelled".
Result<std::vector<Result<RunRecord>>> tryInTurns(std::span<const RunRequest> requests,
                                                  const JobContext& context);
// The arguments themselves, as Kind::Given: for runs of several modules or engines on the same ones. Where
// they are made up, `module` says what makes sense.
Result<ArgumentSource> settleArguments(const Module& module, const ArgumentSource& source,
                                       const JobContext& context = {});
Result<ArgumentSource> settleArguments(const Program& program, const ArgumentSource& source,
                                       const JobContext& context = {});
// `inTurns`: they come from one executeInTurns.
RunComparison compareRuns(RunRecord a, RunRecord b, const Tolerance& tolerance = {}, bool inTurns = false);

// Of what a module computes, all of its constants included: not of names, metadata and backend
// configurations, which XLA's fingerprint leaves out as well (hlo/ir/hlo_print_options.h).
uint64_t moduleHash(const Module& module);

}  // namespace hilo
