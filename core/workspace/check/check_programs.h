// Test programs that hold their own inputs and expected answers: `hilo check`.
//
// A program is a module whose entry has no parameters and ends in checks, custom calls named check.expect_eq,
// check.expect_almost_eq or check.expect_close (the StableHLO plug-in makes them of the public test data). An
// engine computes what is compared; the comparison is the check's own.
#pragma once

#include <string>
#include <vector>

#include "core/base/cancel.h"
#include "core/workspace/open/opened.h"

namespace hilo {

enum class CheckOutcome : uint8_t {
  Pass,
  Fail,         // a check failed, or the engine did
  Unsupported,  // the engine cannot run it, or it asks for something that is not here; by name
  Unreadable    // the file cannot be read
};
std::string_view checkOutcomeName(CheckOutcome outcome);

struct ProgramResult {
  std::string file;
  std::string program;  // the entry's name; "" of a file that cannot be read
  uint32_t line = 0;    // where it begins
  CheckOutcome outcome = CheckOutcome::Pass;
  std::string reason;  // "" when it passes
  int checks = 0;      // how many there are; 0: it only has to run
};

// Every file below the directories, in order of their names, and the files themselves. Only names ending in
// .mlir, .mlirbc, .mlir.bc or .hlo are taken from directories.
std::vector<std::string> checkFiles(const std::vector<std::string>& paths);

// The programs of one file, in order.
std::vector<ProgramResult> checkFile(const std::string& path, const std::string& engine,
                                     const CancelToken& cancel = {});
ProgramResult checkProgram(std::shared_ptr<const Module> module, const std::string& engine,
                           const CancelToken& cancel = {});

}  // namespace hilo
