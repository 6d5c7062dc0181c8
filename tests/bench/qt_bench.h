// What a benchmark of views begins with: an application that needs no display, in the light theme, and the
// library's own options taken off the command line.
#pragma once

#include <benchmark/benchmark.h>

#include <QApplication>

#include "ui/style/theme.h"

namespace hilo {

template <typename Application = QApplication>
class QtBench {
 public:
  QtBench(int& argc, char** argv) : application_(argc, argv) {
    applyTheme(application_, lightTheme());
    benchmark::Initialize(&argc, argv);
  }

 private:
  // Before the application, which asks for it.
  bool isOffscreen_ =
      qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM") && qputenv("QT_QPA_PLATFORM", "offscreen");
  Application application_;
};

}  // namespace hilo
