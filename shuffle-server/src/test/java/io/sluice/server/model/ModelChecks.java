package io.sluice.server.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.google.protobuf.ByteString;
import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import io.sluice.proto.Fetch;
import io.sluice.proto.LostStretch;
import io.sluice.proto.Open;
import io.sluice.proto.OpenReply;
import io.sluice.proto.PartitionState;
import io.sluice.proto.Presence;
import io.sluice.proto.Range;
import io.sluice.proto.ShuffleId;
import io.sluice.server.disk.RunFiles;
import io.sluice.server.disk.Storage;
import io.sluice.server.log.ShuffleLog;
import io.sluice.server.read.InlineReads;
import io.sluice.transport.protocol.AttemptSets;
import io.sluice.transport.server.ClientConnection;
import io.sluice.transport.server.FetchedBytes;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.IntSupplier;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/** Compares the replies and the directories of one server with the model. */
final class ModelChecks {
  static final ClientConnection CONNECTION =
      new ClientConnection(Model.APPLICATION, "test", "loopback");

  /** A reply that its client has not read yet. */
  @SuppressWarnings("ArrayRecordComponent")
  record UnreadReply(FetchedBytes bytes, byte[] expected) {}

  private final ServerModel server;
  private final Model model;
  private final Random random;
  private final int shuffles;
  private final IntSupplier losses;

  /**
   * @param losses number of runs of this server that were lost so far
   */
  ModelChecks(ServerModel server, Model model, Random random, int shuffles, IntSupplier losses) {
    this.server = server;
    this.model = model;
    this.random = random;
    this.shuffles = shuffles;
    this.losses = losses;
  }

  /** Adds accepted blocks to the model. */
  void accept(int shuffle, ModelShuffle expected, List<ModelBlock> pushed) throws Exception {
    Set<Integer> uncounted = new TreeSet<>();
    for (ModelBlock block : pushed) {
      ModelPartition partition = expected.partition(block.partition());
      if (partition.isUncounted()) {
        uncounted.add(block.partition());
      } else if (!partition.has(block)) {
        partition.accept(block, server.epoch());
      }
    }
    for (int index : uncounted) {
      learn(shuffle, expected.partition(index), index, pushed);
    }
  }

  /** Learns which duplicate blocks the server accepted, and checks that its state is consistent. */
  private void learn(int shuffle, ModelPartition partition, int index, List<ModelBlock> pushed)
      throws Exception {
    long length =
        server
            .store
            .find(Model.key(shuffle))
            .snapshot(new int[] {index}, false)
            .partitions()
            .get(0)
            .length();
    ByteBuffer grown = ByteBuffer.allocate((int) (length - partition.length()));
    if (grown.hasRemaining()) {
      Fetch fetch = fetchOf(shuffle, index, partition.length(), grown.capacity());
      try (FetchedBytes bytes = InlineReads.await(server.service.fetch(CONNECTION, fetch))) {
        grown.put(Schedule.read(bytes)).flip();
      }
    }
    for (ModelBlock block : pushed) {
      if (block.partition() != index) {
        continue;
      }
      int size = block.bytes().length;
      boolean taken =
          grown.remaining() >= size
              && grown.slice(grown.position(), size).equals(ByteBuffer.wrap(block.bytes()));
      if (taken) {
        partition.accept(block, server.epoch());
        grown.position(grown.position() + size);
      } else {
        assertThat(partition.has(block)).as("%s was refused although it is lost", block).isTrue();
      }
    }
    assertThat(grown.hasRemaining())
        .as("partition %d grew by bytes that were not pushed", index)
        .isFalse();
  }

