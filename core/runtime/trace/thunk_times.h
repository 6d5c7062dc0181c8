// How long each thunk of a program took, from the events of one run or several.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace hilo {

struct Program;
struct ThunkEvent;

// What one thunk took in one run, all its executions and devices together.
struct ThunkTime {
  std::string name;          // the instruction's
  std::string kind;          // "kernel"
  uint32_t instruction = 0;  // its id in the module that was compiled
  uint32_t sequence = 0, thunk = 0;
  int64_t times = 0;    // executions
  int64_t totalNs = 0;  // nested thunks included
};

// In the program's order; of several runs the run whose total is the median counts. A thunk that most runs
// did not execute is left out.
std::vector<ThunkTime> thunkTimes(const Program& program, std::span<const std::vector<ThunkEvent>> runs);

}  // namespace hilo
