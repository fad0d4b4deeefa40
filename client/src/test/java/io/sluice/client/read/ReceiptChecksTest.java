package io.sluice.client.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.sluice.client.coordinator.ShuffleAssignment;
import io.sluice.client.fake.FakeCluster;
import io.sluice.client.fake.FakeTransport.Faults;
import io.sluice.client.read.MissingBlocks.Reason;
import io.sluice.common.block.Receipt;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Goal: a read that gets other records than the map task added fails and names the attempt, also if
 * every block has a valid number and checksum, and only after it has read the attempt to its end.
 */
class ReceiptChecksTest {
  /** How a read orders blocks, and where they come from. */
  enum Mode {
    IN_ORDER,
    ANY_ORDER,
    MAP_ORDER,
    LOCAL_OUTPUT
  }

  /** Faults of a stage behind the writer. */
  enum Fault {
    FIRST_BLOCK_DROPPED(blocks -> blocks.drop(0)),
    FIRST_BLOCK_DOUBLED(blocks -> blocks.repeat(0)),
    BIT_FLIPPED(blocks -> blocks.payload(2)[5] ^= 0x10),
    BYTES_SWAPPED(
        blocks -> {
          byte[] payload = blocks.payload(2);
          byte first = payload[1];
          payload[1] = payload[2];
          payload[2] = first;
        }),
    PIECES_SWAPPED(
        blocks -> {
          byte[] first = blocks.payload(1);
          blocks.payload(1, blocks.payload(2));
          blocks.payload(2, first);
        }),
    LAST_BYTE_DROPPED(
        blocks ->
            blocks.payload(0, Arrays.copyOf(blocks.payload(0), blocks.payload(0).length - 1))),
    BYTE_ADDED(
        blocks ->
            blocks.payload(0, Arrays.copyOf(blocks.payload(0), blocks.payload(0).length + 1))),
    RECORDS_MISCOUNTED(blocks -> blocks.records(0, 8)),
    RECORDS_OF_BATCHES_SWAPPED(
        blocks -> {
          blocks.records(0, 9);
          blocks.records(1, 7);
        }),
    RECEIPT_OF_OTHER_ATTEMPT(
        blocks -> {
          Receipt old = blocks.receipt();
          blocks.receipt(new Receipt(old.records(), old.bytes(), old.checksum() + 1));
        }),
    RECEIPT_ZEROED(blocks -> blocks.receipt(Receipt.NONE));

    @SuppressWarnings("ImmutableEnumChecker") // A lambda without state.
    private final Consumer<WrittenBlocks> change;

    Fault(Consumer<WrittenBlocks> change) {
      this.change = change;
    }
  }

  private final Random random = new Random(5);

  private byte[] batch(int records, int length) {
    byte[] bytes = new byte[length];
    random.nextBytes(bytes);
    bytes[0] = (byte) records;
    return bytes;
  }

  /** A batch of 7 records in one block, one of 9 in three, one of 3 in the last block. */
  private WrittenBlocks written(long attempt, boolean finalPass) throws IOException {
    return WrittenBlocks.of(attempt, finalPass, batch(7, 300), batch(9, 9000), batch(3, 500));
  }

  private static Stream<Arguments> allFaults() {
    return Arrays.stream(Mode.values())
        .flatMap(mode -> Arrays.stream(Fault.values()).map(fault -> Arguments.of(mode, fault)));
  }

  /** Reads partition 0 of some attempts to its end. */
  private ReadCounters read(Mode mode, WrittenBlocks... attempts) throws Exception {
    try (FakeCluster cluster = FakeCluster.inline(1, new Faults() {})) {
      ShuffleAssignment assignment = cluster.assign(1, 1, 1);
      ShuffleReadRequest.Builder request = ShuffleReadRequest.builder(assignment);
      FakeLocalOutput local = new FakeLocalOutput(3);
      for (WrittenBlocks blocks : attempts) {
        request.expect(0, blocks.attempt(), (int) blocks.attempt());
        if (mode == Mode.LOCAL_OUTPUT) {
          blocks.sealed().forEach(block -> local.add(0, blocks.attempt(), block));
        } else {
          List<Integer> order =
              new ArrayList<>(IntStream.range(0, blocks.count()).boxed().toList());
          Collections.shuffle(order, random);
          blocks.push(cluster, assignment, order);
        }
      }
      switch (mode) {
        case ANY_ORDER -> request.anyOrder();
        case MAP_ORDER -> request.anyOrder().mapOrder();
        case LOCAL_OUTPUT -> request.localOutput(local);
        case IN_ORDER -> {}
      }
      try (PooledShuffleRead read = cluster.read(request.build())) {
        while (read.next() != null) {
          // Each batch is counted by the read.
        }
        return read.counters();
      }
    }
  }

