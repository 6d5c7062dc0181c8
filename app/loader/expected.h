// What a program shall give, and how far what it gave is from it.
#pragma once

#include <optional>
#include <string>

#include "core/hlo/eval/compare.h"
#include "core/runtime/program/program.h"

namespace hilo {

struct Agreement {
  bool agrees = false;
  double maxRelError = 0;
  std::string firstMismatch;  // "out0 [3,0]: 1.5 and 1.25"; "" where there is none
};

// The file as writeArrays has it: of an array out0, of a tuple of arrays out0, out1, ... `relative`: how far
// elements may be apart; nullopt: as their types say. Kind "nested-result" for tuples in tuples.
Result<Agreement> compareWithFile(const Program& program, const Literal& output, const std::string& path,
                                  std::optional<double> relative);

}  // namespace hilo
