#include "ui/shell/views.h"

namespace hilo {

#define VIEW(name, factory, place, title, keys) View* factory(const ViewContext& context);
#include "ui/shell/views.def"
#undef VIEW

std::span<const ViewInfo> viewTable() {
  static constexpr ViewInfo kViews[] = {
#define VIEW(name, factory, place, title, keys) {name, factory, ViewPlace::place, title, keys},
#include "ui/shell/views.def"
#undef VIEW
  };
  return kViews;
}

QString titleOfView(const QString& name) {
  for (const ViewInfo& info : viewTable()) {
    if (name == info.name) return QString(info.title).remove('&');
  }
  return {};
}

QStringList viewNames() {
  QStringList names = {"window"};
  for (const ViewInfo& info : viewTable()) names << info.name;
  return names;
}

}  // namespace hilo
