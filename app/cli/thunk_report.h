// Studied thunks as `hilo thunks` prints them.
#pragma once

#include <nlohmann/json.hpp>

#include "app/cli/studied_thunks.h"

namespace hilo::cli {

// As a table.
void printThunks(const Studied& of);
nlohmann::json thunksJson(const Studied& of);
// Two studies as lines, before's with "-" and after's with "+". The exit code: kNo where something differs.
int printThunkDiff(const Studied& before, const Studied& after, bool json);
// Everything about the one of this name. kNo: there is none, which is reported.
int printThunk(const Studied& of, const std::string& name);
// Its kernel, each line behind the instruction it came of.
int printThunkKernel(const Studied& of, const std::string& name);

}  // namespace hilo::cli
