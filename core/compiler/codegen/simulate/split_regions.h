// Private to the room: a function of one thread, cut at the points where the thread may wait for others.
//
// Points are calls of hilo_sim_point.N in void(arguments). Each region is a function u32(arguments) from one
// point to the next: it answers the state that the thread is in, 0 where it ended. Values that live on over a
// point lie in the warp's context, those of 32 lanes side by side, unless they are cheaply computed again
// from what a thread is. Source of the idea: pocl's work-item loops and continuation-based synchronisation.
#pragma once

#include <llvm/IR/Function.h>

#include <cstdint>
#include <vector>

namespace hilo {

struct ThreadRegions {
  std::vector<llvm::Function*> functions;    // by state; 0: from the beginning
  std::vector<uint32_t> points;              // by state, N of the point; of 0 nothing
  std::vector<std::vector<uint32_t>> exits;  // by state: the states that follow
  uint32_t localOffset = 0, localBytes = 0;  // of a lane, in the context
  uint32_t contextBytes = 0;
};

// `keepsLocals`: local memory lies in the context even where nothing is cut. `contextBytes`: what the context
// has already. `thread` is gone afterwards.
ThreadRegions splitRegions(llvm::Function& thread, bool keepsLocals, uint32_t contextBytes);

// "hilo_sim_point.N": N; 0 of another function.
uint32_t pointNumber(const llvm::Instruction& instruction);

}  // namespace hilo
