// Cases of kernel_layout_cases.txt: a kernel, and what has to hold of its layouts.
#pragma once

#include <string>
#include <vector>

namespace hilo {

struct KernelLayoutCase {
  std::string file;    // of JAX's tests
  std::string test;    // of that file, whose property it has
  std::string kernel;  // as parseKernel reads it
  std::vector<std::string> checks;
};

// Empty where there is no such file.
std::vector<KernelLayoutCase> readKernelLayoutCases(const std::string& path);

}  // namespace hilo
