// The table of views (views.def): what the window, --render and --list-views know of them.
#pragma once

#include <span>

#include "ui/widgets/view.h"

namespace hilo {

enum class ViewPlace : uint8_t { Middle, Page, Left, Right, Bottom };

struct ViewInfo {
  const char* name;
  View* (*make)(const ViewContext& context);
  ViewPlace place;
  const char* title;  // with "&" before the letter of the menu
  const char* keys;   // of showing it; "" for none
};

std::span<const ViewInfo> viewTable();
// "Graph" of "graph", without the "&" of menus; "" where no view has the name.
QString titleOfView(const QString& name);
// What --render can draw: "window", the whole of it, and every view.
QStringList viewNames();

}  // namespace hilo
