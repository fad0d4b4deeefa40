package io.sluice.spark.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.sluice.client.read.BlocksMissingException;
import io.sluice.client.read.MissingBlocks;
import io.sluice.client.read.MissingBlocks.Answer;
import io.sluice.client.read.MissingBlocks.Reason;
import io.sluice.client.read.ReadCounters;
import io.sluice.client.read.ShuffleBlock;
import io.sluice.client.read.ShuffleRead;
import io.sluice.spark.MapLocation;
import io.sluice.spark.MissingMaps;
import io.sluice.spark.TaskDirectMemory;
import io.sluice.spark.TestTask;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.apache.spark.FetchFailed;
import org.apache.spark.TaskContextImpl;
import org.apache.spark.TaskKilledException;
import org.apache.spark.executor.TempShuffleReadMetrics;
import org.apache.spark.shuffle.FetchFailedException;
import org.junit.jupiter.api.Test;

class FetchedBlocksTest {
  private final TaskContextImpl task = TestTask.withMemory(1 << 20);
  private final TempShuffleReadMetrics metrics = task.taskMetrics().createTempShuffleReadMetrics();
  private final Scripted read = new Scripted();
  private boolean outdated;
  private final FetchedBlocks contents =
      new FetchedBlocks(
          read, 5, () -> outdated, new TaskDirectMemory(task.taskMemoryManager()), task, metrics);

  private static final class Scripted implements ShuffleRead {
    final Deque<Object> script = new ArrayDeque<>();
    ReadCounters counters = ReadCounters.ZERO;
    boolean closed;

    @Override
    public ShuffleBlock next() throws IOException {
      counters =
          counters.plus(
              new ReadCounters(
                  100,
                  2,
                  300,
                  4,
                  0,
                  0,
                  2_500_000,
                  new ReadCounters.Requests(1, 1, 0, 3_500_000),
                  new ReadCounters.Files(0, 0),
                  new ReadCounters.Local(0, 0, 0),
                  ReadCounters.ZERO.servers()));
      Object next = script.poll();
      if (next instanceof IOException problem) {
        throw problem;
      }
      return (ShuffleBlock) next;
    }

    @Override
    public ReadCounters counters() {
      return counters;
    }

    @Override
    public void close() {
      closed = true;
    }
  }

  @Test
  void returnsContentsAndUpdatesMetrics() throws IOException {
    ByteBuffer content = ByteBuffer.wrap(new byte[] {1, 2, 3});
    read.script.add(new ShuffleBlock(1, 7, 0, 4, content));

    assertThat(contents.next()).isSameAs(content);
    assertThat(contents.next()).isNull();

    assertThat(metrics.remoteBytesRead()).isEqualTo(200);
    assertThat(metrics.remoteBlocksFetched()).isEqualTo(4);
    assertThat(metrics.fetchWaitTime()).isEqualTo(5);
    assertThat(metrics.remoteReqsDuration()).isEqualTo(7);
    assertThat(metrics.localBytesRead()).isZero();
    contents.close();
    assertThat(read.closed).isTrue();
  }

  @Test
  void namesExactlyTheMapTaskWhoseBlocksAreMissing() {
    MissingBlocks lost =
        new MissingBlocks(
            3, 42, 17, Reason.LOST, List.of(new Answer("s:1", Reason.LOST)), "restarted");
    read.script.add(new BlocksMissingException(5, List.of(lost)));

    Throwable thrown = catchThrowable(contents::next);

    assertThat(thrown).isInstanceOf(FetchFailedException.class).hasMessageContaining("LOST");
    FetchFailed reason = (FetchFailed) ((FetchFailedException) thrown).toTaskFailedReason();
    assertThat(MapLocation.isPlaceholder(reason.bmAddress(), 42)).isTrue();
    assertThat(reason.shuffleId()).isEqualTo(5);
    assertThat(reason.mapId()).isEqualTo(42);
    assertThat(reason.mapIndex()).isEqualTo(17);
    assertThat(reason.reduceId()).isEqualTo(3);
  }

