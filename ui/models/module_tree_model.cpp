#include "ui/models/module_tree_model.h"

#include <QFont>
#include <QGuiApplication>

#include "ui/models/session_selection.h"
#include "ui/models/text_of.h"
#include "ui/style/colours.h"

namespace hilo {
namespace {

// What a file of a module is; where there are several of a kind, with what tells them apart.
QString fileLabel(const DumpModuleInfo& module, const DumpFileInfo& file) {
  const auto sameKind = [&](const DumpFileInfo& other) { return other.kind == file.kind; };
  if (std::ranges::count_if(module.files, sameKind) == 1) return qs(file.kind);
  std::string_view rest = file.name;
  if (const size_t at = rest.find(module.name); at != std::string_view::npos)
    rest.remove_prefix(std::min(at + module.name.size() + 1, rest.size()));
  return QString("%1: %2").arg(qs(file.kind), qs(rest));
}

}  // namespace

struct ModuleTreeModel::Node {
  Entry entry;
  Node* parent = nullptr;
  int row = 0;
  bool fetched = false;
  std::vector<std::unique_ptr<Node>> children;
  QString label;
  QString detail;
  // Keeps the pointers below valid.
  std::shared_ptr<const Module> module;
  const Computation* computation = nullptr;
  const Instruction* instruction = nullptr;

