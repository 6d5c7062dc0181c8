// What is wrong with a kernel, as it goes to the host.
#pragma once

#include <string>
#include <vector>

#include "plugins/sdk/kernel_dialect.h"

namespace hilo::mosaic {

struct Problem {
  HiloSeverity severity = HILO_ERROR;
  std::string kind;
  std::string message;
  uint32_t line = 0, column = 0;  // of the text that is given; 0: unknown
  std::vector<std::string> notes;
};

}  // namespace hilo::mosaic
