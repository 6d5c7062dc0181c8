#include "ui/shell/studio_settings.h"

#include <QFileInfo>

namespace hilo {

StudioSettings StudioSettings::user() {
  return StudioSettings(
      std::make_unique<QSettings>(QSettings::IniFormat, QSettings::UserScope, "hilo", "studio"));
}

StudioSettings::StudioSettings(const QString& path) {
  if (!path.isEmpty()) settings_ = std::make_unique<QSettings>(path, QSettings::IniFormat);
}

QVariant StudioSettings::get(const QString& key, const QVariant& otherwise) const {
  return settings_ ? settings_->value(key, otherwise) : otherwise;
}

void StudioSettings::set(const QString& key, const QVariant& value) {
  if (settings_) settings_->setValue(key, value);
}

void StudioSettings::addRecent(const QString& path) {
  const QString absolute = QFileInfo(path).absoluteFilePath();
  QStringList paths = recent();
  paths.removeAll(absolute);
  paths.prepend(absolute);
  while (paths.size() > kRecentLimit) paths.removeLast();
  set("recent", paths);
}

QString StudioSettings::lastSelection(const QString& path) const {
  return get("selected").toMap().value(QFileInfo(path).absoluteFilePath()).toString();
}

void StudioSettings::setLastSelection(const QString& path, const QString& name) {
  QVariantMap all = get("selected").toMap();
  // Only of files still listed as recent, so that the map does not grow for ever.
  const QStringList kept = recent();
  for (const QString& key : all.keys()) {
    if (!kept.contains(key)) all.remove(key);
  }
  all[QFileInfo(path).absoluteFilePath()] = name;
  set("selected", all);
}

}  // namespace hilo
