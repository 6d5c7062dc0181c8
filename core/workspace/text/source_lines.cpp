#include "core/workspace/text/source_lines.h"

namespace hilo {

std::vector<SourceFrame> sourceFramesOf(const Instruction& instruction) {
  const OpMetadata* metadata = instruction.get<Attr::Metadata>();
  if (metadata == nullptr) return {};
  if (metadata->stackFrameId > 0) {
    auto frames = sourceStack(instruction.module().stackFrames(), metadata->stackFrameId);
    if (!frames.empty()) return frames;
  }
  if (metadata->sourceFile.empty()) return {};
  return {{.file = metadata->sourceFile, .line = metadata->sourceLine}};
}

SourceLines::SourceLines(std::shared_ptr<const Module> module, SourceTree tree)
    : module_(std::move(module)), tree_(std::move(tree)), lines_(module_->idLimit()) {
  for (const Computation* computation : module_->computations()) {
    for (const Instruction* instruction : computation->instructions()) {
      for (const SourceFrame& frame : sourceFramesOf(*instruction)) {
        auto& path = paths_[frame.file];
        if (path == nullptr) path = std::make_unique<const std::string>(tree_.find(frame.file));
        if (path->empty()) continue;
        lines_[instruction->id().value] = {path.get(), frame.line};
        files_[*path][frame.line].push_back(instruction->id());
        break;
      }
    }
  }
}

const std::map<int32_t, std::vector<InstructionId>>& SourceLines::ofFile(const std::string& path) const {
  static const std::map<int32_t, std::vector<InstructionId>> none;
  const auto found = files_.find(path);
  return found == files_.end() ? none : found->second;
}

const std::string& SourceLines::pathOf(std::string_view recorded) const {
  static const std::string none;
  const auto found = paths_.find(recorded);
  return found == paths_.end() ? none : *found->second;
}

}  // namespace hilo
