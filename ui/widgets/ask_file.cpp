#include "ui/widgets/ask_file.h"

#include <QFileDialog>

namespace hilo {

void askFile(QWidget& over, const FileQuestion& question, std::function<void(const QString& path)> take) {
  auto* dialog = new QFileDialog(&over, question.title, question.name, question.filter);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setAcceptMode(question.saves ? QFileDialog::AcceptSave : QFileDialog::AcceptOpen);
  dialog->setFileMode(question.saves ? QFileDialog::AnyFile : QFileDialog::ExistingFile);
  dialog->setDefaultSuffix(question.suffix);
  QObject::connect(dialog, &QFileDialog::fileSelected, dialog, std::move(take));
  dialog->open();
}

}  // namespace hilo
