package io.sluice.demo.driver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

final class DriverMessageTest {
  static Stream<DriverMessage> messages() {
    return Stream.of(
        new DriverMessage.Ready("app-1"),
        new DriverMessage.Progress("data", 3, 22),
        new DriverMessage.Result("14a", 25, 1234, "ab12", 1L << 40, 7),
        new DriverMessage.JobDone("self-join", 200, "6001215:-17", 4321, 1L << 41, 9, 800, 70),
        new DriverMessage.Failed("query 3", "no space left"));
  }

  @ParameterizedTest
  @MethodSource("messages")
  void parsesItsOwnLines(DriverMessage message) {
    assertThat(DriverMessage.parse(message.line())).contains(message);
  }

  @Test
  void keepsAFailureOnOneLine() {
    DriverMessage failed = new DriverMessage.Failed("query 3", "first\tline\nsecond line");

    assertThat(failed.line()).doesNotContain("\n");
    assertThat(DriverMessage.parse(failed.line()))
        .contains(new DriverMessage.Failed("query 3", "first line"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "WARN something", "@sluice-demonstration\tready", " @sluice-demo\tready\tapp"})
  void ignoresOtherOutput(String line) {
    assertThat(DriverMessage.parse(line)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "@sluice-demo\tsurprise",
        "@sluice-demo\tresult\t1",
        "@sluice-demo\tprogress\tdata\tx\t3"
      })
  void refusesInvalidMessages(String line) {
    assertThatThrownBy(() -> DriverMessage.parse(line))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(line);
  }
}
