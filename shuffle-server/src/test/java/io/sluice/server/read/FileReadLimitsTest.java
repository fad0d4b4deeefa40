package io.sluice.server.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.common.error.StatusCode;
import io.sluice.server.log.LogPiece;
import io.sluice.transport.server.ClientConnection;
import io.sluice.transport.server.FetchedBytes;
import java.nio.channels.FileChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Limits of reads: time, queues, and memory. */
class FileReadLimitsTest extends FileReadsFixture {
  @Test
  void timesOutAReadThatHangsAndKeepsItsFileUntilTheThreadReturns() throws Exception {
    FakeRun run = run(ssd);
    CompletableFuture<FetchedBytes> answer = fetch(run, 0, 100);
    pass(TIMEOUT_MS);
    timer.fire();
    assertThat(refusal(answer)).isEqualTo(StatusCode.STORAGE_FAILED);
    assertThat(run.readers()).as("its thread may still read").isEqualTo(1);
    assertThat(health).containsExactly("ssd timed out");
    runThreads(ssd);
    assertThat(run.readers()).isZero();
    assertThat(counters.timeouts()).isEqualTo(1);
  }

  @Test
  void timesOutAndReleasesAReadQueuedBehindOneThatHangs() throws Exception {
    CompletableFuture<FetchedBytes> hangs = fetch(run(hdd), 0, 100);
    FakeRun waiting = run(hdd);
    CompletableFuture<FetchedBytes> waits = fetch(waiting, 0, 100);
    pass(TIMEOUT_MS);
    timer.fire();
    assertThat(refusal(hangs)).isEqualTo(StatusCode.STORAGE_FAILED);
    assertThat(refusal(waits)).isEqualTo(StatusCode.STORAGE_FAILED);
    assertThat(waiting.readers()).isZero();
    assertThat(budget.usedBytes()).as("the read that hangs").isEqualTo(100);

    assertThat(refusal(fetch(run(hdd), 0, 1))).as("stalled").isEqualTo(StatusCode.STORAGE_FAILED);
    now(fetch(run(ssd), 0, 1), ssd).close();
    runThreads(hdd);
    now(fetch(run(hdd), 0, 1), hdd).close();
  }

  @Test
  void timesOutAFetchThatWaitsForTheBudget() throws Exception {
    FakeRun run = run(ssd);
    now(fetch(run, 0, 1), ssd).close();
    cached = true;
    FetchedBytes first = now(fetch(run, 0, 8_000));
    CompletableFuture<FetchedBytes> second = fetch(client(1), run, 0, 10);
    CompletableFuture<FetchedBytes> third = fetch(client(1), run(hdd), 0, 10);
    pass(TIMEOUT_MS);
    timer.fire();
    assertThat(refusal(second)).isEqualTo(StatusCode.BUSY);
    assertThat(refusal(third)).isEqualTo(StatusCode.BUSY);
    first.close();
  }

  @Test
  void aDiskThatHangsDoesNotUseUpTheBudget() throws Exception {
    for (int i = 0; i < 5; i++) {
      begin(client(i), run(hdd), 3_000);
    }
    assertThat(budget.usedBytes()).as("the running read").isEqualTo(3_000);
    now(fetch(client(9), run(ssd), 0, 4_000), ssd).close();
  }

  @Test
  void limitsTheQueueOfADisk() throws Exception {
    for (int i = 0; i < 6; i++) {
      begin(CLIENT, run(hdd), 10);
    }
    assertThat(refusal(fetch(run(hdd), 0, 10))).isEqualTo(StatusCode.BUSY);
  }

