package io.sluice.benchmark.compatibility;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.docs.Checkout;
import io.sluice.common.docs.DocumentedTable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * Keys, metrics, REST fields and the Java API of a release stay. A line of its golden list that the
 * build does not have needs a row in the table of docs/upgrading.md. New lines are added to the
 * list of the next release.
 */
class InterfaceTest {
  private static final String GOLDEN = "benchmark/src/test/resources/golden/interface-0.1.0.txt";

  private static final String CHANGED = "Removed and changed interfaces";

  @Test
  void incompatibleChangesAreInTheUpgradeNotes() {
    assertThat(undocumented(Checkout.lines(GOLDEN), PublicInterface.lines(), documented()))
        .as("interfaces that the build lacks; restore them, or add rows to docs/upgrading.md")
        .isEmpty();
  }

  @Test
  void newInterfacesAreInTheGoldenList() throws IOException {
    Set<String> lines = new TreeSet<>(PublicInterface.lines());
    lines.addAll(Checkout.lines(GOLDEN));
    Path proposed = Path.of("target", "interface.txt");
    Files.createDirectories(proposed.getParent());
    Files.write(proposed, lines);

    lines.removeAll(Checkout.lines(GOLDEN));
    assertThat(lines)
        .as("interfaces that the golden list lacks; cp benchmark/target/interface.txt " + GOLDEN)
        .isEmpty();
  }

  @Test
  void coversEachKindOfInterface() {
    List<String> kinds = List.of("key ", "accepted ", "metric ", "rest ", "java ");
    for (String kind : kinds) {
      assertThat(PublicInterface.lines()).as(kind).anyMatch(line -> line.startsWith(kind));
    }
    assertThat(PublicInterface.lines())
        .contains(
            "key server rss.server.buffer.capacity size",
            "key client spark.rss.local.output ALWAYS",
            "rest /api/v1/servers/{server}.get.responses.200.content.application/json.schema"
                + " $ref=#/components/schemas/ServerDetail",
            "rest Problem.title type=string")
        .allMatch(line -> !PublicInterface.name(line).isEmpty());
  }

  @Test
  void changesAreFound() {
    List<String> golden =
        List.of("key server rss.x size", "metric sluice_y counter a", "rest Problem.z type=string");
    List<String> build = List.of("key server rss.x time", "metric sluice_y counter a,b");

    assertThat(undocumented(golden, build, Set.of())).containsExactlyElementsOf(golden);
    assertThat(undocumented(golden, build, Set.of("rss.x", "Problem.z")))
        .containsExactly("metric sluice_y counter a");
    assertThat(undocumented(golden, golden, Set.of())).isEmpty();
  }

  private static List<String> undocumented(
      Collection<String> golden, Collection<String> build, Set<String> documented) {
    List<String> missing = new ArrayList<>(golden);
    missing.removeAll(build);
    missing.removeIf(line -> documented.contains(PublicInterface.name(line)));
    return missing;
  }

  /** Names in the first column of the table. */
  private static Set<String> documented() {
    return DocumentedTable.of("upgrading.md", CHANGED).stream()
        .flatMap(row -> row.names().stream())
        .collect(Collectors.toSet());
  }
}
