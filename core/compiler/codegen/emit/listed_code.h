// LLVM IR and assembly as people read them, line by line with the HLO instruction each came of.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hilo {

// Code as text, and of each line the instruction (its id in the module) it came of, where the kernel
// has lines (see KernelBuilder::keepLines).
struct ListedCode {
  static constexpr uint32_t kNone = UINT32_MAX;
  std::string text;
  std::vector<uint32_t> instructions;  // by line, kNone where none
};

// What LLVM printed with debug locations, without them.
ListedCode listIr(std::string_view printed);
ListedCode listAssembly(std::string_view printed);

}  // namespace hilo
