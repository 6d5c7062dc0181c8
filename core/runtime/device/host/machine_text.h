// How records name this machine.
#pragma once

#include <string>

namespace hilo {

// "x86_64, 16 x AMD EPYC ..."
std::string machineText();

}  // namespace hilo
