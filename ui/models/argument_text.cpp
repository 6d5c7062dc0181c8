#include "ui/models/argument_text.h"

#include "ui/models/text_of.h"

namespace hilo {

ArgumentSource argumentSourceOf(const QString& text, const OpenedFile* recorded) {
  const QString plain = text.trimmed();
  ArgumentSource source;
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

}  // namespace hilo
