package io.sluice.spark;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.docs.DocumentedTable;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.apache.spark.internal.config.ConfigEntry$;
import org.apache.spark.internal.config.package$;
import org.junit.jupiter.api.Test;

/** The table of Spark's settings in docs/spark.md. */
class SparkSettingsTest {
  private static final String HEADING = "Settings of Spark's shuffle";

  @Test
  void everySettingThatThisSparkHasIsInTheTable() {
    // Loads the classes that declare Spark's settings.
    assertThat(package$.MODULE$.SHUFFLE_COMPRESS().key()).isEqualTo("spark.shuffle.compress");
    List<String> documented = new ArrayList<>();
    for (DocumentedTable.Row row : DocumentedTable.of("spark.md", HEADING)) {
      documented.addAll(row.names());
    }

    TreeSet<String> missing = new TreeSet<>();
    for (Object key : ConfigEntry$.MODULE$.knownConfigs().keySet()) {
      String name = (String) key;
      if ((name.startsWith("spark.shuffle.") || name.startsWith("spark.reducer."))
          && documented.stream().noneMatch(one -> covers(one, name))) {
        missing.add(name);
      }
    }

    assertThat(missing).isEmpty();
  }

  @Test
  void everyRowNamesTheEffectOfTheSettingAndTheReason() {
    for (DocumentedTable.Row row : DocumentedTable.of("spark.md", HEADING)) {
      assertThat(row.cell(1)).as(row.cell(0)).isIn("yes", "partly", "no");
      assertThat(row.cell(2)).as(row.cell(0)).isNotEmpty();
    }
  }

  /** A name of the table may end with a star. */
  private static boolean covers(String documented, String name) {
    return documented.endsWith("*")
        ? name.startsWith(documented.substring(0, documented.length() - 1))
        : name.equals(documented);
  }
}
