package io.sluice.server.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.common.block.BlockHeader;
import io.sluice.proto.Fetch;
import io.sluice.proto.Open;
import io.sluice.proto.OpenReply;
import io.sluice.proto.PartitionState;
import io.sluice.proto.Presence;
import io.sluice.proto.Range;
import io.sluice.proto.ShuffleId;
import io.sluice.proto.SliceMark;
import io.sluice.server.disk.RunFiles;
import io.sluice.server.disk.Storage;
import io.sluice.server.log.LogTotals;
import io.sluice.server.log.ShuffleKey;
import io.sluice.server.log.ShuffleLog;
import io.sluice.transport.protocol.AttemptSets;
import io.sluice.transport.server.ClientConnection;
import io.sluice.transport.server.FetchedBytes;
import java.io.IOException;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * Checks of what a simulated server stores. They read its memory and its disks as clients do, and
 * between the steps of its threads. Belongs to a simulation.
 */
public final class ServerChecks {
  private final SimulatedServer server;

  ServerChecks(SimulatedServer server) {
    this.server = server;
  }

  private ServerParts process() {
    return server.process();
  }

  /** Whether this server has all blocks of a map attempt for a partition. */
  public boolean hasAttempt(ShuffleId shuffle, int partition, long attempt) throws Exception {
    OpenReply reply = open(shuffle, partition);
    if (reply == null || reply.getPartitions(0).getLostCount() > 0) {
      return false;
    }
    return reply.getPartitions(0).getPresence() == Presence.PRESENT
        && Arrays.stream(complete(reply)).anyMatch(one -> one == attempt);
  }

  /** Fails unless every attempt that is complete here is complete at another server, too. */
  public void checkMoved(List<SimulatedServer> others) throws Exception {
    for (ShuffleLog log : process().model.store.logs()) {
      ShuffleId shuffle =
          ShuffleId.newBuilder()
              .setApplication(log.key().application())
              .setShuffle(log.key().shuffle())
              .build();
      if (others.stream().anyMatch(other -> other.process().model.store.isExpired(log.key()))) {
        // It was removed, and this server does not know yet.
        continue;
      }
      for (int partition : log.partitions()) {
        for (long attempt : complete(open(shuffle, partition))) {
          boolean moved = false;
          for (SimulatedServer other : others) {
            moved |= other.checks().hasAttempt(shuffle, partition, attempt);
          }
          assertThat(moved)
              .as(
                  "%s leaves with partition %s of attempt %s of %s",
                  server.name(), partition, attempt, shuffle)
              .isTrue();
        }
      }
    }
  }

  private static long[] complete(OpenReply reply) throws IOException {
    int set = reply.getPartitions(0).getCompleteAttempts();
    return AttemptSets.decode(reply.getAttemptSets(set)).toArray();
  }

  private static ClientConnection oracle(ShuffleId shuffle) {
    return new ClientConnection(shuffle.getApplication(), "oracle", "simulated");
  }

  private PartitionState partition(ShuffleId shuffle, int partition) throws Exception {
    OpenReply reply = open(shuffle, partition);
    return reply == null ? null : reply.getPartitions(0);
  }

  /** Opens a partition as a client does; null if the process does not know the shuffle. */
  private OpenReply open(ShuffleId shuffle, int partition) throws Exception {
    return open(shuffle, List.of(partition));
  }

  private OpenReply open(ShuffleId shuffle, List<Integer> partitions) throws Exception {
    ShuffleKey key = new ShuffleKey(shuffle.getApplication(), shuffle.getShuffle());
    if (process() == null || process().model.store.find(key) == null) {
      return null;
    }
    return server
        .service()
        .open(
            oracle(shuffle),
            Open.newBuilder()
                .setShuffle(shuffle)
                .setAssignedEpoch(server.id().getEpoch())
                .addAllPartitions(partitions)
                .setWantSliceMarks(true)
                .build())
        .toCompletableFuture()
        .getNow(null);
  }

