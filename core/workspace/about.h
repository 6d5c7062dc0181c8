// What this build of Hilo is and what it runs on: what a bug report needs.
#pragma once

#include <string>

namespace hilo {

// "0.1 (c9f3c0e6)"; the commit has a "+" behind it where the sources were changed since, and is left out
// where they were no checkout.
std::string versionText();

// Lines: this version, those of the libraries it is made of, and the machine. What there is of NVIDIA's is
// said by findTools() (core/compiler/toolchain), which takes longer.
std::string aboutText();

}  // namespace hilo
