// Values and where they go wrong: what `compare --first-divergence`, `run --values` and
// `run --nan-origin` print.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "core/workspace/values/first_divergence.h"
#include "core/workspace/values/instruction_values.h"
#include "core/workspace/values/nonfinite_origin.h"

namespace hilo::cli {

void printDivergence(const Divergence& divergence, const DivergenceRequest& request);
nlohmann::json divergenceJson(const Divergence& divergence);

void printValues(const std::vector<InstructionValue>& values);
nlohmann::json valuesJson(const std::vector<InstructionValue>& values);

void printOrigin(const NonfiniteOrigin& origin);
nlohmann::json originJson(const NonfiniteOrigin& origin);

}  // namespace hilo::cli
