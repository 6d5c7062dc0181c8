#include "ui/widgets/text_find.h"

#include <QRegularExpression>

namespace hilo {
namespace {

// Columns are UTF-16 units. Whole characters are given.
uint32_t columnsOf(std::string_view bytes) {
  const bool ascii =
      std::all_of(bytes.begin(), bytes.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
  if (ascii) return static_cast<uint32_t>(bytes.size());
  return static_cast<uint32_t>(QString::fromUtf8(bytes.data(), static_cast<qsizetype>(bytes.size())).size());
}

// Exact search over the bytes of the whole text; columns are counted only where a match is.
Result<TextMatches> findExact(const TextLines& lines, std::string_view needle, const CancelToken& cancel) {
  TextMatches matches;
  const std::string& text = lines.text();
  const uint32_t length = columnsOf(needle);
  uint32_t line = 0;
  size_t counted = 0;  // up to here columns of `line` are known
  uint32_t column = 0;
  for (size_t at = text.find(needle); at != std::string::npos; at = text.find(needle, at + needle.size())) {
    if (matches.items.size() % 1024 == 0 && cancel.cancelled()) return fail("cancelled", "search cancelled");
    if (matches.items.size() == kMaxMatches) {
      matches.truncated = true;
      break;
    }
    if (const uint32_t found = lines.lineOfOffset(at); found != line) {
      line = found;
      counted = lines.offset(line);
      column = 0;
    }
    column += columnsOf(std::string_view(text).substr(counted, at - counted));
    counted = at;
    matches.items.push_back({{line, column}, length});
  }
  return matches;
}

}  // namespace

Result<TextMatches> findAll(const TextLines& lines, const FindQuery& query, const CancelToken& cancel) {
  if (query.text.isEmpty()) return TextMatches();
  if (!query.regex && query.caseSensitive && !query.wholeWord) {
    return findExact(lines, query.text.toUtf8().toStdString(), cancel);
  }
  QString pattern = query.regex ? query.text : QRegularExpression::escape(query.text);
  if (query.wholeWord) pattern = QStringLiteral("\\b(?:%1)\\b").arg(pattern);
  const QRegularExpression regex(pattern, query.caseSensitive ? QRegularExpression::NoPatternOption
                                                              : QRegularExpression::CaseInsensitiveOption);
  if (!regex.isValid()) {
    return fail("invalid-regex",
                fmt::format("{} at {}", regex.errorString().toStdString(), regex.patternErrorOffset()));
  }
  TextMatches matches;
  for (uint32_t line = 0; line < lines.count(); ++line) {
    if (line % 512 == 0 && cancel.cancelled()) return fail("cancelled", "search cancelled");
    const QString text = lines.lineText(line);
    for (auto at = regex.globalMatch(text); at.hasNext();) {
      const QRegularExpressionMatch match = at.next();
      if (match.capturedLength() == 0) continue;
      if (matches.items.size() == kMaxMatches) {
        matches.truncated = true;
        return matches;
      }
      matches.items.push_back({{line, static_cast<uint32_t>(match.capturedStart())},
                               static_cast<uint32_t>(match.capturedLength())});
    }
  }
  return matches;
}

}  // namespace hilo
