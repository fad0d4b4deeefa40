package io.sluice.benchmark.published;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.client.TransportKind;
import java.util.List;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class TransportTableTest {
  private static TransportRound round(TransportKind transport, int tasks, long meanUs) {
    Histogram taskUs = new Histogram(5);
    taskUs.recordValue(meanUs / 2);
    taskUs.recordValue(meanUs * 3 / 2);
    return new TransportRound(transport, tasks, 3, taskUs, 2, 1.5, 100 << 20);
  }

  @Test
  void comparesMeanTaskTimesWithThoseOfGrpc() {
    List<TransportRound> rounds =
        List.of(
            round(TransportKind.GRPC, 1400, 2_000_000),
            round(TransportKind.GRPC_NETTY, 1400, 1_400_000),
            round(TransportKind.GRPC_NETTY, 1400, 1_600_000),
            round(TransportKind.GRPC_NETTY, 1400, 9_000_000));

    assertThat(TransportTable.of(rounds).toMarkdown().lines().skip(2))
        .containsExactly(
            "| 1,400 | GRPC | 3.00 | 2.00 | 2.00 | 2.00 | 3.00 | - | 1.50 | 100 | 2 |",
            "| 1,400 | GRPC_NETTY | 3.00 | 1.60 | 1.40 | 9.00 | 2.40 | 20 | 1.50 | 100 | 2 |");
  }
}
