#include "ui/models/argument_text.h"

#include <QRegularExpression>

#include "ui/models/text_of.h"

namespace hilo {
namespace {

// Takes ", name=file.npy" off the end, as often as it stands there.
std::vector<std::pair<std::string, std::string>> takeNamed(QString& text) {
  static const QRegularExpression kNamed(QStringLiteral(R"((?:^|,)\s*([^=,/\s]+)\s*=\s*([^,]+\.npy)\s*$)"));
  std::vector<std::pair<std::string, std::string>> named;
  for (auto match = kNamed.match(text); match.hasMatch(); match = kNamed.match(text)) {
    named.emplace(named.begin(), toStd(match.captured(1)), toStd(match.captured(2)));
    text.truncate(match.capturedStart());
  }
  return named;
}

}  // namespace

ArgumentSource argumentSourceOf(const QString& text, const OpenedFile* recorded) {
  QString plain = text.trimmed();
  ArgumentSource source;
  source.named = takeNamed(plain);
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
