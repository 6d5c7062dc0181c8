// Private to the room: where the functions are that compiled code calls (sim_functions.def).
#pragma once

#include <string_view>

namespace hilo {

// Null where there is none of this name: "hilo_sim_warp".
void* simFunction(std::string_view name);

}  // namespace hilo
