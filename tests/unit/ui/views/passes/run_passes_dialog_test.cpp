#include "ui/views/passes/run_passes_dialog.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <QLineEdit>
#include <QPushButton>
#include <QTemporaryDir>

#include "core/hlo/text/parse.h"

namespace hilo {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::Not;

std::shared_ptr<const Module> module() {
  return *parseModuleStrictly("HloModule m\nENTRY e {\n  ROOT x = f32[] parameter(0)\n}\n");
}

// Chooses passes one by one, with the one of that name current and ticked.
void choose(RunPassesDialog& dialog, const QString& name) {
  dialog.pipeline().setCurrentIndex(dialog.pipeline().count() - 1);
  QListWidgetItem* item = dialog.passes().findItems(name, Qt::MatchExactly).value(0);
  ASSERT_NE(item, nullptr) << name.toStdString();
  item->setCheckState(Qt::Checked);
  dialog.passes().setCurrentItem(item);
}

QLineEdit* fieldOf(RunPassesDialog& dialog, const QString& setting) {
  for (QLineEdit* field : dialog.findChildren<QLineEdit*>()) {
    if (field->accessibleName() == setting) return field;
  }
  return nullptr;
}

TEST(RunPassesDialog, ASettingThatIsWrittenGoesIntoTheRequest) {
  RunPassesDialog dialog(module());
  choose(dialog, "while-loop-unroller");
  QLineEdit* field = fieldOf(dialog, "trip_count_threshold");
  ASSERT_NE(field, nullptr);
  EXPECT_EQ(field->text(), "64");
  field->setText("16");
  Q_EMIT field->editingFinished();
  EXPECT_THAT(dialog.request().passes, ElementsAre("while-loop-unroller{trip_count_threshold=16}"));
  dialog.settings().take("trip_count_threshold", "64");
  EXPECT_THAT(dialog.request().passes, ElementsAre("while-loop-unroller"));
}

TEST(RunPassesDialog, WhatIsNotAllowedIsSaidAndChangesNothing) {
  RunPassesDialog dialog(module());
  choose(dialog, "rematerialization");
  dialog.settings().take("peak_percent", "120");
  EXPECT_EQ(dialog.note(),
            "rematerialization: the setting peak_percent is a whole number from 0 to 100, not '120'");
  EXPECT_EQ(fieldOf(dialog, "peak_percent")->text(), "80");
  EXPECT_THAT(dialog.request().passes, ElementsAre("rematerialization"));
}

TEST(RunPassesDialog, APassWithoutSettingsSaysSo) {
  RunPassesDialog dialog(module());
  choose(dialog, "dce");
  EXPECT_EQ(dialog.settings().rowCount(), 0);
  EXPECT_EQ(dialog.note(), "dce has no settings.");
}

TEST(RunPassesDialog, AWordOfWhatAPassDoesFindsItAndHiddenPassesStillRun) {
  RunPassesDialog dialog(module());
  choose(dialog, "dce");
  dialog.filter().setText("loop UNROLL");
  const auto isHidden = [&](const char* name) {
    return dialog.passes().findItems(name, Qt::MatchExactly).value(0)->isHidden();
  };
  EXPECT_FALSE(isHidden("while-loop-unroller"));
  EXPECT_TRUE(isHidden("dce"));
  EXPECT_THAT(dialog.request().passes, ElementsAre("dce"));
}

// Of XLA's pipeline some passes are not there yet: they have no box, and the others are the pipeline.
TEST(RunPassesDialog, APassThatIsNotThereStandsInItsPipeline) {
  RunPassesDialog dialog(module());
  dialog.pipeline().setCurrentIndex(dialog.pipeline().findText("gpu", Qt::MatchStartsWith));
  int absent = -1, there = -1;
  for (int row = 0; row < dialog.passes().count(); ++row)
    ((dialog.passes().item(row)->flags() & Qt::ItemIsEnabled) ? there : absent) = row;
  ASSERT_GE(absent, 0);
  ASSERT_GE(there, 0);
  EXPECT_EQ(dialog.request().pipeline, "gpu");
  dialog.passes().setCurrentRow(absent);
  EXPECT_TRUE(dialog.note().endsWith("is not there yet")) << dialog.note().toStdString();
  dialog.passes().item(there)->setCheckState(Qt::Unchecked);
  EXPECT_EQ(dialog.request().pipeline, "");
  const std::string name = dialog.passes().item(absent)->text().toStdString();
  EXPECT_THAT(dialog.request().passes, Not(Contains(name)));
}

TEST(RunPassesDialog, APassRunsTwice) {
  RunPassesDialog dialog(module());
  choose(dialog, "cse");
  for (QPushButton* button : dialog.findChildren<QPushButton*>()) {
    if (button->text() == "Run again") button->click();
  }
  EXPECT_THAT(dialog.request().passes, ElementsAre("cse", "cse"));
}

TEST(RunPassesDialog, TickedPassesAreSavedAndOpenedInTheirOrder) {
  const QTemporaryDir folder;
  const QString path = folder.filePath("mine.passes");
  RunPassesDialog dialog(module());
  choose(dialog, "while-loop-unroller");
  dialog.settings().take("trip_count_threshold", "16");
  dialog.passes().findItems("cse", Qt::MatchExactly).value(0)->setCheckState(Qt::Checked);
  const std::vector<std::string> ticked = dialog.request().passes;
  dialog.saveFile(path);
  EXPECT_TRUE(dialog.note().startsWith("Saved as ")) << dialog.note().toStdString();
  RunPassesDialog other(module());
  other.openFile(path);
  EXPECT_EQ(other.request().passes, ticked);
  EXPECT_THAT(ticked, testing::Contains("while-loop-unroller{trip_count_threshold=16}"));
  // The rest is there to be ticked.
  EXPECT_FALSE(other.passes().findItems("dce", Qt::MatchExactly).isEmpty());
}

TEST(RunPassesDialog, AFileThatNamesNoPassIsRefusedWithItsLine) {
  const QTemporaryDir folder;
  QFile file(folder.filePath("bad.passes"));
  ASSERT_TRUE(file.open(QFile::WriteOnly));
  file.write("# mine\ndce\nno-such-pass\n");
  file.close();
  RunPassesDialog dialog(module());
  choose(dialog, "dce");
  dialog.openFile(file.fileName());
  EXPECT_TRUE(dialog.note().contains("bad.passes:3:1")) << dialog.note().toStdString();
  EXPECT_THAT(dialog.request().passes, ElementsAre("dce"));
}

TEST(RunPassesDialog, APipelineTakenAsItIsKeepsItsNameAndAChangedOneDoesNot) {
  RunPassesDialog dialog(module());
  const auto simplify = std::ranges::find(listPipelines(), "simplify", &Pipeline::name);
  dialog.pipeline().setCurrentIndex(static_cast<int>(simplify - listPipelines().begin()));
  EXPECT_EQ(dialog.request().pipeline, "simplify");
  dialog.passes().setCurrentItem(dialog.passes().findItems("constant-folding", Qt::MatchExactly).value(0));
  dialog.settings().take("max_steps", "7");
  EXPECT_EQ(dialog.request().pipeline, "");
  EXPECT_THAT(dialog.request().passes, testing::Contains("constant-folding{max_steps=7}").Times(1));
}

}  // namespace
}  // namespace hilo
