#include "ui/widgets/display_line.h"

#include <algorithm>

namespace hilo {
namespace {

// One byte a column, so that the lexer's columns are the drawn ones.
std::string asBytes(const QString& text) {
  std::string bytes(static_cast<size_t>(text.size()), 'x');
  for (qsizetype i = 0; i < text.size(); ++i) {
    const char16_t c = text[i].unicode();
    if (c < 0x80) bytes[static_cast<size_t>(i)] = static_cast<char>(c);
  }
  return bytes;
}

}  // namespace

uint32_t DisplayLine::toSource(uint32_t display) const {
  for (const Piece& piece : pieces) {
    if (display >= piece.display + piece.length) continue;
    if (piece.fold) return piece.source;
    return piece.source + (display - piece.display);
  }
  return pieces.empty() ? 0 : pieces.back().source + pieces.back().sourceLength;
}

uint32_t DisplayLine::toDisplay(uint32_t source) const {
  for (const Piece& piece : pieces) {
    if (source >= piece.source + piece.sourceLength) continue;
    return piece.fold ? piece.display : piece.display + (source - piece.source);
  }
  return static_cast<uint32_t>(text.size());
}

bool DisplayLine::isFoldAt(uint32_t display) const {
  return std::any_of(pieces.begin(), pieces.end(), [display](const Piece& piece) {
    return piece.fold && display >= piece.display && display < piece.display + piece.length;
  });
}

DisplayLine makeDisplayLine(const QString& source, bool foldTails, const LineLexer& lexer) {
  DisplayLine line;
  QString cut = source;
  if (cut.size() > static_cast<qsizetype>(kMaxDrawnColumns)) {
    cut.truncate(kMaxDrawnColumns);
    cut += QStringLiteral("…");
  }
  cut.replace(u'\t', u' ');
  const std::string bytes = asBytes(cut);
  uint32_t at = 0;
  auto show = [&](uint32_t end) {
    if (end == at) return;
    line.pieces.push_back({static_cast<uint32_t>(line.text.size()), at, end - at, end - at, false});
    line.text += QStringView(cut).mid(at, end - at);
    at = end;
  };
  if (foldTails) {
    for (const TextSpan& tail : findTails(bytes)) {
      if (tail.length <= 5) continue;
      show(tail.start);
      const bool quoted = bytes[tail.start] == '"';
      line.pieces.push_back({static_cast<uint32_t>(line.text.size()), at, 3, tail.length, true});
      line.text += quoted ? QStringLiteral("\"…\"") : QStringLiteral("{…}");
      at = tail.start + tail.length;
    }
  }
  show(static_cast<uint32_t>(cut.size()));
  if (lexer) lexer(asBytes(line.text), line.spans);
  return line;
}

}  // namespace hilo
