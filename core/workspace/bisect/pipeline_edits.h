// Two lists of passes aligned by pass, and what leads from one to the other: so that of two pipelines, of two
// versions or settings, the difference that breaks a module is found.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/compiler/pass/pass.h"

namespace hilo {

// A pass that one list has and the other has not, or has with other settings.
struct PipelineEdit {
  std::optional<ConfiguredPass> from;  // none: added
  std::optional<ConfiguredPass> to;    // none: removed
  // "+ cse", "- cse", "loop-fusion{x=1} -> loop-fusion{x=2}".
  std::string text() const;
};

class PipelineEdits {
 public:
  PipelineEdits(const std::vector<ConfiguredPass>& from, const std::vector<ConfiguredPass>& to);
  // In the order of the passes.
  const std::vector<PipelineEdit>& edits() const { return edits_; }
  // `from` with the first `count` edits made; with all of them it is `to`.
  std::vector<ConfiguredPass> passesWith(size_t count) const;

 private:
  struct Place {
    std::optional<ConfiguredPass> same;
    size_t edit = 0;  // where there is no pass that is the same
  };
  std::vector<Place> places_;
  std::vector<PipelineEdit> edits_;
};

}  // namespace hilo