  @ParameterizedTest
  @EnumSource(Mode.class)
  void acceptsDataThatMatchesItsReceipt(Mode mode) throws Exception {
    for (boolean finalPass : new boolean[] {false, true}) {
      ReadCounters counters = read(mode, written(1, finalPass), written(2, finalPass));
      assertThat(counters.records()).isEqualTo(38);
      assertThat(counters.receipts()).isEqualTo(2);
    }
  }

  @ParameterizedTest
  @MethodSource("allFaults")
  void failsTheReadIfRecordsAreDroppedDoubledOrAltered(Mode mode, Fault fault) throws Exception {
    for (boolean finalPass : new boolean[] {false, true}) {
      WrittenBlocks wrong = written(2, finalPass);
      fault.change.accept(wrong);
      BlocksMissingException failure =
          catchThrowableOfType(
              BlocksMissingException.class, () -> read(mode, written(1, finalPass), wrong));
      assertThat(failure.missing()).hasSize(1);
      MissingBlocks mismatch = failure.missing().get(0);
      assertThat(mismatch.reason()).isEqualTo(Reason.MISMATCH);
      assertThat(mismatch.partition()).isZero();
      assertThat(mismatch.mapAttempt()).isEqualTo(2);
      assertThat(mismatch.mapIndex()).isEqualTo(2);
    }
  }

  @Test
  void namesPartitionAttemptServersAndBothReceipts() throws Exception {
    WrittenBlocks wrong = written(2, true);
    Receipt receipt = wrong.receipt();
    wrong.drop(0);
    BlocksMissingException failure =
        catchThrowableOfType(BlocksMissingException.class, () -> read(Mode.IN_ORDER, wrong));
    assertThat(failure)
        .hasMessageContaining("records of a map task do not match its receipt")
        .hasMessageContaining(" partition=0 attempt=2 mapIndex=2 reason=MISMATCH servers=")
        .hasMessageContaining("records=12 expectedRecords=19 bytes=9500 expectedBytes=9800")
        .hasMessageContaining(String.format("expectedChecksum=%016x", receipt.checksum()));
    assertThat(failure.missing().get(0).servers()).hasSize(1);
  }

  /** A limit ends a read early; its attempts are not compared. */
  @Test
  void doesNotCompareAnAttemptThatIsNotReadToItsEnd() throws Exception {
    WrittenBlocks wrong = written(1, true);
    Fault.RECEIPT_ZEROED.change.accept(wrong);
    try (FakeCluster cluster = FakeCluster.inline(1, new Faults() {})) {
      ShuffleAssignment assignment = cluster.assign(1, 1, 1);
      wrong.push(cluster, assignment, IntStream.range(0, wrong.count()).boxed().toList());
      ShuffleReadRequest request = ShuffleReadRequest.builder(assignment).expect(0, 1, 1).build();
      try (PooledShuffleRead read = cluster.read(request)) {
        assertThat(read.next().records()).isEqualTo(7);
      }
    }
  }

  /** Losing attempts of speculation, and map tasks that another split of the partition reads. */
  @Test
  void doesNotCompareAttemptsThatAreNotExpected() throws Exception {
    WrittenBlocks other = written(9, true);
    Fault.RECEIPT_ZEROED.change.accept(other);
    WrittenBlocks expected = written(1, true);
    try (FakeCluster cluster = FakeCluster.inline(1, new Faults() {})) {
      ShuffleAssignment assignment = cluster.assign(1, 1, 1);
      for (WrittenBlocks each : List.of(other, expected)) {
        each.push(cluster, assignment, IntStream.range(0, each.count()).boxed().toList());
      }
      ShuffleReadRequest request = ShuffleReadRequest.builder(assignment).expect(0, 1, 1).build();
      try (PooledShuffleRead read = cluster.read(request)) {
        while (read.next() != null) {
          // Each batch is counted by the read.
        }
        assertThat(read.counters().receipts()).isEqualTo(1);
        assertThat(read.counters().records()).isEqualTo(19);
      }
    }
  }
}