  /**
   * Fetches some ranges, and checks a refusal.
   *
   * @return the reply, owned by the caller; null if there is none
   */
  UnreadReply fetch() throws Exception {
    int shuffle = random.nextInt(shuffles);
    ModelShuffle expected = model.find(shuffle);
    Fetch.Builder fetch = Fetch.newBuilder().setShuffle(id(shuffle)).setEpoch(server.epoch());
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    StatusCode refusal = null;
    if (expected == null || expected.forgotten || !expected.written) {
      refusal =
          expected != null && expected.forgotten ? StatusCode.EXPIRED : StatusCode.NEVER_WRITTEN;
    }
    int ranges = 1 + random.nextInt(5);
    for (int i = 0; i < ranges; i++) {
      int index = anyPartition(expected);
      ModelPartition there = expected == null ? null : expected.partitions.get(index);
      int size = there == null ? 0 : (int) there.length();
      int offset = random.nextInt(size + 1);
      int length = 1 + random.nextInt(Math.max(1, size - offset));
      if (random.nextInt(50) == 0) {
        length = size - offset + 1;
      }
      if (refusal == null) {
        if (offset + length > size) {
          refusal = StatusCode.OUT_OF_RANGE;
        } else if (there.isLost(offset, offset + length)) {
          refusal = StatusCode.LOST;
        } else {
          there.copyTo(bytes, offset, offset + length);
        }
      }
      fetch.addRanges(Range.newBuilder().setPartition(index).setOffset(offset).setLength(length));
    }
    if (refusal != null) {
      assertThat(refusal(() -> InlineReads.await(server.service.fetch(CONNECTION, fetch.build()))))
          .isEqualTo(refusal);
      return null;
    }
    FetchedBytes found = fetch(fetch.build());
    return found == null ? null : new UnreadReply(found, bytes.toByteArray());
  }

  /** Returns the reply, or null if a disk failed. */
  private FetchedBytes fetch(Fetch fetch) {
    int failures = server.readFailures();
    try {
      return InlineReads.await(server.service.fetch(CONNECTION, fetch));
    } catch (SluiceException e) {
      assertThat(server.readFailures()).as("no read failed, but: %s", e).isGreaterThan(failures);
      assertThat(e.code()).isIn(StatusCode.STORAGE_FAILED, StatusCode.LOST);
      return null;
    }
  }

  private int anyPartition(ModelShuffle shuffle) {
    if (shuffle == null || shuffle.partitions.isEmpty() || random.nextInt(20) == 0) {
      return random.nextInt(RandomBlocks.PARTITIONS);
    }
    List<Integer> there = List.copyOf(shuffle.partitions.keySet());
    return there.get(random.nextInt(there.size()));
  }

  /** Closes a reply after reading it. */
  void check(UnreadReply fetched) {
    int failures = server.readFailures();
    try (FetchedBytes bytes = fetched.bytes()) {
      assertThat(Schedule.read(bytes)).isEqualTo(fetched.expected());
    } catch (EOFException e) {
      // A lost disk that recovers is emptied, even while its runs have readers.
      assertThat(losses.getAsInt()).as("no run was lost, but: %s", e).isPositive();
    } catch (IOException e) {
      assertThat(server.readFailures()).as("no read failed, but: %s", e).isGreaterThan(failures);
    }
  }

  void checkAll() throws Exception {
    for (int shuffle = 0; shuffle < shuffles; shuffle++) {
      checkOpen(shuffle);
      checkAllBytes(shuffle);
    }
  }

  void checkOpen(int shuffle) throws Exception {
    long assigned = Math.max(1, server.epoch() - random.nextInt(3));
    Open.Builder open =
        Open.newBuilder()
            .setShuffle(id(shuffle))
            .setAssignedEpoch(assigned)
            .setWantSliceMarks(true);
    for (int partition = 0; partition < RandomBlocks.PARTITIONS; partition++) {
      open.addPartitions(partition);
    }
    OpenReply reply = server.service.open(CONNECTION, open.build()).toCompletableFuture().get();
    ModelShuffle expected = model.find(shuffle);
    boolean earlier = assigned < server.recovered.wholeSinceEpoch();
    for (int index = 0; index < RandomBlocks.PARTITIONS; index++) {
      PartitionState state = reply.getPartitions(index);
      if (expected != null && expected.forgotten) {
        assertThat(state.getPresence()).isEqualTo(Presence.SHUFFLE_EXPIRED);
        continue;
      }
      boolean written = expected != null && expected.written;
      ModelPartition there = written ? expected.partitions.get(index) : null;
      if (there == null) {
        assertThat(state.getPresence())
            .isEqualTo(
                earlier
                    ? Presence.DATA_LOST
                    : written ? Presence.PARTITION_EMPTY : Presence.SHUFFLE_NEVER_WRITTEN);
        continue;
      }
      assertThat(state.getPresence()).isEqualTo(Presence.PRESENT);
      check(there, state, attempts(reply.getAttemptSets(state.getCompleteAttempts())));
    }
    assertThat(reply.getAttemptSetsList()).doesNotHaveDuplicates();
  }

