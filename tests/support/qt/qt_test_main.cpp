// Runs the tests of a program that draws: a QApplication with the light theme, on the offscreen platform
// unless another one is asked for.
#include <QApplication>

#include <gtest/gtest.h>

#include "ui/style/theme.h"

int main(int argc, char** argv) {
  if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
  testing::InitGoogleTest(&argc, argv);
  QApplication application(argc, argv);
  hilo::applyTheme(application, hilo::lightTheme());
  return RUN_ALL_TESTS();
}
