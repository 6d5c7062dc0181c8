#include "ui/widgets/instruction_menu.h"

#include <QApplication>
#include <QClipboard>

#include "core/workspace/text/extract.h"
#include "core/workspace/text/printed_module.h"
#include "core/workspace/text/source_lines.h"
#include "ui/models/command_line.h"
#include "ui/models/session_selection.h"
#include "ui/models/text_of.h"

namespace hilo {
namespace {

struct Place {
  const char* view;
  const char* title;
};
constexpr Place kPlaces[] = {{"graph", "Graph"},       {"text", "Text"},         {"source", "Source"},
                             {"overview", "Overview"}, {"schedule", "Schedule"}, {"memory", "Memory"},
                             {"thunks", "Thunks"},     {"values", "Values"},     {"inspector", "Inspector"}};

void addPlaces(QMenu& menu, const ViewContext& context) {
  for (const Place& place : kPlaces) {
    menu.addAction(place.title, [&bus = context.bus, view = QString(place.view)] {
      bus.activate(bus.pointed());
      bus.ask(ShowView{view});
    });
  }
  menu.addAction("History in Passes", [&bus = context.bus] { bus.ask(ShowHistory{}); });
}

void addCopy(QMenu& menu, const QString& title, const QString& text) {
  if (!text.isEmpty()) menu.addAction(title, [text] { QApplication::clipboard()->setText(text); });
}

void copyAsModule(const ViewContext& context, const Module& module, InstructionId id) {
  const auto text = extractAsText(module, std::span(&id, 1));
  if (text) return QApplication::clipboard()->setText(qs(*text));
  Q_EMIT context.changes.failed("The instruction could not be copied as a module", text.error());
}

// What opens the module at this instruction, where a file holds it.
QString openingCommand(const ViewContext& context, const Instruction& instruction) {
  const ModuleInput input = writtenModule(context.session);
  if (input.file.isEmpty()) return {};
  return input.before +
         QString("hilo-studio --select %1 %2").arg(shellWord(qs(instruction.name())), input.file);
}

void addCopies(QMenu& menu, const ViewContext& context, const Snapshot& shown,
               const Instruction& instruction) {
  addCopy(menu, "Name", qs(instruction.name()));
  addCopy(menu, "op_name", qs(instruction.opName()));
  if (const auto frames = sourceFramesOf(instruction); !frames.empty())
    addCopy(menu, "Source line", QString("%1:%2").arg(qs(frames[0].file)).arg(frames[0].line));
  addCopy(menu, "HLO text", qs(printedLine(instruction)));
  menu.addAction("As an HLO module", [context, module = shown.module, id = instruction.id()] {
    copyAsModule(context, *module, id);
  });
  if (&shown == context.session.current())
    addCopy(menu, "Command that opens it", openingCommand(context, instruction));
}

}  // namespace

void addInstructionMenu(QMenu& menu, const ViewContext& context) {
  const Snapshot* shown = snapshotFor(context.session, context.bus.pointed());
  const Instruction* instruction =
      shown == nullptr ? nullptr : instructionOf(*shown->module, context.bus.pointed());
  if (instruction == nullptr) return;
  const QString name = qs(instruction->name());
  QMenu* own = menu.addMenu("%" + QString(name).replace('&', "&&"));
  addPlaces(*own->addMenu("Go to"), context);
  const auto find = [&](const char* title, const char* key) {
    own->addAction(
        title, [&bus = context.bus, query = QString("%1:%2").arg(key, name)] { bus.ask(SearchFor{query}); });
  };
  find("Find users", "operand");
  find("Find operands", "user");
  const bool isFusion = instruction->opcode() == Opcode::Fusion;
  own->addAction(isFusion ? "Tiles of this fusion" : "Tiles", [&bus = context.bus] {
    bus.activate(bus.pointed());
    bus.ask(ShowView{"tiles"});
  });
  own->addAction("Bookmark", [&bus = context.bus] { bus.ask(BookmarkSelected{}); });
  if (const auto frames = sourceFramesOf(*instruction); !frames.empty()) {
    const OpenSource source{qs(frames[0].file), frames[0].line};
    own->addAction("Open source in editor", [&bus = context.bus, source] { bus.ask(source); });
  }
  addCopies(*own->addMenu("Copy"), context, *shown, *instruction);
}

void showInstructionMenu(QWidget& owner, const ViewContext& context, QPoint globalPlace) {
  auto* menu = new QMenu(&owner);
  menu->setAttribute(Qt::WA_DeleteOnClose);
  addInstructionMenu(*menu, context);
  if (menu->isEmpty()) return menu->deleteLater();
  menu->popup(globalPlace);
}

}  // namespace hilo
