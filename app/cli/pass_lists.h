// What passes and pipelines there are, printed. Each returns an exit code.
#pragma once

#include <string>

namespace hilo::cli {

int listPassesAndPipelines(bool json);
// One pass with its settings: their defaults, what is allowed, what they are.
int describePass(const std::string& name, bool json);

}  // namespace hilo::cli
