package io.sluice.spark.ui;

import java.util.List;
import org.apache.spark.ui.SparkUI;
import org.apache.spark.ui.SparkUITab;

/** The Sluice tab, of a running application or in the history server. */
public final class SluiceTab extends SparkUITab {
  private static final String PATH = "sluice";

  private final SparkUI ui;

  private SluiceTab(SparkUI ui) {
    super(ui, PATH);
    this.ui = ui;
    attachPage(new SluicePage(this));
  }

  /** Adds the tab to an application's web UI. */
  public static void attach(SparkUI ui) {
    ui.attachTab(new SluiceTab(ui));
  }

  @Override
  public String name() {
    return "Sluice";
  }

  /** The content of the tab's page, from the current state. */
  String html() {
    List<ShuffleState> rows = ShuffleRows.of(ui.store().store());
    return ShuffleTable.html(rows) + ServerTable.html(rows);
  }
}
