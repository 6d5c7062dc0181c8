// What hilo compare compares, and the ways of getting its two sides: each is a file, and gives the exit code.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "app/cli/arguments.h"
#include "app/cli/as_compiled.h"
#include "core/workspace/open/opened.h"
#include "core/workspace/run/runs.h"

namespace hilo::cli {

struct CompareOptions {
  std::string file;
  std::vector<std::string> engines, modules;
  std::string engine = "reference", expected;
  ArgumentOptions arguments;
  WorkerLimits worker;
  CheckOptions checks;
  DumpProgramOptions asCompiled;
  Tolerance tolerance;
  int repeat = 1;
  int64_t devices = 0, otherDevices = 0;
  std::vector<std::string> constraints, otherConstraints;  // of --partition
  int draws = 0;  // of arguments that are moved, to measure the condition
  bool json = false, firstDivergence = false, partition = false;
};

// What runs, and how it is called in the report.
struct ComparedSide {
  std::string name;
  std::shared_ptr<const OpenedFile> file;  // one of the two
  std::shared_ptr<const Program> program;  // a saved one
  std::string engine;
  std::vector<std::string> notes = {};
  bool checks = false;  // its engine does
};

// Two sides that --modules or --as-compiled names.
Result<std::vector<ComparedSide>> sidesOfModules(const CompareOptions& options);
Result<std::vector<ComparedSide>> sidesAsCompiled(const CompareOptions& options);

// Two sides with the arguments of the first.
int compareSides(const CompareOptions& options, const CLI::App& command,
                 const std::vector<ComparedSide>& sides);
// The first instruction of a side at which the second engine gives other values than the first.
int findDivergence(const CompareOptions& options, const CLI::App& command, const ComparedSide& side);
// One run against values that are given.
int compareExpected(const CompareOptions& options, const CLI::App& command);
// A module whole on one device against the same partitioned on all of its, or two partitionings of one; or
// the first instruction at which the partitioned one differs from the whole.
int comparePartitioned(const CompareOptions& options, const CLI::App& command);

}  // namespace hilo::cli
