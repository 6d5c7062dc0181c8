#include "ui/views/kernel_layouts/kernel_layouts_view.h"

#include <QEvent>
#include <QVBoxLayout>

#include "core/analysis/kernel_layouts/layout_text.h"
#include "core/analysis/kernel_layouts/shared_layout_text.h"
#include "ui/models/text_of.h"
#include "ui/style/colours.h"
#include "ui/style/metrics.h"
#include "ui/widgets/wrapping_row.h"

namespace hilo {

KernelLayoutsView::KernelLayoutsView(const ViewContext& context, QWidget* parent)
    : View(context, parent), registerModel_(registerColumns()), accessModel_(accessColumns()) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  buildBar();
  layout->addWidget(form_);
  head_ = new QLabel(this);
  head_->setContentsMargins(kSpace, 0, kSpace, kSpaceSmall);
  head_->setWordWrap(true);
  head_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  layout->addWidget(head_);
  message_ = new MessageLine(ColourRole::kTextDim, this);
  layout->addWidget(message_);
  split_ = new QSplitter(Qt::Vertical, this);
  split_->setChildrenCollapsible(false);
  buildPictures();
  buildTables();
  split_->setSizes({460, 200});
  split_->setStretchFactor(0, 3);
  split_->setStretchFactor(1, 1);
  layout->addWidget(split_, 1);
  layout->addStretch();
  connect(form_, &LayoutForm::changed, this, &KernelLayoutsView::answer);
  connect(facet_, &QComboBox::currentIndexChanged, this, &KernelLayoutsView::showGrids);
  answer();
}

void KernelLayoutsView::buildBar() {
  form_ = new LayoutForm(this);
  facet_ = new QComboBox(form_);
  facet_->setAccessibleName("Colour by");
  facet_->setToolTip("What an element's colour tells");
  for (size_t i = 0; i < kLayoutFacetNames.size(); ++i)
    facet_->addItem(QString("by %1").arg(kLayoutFacetNames[i]), static_cast<int>(i));
  auto* row = static_cast<WrappingRow*>(form_->layout());
  row->add(new QLabel("Colours", form_));
  row->add(facet_);
}

void KernelLayoutsView::buildPictures() {
  auto* pictures = new QSplitter(Qt::Horizontal, split_);
  pictures->setChildrenCollapsible(false);
  array_ = new ElementPicture("Elements of the array", pictures);
  memory_ = new ElementPicture("Elements in shared memory", pictures);
  for (ElementPicture* picture : {array_, memory_})
    connect(picture, &ElementPicture::picked, this, &KernelLayoutsView::select);
}

void KernelLayoutsView::buildTables() {
  auto* tables = new QSplitter(Qt::Horizontal, split_);
  tables->setChildrenCollapsible(false);
  registers_ = new TableView(tables);
  registers_->setModel(&registerModel_);
  registers_->setAccessibleName("Registers of a thread");
  registers_->setEmptyText("Click an element to see what else its thread holds.");
  registers_->setColumnWidths({9, 40});
  accesses_ = new TableView(tables);
  accesses_->setModel(&accessModel_);
  accesses_->setAccessibleName("Accesses of shared memory");
  accesses_->setEmptyText("Say how the array lies in shared memory to see the accesses of a copy.");
  accesses_->setColumnWidths({7, 9, 7, 13, 12, 16});
  accessModel_.setForeground([this](const AccessRow& row) {
    return row.access.wavefronts == row.access.least ? QVariant()
                                                     : QVariant(themeOf(*this).colour(ColourRole::kWarning));
  });
  connect(accesses_, &TableView::currentRowChanged, this, &KernelLayoutsView::markAccess);
  connect(registers_, &TableView::currentRowChanged, this, &KernelLayoutsView::markRegister);
}

void KernelLayoutsView::answer() {
  const auto question = form_->question();
  auto drawn =
      question ? drawnLayout(question->registers, question->shared, question->shape, question->elementBits)
               : std::unexpected(question.error());
  selected_ = -1;
  registerModel_.setRows({});
  split_->setEnabled(drawn.has_value());
  if (!drawn) {
    head_->setText("This layout cannot be drawn");
    return message_->sayWhy(drawn.error());
  }
  message_->say({});
  drawn_ = *std::move(drawn);
  memory_->setVisible(drawn_->shared.has_value());
  accessModel_.setRows(accessRows(*drawn_));
  showHead();
  showGrids();
}

void KernelLayoutsView::showHead() {
  const RegisterMap& registers = drawn_->registers;
  QString text = QString("%1: %2 of %3 in each thread")
                     .arg(qs(printedLayout(registers.layout())),
                          countOf(static_cast<size_t>(registers.registersPerThread()), "vector"),
                          countOf(static_cast<size_t>(registers.vectorLength()), "element"));
  if (registers.copies() > 1)
    text += QString(", each element in %1").arg(countOf(static_cast<size_t>(registers.copies()), "thread"));
  if (const auto& transfer = drawn_->transfer)
    text += QString(". A copy to or from shared memory takes %1, %2")
                .arg(countOf(static_cast<size_t>(transfer->wavefronts()), "wavefront"),
                     transfer->conflicts() == 0
                         ? QString("no bank conflicts")
                         : QString("%1 more than without bank conflicts").arg(transfer->conflicts()));
  head_->setText(text);
}

void KernelLayoutsView::showGrids() {
  if (!drawn_) return;
  const bool isBank = shownFacet() == LayoutFacet::kBank;
  if (isBank && !drawn_->shared)
    return message_->say("Banks are those of shared memory: say how the array lies there.");
  message_->say({});
  const auto colours = elementColours(*drawn_, shownFacet(), themeOf(*this).dark);
  const auto label = [this](int64_t element) { return facetText(*drawn_, shownFacet(), element); };
  const auto facts = [this](int64_t element) { return elementText(*drawn_, element); };
  array_->setGrid(arrayGrid(*drawn_), colours, label, facts);
  if (drawn_->shared) memory_->setGrid(memoryGrid(*drawn_), colours, label, facts);
  select(selected_);
}

// The element's thread, and what else it holds.
void KernelLayoutsView::select(int64_t element) {
  if (!drawn_) return;
  selected_ = element;
  registerModel_.setRows(element < 0 ? std::vector<RegisterRow>() : registerRows(*drawn_, element));
  if (element < 0) return mark(-1, {});
  const RegisterPlace first = drawn_->placesOf(element).front();
  mark(element, drawn_->elementsOf(first.warp, first.lane));
  message_->say(qs("Selected ") + elementText(*drawn_, element));
}

void KernelLayoutsView::markAccess(const QModelIndex& index) {
  if (const AccessRow* row = accessModel_.rowAt(index)) mark(-1, drawn_->elementsOf(row->access));
}

void KernelLayoutsView::markRegister(const QModelIndex& index) {
  if (const RegisterRow* row = registerModel_.rowAt(index)) mark(selected_, row->elements);
}

void KernelLayoutsView::mark(int64_t element, const std::vector<int64_t>& marked) {
  array_->mark(element, marked);
  memory_->mark(element, marked);
}

void KernelLayoutsView::changeEvent(QEvent* event) {
  if (event->type() == QEvent::PaletteChange) showGrids();
  View::changeEvent(event);
}

View* makeKernelLayoutsView(const ViewContext& context) { return new KernelLayoutsView(context); }

}  // namespace hilo
