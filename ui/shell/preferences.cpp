#include "ui/shell/preferences.h"

#include <QCheckBox>
#include <QDialog>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>

#include "ui/style/metrics.h"

namespace hilo {
namespace {

constexpr int kFolderLines = 4;

class PreferencesDialog : public QDialog {
 public:
  PreferencesDialog(QMainWindow& window, StudioSettings& settings, WindowFiles& files,
                    const std::vector<QAction*>& switches)
      : QDialog(&window), settings_(settings), files_(files) {
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle("Preferences");
    auto* form = new QFormLayout(this);
    addSwitches(*form, switches);
    addFolders(*form);
    addEditor(*form);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel, this);
    form->addRow(buttons);
    connect(buttons, &QDialogButtonBox::accepted, this, [this] {
      apply();
      accept();
    });
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    resize(560, sizeHint().height());
  }

 private:
  void addSwitches(QFormLayout& form, const std::vector<QAction*>& switches) {
    for (QAction* action : switches) {
      auto* box = new QCheckBox(action->text().remove('&'), this);
      box->setObjectName(action->objectName());
      box->setChecked(action->isChecked());
      form.addRow(box);
      switches_.emplace_back(action, box);
    }
  }
  void addFolders(QFormLayout& form) {
    folders_ = new QPlainTextEdit(settings_.get("sourceRoots").toStringList().join('\n'), this);
    folders_->setAccessibleName("Source folders");
    folders_->setTabChangesFocus(true);
    folders_->setPlaceholderText("/home/me/model, one a line");
    folders_->setFixedHeight(kFolderLines * folders_->fontMetrics().lineSpacing() + 4 * kSpaceSmall);
    form.addRow("Source folders", folders_);
  }
  void addEditor(QFormLayout& form) {
    editor_ = new QLineEdit(settings_.get("editor").toString(), this);
    editor_->setAccessibleName("Editor");
    editor_->setPlaceholderText("the desktop's own");
    form.addRow("Editor", editor_);
    auto* hint = new QLabel(
        "code -g {file}:{line}    emacsclient -n +{line} {file}    vscode://file{file}:{line}", this);
    hint->setForegroundRole(QPalette::PlaceholderText);
    form.addRow(QString(), hint);
  }
  void apply() {
    for (const auto& [action, box] : switches_) action->setChecked(box->isChecked());
    settings_.set("editor", editor_->text().trimmed());
    const QStringList folders = folders_->toPlainText().split('\n', Qt::SkipEmptyParts);
    if (folders != settings_.get("sourceRoots").toStringList()) files_.setSourceRoots(folders);
  }

  StudioSettings& settings_;
  WindowFiles& files_;
  std::vector<std::pair<QAction*, QCheckBox*>> switches_;
  QPlainTextEdit* folders_ = nullptr;
  QLineEdit* editor_ = nullptr;
};

}  // namespace

void showPreferences(QMainWindow& window, StudioSettings& settings, WindowFiles& files,
                     const std::vector<QAction*>& switches) {
  (new PreferencesDialog(window, settings, files, switches))->open();
}

}  // namespace hilo
