#include "ui/views/tiles/tile_code.h"

#include <QVBoxLayout>

#include "core/analysis/tile_program/build_tile_program.h"
#include "core/analysis/tile_program/print_tile_program.h"
#include "core/workspace/run/gpu_compile.h"
#include "core/workspace/run/tiled_module.h"
#include "ui/models/text_of.h"
#include "ui/style/metrics.h"
#include "ui/widgets/code_lexer.h"
#include "ui/widgets/wrapping_row.h"

namespace hilo {
namespace {

constexpr int kSettledMs = 150;

Result<std::string> codeOf(TileCode::Form form, const Instruction& instruction,
                           const std::vector<int64_t>& sizes, const std::string& architecture) {
  if (form == TileCode::Form::Program) {
    TRY(const TiledFusion tiled, tiledFusion(instruction, sizes));
    return toString(tiled);
  }
  TRY(const auto module, tiledModule(instruction, sizes));
  return form == TileCode::Form::Llvm ? tiledLlvm(module) : tiledPtx(module, architecture);
}

const char* nameOf(TileCode::Form form) {
  return form == TileCode::Form::Program ? "Tile program"
         : form == TileCode::Form::Llvm  ? "LLVM IR of the tiles"
                                         : "PTX of the tiles";
}

}  // namespace

TileCode::TileCode(const ViewContext& context, Form form, QWidget* parent)
    : QWidget(parent), context_(context), form_(form) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  auto* bar = new WrappingRow(kSpaceSmall);
  bar->setContentsMargins(kSpace, 0, kSpace, 0);
  progress_ = new JobProgress(context_.jobs, "Stop compiling", this);
  if (form == Form::Ptx) {
    architecture_ = new QComboBox(this);
    architecture_->setAccessibleName("Architecture of the PTX");
    for (const std::string& name : gpuNamesForKernels()) architecture_->addItem(qs(name));
    architecture_->setCurrentText("sm_90a");
    connect(architecture_, &QComboBox::activated, this, &TileCode::make);
    bar->setContentsMargins(kSpace, kSpaceSmall, kSpace, kSpaceSmall);
    bar->add(architecture_);
  }
  bar->add(progress_);
  layout->addLayout(bar);
  message_ = new MessageLine(ColourRole::kTextDim, this);
  layout->addWidget(message_);
  text_ = new TextView(this);
  text_->setAccessibleName(nameOf(form));
  text_->setCodeFontPx(11);
  text_->shown().setFoldable(false);
  text_->shown().setLexer(lexerForFile(form == Form::Llvm  ? ".ll"
                                       : form == Form::Ptx ? ".ptx"
                                                           : "tiles.txt"));
  layout->addWidget(text_, 1);
  timer_.setSingleShot(true);
  timer_.setInterval(kSettledMs);
  connect(&timer_, &QTimer::timeout, this, &TileCode::make);
}

void TileCode::setTiles(std::shared_ptr<const Module> module, const Instruction* instruction,
                        std::vector<int64_t> sizes) {
  if (instruction == instruction_ && sizes == sizes_ && module == module_) return;
  module_ = std::move(module);
  instruction_ = instruction;
  sizes_ = std::move(sizes);
  isOld_ = true;
  if (instruction_ == nullptr) {
    progress_->setJob({});
    message_->say({});
    text_->setText(TextContent(nullptr));
  }
  if (isVisible()) timer_.start();
}

void TileCode::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  if (isOld_) make();
}

void TileCode::make() {
  isOld_ = false;
  if (instruction_ == nullptr) return;
  const std::string architecture = architecture_ == nullptr ? "" : toStd(architecture_->currentText());
  progress_->setJob(context_.jobs.submit(
      QString("tile code %1").arg(static_cast<int>(form_)).toStdString(), nameOf(form_),
      [module = module_, instruction = instruction_, sizes = sizes_, form = form_, architecture](
          JobContext&) -> Result<std::string> { return codeOf(form, *instruction, sizes, architecture); },
      [this, of = instruction_, sizes = sizes_](Result<std::string> made) {
        progress_->setJob({});
        if (of == instruction_ && sizes == sizes_) show(std::move(made));
      },
      &scope_));
}

void TileCode::show(Result<std::string> made) {
  if (!made) {
    text_->setText(TextContent(nullptr));
    return message_->sayWhy(made.error());
  }
  message_->say({});
  text_->setText(std::make_shared<const std::string>(*std::move(made)));
}

}  // namespace hilo
