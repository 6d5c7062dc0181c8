// A window over a small module read from a file, as the program makes one, driven by the tests' event loop.
#pragma once

#include <gtest/gtest.h>

#include <QApplication>
#include <QElapsedTimer>
#include <QFile>
#include <QTemporaryDir>
#include <QThread>

#include "ui/models/session_selection.h"
#include "ui/shell/main_window.h"
#include "ui/shell/ui_poster.h"
#include "ui/views/graph/graph_area.h"

namespace hilo {

inline const char* const kSmallModule =
    R"(HloModule small, entry_computation_layout={(f32[4,8]{1,0}, f32[8,4]{1,0})->f32[4,4]{1,0}}

%add_float (a: f32[], b: f32[]) -> f32[] {
  %a = f32[] parameter(0)
  %b = f32[] parameter(1)
  ROOT %sum = f32[] add(f32[] %a, f32[] %b)
}

ENTRY %main (x: f32[4,8], y: f32[8,4]) -> f32[4,4] {
  %x = f32[4,8]{1,0} parameter(0)
  %y = f32[8,4]{1,0} parameter(1)
  %unused = f32[4,8]{1,0} negate(f32[4,8]{1,0} %x)
  %dot.1 = f32[4,4]{1,0} dot(f32[4,8]{1,0} %x, f32[8,4]{1,0} %y), lhs_contracting_dims={1}, rhs_contracting_dims={0}, metadata={op_name="jit(f)/dot" source_file="model.py" source_line=3}
  %zero = f32[] constant(0)
  %reduced = f32[4]{0} reduce(f32[4,4]{1,0} %dot.1, f32[] %zero), dimensions={1}, to_apply=%add_float
  %spread = f32[4,4]{1,0} broadcast(f32[4]{0} %reduced), dimensions={0}
  ROOT %out = f32[4,4]{1,0} multiply(f32[4,4]{1,0} %dot.1, f32[4,4]{1,0} %spread)
}
)";

class StudioTest : public testing::Test {
 protected:
  void SetUp() override {
    jobs_.setPoster([this](std::function<void()> function) { poster_.post(std::move(function)); });
    jobs_.setListener([this] {
      if (window_ != nullptr) Q_EMIT window_->context().changes.jobsChanged();
    });
    poster_.attach();
    session_ = std::make_unique<Session>(jobs_, ":memory:");
    session_->runs().setWorker({.command = {HILO_PROGRAM, "worker"}});
    settings_ = std::make_unique<StudioSettings>(folder_.filePath("studio.ini"));
    makeWindow();
  }
  void TearDown() override {
    poster_.detach();
    window_.reset();
    session_.reset();
  }
  void makeWindow() {
    window_.reset();  // a session tells one window
    window_ = std::make_unique<MainWindow>(WindowSetup{jobs_, *session_, *settings_, nullptr});
    window_->resize(1200, 800);
    window_->show();
  }
  QString write(const QString& name, const QByteArray& content) {
    QFile file(folder_.filePath(name));
    EXPECT_TRUE(file.open(QFile::WriteOnly));
    file.write(content);
    return file.fileName();
  }
  // Lets replies, layouts and timers happen until nothing is under way.
  void settle() {
    QElapsedTimer timer;
    timer.start();
    for (int quiet = 0; quiet < 6 && timer.elapsed() < 60000;) {
      QCoreApplication::processEvents(QEventLoop::AllEvents, 20);
      quiet = window_->idle() ? quiet + 1 : 0;
      QThread::msleep(20);
    }
  }
  void openSmall() {
    window_->files().open(write("small.hlo", kSmallModule));
    settle();
    ASSERT_NE(session_->current(), nullptr);
  }
  QString selectedName() const {
    const Snapshot* snapshot = snapshotFor(*session_, window_->bus().selected());
    const Instruction* i =
        snapshot == nullptr ? nullptr : instructionOf(*snapshot->module, window_->bus().selected());
    return i == nullptr ? QString() : QString::fromStdString(std::string(i->name()));
  }

  QTemporaryDir folder_;
  UiPoster poster_;
  JobQueue jobs_{2};
  std::unique_ptr<Session> session_;
  std::unique_ptr<StudioSettings> settings_;
  std::unique_ptr<MainWindow> window_;
};

}  // namespace hilo
