// What the studio remembers between runs. Without a file it remembers nothing: for tests and pictures.
#pragma once

#include <QSettings>
#include <QStringList>
#include <memory>

namespace hilo {

class StudioSettings {
 public:
  // The user's own settings file.
  static StudioSettings user();
  // A file of one's own; empty: none.
  explicit StudioSettings(const QString& path);

  QVariant get(const QString& key, const QVariant& otherwise = {}) const;
  void set(const QString& key, const QVariant& value);

  static constexpr int kRecentLimit = 12;
  QStringList recent() const { return get("recent").toStringList(); }
  void addRecent(const QString& path);
  // The name last selected in a document, to go back to when it is opened again.
  QString lastSelection(const QString& path) const;
  void setLastSelection(const QString& path, const QString& name);

 private:
  explicit StudioSettings(std::unique_ptr<QSettings> settings) : settings_(std::move(settings)) {}
  std::unique_ptr<QSettings> settings_;
};

}  // namespace hilo
