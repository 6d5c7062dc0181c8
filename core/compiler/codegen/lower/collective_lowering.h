// What the lowering of collectives needs to know of an instruction before anything is lowered.
#pragma once

#include <optional>
#include <string>

#include "core/hlo/ir/module.h"

namespace hilo {

// An opcode that exchanges data among devices: starts and dones, sends and receives included.
bool isCommunication(Opcode opcode);

// Why one cannot be lowered; nullopt when it can.
std::optional<std::string> communicationObstacle(const Instruction& instruction);

}  // namespace hilo