  @Test
  void theFailureInSparksPagesNamesServersAndTheReason() {
    MissingBlocks lost =
        new MissingBlocks(
            3, 42, 17, Reason.LOST, List.of(new Answer("s.example:1", Reason.LOST)), "restarted");
    read.script.add(new BlocksMissingException(5, List.of(lost)));

    FetchFailedException thrown = (FetchFailedException) catchThrowable(contents::next);

    assertThat(thrown.toTaskFailedReason().toErrorString().lines().limit(2))
        .containsExactly(
            "FetchFailed(BlockManagerId(sluice-42, shuffle-servers=s.example, 1, None),"
                + " shuffleId=5, mapIndex=17, mapId=42, reduceId=3, message=",
            "org.apache.spark.shuffle.FetchFailedException: blocks of a map task are missing"
                + " shuffle=5 partition=3 attempt=42 mapIndex=17 reason=LOST servers=s.example:1:"
                + " restarted");
  }

  @Test
  void namesBlamedAndSilentServers() {
    Answer lost = new Answer("s:1", Reason.LOST);
    Answer silent = new Answer("s:2", Reason.UNREACHABLE);
    Answer standsIn = new Answer("s:3", Reason.INCOMPLETE);
    Answer unwritten = new Answer("s:4", Reason.NEVER_WRITTEN);
    read.script.add(
        new BlocksMissingException(
            5,
            List.of(
                new MissingBlocks(3, 42, 17, Reason.LOST, List.of(lost), ""),
                new MissingBlocks(4, 42, 17, Reason.UNREACHABLE, List.of(silent, standsIn), ""),
                new MissingBlocks(5, 42, 17, Reason.NEVER_WRITTEN, List.of(unwritten), ""))));

    String message = catchThrowable(contents::next).getMessage();

    assertThat(MissingMaps.blamedServersIn(message)).containsExactly("s:1", "s:2", "s:4");
    assertThat(MissingMaps.silentServersIn(message)).containsExactly("s:2");
  }

  @Test
  void namesTheServersAndTheNumberOfWrongReceipts() {
    Answer from = new Answer("s:1", Reason.MISMATCH);
    read.script.add(
        new BlocksMissingException(
            5, List.of(new MissingBlocks(3, 42, 17, Reason.MISMATCH, List.of(from), "records=1"))));

    String message = catchThrowable(contents::next).getMessage();

    assertThat(MissingMaps.in(message)).containsExactly(new MissingMaps.Attempt(17, 42));
    assertThat(MissingMaps.blamedServersIn(message)).containsExactly("s:1");
    assertThat(MissingMaps.silentServersIn(message)).isEmpty();
    assertThat(MissingMaps.wrongReceiptsIn(message)).isEqualTo(1);
  }

  @Test
  void failsOnlyTheTaskIfTheShuffleHasNewServers() {
    outdated = true;
    MissingBlocks lost =
        new MissingBlocks(
            3, 42, 17, Reason.LOST, List.of(new Answer("s:1", Reason.LOST)), "restarted");
    BlocksMissingException missing = new BlocksMissingException(5, List.of(lost));
    read.script.add(missing);

    assertThatThrownBy(contents::next)
        .isInstanceOf(IOException.class)
        .isNotInstanceOf(BlocksMissingException.class)
        .hasMessageContaining("assignment of the shuffle changed")
        .hasCause(missing);
  }

  @Test
  void locationsOfTwoAttemptsDiffer() {
    assertThat(MapLocation.of(1)).isNotEqualTo(MapLocation.of(2));
    assertThat(MapLocation.of(1).executorId()).isNotEqualTo(MapLocation.of(2).executorId());
    assertThat(MapLocation.of(1).host()).isEqualTo(MapLocation.of(2).host());
  }

  @Test
  void otherFailuresAreThrownUnchanged() {
    IOException problem = new IOException("block damaged on every replica");
    read.script.add(problem);

    assertThatThrownBy(contents::next).isSameAs(problem);
  }

  @Test
  void aKilledTaskSendsNoMoreRequests() {
    task.markInterrupted("by the test");

    assertThatThrownBy(contents::next).isInstanceOf(TaskKilledException.class);
    assertThat(read.counters).isEqualTo(ReadCounters.ZERO);
  }
}
