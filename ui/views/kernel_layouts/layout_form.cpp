#include "ui/views/kernel_layouts/layout_form.h"

#include <QLabel>
#include <QRegularExpression>
#include <QSignalBlocker>

#include "core/analysis/kernel_layouts/layout_families.h"
#include "core/analysis/kernel_layouts/layout_text.h"
#include "core/analysis/kernel_layouts/register_map.h"
#include "core/analysis/kernel_layouts/shared_layout_text.h"
#include "ui/models/text_of.h"
#include "ui/style/metrics.h"
#include "ui/widgets/wrapping_row.h"

namespace hilo {
namespace {

constexpr int64_t kUsualColumns = 64;

QComboBox* boxOf(const QString& name, const QString& tip, bool isEditable, int characters, QWidget* parent) {
  auto* box = new QComboBox(parent);
  box->setAccessibleName(name);
  box->setToolTip(tip);
  box->setEditable(isEditable);
  box->setInsertPolicy(QComboBox::NoInsert);
  box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  box->setMinimumContentsLength(characters);
  return box;
}

}  // namespace

Result<Sizes> parseShape(const QString& text) {
  static const QRegularExpression between("[\\s,x()\\[\\]]+");
  Sizes shape;
  for (const QString& part : text.split(between, Qt::SkipEmptyParts)) {
    bool isNumber = false;
    shape.push_back(part.toLongLong(&isNumber));
    if (!isNumber || shape.back() <= 0)
      return fail("kernel-shape", "'" + toStd(text) + "' is not a shape: write 64x32");
  }
  if (shape.empty()) return fail("kernel-shape", "there is no shape: write 64x32");
  return shape;
}

Sizes usualShape(const RegisterLayout& layout) {
  if (const auto* strided = std::get_if<StridedLayout>(&layout)) return strided->shape;
  if (const auto* splat = std::get_if<SplatLayout>(&layout)) return splat->shape;
  Sizes shape = std::get<TiledLayout>(layout).tiling.tiles.front();
  while (shape.size() > 1 && shape.back() < kUsualColumns) shape.back() *= 2;
  return shape;
}

LayoutForm::LayoutForm(QWidget* parent) : QWidget(parent) {
  auto* row = new WrappingRow(kSpaceSmall);
  row->setContentsMargins(kSpace, kSpaceSmall, kSpace, kSpaceSmall);
  setLayout(row);
  layout_ =
      boxOf("Register layout", "A name, the attribute of the mosaic_gpu dialect, or what print_layout writes",
            true, 30, this);
  layout_->addItem(kNoMemory);
  for (const NamedLayout& named : namedLayouts()) layout_->addItem(qs(named.name));
  shape_ = new QLineEdit(this);
  shape_->setAccessibleName("Shape");
  shape_->setToolTip("Sizes of the array: 64x64");
  shape_->setMaximumWidth(fontMetrics().horizontalAdvance("0") * 16);
  bits_ =
      boxOf("Bits of an element", "Where an element lies in shared memory follows from it", false, 8, this);
  for (const int bits : {4, 8, 16, 32, 64}) bits_->addItem(QString("%1-bit").arg(bits), bits);
  shared_ = boxOf("Shared memory", "How the array lies there: tile(8, 64) swizzle(128)", true, 26, this);
  for (const char* text : {kNoMemory, kTensorMemory, "row-major", "tile(8, 64) swizzle(128)",
                           "tile(8, 32) swizzle(64)", "tile(8, 16) swizzle(32)"})
    shared_->addItem(text);
  for (const auto& [label, widget] : {std::pair<const char*, QWidget*>{"Registers", layout_},
                                      {"Shape", shape_},
                                      {"", bits_},
                                      {"Shared memory", shared_}}) {
    if (*label) row->add(new QLabel(label, this));
    row->add(widget);
  }
  connect(layout_, &QComboBox::currentTextChanged, this, &LayoutForm::layoutChosen);
  connect(shape_, &QLineEdit::editingFinished, this, &LayoutForm::changed);
  connect(bits_, &QComboBox::currentIndexChanged, this, &LayoutForm::changed);
  connect(shared_, &QComboBox::currentTextChanged, this, &LayoutForm::changed);
  ask({.registers = "WGMMA", .shape = {}, .elementBits = 16, .shared = "tile(8, 64) swizzle(128)"});
}

void LayoutForm::layoutChosen() {
  const auto layout = parseRegisterLayout(toStd(layout_->currentText()));
  if (layout) {
    const auto shape = parseShape(shape_->text());
    if (!shape || !RegisterMap::of(*layout, *shape)) {
      shape_->setText(qs(fmt::format("{}", fmt::join(usualShape(*layout), "x"))));
    }
  }
  Q_EMIT changed();
}

void LayoutForm::ask(const LayoutTexts& texts) {
  {
    const QSignalBlocker quiet(this);
    shape_->setText(texts.shape);
    bits_->setCurrentIndex(bits_->findData(texts.elementBits));
    shared_->setCurrentText(texts.shared.isEmpty() ? kNoMemory : texts.shared);
    layout_->setCurrentText(texts.registers);
    layoutChosen();
  }
  Q_EMIT changed();
}

Result<LayoutQuestion> LayoutForm::question() const {
  LayoutQuestion question;
  const QString registers = layout_->currentText().trimmed(), shared = shared_->currentText().trimmed();
  question.isTensor = shared == kTensorMemory;
  if (registers != kNoMemory) {
    TRY(question.registers, parseRegisterLayout(toStd(registers)));
  }
  TRY(question.shape, parseShape(shape_->text()));
  question.elementBits = bits_->currentData().toLongLong();
  if (shared != kNoMemory && !question.isTensor) {
    TRY(question.shared, parseSharedLayout(toStd(shared)));
  }
  if (!question.registers && !question.shared)
    return fail("kernel-layout-text", "there is no memory: name a layout of registers, or of shared memory");
  return question;
}

}  // namespace hilo
