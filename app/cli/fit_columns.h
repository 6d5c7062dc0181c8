// Columns of a table made to fit the terminal that a person reads them in.
#pragma once

#include <string>
#include <vector>

namespace hilo::cli {

// Of the terminal that the output goes to. 0: a file or another program wants all of it.
size_t terminalWidth();

// Cuts cells in the middle until the columns, with gaps as app/cli/report.h's Table has between them, are no
// wider than `width`: the widest column gives way first, and none is made narrower than 12 characters.
void fitColumns(std::vector<std::vector<std::string>*> columns, size_t width);

}  // namespace hilo::cli
