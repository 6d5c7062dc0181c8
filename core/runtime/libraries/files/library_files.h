// Under which names the shared libraries of NVIDIA lie, and where they are looked for. What the page of tools
// tells is what programs load.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace hilo {

// Of this process: lib64 below CUDA_HOME, CUDA_PATH and the usual folders. The system's own come after these.
std::vector<std::string> libraryFoldersHere();

// File names of a library of libraries.def, by its id there ("CublasLt"), the newest first.
std::vector<std::string> libraryFiles(std::string_view id);

}  // namespace hilo
