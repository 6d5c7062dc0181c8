// A pass: a free function from module to module that says whether it changed anything. All of them stand in
// passes.def; CLI, studio, tests and pipelines read that one table.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/base/cancel.h"
#include "core/base/result.h"
#include "core/hlo/ir/module.h"

namespace hilo {

// A pass's word on one instruction: what it did, or why it did not. Kinds are stable and lower-case.
struct Remark {
  InstructionId instruction;  // in the module before the pass
  std::string name;           // the instruction's, so that the remark outlives the module
  std::string kind;           // "removed", "folded", "missed", ...
  std::string message;
};

// What a pass may use of the world. Owned by the runner, used by one thread.
class PassContext {
 public:
  explicit PassContext(CancelToken cancel = {}) : cancel_(std::move(cancel)) {}

  // A pass over a large module looks now and then, and returns early with what it has: any state it leaves
  // between two rewrites must be valid.
  bool cancelled() const { return cancel_.cancelled(); }
  void remark(const Instruction& instruction, std::string_view kind, std::string message);
  const std::vector<Remark>& remarks() const { return remarks_; }
  std::vector<Remark> takeRemarks() { return std::move(remarks_); }

 private:
  CancelToken cancel_;
  std::vector<Remark> remarks_;
};

// Changes the module in place; true when it did. An error says the pass could not do its work on this input;
// the runner then drops the module.
using PassFunction = Result<bool> (*)(Module&, PassContext&);

struct Pass {
  std::string_view name;
  PassFunction run;
  std::string_view summary;
};

}  // namespace hilo
