#include "ui/views/kernel_layouts/kernel_layouts_view.h"

#include <QEvent>
#include <QVBoxLayout>

#include "core/analysis/kernel_layouts/layout_text.h"
#include "core/analysis/kernel_layouts/shared_layout_text.h"
#include "core/workspace/session/session.h"
#include "ui/models/session_selection.h"
#include "ui/models/text_of.h"
#include "ui/style/colours.h"
#include "ui/style/metrics.h"
#include "ui/widgets/wrapping_row.h"

namespace hilo {
namespace {

constexpr size_t kMostSteps = 10'000;

const Instruction* firstCarrier(const Module& module) {
  for (const Computation* computation : module.computations())
    for (const Instruction* instruction : computation->instructions())
      if (carriesKernel(*instruction)) return instruction;
  return nullptr;
}

}  // namespace

KernelLayoutsView::KernelLayoutsView(const ViewContext& context, QWidget* parent)
    : View(context, parent), registerModel_(registerColumns()), accessModel_(accessColumns()) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  kernelHead_ = new QLabel(this);
  kernelHead_->setAccessibleName("Kernel shown");
  kernelHead_->setContentsMargins(kSpace, kSpaceSmall, kSpace, kSpaceSmall);
  kernelHead_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  layout->addWidget(kernelHead_);
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
  kernel_ = new KernelPanel(context_.jobs, split_);
  buildPictures();
  buildTables();
  split_->setSizes({220, 460, 180});
  split_->setStretchFactor(0, 2);
  split_->setStretchFactor(1, 3);
  split_->setStretchFactor(2, 1);
  layout->addWidget(split_, 1);
  layout->addStretch();
  connect(form_, &LayoutForm::changed, this, &KernelLayoutsView::answer);
  connect(facet_, &QComboBox::currentIndexChanged, this, &KernelLayoutsView::showGrids);
  connect(kernel_, &KernelPanel::drawingAsked, form_, &LayoutForm::ask);
  connect(kernel_, &KernelPanel::said, this, [this](const QString& text) { message_->say(text); });
  connect(kernel_, &KernelPanel::lineAsked, this, [this](uint32_t line) {
    context_.bus.ask(ShowFile{.path = qs(std::string(kKernelPath) + carrier_), .word = {}, .line = line});
  });
  connect(&context_.bus, &SelectionBus::selectionChanged, this, &KernelLayoutsView::follow);
  connect(&context_.changes, &SessionChanges::currentShown, this, &KernelLayoutsView::follow);
  kernelHead_->hide();
  kernel_->hide();
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

void KernelLayoutsView::follow() {
  if (!isVisible()) return;
  const Selection& selected = context_.bus.selected();
  const Snapshot* snapshot = snapshotFor(context_.session, selected);
  const Instruction* carrier = snapshot == nullptr ? nullptr : instructionOf(*snapshot->module, selected);
  if (carrier == nullptr || !carriesKernel(*carrier)) {
    // What is shown stays while something else of its module is looked at.
    if (snapshot != nullptr && snapshot->id == subject_ && !carrier_.empty()) return;
    carrier = snapshot == nullptr ? nullptr : firstCarrier(*snapshot->module);
  }
  const std::string name(carrier == nullptr ? "" : carrier->name());
  const SnapshotId subject = snapshot == nullptr ? SnapshotId() : snapshot->id;
  if (subject == subject_ && name == carrier_) return;
  subject_ = subject;
  carrier_ = name;
  kernelHead_->setVisible(carrier != nullptr);
  kernel_->setVisible(carrier != nullptr);
  kernel_->setKernel(nullptr);
  if (carrier == nullptr) return context_.jobs.cancelTag("kernel-layouts");
  kernelHead_->setText(QString("Reading the kernel of %1").arg(qs(name)));
  context_.jobs.submit(
      "kernel-layouts", "Layouts of the kernel of " + name,
      [module = snapshot->module, name](JobContext& job) -> Result<std::shared_ptr<const InferredKernel>> {
        TRY(InferredKernel inferred,
            inferCall(*module->findInstruction(name), {.cancel = job.cancel(), .steps = kMostSteps}));
        return std::make_shared<const InferredKernel>(std::move(inferred));
      },
      [this, name](Result<std::shared_ptr<const InferredKernel>> inferred) {
        showKernel(qs(name), std::move(inferred));
      },
      &scope_);
}

void KernelLayoutsView::showKernel(const QString& name,
                                   Result<std::shared_ptr<const InferredKernel>> inferred) {
  if (!inferred) {
    kernelHead_->setText(QString("<b>%1</b>").arg(name.toHtmlEscaped()));
    return message_->sayWhy(inferred.error());
  }
  const InferredKernel& kernel = **inferred;
  kernelHead_->setText(QString("<b>%1</b>: %2, %3")
                           .arg(name.toHtmlEscaped(), qs(kernel.studied->format).toHtmlEscaped(),
                                countOf(kernel.layouts.outcome.layouts.size(), "array")));
  kernel_->setKernel(*std::move(inferred));
  if (!kernel.layouts.isFound()) return message_->sayWhy(whyNoLayouts(kernel.kernel, kernel.layouts));
  message_->say({});
  if (kernel_->arrayModel().rowCount() > 0)
    kernel_->arrays().setCurrentIndex(kernel_->arrayModel().index(0, 0));
}

Status KernelLayoutsView::prepare(const RenderRequest& request, const RenderSteps& steps) {
  TRY_STATUS(steps.wait());
  if (request.run) {
    kernel_->setCurrentWidget(&kernel_->run());
    kernel_->run().run();
    return steps.wait();
  }
  if (request.query == "shared memory") {
    kernel_->setCurrentWidget(&kernel_->shared());
    return {};
  }
  if (request.query.isEmpty() || kernel_->goTo(request.query)) return {};
  return fail(
      "no-such-row", fmt::format("the kernel has no array '{}'", toStd(request.query)), {},
      {"--query names an array by a part of its name, or \"shared memory\"; --select the custom call"});
}

void KernelLayoutsView::answer() {
  const auto question = form_->question();
  auto drawn =
      question ? drawnLayout(question->registers, question->shared, question->shape, question->elementBits)
               : std::unexpected(question.error());
  selected_ = -1;
  registerModel_.setRows({});
  if (!drawn) {
    head_->setText("This layout cannot be drawn");
    drawn_.reset();
    for (ElementPicture* picture : {array_, memory_}) picture->setGrid({}, {}, {}, {});
    accessModel_.setRows({});
    return message_->sayWhy(drawn.error());
  }
  message_->say({});
  drawn_ = *std::move(drawn);
  drawn_->isTensor = question->isTensor;
  memory_->setVisible(drawn_->shared.has_value() || drawn_->isTensor);
  memory_->setAccessibleName(drawn_->isTensor ? "Elements in tensor memory" : "Elements in shared memory");
  accessModel_.setRows(accessRows(*drawn_));
  showHead();
  showGrids();
}

void KernelLayoutsView::showHead() {
  const RegisterMap& registers = drawn_->registers;
  const auto numberOf = [](int64_t count, const char* one) {
    return countOf(static_cast<size_t>(count), one);
  };
  if (!drawn_->isHeld)
    return head_->setText(
        QString("%1 in shared memory: no thread holds it; copies and tensor cores read it there")
            .arg(numberOf(drawn_->elements(), "element")));
  QString text = qs(printedLayout(registers.layout()));
  if (drawn_->isTensor)
    text +=
        QString(": 128 rows of %1 of tensor memory").arg(numberOf(registers.registersPerThread(), "column"));
  else
    text += QString(": %1 of %2 in each thread")
                .arg(numberOf(registers.registersPerThread(), "vector"),
                     numberOf(registers.vectorLength(), "element"));
  if (registers.copies() > 1)
    text += QString(", each element in %1")
                .arg(numberOf(registers.copies(), drawn_->isTensor ? "row" : "thread"));
  if (const auto& transfer = drawn_->transfer)
    text += QString(". A copy to or from shared memory takes %1, %2")
                .arg(numberOf(transfer->wavefronts(), "wavefront"),
                     transfer->conflicts() == 0
                         ? QString("no bank conflicts")
                         : QString("%1 more than without bank conflicts").arg(transfer->conflicts()));
  head_->setText(text);
}

void KernelLayoutsView::showGrids() {
  if (!drawn_) return;
  const QString why = whyNoFacet(*drawn_, shownFacet());
  message_->say(why);
  if (!why.isEmpty() && drawn_->isHeld) return;
  const LayoutFacet facet = why.isEmpty() ? shownFacet() : LayoutFacet::kBank;
  const auto colours = elementColours(*drawn_, facet, themeOf(*this).dark);
  const auto label = [this, facet](int64_t element) { return facetText(*drawn_, facet, element); };
  const auto facts = [this](int64_t element) { return elementText(*drawn_, element); };
  array_->setGrid(arrayGrid(*drawn_), colours, label, facts);
  if (drawn_->shared) memory_->setGrid(memoryGrid(*drawn_), colours, label, facts);
  if (drawn_->isTensor) memory_->setGrid(tensorGrid(*drawn_), colours, label, facts);
  select(selected_);
}

// The element's thread, and what else it holds.
void KernelLayoutsView::select(int64_t element) {
  if (!drawn_) return;
  selected_ = element;
  registerModel_.setRows(element < 0 ? std::vector<RegisterRow>() : registerRows(*drawn_, element));
  if (element < 0) return mark(-1, {});
  const RegisterPlace first = drawn_->placesOf(element).front();
  mark(element, drawn_->isHeld ? drawn_->elementsOf(first.warp, first.lane) : std::vector<int64_t>{element});
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

void KernelLayoutsView::showEvent(QShowEvent* event) {
  View::showEvent(event);
  follow();
}

View* makeKernelLayoutsView(const ViewContext& context) { return new KernelLayoutsView(context); }

}  // namespace hilo