  private static void check(ModelPartition expected, PartitionState state, long[] complete) {
    assertThat(state.getLength()).isEqualTo(expected.length());
    List<Long> attempts = Arrays.stream(complete).boxed().toList();
    if (expected.isUncounted()) {
      assertThat(attempts).as("complete attempts").isSubsetOf(expected.complete());
    } else {
      assertThat(attempts).as("complete attempts").containsExactlyElementsOf(expected.complete());
    }
    List<List<Long>> lost = new ArrayList<>();
    for (LostStretch each : state.getLostList()) {
      lost.add(List.of(each.getOffset(), each.getOffset() + each.getLength()));
    }
    assertThat(lost).as("lost stretches").isEqualTo(expected.lost());
    long end = 0;
    for (var mark : state.getSliceMarksList()) {
      assertThat(mark.getOffset()).isEqualTo(end);
      end += mark.getLength();
    }
    assertThat(end).isEqualTo(state.getLength());
  }

  private static long[] attempts(ByteString set) throws IOException {
    return AttemptSets.decode(set).toArray();
  }

  void checkAllBytes(int shuffle) {
    ModelShuffle expected = model.find(shuffle);
    if (expected == null || expected.forgotten) {
      return;
    }
    expected.partitions.forEach(
        (index, partition) -> {
          if (partition.length() > 0 && !partition.isLost(0, partition.length())) {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            partition.copyTo(bytes, 0, partition.length());
            FetchedBytes found = fetch(fetchOf(shuffle, index, 0, (int) partition.length()));
            if (found != null) {
              check(new UnreadReply(found, bytes.toByteArray()));
            }
          }
        });
  }

  /** Checks that catalogs and directories have exactly the runs of the logs. */
  void checkDirectories() throws Exception {
    List<String> logged = new ArrayList<>();
    for (ShuffleLog log : server.store.logs()) {
      log.runs().forEach(run -> logged.add(run.run().toString()));
    }
    List<String> recorded = new ArrayList<>();
    List<String> stored = new ArrayList<>();
    for (ModelDirectory directory : server.directories) {
      String prefix = directory.storage().name() + "/";
      directory.catalog().runs().forEach(run -> recorded.add(prefix + RunFiles.fileName(run.id())));
      for (Storage.Entry entry : directory.storage().list()) {
        if (RunFiles.runId(entry.file()).isPresent()) {
          stored.add(prefix + entry.file());
        }
      }
      assertThat(directory.storage().unfinishedCount()).isZero();
    }
    assertThat(recorded).containsExactlyInAnyOrderElementsOf(logged);
    assertThat(stored).containsExactlyInAnyOrderElementsOf(logged);
  }

  private Fetch fetchOf(int shuffle, int partition, long offset, int length) {
    return Fetch.newBuilder()
        .setShuffle(id(shuffle))
        .setEpoch(server.epoch())
        .addRanges(Range.newBuilder().setPartition(partition).setOffset(offset).setLength(length))
        .build();
  }

  static StatusCode refusal(ThrowingCallable call) {
    Throwable thrown = catchThrowable(call);
    assertThat(thrown).isInstanceOf(SluiceException.class);
    return ((SluiceException) thrown).code();
  }

  static ShuffleId id(int shuffle) {
    return ShuffleId.newBuilder().setApplication(Model.APPLICATION).setShuffle(shuffle).build();
  }
}
