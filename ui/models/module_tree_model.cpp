#include "ui/models/module_tree_model.h"

#include <QFont>

#include "ui/models/text_of.h"

namespace hilo {

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

ModuleTreeModel::ModuleTreeModel(Session& session, QObject* parent)
    : QAbstractItemModel(parent), session_(session), root_(std::make_unique<Node>()) {
  rebuild();
  connect(&session, &Session::documentOpened, this, &ModuleTreeModel::addDocument);
  connect(&session, &Session::documentClosed, this, [this] { rebuild(); });
  connect(&session, &Session::snapshotAdded, this, &ModuleTreeModel::refreshSnapshot);
}

ModuleTreeModel::~ModuleTreeModel() = default;

void ModuleTreeModel::rebuild() {
  beginResetModel();
  filterMatches_ = 0;
  root_ = std::make_unique<Node>();
  root_->fetched = true;
  for (auto& child : childrenOf(*root_)) root_->adopt(std::move(child));
  endResetModel();
}

void ModuleTreeModel::setFilter(const QString& text) {
  const std::string wanted = text.trimmed().toLower().toStdString();
  if (wanted == filter_) return;
  filter_ = wanted;
  rebuild();
}

bool ModuleTreeModel::passesFilter(std::string_view name, std::string_view opcode) const {
  const auto holds = [&](std::string_view text) {
    const auto sameLetter = [](char a, char b) { return std::tolower(static_cast<unsigned char>(a)) == b; };
    return !std::ranges::search(text, filter_, sameLetter).empty();
  };
  return filter_.empty() || holds(name) || holds(opcode);
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

// A stage that has just been read gets its computations.
void ModuleTreeModel::refreshSnapshot(SnapshotId id) {
  const Snapshot* snapshot = session_.snapshot(id);
  const Document* document = snapshot == nullptr ? nullptr : session_.document(snapshot->document);
  if (document == nullptr || !document->dump) return;
  for (const auto& top : root_->children) {
    if (top->entry.selection.document != document->id) continue;
    for (const auto& module : top->children) {
      for (const auto& stage : module->children) {
        if (stage->entry.kind != Kind::kStage) continue;
        if (document->stages[stage->entry.moduleIndex][stage->entry.stageIndex] != id) continue;
        stage->entry.selection.snapshot = id;
        stage->fetched = false;
        fetchMore(indexOfNode(*stage));
        Q_EMIT dataChanged(indexOfNode(*stage), indexOfNode(*stage));
      }
    }
  }
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
      add(Kind::kDumpModule, label, QString("%1 stages").arg(module.stages.size())).entry.moduleIndex = m;
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
    if (!isStage) {
      add(Kind::kFile, qs(file.name), qs(file.kind) + ", " + bytesText(static_cast<int64_t>(file.sizeBytes)))
          .entry.path = qs(file.path);
    }
  }
  for (const std::string& missing : module.missing) add(Kind::kNote, "missing: " + qs(missing), {});
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
    child->entry = {Kind::kComputation, session_.selectionOf(*snapshot, *c)};
    child->module = snapshot->module;
    child->computation = c;
    child->label = qs(c->name());
    child->detail = countText(static_cast<int64_t>(c->instructionCount()));
    if (!filter_.empty()) {
      child->fetched = true;
      for (auto& inner : instructionNodes(*child)) child->adopt(std::move(inner));
      if (child->children.empty() && !passesFilter(c->name(), {})) continue;
    }
    made.push_back(std::move(child));
  }
  return made;
}

std::vector<std::unique_ptr<ModuleTreeModel::Node>> ModuleTreeModel::instructionNodes(Node& node) {
  std::vector<std::unique_ptr<Node>> made;
  for (const Instruction* i : node.computation->instructions()) {
    if (!passesFilter(i->name(), i->opcodeText())) continue;
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
        child->label = document->title;
        child->detail = document->file ? qs(document->file->kind) : QString("dump");
        if (!filter_.empty()) {
          child->fetched = true;
          for (auto& inner : childrenOf(*child)) child->adopt(std::move(inner));
        }
        made.push_back(std::move(child));
      }
      return made;
    }
    case Kind::kDocument:
      if (node.entry.selection.snapshot.valid()) return computationNodes(node.entry.selection.snapshot);
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
      return computationNodes(node.entry.selection.snapshot);
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
      return node.entry.selection.snapshot.valid();
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

QModelIndex ModuleTreeModel::indexOf(const Selection& selection) {
  Node* node = root_.get();
  const auto step = [&](auto matches) {
    if (!node->fetched) fetchMore(indexOfNode(*node));
    const auto found = std::ranges::find_if(node->children, [&](const auto& c) { return matches(*c); });
    if (found == node->children.end()) return false;
    node = found->get();
    return true;
  };
  const Snapshot* snapshot = session_.snapshotFor(selection);
  const DocumentId document =
      selection.document.valid() || snapshot == nullptr ? selection.document : snapshot->document;
  if (!step([&](const Node& n) { return n.entry.selection.document == document; })) return {};
  if (!selection.snapshot.valid() && !selection.computation.valid()) return indexOfNode(*node);
  const SnapshotId id = snapshot == nullptr ? SnapshotId{} : snapshot->id;
  if (node->entry.selection.snapshot != id) {
    const Document* open = session_.document(document);
    if (open == nullptr) return {};
    bool found = false;
    for (size_t m = 0; m < open->stages.size() && !found; ++m) {
      if (std::ranges::find(open->stages[m], id) == open->stages[m].end()) continue;
      found = step([&](const Node& n) {
                return n.entry.kind == Kind::kDumpModule && n.entry.moduleIndex == m;
              }) &&
              step([&](const Node& n) {
                return n.entry.kind == Kind::kStage && n.entry.selection.snapshot == id;
              });
      if (!found) return {};
    }
    if (!found) return {};
  }
  if (!selection.computation.valid()) return indexOfNode(*node);
  if (!step([&](const Node& n) { return n.entry.selection.computation == selection.computation; })) return {};
  if (!selection.instruction.valid()) return indexOfNode(*node);
  if (!step([&](const Node& n) { return n.entry.selection.instruction == selection.instruction; })) return {};
  return indexOfNode(*node);
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
  if (role == Qt::FontRole && index.column() == 0) {
    QFont font;
    font.setBold(node.computation != nullptr && node.instruction == nullptr && node.computation->isEntry());
    font.setItalic(node.entry.kind == Kind::kNote ||
                   (node.entry.kind == Kind::kStage && !node.entry.selection.snapshot.valid()));
    return font;
  }
  if (role == Qt::ToolTipRole) {
    if (node.instruction != nullptr) {
      return QString("%1 = %2 %3")
          .arg(qs(node.instruction->name()), shapeText(node.instruction->shape(), 300),
               qs(node.instruction->opcodeText()));
    }
    if (node.entry.kind == Kind::kStage && !node.entry.selection.snapshot.valid()) {
      return node.label + "\nnot read yet: press Enter or double-click to read it";
    }
    return node.entry.path.isEmpty() ? node.label : node.entry.path;
  }
  return {};
}

QVariant ModuleTreeModel::headerData(int section, Qt::Orientation orientation, int role) const {
  static const char* const kTitles[] = {"name", "opcode", "shape"};
  if (orientation != Qt::Horizontal || role != Qt::DisplayRole || section < 0 || section >= 3) return {};
  return kTitles[section];
}

}  // namespace hilo
