// A kernel with a fault planted in it, in check mode. Its instructions stand one a line from line 10 on.
#pragma once

#include "tests/unit/compiler/codegen/simulate/simulated_run.h"

namespace hilo {

inline std::string faultKernel(const std::string& body) {
  return ".visible .entry k(.param .u64 x) {\n.shared .align 16 .b8 pool[1024]; .local .align 16 .b8 "
         "own[32];\n"
         ".reg .pred %p<9>;\n.reg .b32 %r<30>;\n.reg .b64 %rd<9>;\nld.param.u64 %rd1, [x];\n" +
         body + "\nret;\n}\n";
}

// Of x, 64 numbers. "race at 12"; "" for none.
inline std::string faultOf(const std::string& body, SimulatedLaunch launch = {.kernel = "k", .block = {64}}) {
  std::vector<unsigned> x(64, 1);
  auto run = SimulatedRun::ofText(faultKernel(body), true);
  launch.mostWaiting = 100000;
  return run.fault(launch, x);
}

// A thread's number is in %r1, 4 times that in %r2, and the address of its element in %rd3: 4 lines.
constexpr const char* kOwnElement =
    "mov.u32 %r1, %tid.x;\nshl.b32 %r2, %r1, 2;\nmul.wide.u32 %rd2, %r1, 4;\nadd.u64 %rd3, %rd1, %rd2;\n";

}  // namespace hilo