  Node* adopt(std::unique_ptr<Node> child) {
    child->parent = this;
    child->row = static_cast<int>(children.size());
    return children.emplace_back(std::move(child)).get();
  }
};

ModuleTreeModel::ModuleTreeModel(const Session& session, const SessionChanges& changes, QObject* parent)
    : QAbstractItemModel(parent), session_(session), root_(std::make_unique<Node>()) {
  rebuild();
  connect(&changes, &SessionChanges::documentOpened, this, &ModuleTreeModel::addDocument);
  connect(&changes, &SessionChanges::documentClosed, this, [this] { rebuild(); });
  connect(&changes, &SessionChanges::snapshotAdded, this, &ModuleTreeModel::refreshSnapshot);
  connect(&changes, &SessionChanges::seriesAdded, this, &ModuleTreeModel::addSeries);
}

ModuleTreeModel::~ModuleTreeModel() = default;

void ModuleTreeModel::rebuild() {
  beginResetModel();
  filterMatches_ = 0;
  matcher_ = nullptr;  // its module may be going
  matchedModule_ = nullptr;
  root_ = std::make_unique<Node>();
  root_->fetched = true;
  for (auto& child : childrenOf(*root_)) root_->adopt(std::move(child));
  endResetModel();
}

Status ModuleTreeModel::setFilter(const QString& text) {
  const std::string wanted = text.trimmed().toLower().toStdString();
  if (wanted == filter_) return {};
  TRY(Query query, parseQuery(text.trimmed().toStdString()));
  filter_ = wanted;
  query_ = std::move(query);
  rebuild();
  return {};
}

bool ModuleTreeModel::passesFilter(const Computation& computation) const {
  const auto sameLetter = [](char a, char b) { return std::tolower(static_cast<unsigned char>(a)) == b; };
  return filter_.empty() || !std::ranges::search(computation.name(), filter_, sameLetter).empty();
}

bool ModuleTreeModel::passesFilter(const Instruction& instruction) {
  if (filter_.empty()) return true;
  const Module& module = instruction.module();
  if (matchedModule_ != &module) {
    const auto cost = session_.result<ResultKind::Cost>(session_.find(module));
    matcher_ = std::make_unique<QueryMatcher>(*query_, module, cost.get());
    matchedModule_ = &module;
  }
  return matcher_->matches(instruction);
}

void ModuleTreeModel::addDocument(DocumentId id) {
  for (auto& child : childrenOf(*root_)) {
    if (child->entry.selection.document != id) continue;
    const int row = static_cast<int>(root_->children.size());
    beginInsertRows({}, row, row);
    root_->adopt(std::move(child));
    endInsertRows();
    return;
  }
}

// A stage or step whose module has just come to be gets its computations.
void ModuleTreeModel::refreshSnapshot(SnapshotId id) {
  Node* node = nodeOf(id);
  if (node == nullptr || node->entry.selection.snapshot == id) return;
  node->entry.selection.snapshot = id;
  node->fetched = false;
  fetchMore(indexOfNode(*node));
  Q_EMIT dataChanged(indexOfNode(*node), indexOfNode(*node));
}

// Series of one module stand before its computations, in the order they were made.
void ModuleTreeModel::addSeries(SeriesId id) {
  const SeriesEntry& entry = *session_.series(id);
  Node* origin = filter_.empty() && entry.origin.valid() ? nodeOf(entry.origin) : nullptr;
  if (origin == nullptr || !origin->fetched) return;
  size_t row = 0;
  for (; row < origin->children.size() && origin->children[row]->entry.kind == Kind::kSeries; ++row) {
    if (origin->children[row]->entry.series == id) return;
  }
  insertChild(*origin, row, seriesNode(entry));
}

void ModuleTreeModel::insertChild(Node& parent, size_t row, std::unique_ptr<Node> child) {
  beginInsertRows(indexOfNode(parent), static_cast<int>(row), static_cast<int>(row));
  child->parent = &parent;
  parent.children.insert(parent.children.begin() + static_cast<ptrdiff_t>(row), std::move(child));
  for (size_t n = row; n < parent.children.size(); ++n) parent.children[n]->row = static_cast<int>(n);
  endInsertRows();
}

std::vector<std::unique_ptr<ModuleTreeModel::Node>> ModuleTreeModel::dumpChildren(Node& node) {
  std::vector<std::unique_ptr<Node>> made;
  const Document* document = session_.document(node.entry.selection.document);
  if (document == nullptr || !document->dump) return made;
  const auto add = [&](Kind kind, QString label, QString detail) -> Node& {
    auto child = std::make_unique<Node>();
    child->entry.kind = kind;
    child->entry.selection.document = document->id;
    child->entry.moduleIndex = node.entry.moduleIndex;
    child->label = std::move(label);
    child->detail = std::move(detail);
    return *made.emplace_back(std::move(child));
  };
  if (node.entry.kind == Kind::kDocument) {
    for (size_t m = 0; m < document->dump->modules.size(); ++m) {
      const DumpModuleInfo& module = document->dump->modules[m];
      QString label = qs(module.name);
      if (!module.process.empty()) label += " @ " + qs(module.process);
      add(Kind::kDumpModule, label, countOf(module.stages.size(), "stage")).entry.moduleIndex = m;
    }
    for (const DumpFileInfo& file : document->dump->otherFiles) {
      add(Kind::kFile, qs(file.name), qs(file.kind)).entry.path = qs(file.path);
    }
    return made;
  }
  const DumpModuleInfo& module = document->dump->modules[node.entry.moduleIndex];
  for (size_t s = 0; s < module.stages.size(); ++s) {
    Node& stage = add(Kind::kStage, qs(module.stages[s].name), qs(module.stages[s].pipeline));
    stage.entry.stageIndex = s;
    stage.entry.selection.snapshot = document->stages[node.entry.moduleIndex][s];
  }
  for (const DumpFileInfo& file : module.files) {
    const bool isStage =
        std::ranges::any_of(module.stages, [&](const auto& s) { return s.path == file.path; });
    if (isStage) continue;
    add(Kind::kFile, fileLabel(module, file), bytesText(static_cast<int64_t>(file.sizeBytes))).entry.path =
        qs(file.path);
  }
  if (!module.missing.empty())
    add(Kind::kNote, QString("missing from dump: %1").arg(countOf(module.missing.size(), "part")), {});
  return made;
}

std::vector<std::unique_ptr<ModuleTreeModel::Node>> ModuleTreeModel::missingNodes(const Node& note) const {
  std::vector<std::unique_ptr<Node>> made;
  const Document* document = session_.document(note.entry.selection.document);
  if (document == nullptr || !document->dump) return made;
  for (const std::string& missing : document->dump->modules[note.entry.moduleIndex].missing) {
    auto child = std::make_unique<Node>();
    child->entry.kind = Kind::kNote;
    child->fetched = true;
    child->label = qs(missing);
    made.push_back(std::move(child));
  }
  return made;
}

std::unique_ptr<ModuleTreeModel::Node> ModuleTreeModel::seriesNode(const SeriesEntry& entry) const {
  auto node = std::make_unique<Node>();
  node->entry.kind = Kind::kSeries;
  node->entry.series = entry.id;
  node->label = "passes: " + qs(entry.series->title);
  node->detail = countOf(entry.series->steps.size(), "step");
  return node;
}

std::vector<std::unique_ptr<ModuleTreeModel::Node>> ModuleTreeModel::stepNodes(const Node& series) const {
  std::vector<std::unique_ptr<Node>> made;
  const SeriesEntry* entry = session_.series(series.entry.series);
  if (entry == nullptr) return made;
  const PassSeries& passes = *entry->series;
  // Step 0 is the module the passes ran over: it stands above already.
  for (size_t step = 1; step < passes.steps.size(); ++step) {
    const SeriesStep& pass = passes.steps[step];
    auto child = std::make_unique<Node>();
    child->entry.kind = Kind::kStep;
    child->entry.series = series.entry.series;
    child->entry.step = step;
    child->label = pass.isLowering() ? qs(pass.name) : "after " + qs(pass.name);
    child->detail = pass.isLowering() ? qs(pass.made)
                    : pass.skipped()  ? "skipped"
                    : pass.changed()  ? "changed"
                                      : "unchanged";
    // A step that changed nothing may share the module of the origin, which stands above.
    const auto module = pass.moduleIfLoaded();
    const SnapshotId snapshot = module == nullptr ? SnapshotId{} : session_.find(*module);
    if (snapshot != entry->origin) child->entry.selection.snapshot = snapshot;
    made.push_back(std::move(child));
  }
  return made;
}

std::vector<std::unique_ptr<ModuleTreeModel::Node>> ModuleTreeModel::moduleNodes(SnapshotId id) {
  std::vector<std::unique_ptr<Node>> made;
  for (const SeriesEntry& entry : session_.series()) {
    if (filter_.empty() && id.valid() && entry.origin == id) made.push_back(seriesNode(entry));
  }
  for (auto& child : computationNodes(id)) made.push_back(std::move(child));
  return made;
}

std::vector<std::unique_ptr<ModuleTreeModel::Node>> ModuleTreeModel::computationNodes(SnapshotId id) {
  std::vector<std::unique_ptr<Node>> made;
  const Snapshot* snapshot = session_.snapshot(id);
  if (snapshot == nullptr) return made;
  std::vector<const Computation*> order;
  for (const Computation* c : snapshot->module->computations()) {
    if (c->isEntry()) order.insert(order.begin(), c);
    if (!c->isEntry()) order.push_back(c);
  }
  for (const Computation* c : order) {
    if (filterMatches_ > kFilterLimit) break;
    auto child = std::make_unique<Node>();
    child->entry.kind = Kind::kComputation;
    child->entry.selection = selectionOf(*snapshot, *c);
    child->module = snapshot->module;
    child->computation = c;
    child->label = qs(c->name());
    child->detail = countText(static_cast<int64_t>(c->instructionCount()));
    if (!filter_.empty()) {
      child->fetched = true;
      for (auto& inner : instructionNodes(*child)) child->adopt(std::move(inner));
      if (child->children.empty() && !passesFilter(*c)) continue;
    }
    made.push_back(std::move(child));
  }
  return made;
}

std::vector<std::unique_ptr<ModuleTreeModel::Node>> ModuleTreeModel::instructionNodes(Node& node) {
  std::vector<std::unique_ptr<Node>> made;
  for (const Instruction* i : node.computation->instructions()) {
    if (!passesFilter(*i)) continue;
    if (!filter_.empty() && ++filterMatches_ > kFilterLimit) break;
    auto child = std::make_unique<Node>();
    child->entry.kind = Kind::kInstruction;
    child->entry.selection = node.entry.selection;
    child->entry.selection.instruction = i->id();
    child->instruction = i;
    child->computation = node.computation;
    child->fetched = true;
    made.push_back(std::move(child));
  }
  return made;
}

std::vector<std::unique_ptr<ModuleTreeModel::Node>> ModuleTreeModel::childrenOf(Node& node) {
  switch (node.entry.kind) {
    case Kind::kRoot: {
      std::vector<std::unique_ptr<Node>> made;
      for (const auto& document : session_.documents()) {
        auto child = std::make_unique<Node>();
        child->entry.kind = Kind::kDocument;
        child->entry.selection.document = document->id;
        if (document->file) child->entry.selection.snapshot = document->stages[0][0];
        child->label = qs(document->title);
        child->detail = document->file      ? qs(document->file->kind)
                        : document->program ? QString("saved program")
                        : document->thunks  ? QString("thunks, no module")
                                            : QString("dump");
        child->fetched = document->isCompiled();
        if (!filter_.empty()) {
          child->fetched = true;
          for (auto& inner : childrenOf(*child)) child->adopt(std::move(inner));
        }
        made.push_back(std::move(child));
      }
      return made;
    }
    case Kind::kDocument:
      if (node.entry.selection.snapshot.valid()) return moduleNodes(node.entry.selection.snapshot);
      [[fallthrough]];
    case Kind::kDumpModule: {
      auto made = dumpChildren(node);
      if (!filter_.empty()) {
        for (auto& child : made) {
          child->fetched = true;
          for (auto& inner : childrenOf(*child)) child->adopt(std::move(inner));
        }
      }
      return made;
    }
    case Kind::kStage:
    case Kind::kStep:
      return moduleNodes(node.entry.selection.snapshot);
    case Kind::kSeries:
      return stepNodes(node);
    case Kind::kNote:
      return missingNodes(node);
    case Kind::kComputation:
      return instructionNodes(node);
    default:
      return {};
  }
}

bool ModuleTreeModel::mayHaveChildren(const Node& node) const {
  if (node.fetched) return !node.children.empty();
  switch (node.entry.kind) {
    case Kind::kStage:
    case Kind::kStep:
      return node.entry.selection.snapshot.valid();
    case Kind::kSeries:
    case Kind::kNote:
      return true;
    case Kind::kComputation:
      return node.computation->instructionCount() > 0;
    case Kind::kDocument:
    case Kind::kDumpModule:
      return true;
    default:
      return false;
  }
}

ModuleTreeModel::Node* ModuleTreeModel::nodeOf(const QModelIndex& index) const {
  return index.isValid() ? static_cast<Node*>(index.internalPointer()) : root_.get();
}

QModelIndex ModuleTreeModel::indexOfNode(const Node& node) const {
  return &node == root_.get() ? QModelIndex() : createIndex(node.row, 0, &node);
}

ModuleTreeModel::Entry ModuleTreeModel::entryAt(const QModelIndex& index) const {
  return nodeOf(index)->entry;
}

ModuleTreeModel::Node* ModuleTreeModel::childOf(Node& parent,
                                                const std::function<bool(const Node&)>& matches) {
  if (!parent.fetched) fetchMore(indexOfNode(parent));
  const auto found = std::ranges::find_if(parent.children, [&](const auto& c) { return matches(*c); });
  return found == parent.children.end() ? nullptr : found->get();
}

ModuleTreeModel::Node* ModuleTreeModel::nodeOf(SnapshotId id) {
  const Snapshot* snapshot = session_.snapshot(id);
  if (snapshot == nullptr) return nullptr;
  // What a pass made stands below what the pass ran over; that was there before.
  for (const SeriesEntry& entry : session_.series()) {
    if (!entry.origin.valid() || entry.origin == id) continue;
    for (size_t step = 1; step < entry.series->steps.size(); ++step) {
      if (entry.series->steps[step].moduleIfLoaded() != snapshot->module) continue;
      Node* origin = nodeOf(entry.origin);
      Node* series = origin == nullptr
                         ? nullptr
                         : childOf(*origin, [&](const Node& n) { return n.entry.series == entry.id; });
      return series == nullptr ? nullptr
                               : childOf(*series, [&](const Node& n) { return n.entry.step == step; });
    }
  }
  const Document* document = session_.document(snapshot->document);
  if (document == nullptr) return nullptr;
  Node* top = childOf(*root_, [&](const Node& n) { return n.entry.selection.document == document->id; });
  if (top == nullptr || !document->dump) return top;
  for (size_t m = 0; m < document->stages.size(); ++m) {
    const auto found = std::ranges::find(document->stages[m], id);
    if (found == document->stages[m].end()) continue;
    const auto s = static_cast<size_t>(found - document->stages[m].begin());
    Node* module = childOf(
        *top, [&](const Node& n) { return n.entry.kind == Kind::kDumpModule && n.entry.moduleIndex == m; });
    return module == nullptr ? nullptr : childOf(*module, [&](const Node& n) {
      return n.entry.kind == Kind::kStage && n.entry.stageIndex == s;
    });
  }
  return nullptr;
}

QModelIndex ModuleTreeModel::indexOf(const Selection& selection) {
  if (!selection.snapshot.valid() && !selection.computation.valid()) {
    Node* node =
        childOf(*root_, [&](const Node& n) { return n.entry.selection.document == selection.document; });
    return node == nullptr || !selection.document.valid() ? QModelIndex() : indexOfNode(*node);
  }
  const Snapshot* snapshot = snapshotFor(session_, selection);
  Node* node = snapshot == nullptr ? nullptr : nodeOf(snapshot->id);
  if (node != nullptr && selection.computation.valid()) {
    node =
        childOf(*node, [&](const Node& n) { return n.entry.selection.computation == selection.computation; });
  }
  if (node != nullptr && selection.instruction.valid()) {
    node =
        childOf(*node, [&](const Node& n) { return n.entry.selection.instruction == selection.instruction; });
  }
  return node == nullptr ? QModelIndex() : indexOfNode(*node);
}

QModelIndex ModuleTreeModel::index(int row, int column, const QModelIndex& parent) const {
  if (row < 0 || column < 0 || column >= 3 || parent.column() > 0) return {};
  const Node* node = nodeOf(parent);
  if (static_cast<size_t>(row) >= node->children.size()) return {};
  return createIndex(row, column, node->children[static_cast<size_t>(row)].get());
}

QModelIndex ModuleTreeModel::parent(const QModelIndex& index) const {
  if (!index.isValid()) return {};
  const Node* parent = nodeOf(index)->parent;
  return parent == nullptr ? QModelIndex() : indexOfNode(*parent);
}

int ModuleTreeModel::rowCount(const QModelIndex& parent) const {
  return parent.column() > 0 ? 0 : static_cast<int>(nodeOf(parent)->children.size());
}

int ModuleTreeModel::columnCount(const QModelIndex&) const { return 3; }

bool ModuleTreeModel::hasChildren(const QModelIndex& parent) const {
  return parent.column() <= 0 && mayHaveChildren(*nodeOf(parent));
}

bool ModuleTreeModel::canFetchMore(const QModelIndex& parent) const {
  const Node* node = nodeOf(parent);
  return parent.column() <= 0 && !node->fetched && mayHaveChildren(*node);
}

void ModuleTreeModel::fetchMore(const QModelIndex& parent) {
  Node* node = nodeOf(parent);
  if (node->fetched) return;
  auto made = childrenOf(*node);
  node->fetched = true;
  if (made.empty()) return;
  beginInsertRows(parent, 0, static_cast<int>(made.size()) - 1);
  node->children.reserve(made.size());
  for (auto& child : made) node->adopt(std::move(child));
  endInsertRows();
}

QString ModuleTreeModel::textOf(const Node& node, int column) const {
  if (node.entry.kind != Kind::kInstruction)
    return column == 0 ? node.label : column == 1 ? node.detail : QString();
  switch (column) {
    case 0:
      return qs(node.instruction->name());
    case 1:
      return qs(node.instruction->opcodeText());
    default:
      return shapeText(node.instruction->shape());
  }
}

QVariant ModuleTreeModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  const Node& node = *nodeOf(index);
  if (role == Qt::DisplayRole) return textOf(node, index.column());
  const bool isModulePlace = node.entry.kind == Kind::kStage || node.entry.kind == Kind::kStep;
  if (role == Qt::FontRole && index.column() == 0) {
    QFont font;
    font.setBold(node.computation != nullptr && node.instruction == nullptr && node.computation->isEntry());
    font.setItalic(node.entry.kind == Kind::kNote ||
                   (isModulePlace && !node.entry.selection.snapshot.valid()));
    return font;
  }
  // Where a search for a NaN or a divergence ended.
  const auto& finding = session_.finding();
  const bool isFound = finding && node.instruction != nullptr &&
                       node.instruction->id() == finding->instruction &&
                       node.entry.selection.snapshot == finding->snapshot;
  if (isFound && role == Qt::ForegroundRole)
    return themeOf(QGuiApplication::palette()).colour(ColourRole::kError);
  if (isFound && role == Qt::ToolTipRole) return qs(finding->text);
  if (role == Qt::ToolTipRole) {
    if (node.instruction != nullptr) {
      return QString("%1 = %2 %3")
          .arg(qs(node.instruction->name()), shapeText(node.instruction->shape(), 300),
               qs(node.instruction->opcodeText()));
    }
    if (isModulePlace && !node.entry.selection.snapshot.valid()) {
      return node.label + "\nnot shown yet: press Enter or double-click to show it";
    }
    return node.entry.path.isEmpty() ? node.label : node.entry.path;
  }
  return {};
}

QVariant ModuleTreeModel::headerData(int section, Qt::Orientation orientation, int role) const {
  static const char* const kTitles[] = {"name", "kind", "shape"};
  if (orientation != Qt::Horizontal || role != Qt::DisplayRole || section < 0 || section >= 3) return {};
  return kTitles[section];
}

}  // namespace hilo
