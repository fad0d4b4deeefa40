package io.sluice.spark.ui;

import javax.servlet.http.HttpServletRequest;
import org.apache.spark.ui.WebUIPage;
import scala.collection.immutable.Seq;
import scala.xml.Node;

/** The only page of the tab. The type of its request is {@code javax.servlet} in Spark 3. */
final class SluicePage extends WebUIPage {
  private final SluiceTab tab;

  SluicePage(SluiceTab tab) {
    super("");
    this.tab = tab;
  }

  @Override
  public Seq<Node> render(HttpServletRequest request) {
    return PageFrame.around(request, tab, "Sluice shuffles", tab.html());
  }
}