  /** Fails if a partition has a block twice; does nothing if its data cannot be read now. */
  public void checkNoDuplicates(ShuffleId shuffle, int partition) throws Exception {
    PartitionState state = partition(shuffle, partition);
    if (state == null || state.getLostCount() > 0 || state.getLength() == 0) {
      return;
    }
    CompletableFuture<FetchedBytes> fetched =
        server
            .service()
            .fetch(
                oracle(shuffle),
                Fetch.newBuilder()
                    .setShuffle(shuffle)
                    .setEpoch(server.id().getEpoch())
                    .addRanges(
                        Range.newBuilder().setPartition(partition).setLength(state.getLength()))
                    .build());
    if (!fetched.isDone() || fetched.isCompletedExceptionally()) {
      // A slow or damaged disk.
      CompletableFuture<FetchedBytes> unused =
          fetched.whenComplete(
              (bytes, failure) -> {
                if (bytes != null) {
                  bytes.close();
                }
              });
      return;
    }
    Set<List<Long>> blocks = new HashSet<>();
    try (FetchedBytes bytes = fetched.getNow(null)) {
      ByteBuf all = Unpooled.wrappedBuffer(Schedule.read(bytes));
      for (int at = 0; at < all.writerIndex(); ) {
        BlockHeader header = BlockHeader.read(all, at, all.writerIndex());
        assertThat(blocks.add(List.of(header.mapAttempt(), (long) header.sequence())))
            .as("%s has a block once: %s", server.name(), header)
            .isTrue();
        at += header.blockLength();
      }
    } catch (IOException e) {
      assertThat(e).as("read of a disk").hasMessageContaining("error");
    }
  }

  /** Fails if memory is used that no block in memory explains, or the reverse. */
  public void checkMemory() {
    if (process() == null) {
      return;
    }
    LogTotals totals = process().model.store.totals();
    long logged = totals.bufferedBytes() + totals.spillingBytes();
    long used = process().memory.usedBytes();
    long stored = process().model.store.logs().stream().mapToLong(ShuffleLog::storedBytes).sum();
    // Compared without a library of assertions: this runs hundreds of times in a schedule.
    if (used < logged
        || used > process().memory.capacityBytes()
        || totals.bufferedBytes() < 0
        || totals.spillingBytes() < 0
        || totals.storedBytes() != stored) {
      throw new AssertionError(
          String.format(
              "memory of %s: used=%d capacity=%d buffered=%d spilling=%d stored=%d, of its logs %d",
              server.name(),
              used,
              process().memory.capacityBytes(),
              totals.bufferedBytes(),
              totals.spillingBytes(),
              totals.storedBytes(),
              stored));
    }
  }

  /** Fails if memory is reserved for a push, although no client is connected. */
  private void checkNoGrants() {
    assertThat(process().memory.waitingCount())
        .as("pushes that wait at %s", server.name())
        .isZero();
    // As the spill planner does in each interval.
    process().memory.expireGrants();
    ByteBuf all = process().memory.tryAllocate("oracle", (int) process().memory.capacityBytes());
    assertThat(all).as("the whole memory of %s", server.name()).isNotNull();
    all.release();
  }

  /** Fails if the map indexes of a partition do not cover exactly the bytes that it stores. */
  public void checkMarks(ShuffleId shuffle, List<Integer> partitions) throws Exception {
    OpenReply reply = open(shuffle, partitions);
    if (reply == null) {
      return;
    }
    for (PartitionState state : reply.getPartitionsList()) {
      long marked = state.getSliceMarksList().stream().mapToLong(SliceMark::getLength).sum();
      assertThat(marked)
          .as("bytes of the blocks of partition %s at %s", state.getPartition(), server.name())
          .isEqualTo(state.getLength());
    }
  }

  /** Fails unless no data and no memory is left. */
  public void checkEmpty() throws Exception {
    server.machine().await(process().spills);
    server.machine().await(process().upkeep);
    process().model.housekeep();
    assertThat(process().model.store.shuffleCount()).as("shuffles at %s", server.name()).isZero();
    assertThat(process().memory.usedBytes()).as("memory of %s", server.name()).isZero();
    assertThat(server.readMemory().metric().usedDirectMemory())
        .as("memory of reads of %s", server.name())
        .isZero();
    checkNoGrants();
    assertThat(process().model.files.count()).as("run files of %s", server.name()).isZero();
    LogTotals totals = process().model.store.totals();
    assertThat(totals.storedBytes()).as("stored bytes of %s", server.name()).isZero();
    assertThat(totals.metadataBytes()).as("metadata of %s", server.name()).isZero();
    for (ModelDirectory directory : server.directories()) {
      assertThat(directory.catalog().runs()).as("catalog of %s", server.name()).isEmpty();
      checkNoRuns(directory.storage());
      assertThat(directory.storage().unfinishedCount()).as("files of %s", server.name()).isZero();
    }
    if (server.remote().isPresent()) {
      assertThat(server.remote().get().catalog().runs())
          .as("remote catalog of %s", server.name())
          .isEmpty();
      checkNoRuns(process().tier.orElseThrow().storage());
    }
  }

  /** A storage may have the file of a probe that runs at the moment. */
  private static void checkNoRuns(Storage storage) throws IOException {
    assertThat(storage.list())
        .extracting(Storage.Entry::file)
        .as("files of %s", storage.name())
        .noneMatch(file -> RunFiles.runId(file).isPresent());
  }
}
