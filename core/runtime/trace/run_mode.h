// How a program is to be run, besides what it is run on.
#pragma once

namespace hilo {

struct RunMode {
  bool traces = false;      // also say when each thunk ran
  bool sequential = false;  // one thunk after the other, in the order listed: what each takes by itself
};

}  // namespace hilo
