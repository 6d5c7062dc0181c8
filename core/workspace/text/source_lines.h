// Which lines of the user's program the instructions of a module came from.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/hlo/ir/module.h"
#include "core/workspace/text/source_tree.h"

namespace hilo {

// The stack of an instruction, innermost first: that of the module's tables, else the one line
// of its metadata.
std::vector<SourceFrame> sourceFramesOf(const Instruction& instruction);

struct SourceLine {
  const std::string* path = nullptr;  // on this machine; null: the instruction came from no file of the tree
  int32_t line = 0;                   // from 1
};

class SourceLines {
 public:
  // Each instruction belongs to the innermost frame that is in a file of the tree: what the user wrote, below
  // what libraries made of it. Takes one walk over the module: run it in a job.
  SourceLines(std::shared_ptr<const Module> module, SourceTree tree);

  const SourceTree& tree() const { return tree_; }
  SourceLine of(InstructionId id) const { return id.value < lines_.size() ? lines_[id.value] : SourceLine(); }
  // The instructions of each line of a file, by line from 1, in module order.
  const std::map<int32_t, std::vector<InstructionId>>& ofFile(const std::string& path) const;
  // The file on this machine for one that the module names; "" when it is not in the tree.
  const std::string& pathOf(std::string_view recorded) const;

 private:
  std::shared_ptr<const Module> module_;
  SourceTree tree_;
  absl::flat_hash_map<std::string_view, std::unique_ptr<const std::string>> paths_;  // by recorded name
  std::vector<SourceLine> lines_;
  std::map<std::string, std::map<int32_t, std::vector<InstructionId>>> files_;
};

}  // namespace hilo
