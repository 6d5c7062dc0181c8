#include "ui/widgets/name_links.h"

#include <QRegularExpression>

#include "ui/models/text_of.h"

namespace hilo {

QString nameLink(const QString& name, const QString& colour) {
  return QString("<a style=\"color:%1\" href=\"name:%2\">%2</a>").arg(colour, name.toHtmlEscaped());
}

QString withNameLinks(const std::string& line, const QString& colour) {
  static const QRegularExpression kName("%([A-Za-z_](?:[A-Za-z0-9_.-]*[A-Za-z0-9_])?)");
  const QString text = qs(line);
  QString html;
  qsizetype at = 0;
  for (auto match = kName.globalMatch(text); match.hasNext();) {
    const QRegularExpressionMatch found = match.next();
    html += text.mid(at, found.capturedStart() - at).toHtmlEscaped() + nameLink(found.captured(1), colour);
    at = found.capturedEnd();
  }
  return html + text.mid(at).toHtmlEscaped();
}

}  // namespace hilo
