// "hilo": what frameworks know the platform by.
#pragma once

#include <string>

namespace hilo {

const std::string& platform();

}  // namespace hilo
