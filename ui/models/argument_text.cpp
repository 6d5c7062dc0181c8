#include "ui/models/argument_text.h"

#include <QRegularExpression>

#include "ui/models/text_of.h"

namespace hilo {
namespace {

// Where ", NAME=" begins, from `from` on and outside of brackets; the end of the text where it does not.
qsizetype nextNamed(const QString& text, qsizetype from) {
  static const QRegularExpression kName(QStringLiteral(R"(\s*[^=,/\s\[\]{}()]+\s*=)"));
  int depth = 0;
  for (qsizetype at = from; at < text.size(); ++at) {
    if (depth == 0 && (at == 0 || text[at] == ',') &&
        kName
            .match(text, at == 0 ? 0 : at + 1, QRegularExpression::NormalMatch,
                   QRegularExpression::AnchorAtOffsetMatchOption)
            .hasMatch())
      return at;
    if (QStringLiteral("[{(").contains(text[at])) ++depth;
    if (QStringLiteral("]})").contains(text[at])) --depth;
  }
  return text.size();
}

// Takes ", NAME=VALUE" off the end, as often as it stands there.
std::vector<std::pair<std::string, std::string>> takeNamed(QString& text) {
  std::vector<std::pair<std::string, std::string>> named;
  const qsizetype first = nextNamed(text, 0);
  for (qsizetype at = first; at < text.size();) {
    const qsizetype begin = text[at] == ',' ? at + 1 : at, equals = text.indexOf('=', begin);
    at = nextNamed(text, equals);
    named.emplace_back(toStd(text.mid(begin, equals - begin).trimmed()),
                       toStd(text.mid(equals + 1, at - equals - 1).trimmed()));
  }
  text.truncate(first);
  return named;
}

}  // namespace

ArgumentSource argumentSourceOf(const QString& text, const OpenedFile* recorded) {
  QString plain = text.trimmed();
  ArgumentSource source;
  source.named = takeNamed(plain);
  plain = plain.trimmed();
  if (plain.isEmpty() || plain.startsWith("seed")) {
    source.seed = plain.mid(4).trimmed().toULongLong();
    return source;
  }
  if (plain == "snapshot") {
    source.kind = ArgumentSource::Kind::Snapshot;
    if (recorded != nullptr && !recorded->arguments.empty()) source.given = recorded->arguments.front();
    return source;
  }
  source.kind = ArgumentSource::Kind::File;
  source.path = toStd(plain);
  return source;
}

QString argumentsTip(std::span<const std::pair<std::string, std::string>> parameters) {
  constexpr size_t kShown = 30;
  QString tip = kArgumentsTip;
  for (size_t i = 0; i < std::min(kShown, parameters.size()); ++i)
    tip += QStringLiteral("\n%1  %2  %3").arg(i).arg(qs(parameters[i].first), qs(parameters[i].second));
  if (parameters.size() > kShown) tip += QStringLiteral("\nand %1 more").arg(parameters.size() - kShown);
  return tip;
}

}  // namespace hilo
