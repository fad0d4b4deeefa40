package io.sluice.common.error;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.proto.Status;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class StatusCodeTest {
  private static final String ROW = "\\| \\d+ \\| [A-Z_]+ \\| .*";

  @Test
  void everyStatusOfTheWireHasOneCode() {
    for (Status wire : Status.values()) {
      if (wire != Status.UNRECOGNIZED) {
        assertThat(StatusCode.of(wire).wire()).isEqualTo(wire);
        assertThat(StatusCode.of(wire).name()).isEqualTo(wire.name());
      }
    }
    assertThat(StatusCode.of(Status.UNRECOGNIZED)).isEqualTo(StatusCode.INTERNAL);
  }

  @Test
  void reactionsAreThoseOfTheDocumentation() throws IOException {
    assertThat(rows().map(StatusCodeTest::withoutMeaning))
        .containsExactlyElementsOf(
            Arrays.stream(StatusCode.values()).map(StatusCodeTest::row).toList());
  }

  private static Stream<List<String>> rows() throws IOException {
    String page = Files.readString(Path.of("../docs/protocol.md"));
    return page.substring(page.indexOf("## Statuses"), page.indexOf("## Moves"))
        .lines()
        .filter(line -> line.matches(ROW))
        .map(line -> Arrays.stream(line.split("\\|", -1)).map(String::strip).toList());
  }

  private static String withoutMeaning(List<String> cells) {
    return String.join(" ", cells.get(1), cells.get(2), cells.get(4), cells.get(5)).strip();
  }

  private static String row(StatusCode code) {
    String numberAndName = code.wire().getNumber() + " " + code;
    return code == StatusCode.OK
        ? numberAndName
        : numberAndName + " " + code.onPush() + " " + code.onRead();
  }

  @Test
  void theServerIsAtFaultIfARetryMayHelp() {
    assertThat(Arrays.stream(StatusCode.values()).filter(code -> code.onPush().isServersFault()))
        .containsExactlyInAnyOrder(
            StatusCode.BUSY,
            StatusCode.DRAINING,
            StatusCode.NO_SPACE,
            StatusCode.STALE_EPOCH,
            StatusCode.STORAGE_FAILED,
            StatusCode.INTERNAL);
  }
}
