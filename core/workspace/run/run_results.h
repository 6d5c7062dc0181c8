// The results of a run by the names the module gives them (hlo/ir/result_names.h).
#pragma once

#include "core/workspace/run/runs.h"

namespace hilo {

// Which of resultsOf(request) has this name, the first of several, or else this number. Kind "wrong-result",
// with those there are.
Result<size_t> resultCalled(const RunRequest& request, const std::string& name);

// That result alone, as the output of a run is: of several devices a tuple of what each gave.
Literal resultOf(const Literal& output, int64_t devices, size_t result);

// "f32[2] {1, 2}"
std::string valueText(const Literal& value);

}  // namespace hilo
