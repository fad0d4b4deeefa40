package io.sluice.benchmark.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

final class NeededBytesTest {
  @Test
  void aShuffleIsNeededUntilItsLastRead() {
    NeededBytes needed =
        NeededBytes.of(
            Stream.of(
                "write 1 0 10 100",
                "write 1 1 20 200",
                "read 1 30",
                "write 2 0 30 50",
                "read 1 40",
                "read 2 60"));

    assertThat(needed.bytes().at(9)).isZero();
    assertThat(needed.bytes().at(10)).isEqualTo(100);
    assertThat(needed.bytes().at(39)).isEqualTo(350);
    assertThat(needed.bytes().at(40)).isEqualTo(50);
    assertThat(needed.bytes().at(60)).isZero();
    assertThat(needed.bytes().peak()).isEqualTo(350);
    assertThat(needed.bytes().peakTime()).isEqualTo(30);
    assertThat(needed.writtenBytes()).isEqualTo(350);
    assertThat(needed.repeatedMaps()).isZero();
  }

  @Test
  void aShuffleWithoutReaderIsNotNeeded() {
    NeededBytes needed = NeededBytes.of(Stream.of("write 1 0 10 100", "write 2 0 10 100"));

    assertThat(needed.bytes().peak()).isZero();
    assertThat(needed.writtenBytes()).isEqualTo(200);
  }

  @Test
  void outputThatIsWrittenAgainCountsOnce() {
    NeededBytes needed =
        NeededBytes.of(Stream.of("write 1 0 10 100", "read 1 20", "write 1 0 30 100", "read 1 40"));

    assertThat(needed.bytes().peak()).isEqualTo(100);
    assertThat(needed.repeatedMaps()).isEqualTo(1);
  }
}
