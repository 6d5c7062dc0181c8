// Where test data lies and how to read it. Paths are relative to the repository root, which is the
// working directory of every test.
#pragma once

#include <string>

namespace hilo {

// The whole file; fails the running test (and returns "") when it cannot be read.
std::string readTestFile(const std::string& path);

}  // namespace hilo
