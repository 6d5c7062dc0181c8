// The form of the kernel layout view, and a click into its picture.
#include "ui/views/kernel_layouts/layout_form.h"

#include <gtest/gtest.h>

#include <QSignalSpy>
#include <QTest>

#include "core/analysis/kernel_layouts/layout_families.h"
#include "core/analysis/kernel_layouts/register_map.h"
#include "ui/views/kernel_layouts/element_picture.h"

namespace hilo {
namespace {

TEST(LayoutForm, EveryNamedLayoutHasAShapeThatItFits) {
  LayoutForm form;
  const QSignalSpy changed(&form, &LayoutForm::changed);
  for (const NamedLayout& named : namedLayouts()) {
    form.layoutBox().setCurrentText(
        QString::fromUtf8(named.name.data(), static_cast<int>(named.name.size())));
    const auto question = form.question();
    ASSERT_TRUE(question) << named.name << ": " << question.error().message;
    EXPECT_TRUE(RegisterMap::of(*question->registers, question->shape)) << named.name;
  }
  EXPECT_GE(changed.count(), static_cast<int>(namedLayouts().size()) - 1);
}

TEST(LayoutForm, KeepsAShapeThatFitsAndSaysWhatIsWrong) {
  LayoutForm form;
  form.ask({.registers = "WGMMA", .shape = "128x32", .elementBits = 32, .shared = {}});
  EXPECT_EQ(form.question()->shape, (Sizes{128, 32}));
  EXPECT_FALSE(form.question()->shared);
  EXPECT_EQ(form.question()->elementBits, 32);
  form.layoutBox().setCurrentText("TCGEN05");
  EXPECT_EQ(form.question()->shape, (Sizes{128, 32}));
  form.shared().setCurrentText("swizzle(");
  EXPECT_EQ(form.question().error().kind, "kernel-layout-text");
  form.shared().setCurrentText("none");
  form.shape().setText("64 by 64");
  EXPECT_EQ(form.question().error().kind, "kernel-shape");
}

TEST(ElementPicture, AClickFindsTheElementOfItsCell) {
  const auto layout = drawnLayout(RegisterLayout(namedLayouts()[0].layout),
                                  SharedLayout{{TileTransform{{8, 64}}}, 128}, {64, 128}, 16);
  ASSERT_TRUE(layout);
  ElementPicture picture("Elements");
  picture.resize(700, 500);
  const auto nothing = [](int64_t) { return QString(); };
  for (const ElementGrid& grid : {arrayGrid(*layout), memoryGrid(*layout)}) {
    picture.setGrid(grid, elementColours(*layout, LayoutFacet::kThread, false), nothing, nothing);
    for (int64_t cell = 0; cell < layout->elements(); ++cell) {
      const QPointF centre = picture.cellRect(cell / grid.columns, cell % grid.columns).center();
      EXPECT_EQ(picture.elementAt(centre), grid.cells[static_cast<size_t>(cell)]);
    }
  }
  EXPECT_EQ(picture.elementAt({1, 1}), -1);
  QSignalSpy picked(&picture, &ElementPicture::picked);
  QTest::mouseClick(&picture, Qt::LeftButton, {}, picture.cellRect(3, 5).center().toPoint());
  EXPECT_EQ(picked.takeFirst()[0].toLongLong(), picture.grid().cells[3 * 64 + 5]);
  picture.mark(3 * 64 + 5, {3 * 64 + 5});
  QTest::keyClick(&picture, Qt::Key_Escape);
  EXPECT_EQ(picked.takeFirst()[0].toLongLong(), -1);
}

}  // namespace
}  // namespace hilo
