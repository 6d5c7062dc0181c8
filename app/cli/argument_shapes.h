// --argument-shapes, of the commands that need a module whose sizes are numbers.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "core/workspace/open/opened.h"

namespace hilo::cli {

void addArgumentShapes(CLI::App& command, std::string& shapes);
// openWhole, and the module refined for these argument shapes unless they are "". What goes wrong is printed.
Result<std::shared_ptr<const OpenedFile>> openRefined(const std::string& path, const std::string& shapes);
// The same of a file that is opened already.
Result<std::shared_ptr<const OpenedFile>> refinedOf(Result<std::shared_ptr<const OpenedFile>> opened,
                                                    const std::string& shapes);

}  // namespace hilo::cli
