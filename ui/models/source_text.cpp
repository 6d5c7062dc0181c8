#include "ui/models/source_text.h"

#include "core/workspace/text/source_lines.h"
#include "ui/models/text_of.h"

namespace hilo {

QString wholeSourceText(const Instruction& instruction) {
  const auto frames = sourceFramesOf(instruction);
  if (frames.empty()) return {};
  const QString file = qs(frames[0].file);
  return frames[0].line > 0 ? QString("%1:%2").arg(file).arg(frames[0].line) : file;
}

QString sourceText(const Instruction& instruction) {
  const QString whole = wholeSourceText(instruction);
  const QString end = whole.section('/', -2);
  return end.size() < whole.size() ? ".../" + end : whole;
}

}  // namespace hilo
