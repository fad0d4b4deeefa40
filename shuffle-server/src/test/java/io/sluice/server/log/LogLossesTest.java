package io.sluice.server.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.run.RunOrder;
import java.util.Set;
import org.junit.jupiter.api.Test;

class LogLossesTest {
  private static final int PARTITION = 3;

  private final LogTotals totals = new LogTotals(1 << 20);
  private final LogState logState = new LogState(new ShuffleKey("app", 1), totals);
  private final LogLosses losses = new LogLosses(logState, totals);
  private final FakeRun earlier = new FakeRun(new byte[0]);
  private final FakeRun later = new FakeRun(new byte[0]);

  /** A log whose partition has 100 bytes in the earlier run, while the later run takes over. */
  private PartitionLog partition() {
    logState.state = LogState.State.LIVE;
    logState.runs.add(new RunTable.Entry(later, new RunOrder(1, 0), 0, 0));
    PartitionLog partition = logState.findOrAdd(PARTITION);
    partition.extents().append(new Extent.InFile(earlier, 0, 100, 0));
    return partition;
  }

  @Test
  void movesExtentsToARun() {
    PartitionLog partition = partition();

    losses.moveTo(later, 50, PARTITION, 0, 100);

    assertThat(partition.located()).containsExactly(new LocatedExtent(later, 50, 0, 100));
    assertThat(partition.lost()).isEmpty();
  }

  @Test
  void extentsAreLostIfTheirRunWasLostBeforeTheyMoved() {
    PartitionLog partition = partition();
    losses.lose(Set.of(later));

    losses.moveTo(later, 50, PARTITION, 0, 100);

    assertThat(partition.located()).isEmpty();
    assertThat(partition.lost()).containsExactly(new OpenSnapshot.Stretch(0, 100));
  }
}