  @Test
  void limitsTheFilesThatWaitToBeOpened() throws Exception {
    List<CompletableFuture<FileChannel>> opening = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      opening.add(reads.openOwn(run(ssd)));
    }
    assertThat(opening.subList(0, 5)).noneMatch(CompletableFuture::isDone);
    assertThat(opening.get(5)).isCompletedExceptionally();
    runThreads(ssd);
    assertThat(opening.subList(0, 5)).noneMatch(CompletableFuture::isCompletedExceptionally);
    CompletableFuture<FileChannel> after = reads.openOwn(run(ssd));
    runThreads(ssd);
    assertThat(after).isCompleted();
  }

  @Test
  void waitsForTheBudget() throws Exception {
    FakeRun run = run(ssd);
    now(fetch(run, 0, 1), ssd).close();
    cached = true;
    FetchedBytes first = now(fetch(run, 0, 6_000));
    CompletableFuture<FetchedBytes> second = fetch(client(1), run, 0, 6_000);
    CompletableFuture<FetchedBytes> third = fetch(client(2), run(hdd), 0, 6_000);
    runThreads(hdd);
    assertThat(second).isNotDone();
    assertThat(third).isNotDone();
    first.close();
    now(second).close();
    now(third, hdd).close();
  }

  @Test
  void releasesBudgetAsBytesAreSent() throws Exception {
    ReadBudget large = new ReadBudget(100 << 20);
    FileReads own = reads(large);
    int length = 4 << 20;
    FakeRun run = run(ssd);
    run.channel();
    cached = true;
    FetchedBytes fetched =
        now(own.read(CLIENT, 7, List.of(new LogPiece.InFile(retained(run), 0, length)), false));
    assertThat(large.usedBytes()).isEqualTo(length);
    fetched.sent(1_000);
    assertThat(large.usedBytes()).as("not after every write").isEqualTo(length);
    fetched.sent(length / 2 - 1_000);
    assertThat(large.usedBytes()).isEqualTo(length / 2);
    fetched.sent(length / 2);
    assertThat(large.usedBytes()).isZero();
    fetched.close();
    assertThat(large.usedBytes()).isZero();
    own.close();
  }

  @Test
  void countsCopiedBytes() throws Exception {
    ReadBudget large = new ReadBudget(100 << 20);
    FileReads own = reads(large);
    ClientConnection copying = new ClientConnection("app-1", "test", "peer", 1_000);
    int length = 2 << 20;
    ByteBuf bytes = Unpooled.buffer().writeZero(length);
    FakeRun run = run(ssd);
    run.channel();
    cached = true;
    FetchedBytes fetched =
        now(
            own.read(
                copying,
                7,
                List.of(
                    new LogPiece.InMemory(bytes), new LogPiece.InFile(retained(run), 0, length)),
                false));
    assertThat(large.usedBytes()).isEqualTo(length + 1_000);
    fetched.sent(length);
    assertThat(large.usedBytes()).as("bytes of the file and of a copy").isEqualTo(length + 1_000);
    fetched.sent(length - 500);
    assertThat(large.usedBytes()).isEqualTo(1_000);
    fetched.close();
    assertThat(large.usedBytes()).isZero();
    own.close();
  }

  @Test
  void anApplicationThatDoesNotReadLeavesOthersTheirShare() throws Exception {
    FakeRun run = run(ssd);
    now(fetch(run, 0, 1), ssd).close();
    cached = true;
    List<FetchedBytes> stuck = new ArrayList<>();
    for (int i = 0; i < 40; i += 2) {
      CompletableFuture<FetchedBytes> answer = fetch(client(i), run, 0, 500);
      if (answer.isDone()) {
        stuck.add(answer.join());
      }
    }
    assertThat(stuck).hasSize(8);
    now(fetch(client(1), run, 0, 1_000)).close();
    now(fetch(client(3), run, 0, 4_000)).close();
    stuck.forEach(FetchedBytes::close);
  }

  @Test
  void countsTheHeapOfItsPiecesUntilItIsClosed() throws Exception {
    List<LogPiece> pieces = new ArrayList<>();
    for (int i = 0; i < 1_000; i++) {
      pieces.add(new LogPiece.InMemory(Unpooled.buffer().writeBytes(content, i, 1)));
    }
    FetchedBytes fetched = now(reads.read(CLIENT, 7, pieces, false));
    assertThat(requestMemory.usedBytes()).isBetween(100_000L, 1_000_000L);
    fetched.close();
    assertThat(requestMemory.usedBytes()).isZero();
  }
}
