// Memory in large pages. A page is cleared by the system when it is first touched, which of many small ones
// takes longer than most of what is done with an array.
#pragma once

#include <cstddef>

namespace hilo {

// Asks for them where memory of several megabytes holds some; before it is touched. The system may refuse.
void preferLargePages(void* start, size_t bytes);

}  // namespace hilo
