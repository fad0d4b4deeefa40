package io.sluice.benchmark.floor;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.cli.bench.BenchTable;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class FloorTableTest {
  /** A round in which every operation of Sluice costs {@code times} the floor. */
  private static FloorRound round(boolean isFirst, double times) {
    Map<FloorFigure, Double> cpu = new EnumMap<>(FloorFigure.class);
    cpu.put(FloorFigure.RECEIVE, 0.1);
    cpu.put(FloorFigure.RECEIVE_CRC, 0.2);
    cpu.put(FloorFigure.KEEP, 0.25);
    cpu.put(FloorFigure.WRITE, 0.5);
    cpu.put(FloorFigure.SEND, 0.1);
    cpu.put(FloorFigure.SEND_COPY, 0.3);
    cpu.put(FloorFigure.ENCRYPT, 0.25);
    cpu.put(FloorFigure.DECRYPT, 0.5);
    cpu.put(FloorFigure.PUSH_MEMORY, 0.2 * times);
    // Three quarters are spilled: 0.1 + 0.75 * 0.4.
    cpu.put(FloorFigure.PUSH_NETTY, 0.4 * times);
    cpu.put(FloorFigure.FETCH_NETTY, 0.1 * times);
    cpu.put(FloorFigure.PUSH_GRPC, 0.8 * times);
    cpu.put(FloorFigure.FETCH_GRPC, 0.2 * times);
    cpu.put(FloorFigure.PUSH_TLS, 0.4 * times + 1);
    cpu.put(FloorFigure.FETCH_TLS, 0.1 * times + 0.5);
    return new FloorRound(isFirst, cpu, 0.75);
  }

  @Test
  void comparesEachOperationWithItsBaseInTheSameRound() {
    BenchTable table =
        FloorTable.ratios(
            List.of(round(true, 4), round(false, 1), round(false, 3), round(false, 1.5)), 90_000);

    assertThat(table.columns().get(2).name()).isEqualTo("first 90 s, times");
    assertThat(table.rows())
        .extracting(row -> table.columns().get(2).format(row.get(2)))
        .containsExactly("4.00", "4.00", "4.00", "2.00", "2.00", "2.00", "2.00");
    assertThat(table.rows())
        .extracting(row -> table.columns().get(3).format(row.get(3)))
        .containsExactly("1.50", "1.50", "1.50", "2.00", "2.00", "2.00", "2.00");
    assertThat(table.toText().lines().skip(1).findFirst().orElseThrow())
        .matches(
            "push into memory +minimal server: receive and CRC32C +4.00 +1.50 +1.00 +3.00 +1.5");
  }

  @Test
  void listsNoRatioWithoutRounds() {
    List<BenchTable> tables =
        List.of(
            FloorTable.ratios(List.of(round(false, 2)), 60_000),
            FloorTable.costs(List.of(round(false, 2)), 60_000));

    for (BenchTable table : tables) {
      int first = table.columns().size() == 7 ? 2 : 1;
      assertThat(table.rows()).allSatisfy(row -> assertThat(row.get(first)).isNull());
      assertThat(table.rows()).allSatisfy(row -> assertThat(row.get(first + 1)).isNotNull());
    }
  }
}
