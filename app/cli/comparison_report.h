// What hilo compare says of two runs.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "app/cli/compare_options.h"
#include "core/workspace/run/condition.h"

namespace hilo::cli {

// `condition` may be null: it was not measured.
nlohmann::json comparisonJson(const RunComparison& comparison, const Condition* condition,
                              const std::vector<ComparedSide>& sides);
void printComparison(const RunComparison& comparison, const std::vector<ComparedSide>& sides);
// What is off, held against what moving the arguments does.
void printCondition(const Condition& condition, const RunComparison& comparison);

}  // namespace hilo::cli
